// Where CUDA cannot be used: why, and what a session then does. These tests need a machine without it.
#include "../../models.hpp"
#include "../../skip.hpp"
#include <inlay/any_session.hpp>
#include <inlay/provider/cuda.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
const char* const text = "add (float[4] x) => (float[4] y) { y = Add(x, x) }";
const tensor x({4}, {1.f, 2.f, 3.f, 4.f});
void skip_where_usable() {
    if (find_cuda().unusable.empty()) SKIP("CUDA can be used here");
}
}  // namespace

TEST_CASE("The reason why CUDA cannot be used is one of those that are known", "[cuda]") {
    const cuda_inventory inventory = find_cuda();
    CHECK(inventory.runtime >= 13000);
    if (inventory.unusable.empty()) {
        CHECK(!inventory.devices.empty());
        return;
    }
    const bool has_reason =
        has_text(inventory.unusable, "no driver") || has_text(inventory.unusable, "driver is too old") ||
        has_text(inventory.unusable, "no device") || has_text(inventory.unusable, "library missing");
    CAPTURE(inventory.unusable);
    CHECK(has_reason);
}
TEST_CASE("A session that requests CUDA where there is none is provider_unavailable, when it is made", "[cuda]") {
    skip_where_usable();
    for (const fallback& policy : {fallback::implicit_cpu(), fallback::never(), fallback::only({"Add"})}) {
        session_options o;
        o.fallback = policy;
        const error e = raised([&] { inlay::session(model_of(text), o, cuda{}, cpu{}); });
        CHECK(e.code == error_code::provider_unavailable);
        CHECK(e.provider == cuda::name);
        CHECK(has_text(e.text, find_cuda().unusable));
    }
}
TEST_CASE("Under fallback::any the CPU takes over, and the report says so", "[cuda]") {
    skip_where_usable();
    session_options o;
    o.fallback = fallback::any();
    std::vector<std::string> warnings;
    o.log = [&](severity, std::string_view w) { warnings.emplace_back(w); };
    const inlay::session s{model_of(text), o, cuda{}, cpu{}};
    CHECK(floats(s.run({{"x", x}})[0]) == std::vector<float>{2, 4, 6, 8});
    const plan_report plan = s.plan();
    CHECK(plan.count(cpu::name) == 1);
    REQUIRE(warnings.size() == 1);
    CHECK(has_text(warnings[0], find_cuda().unusable));
    CHECK(std::ranges::find(plan.notes, warnings[0]) != plan.notes.end());
    REQUIRE(line_of(plan, "Add").answers.size() >= 1);
    CHECK(line_of(plan, "Add").answers[0].provider == cuda::name);
}
TEST_CASE("Two GPUs that are not there have different errors", "[cuda]") {
    skip_where_usable();
    session_options o;
    o.fallback = fallback::any();
    o.log = [](severity, std::string_view) {};
    const inlay::session s{model_of(text), o, cuda{.device_id = 0}, cuda{.device_id = 1}, cpu{}};
    CHECK(s.providers() ==
          std::vector<std::string>{"CUDAExecutionProvider:0", "CUDAExecutionProvider:1", "CPUExecutionProvider"});
    CHECK(floats(s.run({{"x", x}})[0]) == std::vector<float>{2, 4, 6, 8});
    const plan_report plan = s.plan();
    for (const std::string name : {"CUDAExecutionProvider:0", "CUDAExecutionProvider:1"})
        CHECK(std::ranges::any_of(plan.notes, [&](const std::string& n) { return n.starts_with(name + " failed: "); }));
    CHECK(raised([] { tensor(element::f32, {4}, space_on<memory::cuda>(1)); }).code ==
          error_code::provider_unavailable);
}
TEST_CASE("CUDA is found by every spelling of its name", "[cuda]") {
    for (const char* name : {"cuda", "CUDA", "CUDAExecutionProvider"}) {
        session_options o;
        o.fallback = fallback::any();
        o.log = [](severity, std::string_view) {};
        const any_session s(model_of(text), {{name, {{"device_id", "0"}, {"use_tf32", "true"}}}, "cpu"}, o,
                            factories_of<cpu, reference, cuda>);
        CHECK(s.providers()[0] == cuda::name);
        CHECK(s.provider_options()[0].second.size() == 11);
    }
}
TEST_CASE("Device memory is refused with the reason where there is no device", "[cuda]") {
    skip_where_usable();
    const error e = raised([] { tensor(element::f32, {4}, space_of<memory::cuda>); });
    CHECK(e.code == error_code::provider_unavailable);
    CHECK(raised([] { tensor(element::f32, {4}, space_of<memory::pinned>); }).code == error_code::provider_unavailable);
    CHECK(raised([] { (void)x.copied_to(space_of<memory::cuda>); }).code == error_code::provider_unavailable);
}

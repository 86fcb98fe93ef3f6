// Where ROCm cannot be used: why, and what a session then does.
#include "../../models.hpp"
#include "../../skip.hpp"
#include <inlay/any_session.hpp>
#include <inlay/provider/rocm.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
const char* const text = "add (float[4] x) => (float[4] y) { y = Add(x, x) }";
const tensor x({4}, {1.f, 2.f, 3.f, 4.f});
void skip_where_usable() {
    if (rocm_provider::inventory().unusable.empty()) SKIP("ROCm can be used here");
}
}  // namespace

TEST_CASE("The reason why ROCm cannot be used is one of those that are known", "[rocm]") {
    skip_where_usable();
    const std::string reason = rocm_provider::inventory().unusable;
    CAPTURE(reason);
    const bool has_reason = has_text(reason, "no device") || has_text(reason, "library missing: HIP: ");
    CHECK(has_reason);
}
TEST_CASE("A session that requests ROCm where there is none is provider_unavailable, when it is made", "[rocm]") {
    skip_where_usable();
    const error e = raised([&] { inlay::session(model_of(text), rocm_provider{}, cpu{}); });
    CHECK(e.code == error_code::provider_unavailable);
    CHECK(e.provider == rocm_provider::name);
    CHECK(has_text(e.text, rocm_provider::inventory().unusable));
    CHECK(raised([] { tensor(element::f32, {4}, space_of<memory::hip>); }).code == error_code::provider_unavailable);
    CHECK(raised([] { tensor(element::f32, {4}, space_of<memory::hip_pinned>); }).code ==
          error_code::provider_unavailable);
}
TEST_CASE("Under fallback::any the CPU takes over, and the log says so and that ROCm's provider is deprecated",
          "[rocm]") {
    skip_where_usable();
    for (const char* name : {"rocm", "ROCM", "ROCMExecutionProvider"}) {
        session_options o;
        o.fallback = fallback::any();
        std::vector<std::string> warnings;
        o.log = [&](severity, std::string_view w) { warnings.emplace_back(w); };
        any_session s(model_of(text), {{name, {{"device_id", "0"}}}, "cpu"}, o,
                      factories_of<cpu, reference, rocm_provider>);
        CHECK(s.providers()[0] == rocm_provider::name);
        CHECK(floats(s.run({{"x", x}})[0]) == std::vector<float>{2, 4, 6, 8});
        const auto says = [&](const std::string& text) {
            return std::ranges::any_of(warnings, [&](const std::string& w) { return has_text(w, text); });
        };
        CHECK(says(rocm_provider::inventory().unusable));
        CHECK(says("ROCMExecutionProvider is deprecated"));
    }
}

// Engines that are built, saved and read without a GPU.
#include "present.hpp"
#include <filesystem>
#include <random>
using namespace inlay;
using namespace inlay::testing;

namespace {
struct folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("inlay-tensorrt-test-" + std::to_string(std::random_device()()));
    folder() { std::filesystem::create_directories(path); }
    ~folder() { std::filesystem::remove_all(path); }
};
plan_report plan_of(const std::string& text) { return session{model_of(text), quiet(), nowhere, cpu{}}.plan(); }
}  // namespace

TEST_CASE("A network is one engine of TensorRT RTX", "[tensorrt]") {
    need_library();
    const plan_report plan = plan_of(network_for("2"));
    CHECK(plan.count(nv_tensorrt_rtx::name) == 5);
    CHECK(plan.steps == 1);
}
TEST_CASE("What TensorRT RTX does not take stays outside, with the reason, and the rest are engines around it",
          "[tensorrt]") {
    need_library();
    const plan_report plan = plan_of(
        "g (float[4] x) => (float[4] y) { a = Relu(x) f = Cast <to = 17> (a) b = Cast <to = 1> (f) y = Mul(b, a) }");
    CHECK(line_of(plan, "Relu").provider == nv_tensorrt_rtx::name);
    CHECK(line_of(plan, "Mul").provider == nv_tensorrt_rtx::name);
    CHECK(line_of(plan, "Relu").fused_into != line_of(plan, "Mul").fused_into);
    CHECK(line_of(plan, "Cast").provider == cpu::name);
    CHECK(has_text(refusal_of<nv_tensorrt_rtx>(plan, "Cast"), "TensorRT RTX has no float8e4m3fn here"));
}
TEST_CASE("TensorRT RTX says in its words what it does not take", "[tensorrt]") {
    need_library();
    struct refusal {
        std::string_view graph, op, reason;
    };
    const refusal refusals[] = {
        {"g (double[4] x) => (double[4] y) { y = Relu(x) }", "Relu", "has no double here"},
        {"g (float[2,3,3] x) => (float[2] y) { r = Relu(x) y = Det(r) }", "Det", "TensorRT RTX has no Det"},
        {"g (float[0,4] x) => (float[0,4] y) { y = Relu(x) }", "Relu", "without elements, such as [0"},
        {"g (float[4] x) => (float[4] y) { r = Relu(x) h = Hardmax(r) y = Add(h, r) }", "Hardmax",
         "at least 2 dimensions are required for input"},
    };
    for (const refusal& r : refusals) {
        INFO(r.graph);
        const plan_report plan = plan_of(std::string(r.graph));
        CHECK(line_of(plan, r.op).provider == cpu::name);
        CHECK(has_text(refusal_of<nv_tensorrt_rtx>(plan, r.op), std::string(r.reason)));
        if (r.op == "Hardmax" || r.op == "Det") CHECK(line_of(plan, "Relu").provider == nv_tensorrt_rtx::name);
    }
}
TEST_CASE("An engine that was made without a GPU is saved, and read by sessions with the same options", "[tensorrt]") {
    need_library();
    const folder directory;
    const auto file = directory.path / "m_ctx.onnx";
    const inlay::session s{model_of(network_for("2")), quiet(), nowhere, cpu{}};
    const saved_session saved = s.save(file, {.keep_original = false});
    CHECK(saved.regions == 1);
    CHECK(saved.left_out.empty());
    CHECK(saved.bytes > 1000);

    session_options strict = quiet();
    strict.contexts = context_policy::refuse;
    const nv_tensorrt_rtx elsewhere{.device_id = -1, .enable_cuda_graph = true};  // which is no other engine
    const inlay::session restored{model(file), strict, elsewhere, cpu{}};
    CHECK(restored.plan().count(nv_tensorrt_rtx::name) == 1);
    CHECK(line_of(restored.plan(), "EPContext").kernel == "region");

    const nv_tensorrt_rtx options{.device_id = -1, .use_tf32 = true};
    const auto result = session<nv_tensorrt_rtx, cpu>::try_make(model(file), strict, options, cpu{});
    REQUIRE_FALSE(result);
    CHECK(has_text(result.why().text, "`option use_tf32` is `false` in the file and `true` here"));
}
TEST_CASE("An engine that was made without a GPU is not run there, and fallback::any does without", "[tensorrt]") {
    need_library();
    const std::vector<feed> in{{"x", ramp({2, 3, 8, 8})}};
    const model m = model_of(network_for("2"));
    const auto result = inlay::session{m, quiet(), nowhere, cpu{}}.try_run(in);
    REQUIRE_FALSE(result);
    CHECK(has_text(result.why().text, "device_id is -1: engines are made, and not run"));
    session_options any = quiet();
    any.fallback = fallback::any();
    const inlay::session s{m, any, nowhere, cpu{}};
    check_close(floats(s.run(in)[0]), floats(inlay::session{m, reference{}}.run(in)[0]));
}
TEST_CASE("TensorRT RTX reports its version, which saved engines depend on, and not on the device's number",
          "[tensorrt]") {
    need_library();
    const auto e = nowhere.open();
    REQUIRE(e);
    std::map<std::string, std::string> identity;
    for (const auto& [name, value] : (*e)->identity()) identity[name] = value;
    CHECK(identity["library"].starts_with("TensorRT RTX 1."));
    CHECK_FALSE(identity["device"].empty());
    CHECK(identity["option device_id"] == "any");
    CHECK_FALSE(identity.contains("option use_tf32"));
    CHECK(nv_tensorrt_rtx::inventory().libraries[0].second.starts_with("1."));
}
TEST_CASE("TensorRT itself makes no engines without a GPU", "[tensorrt]") {
    const auto engine = tensorrt{.device_id = -1}.open();
    REQUIRE_FALSE(engine);
    CHECK(engine.why().code == error_code::provider_unavailable);
}

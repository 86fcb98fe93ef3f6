// Sessions over RKNN: sizes, threads, bindings, stops, options, saved regions, ends of processes, and the
// conformance tests of providers. All over a host implementation of its interface, and a stand-in of its toolkit.
#include "../../provider_conformance/checked.hpp"
#include "../engines.hpp"
#include <inlay/provider/rknpu.hpp>
#include <dlfcn.h>
using namespace inlay;
using namespace inlay::testing;

namespace {
int host_number(const char* name) {
    void* const library = dlopen(std::getenv("INLAY_RKNPU_LIBRARY"), RTLD_NOW);
    REQUIRE(library);
    return reinterpret_cast<int (*)()>(dlsym(library, name))();
}
plan_report checked_plan(const model& m, const shape& x, const rknpu& p = {}) {
    const inlay::session s{m, quiet(), p, cpu{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp(x)}};
    check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    return s.plan();
}
error problem_of(const rknpu& p) {
    const auto result = session<rknpu, cpu>::try_make(network_of(1), quiet(), p, cpu{});
    return result ? error{} : result.why();
}
}  // namespace

TEST_CASE("A network is one region of RKNN, for each size of its inputs", "[rknpu]") {
    check_sizes(rknpu{}, {1, 3, 1});
    check_sizes(rknpu{.simulator = true}, {1, 3});
    CHECK(host_number("host_models") == 0);  // all are given back
}
TEST_CASE("Several inputs and results come in their order", "[rknpu]") {
    const model m = model_of(
        "g (float[2,3] x, float[3] s) => (float[2,3] y, float[2,1] z) <int64[1] a = {1}> "
        "{ y = Mul (x, s) z = ReduceMax (y, a) }");
    const std::vector<feed> in{{"x", ramp({2, 3})}, {"s", ramp({3}, 1.f)}};
    const inlay::session plain{m, quiet(), reference{}};
    const auto expected = plain.run(in);
    for (const bool simulator : {false, true}) {
        const inlay::session s{m, quiet(), rknpu{.simulator = simulator}, cpu{}};
        const auto y = s.run(in);
        for (std::size_t k : {0, 1}) check_close(floats(y[k]), floats(expected[k]));
        CHECK(s.plan().count(cpu::name) == 0);
    }
}
TEST_CASE("What RKNN has not is refused with the reason, and the rest are regions around it", "[rknpu]") {
    const plan_report plan = checked_plan(
        model_of("g (float[4] x) => (float[4] y) { r = Relu (x) b = Cast <to = 11> (r) c = Cast <to = 1> (b) "
                 "y = Neg (c) }"),
        {4});
    CHECK(refusal_of<rknpu>(plan, "Cast") == "rknn-toolkit2 2.5.0 has no Cast");
    CHECK(line_of(plan, "Relu").provider == rknpu::name);
    CHECK(line_of(plan, "Neg").provider == rknpu::name);
    const auto refusal = [](const std::string& text, std::string_view op) { return why_not<rknpu>(text, op); };
    CHECK(refusal("g (double[2] x) => (double[2] y) { y = Abs (x) }", "Abs") ==
          "double; rknn-toolkit2 2.5.0 has it of float, or of quantized uint8, int8 between DequantizeLinear and "
          "QuantizeLinear");
    CHECK(refusal("g (float x) => (float y) { y = Abs (x) }", "Abs") ==
          "0 dimensions; rknn-toolkit2 2.5.0 has it for 1 to 5");
    CHECK(refusal("g (float[2] x, float s) => (float[2] y) { y = Add (x, s) }", "Add") ==
          "rknn-toolkit2 2.5.0 has no tensors without dimensions");
    CHECK(refusal("g (float[2,0] x) => (float[2,0] y) { y = Abs (x) }", "Abs") ==
          "rknn-toolkit2 2.5.0 has no tensors without elements, such as [2,0]");
    CHECK(refusal("g (float[1,2,3] x, float[2,2,3] w) => (float[1,2,1] y) { y = Conv (x, w) }", "Conv") ==
          "3 dimensions; rknn-toolkit2 2.5.0 has it for 4");
    CHECK(refusal("g (float[1,2,3,3] x, float[2,2,3,3] w) => (float[1,2,1,1] y) { y = Conv (x, w) }", "Conv") ==
          "input 1 has to be a constant");
    CHECK(
        refusal("<ir_version: 8, opset_import: [\"\" : 11]> g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax (x) }",
                "Softmax") == "axis 1 is not the last one");
    CHECK(
        refusal("g (float[1,1,4,4] x) => (float[1,1,4,4] y) { y = AveragePool <kernel_shape = [3,3], pads = [1,1,1,1], "
                "count_include_pad = 1> (x) }",
                "AveragePool") == "it leaves the padding out of the mean");
}
TEST_CASE("Runs of several threads over one model of RKNN take turns", "[rknpu][threads]") {
    check_threads(rknpu{});
    check_threads(rknpu{.simulator = true});
}
TEST_CASE("A binding over RKNN writes into memory of the caller, and follows when that changes", "[rknpu]") {
    check_binding(rknpu{});
    check_binding(rknpu{.simulator = true});
}
TEST_CASE("A run over RKNN that is stopped ends, and the next one runs", "[rknpu]") {
    check_stop(rknpu{});
    check_stop(rknpu{.simulator = true});
}
TEST_CASE("The provider is named as Inlay and ONNX Runtime write it", "[rknpu]") {
    for (const char* name : {"RknpuExecutionProvider", "rknpu", "Rknpu"}) CHECK(names_provider(name, rknpu::name));
}
TEST_CASE("RKNN's options are read from text, and do what they say", "[rknpu]") {
    rknpu p;
    CHECK(options_of(p) == option_list{{"target_platform", "rk3588"}, {"core_mask", "0"}, {"simulator", "false"}});
    CHECK(set_option(p, "core_mask", "3"));
    CHECK_FALSE(set_option(p, "cores", "3"));
    checked_plan(network_of(1), {1, 3, 8, 8}, p);
    CHECK(host_number("host_core_mask") == 3);
    CHECK(problem_of({.core_mask = -1}).code == error_code::invalid_option);
    CHECK(problem_of({.target_platform = ""}).code == error_code::invalid_option);
    CHECK(has_text(problem_of({.core_mask = 64}).text, "core_mask: RKNN says: a parameter is invalid"));
    CHECK(rknpu::inventory().unusable.empty());
}
TEST_CASE("What the toolkit refuses, or ends its process for, is left to the next provider", "[rknpu]") {
    const auto refusal = [](const char* chip) {
        const plan_report plan = checked_plan(network_of(1), {1, 3, 8, 8}, {.target_platform = chip});
        CHECK(plan.count(rknpu::name) == 0);
        return refusal_of<rknpu>(plan, "Conv");
    };
    CHECK(has_text(refusal("refuse"), "rknn-toolkit2 says: no such chip"));
    CHECK(has_text(refusal("crash"), "rknn-toolkit2's process has ended while it compiled these nodes"));
}
TEST_CASE("A simulator that ends during a run is an error of the run, and of no other session", "[rknpu]") {
    const std::vector<feed> in{{"x", ramp({1, 3, 8, 8})}};
    const inlay::session second{network_of(1), quiet(), rknpu{.simulator = true}, cpu{}};
    const inlay::session s{network_of(1), quiet(), rknpu{.target_platform = "crash_later", .simulator = true}, cpu{}};
    for (int run = 0; run < 2; ++run) {
        const auto y = s.try_run(in);
        REQUIRE_FALSE(y);
        CHECK(y.why().code == error_code::provider_failed);
        CHECK(has_text(y.why().text, "rknn-toolkit2's process has ended"));
    }
    CHECK(second.try_run(in));
    session_options any = quiet();
    any.fallback = fallback::any();
    const inlay::session goes_on{network_of(1), any, rknpu{.target_platform = "crash_later", .simulator = true}, cpu{}};
    CHECK(goes_on.try_run(in));
}
TEST_CASE("What is compiled for the simulator is saved for the chip, and restored there without compiling", "[rknpu]") {
    const model m = model_of(network_for("1"));
    const auto folder = std::filesystem::temp_directory_path() / "inlay-rknpu-contexts";
    std::filesystem::create_directories(folder);
    const auto file = folder / "context.onnx";
    const inlay::session s{m, quiet(), rknpu{.simulator = true}, cpu{}};
    s.save(file);
    session_options o = quiet();
    o.contexts = context_policy::refuse;
    const inlay::session restored{model(file), o, rknpu{.core_mask = 1}, cpu{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp({1, 3, 8, 8})}};
    check_close(floats(restored.run(in)[0]), floats(plain.run(in)[0]));
    CHECK(restored.plan().count(rknpu::name) == 1);
    const auto other_chip = session<rknpu, cpu>::try_make(model(file), o, rknpu{.target_platform = "rk3566"}, cpu{});
    REQUIRE_FALSE(other_chip);
    CHECK(has_text(other_chip.why().text, "rk3566"));
    const auto simulated = session<rknpu, cpu>::try_make(model(file), o, rknpu{.simulator = true}, cpu{});
    REQUIRE_FALSE(simulated);
    CHECK(has_text(simulated.why().text, "runs what it compiled itself"));
    std::filesystem::remove_all(folder);
}
TEST_CASE("RKNN passes the conformance tests of providers, on the chip and in the simulator", "[rknpu][threads]") {
    check_passes_less_often(factory_of<rknpu>());
}

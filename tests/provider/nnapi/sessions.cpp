// Sessions over NNAPI: sizes, threads, bindings, stops, options, devices, and the conformance tests. All over a host
// implementation of its interface.
#include "../../provider_conformance/checked.hpp"
#include "host_counts.hpp"
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::nnapi_interface;

namespace {
std::string problem_of(const nnapi& p) {
    const auto result = session<nnapi, cpu>::try_make(network_of(1), quiet(), p, cpu{});
    return result ? "" : result.why().text;
}
}  // namespace

TEST_CASE("A network is one region of NNAPI, for each size of its inputs", "[nnapi]") {
    check_sizes(nnapi{}, {1, 3, 1});
}
TEST_CASE("What NNAPI does not take stays outside, and the rest are regions around it", "[nnapi]") {
    const model m = model_of({4}, [](graph_maker& g, int x) {
        const int a = g.node("Relu", {x});
        return g.node("Mul", {g.node("Erf", {a}), a});
    });
    const inlay::session s{m, quiet(), nnapi{}, reference{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp({4})}};
    check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    const plan_report plan = s.plan();
    CHECK(line_of(plan, "Relu").provider == nnapi::name);
    CHECK(line_of(plan, "Mul").provider == nnapi::name);
    CHECK(refusal_of<nnapi>(plan, "Erf") == "NNAPI has no operation for Erf here");
}
TEST_CASE("Runs of several threads over NNAPI have executions of their own", "[nnapi][threads]") {
    check_threads(nnapi{});
}
TEST_CASE("A binding over NNAPI writes into memory of the caller, and follows when that changes", "[nnapi]") {
    check_binding(nnapi{});
}
TEST_CASE("A run over NNAPI that is stopped ends, and the next one runs", "[nnapi]") { check_stop(nnapi{}); }
TEST_CASE("The provider is named as Inlay and ONNX Runtime write it", "[nnapi]") {
    for (const char* name : {"NnapiExecutionProvider", "nnapi", "NNAPI"}) CHECK(names_provider(name, nnapi::name));
}
TEST_CASE("NNAPI's options are read from text, and two that leave no device are an error", "[nnapi]") {
    nnapi p;
    CHECK(options_of(p) ==
          option_list{{"use_fp16", "false"}, {"use_nchw", "false"}, {"cpu_disabled", "false"}, {"cpu_only", "false"}});
    for (const char* option : {"use_fp16", "use_nchw", "cpu_disabled", "cpu_only"})
        CHECK(set_option(p, option, "true"));
    CHECK(p.use_fp16);
    CHECK_FALSE(set_option(p, "use_fp16", "sometimes"));
    CHECK_FALSE(set_option(p, "use_fp32", "true"));
    CHECK(problem_of(nnapi{.cpu_disabled = true, .cpu_only = true}) ==
          "NnapiExecutionProvider: cpu_disabled and cpu_only leave no device");
}
TEST_CASE("With use_fp16 what is between operations is of 16 bits", "[nnapi]") {
    const model m = model_of({4}, [](graph_maker& g, int x) {
        return g.node("Sub", {g.node("Add", {x, g.floats({}, {1000})}), g.floats({}, {1000})});
    });
    const std::vector<feed> in{{"x", tensor({4}, {.125f, .25f, .625f, 1.f})}};
    const auto run = [&](bool half) {
        return floats(inlay::session{m, quiet(), nnapi{.use_fp16 = half}, cpu{}}.run(in)[0]);
    };
    CHECK(run(true) == std::vector{0.f, 0.f, .5f, 1.f});  // from 512 on, elements of 16 bits are multiples of 1/2
    check_close(run(false), std::vector{.125f, .25f, .625f, 1.f});
}
TEST_CASE("The options choose the devices, and what these do not support is left, with NNAPI's word", "[nnapi]") {
    const auto nodes = [](const nnapi& p) {
        const inlay::session s{network_of(1), quiet(), p, cpu{}};
        const std::vector<feed> in{{"x", ramp({1, 3, 8, 8})}};
        check_close(floats(s.run(in)[0]), floats(inlay::session{network_of(1), quiet(), reference{}}.run(in)[0]));
        const plan_report plan = s.plan();
        return std::pair(plan.count(nnapi::name), refusal_of<nnapi>(plan, "Softmax"));
    };
    CHECK(nodes(nnapi{}) == std::pair(5, std::string("taken")));
    CHECK(nodes(nnapi{.cpu_only = true}) == std::pair(5, std::string("taken")));
    CHECK(nodes(nnapi{.cpu_disabled = true}) ==
          std::pair(4, std::string("NNAPI says that it is not supported by host-accelerator")));
}
TEST_CASE("A device of an earlier level than the library gets what that level has", "[nnapi]") {
    const auto refusal = [](const nnapi& p) {
        const model m = model_of({4}, [](graph_maker& g, int x) { return g.node("Elu", {x}); });
        return refusal_of<nnapi>(inlay::session{m, quiet(), p, cpu{}}.plan(), "Elu");
    };
    CHECK(refusal(nnapi{}) == "taken");
    CHECK(refusal(nnapi{.cpu_disabled = true}) ==
          "NNAPI has the operation from Android 11 (feature level 30) on, and this is Android 10 (feature level 29)");
}
TEST_CASE("A node that NNAPI would compute in another way is refused with what was found", "[nnapi]") {
    const auto refusal = [](const std::string& text, const std::string& op) { return why_not<nnapi>(text, op); };
    CHECK(refusal("g (float[1,2,5] x) => (float[1,2,3] y) <float[2,2,3] w = {" + numbers(12) + "}> { y = Conv (x, w) }",
                  "Conv") == "it is over 1 spatial axes, and NNAPI's operation over 2");
    CHECK(refusal("g (float[1,2,5,5] x, float[2,2,3,3] w) => (float[1,2,3,3] y) { y = Conv (x, w) }", "Conv") ==
          "the weights is not a constant, which NNAPI's operation requires");
    CHECK(
        refusal(
            "g (float[1,1,5,5] x) => (float[1,1,1,1] y) { y = MaxPool <kernel_shape = [3,3], dilations = [2,2]> (x) }",
            "MaxPool") == "it is dilated by 2, and NNAPI's operation is not");
    CHECK(refusal("g (float[1,4,2,2] x) => (float[1,4,2,2] y) { y = LRN <size = 4> (x) }", "LRN") ==
          "its size is 4, and NNAPI's windows are odd");
    CHECK(refusal("g (float[4] x) => (float[4] y) { c = Cast <to = 11> (x) r = Relu (c) y = Cast <to = 1> (r) }",
                  "Relu") == "NNAPI gets no tensors of type double here");
    CHECK(refusal("g (float[2,2,3] x, float[3,2] y) => (float[2,2,2] z) { z = MatMul (x, y) }", "MatMul") ==
          "it multiplies [2,2,3] by [3,2], and NNAPI matrices of equal batches");
    CHECK(refusal("g (float[4,3] x) => (float[1,3] y) <int64[1] i = {4}> { y = Gather (x, i) }", "Gather") ==
          "index 4 is out of range");
    CHECK(refusal("g (float[1,1,3,3] x) => (float[1,1,6,6] y) <float[4] s = {1, 1, 2, 2}> "
                  "{ y = Resize <mode = \"nearest\"> (x, , s) }",
                  "Resize") == "coordinate_transformation_mode is half_pixel, which is not NNAPI's for mode nearest");
}
TEST_CASE("What this machine has for NNAPI is listed", "[nnapi]") {
    const device_inventory inventory = nnapi::inventory();
    CHECK(inventory.unusable.empty());
    CHECK(inventory.libraries == option_list{{"feature level", "1000006"}});
    REQUIRE(inventory.devices.size() == 2);
    CHECK(inventory.devices[1].name == "host-accelerator 1");
    CHECK(inventory.devices[1].facts == option_list{{"feature_level", "29"}});
}
TEST_CASE("NNAPI passes the conformance tests of providers", "[nnapi][threads]") {
    check_passes_less_often(factory_of<nnapi>());
}

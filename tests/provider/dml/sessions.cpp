// Sessions over DirectML: sizes, threads, bindings, stops, options, adapters, lost devices, and the conformance tests
// of providers. All over a host implementation of its interfaces.
#include "../../provider_conformance/checked.hpp"
#include "host_counts.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string problem_of(const dml& p) {
    const auto result = session<dml, cpu>::try_make(network_of(1), quiet(), p, cpu{});
    return result ? "" : result.why().text;
}
void lose_devices(bool lost) {
    reinterpret_cast<void (*)(bool)>(host_function("libd3d12.so", "host_lose_devices"))(lost);
}
model relu_of_four() {
    return model_of({4}, [](graph_maker& g, int x) { return g.node("Relu", {x}); });
}
}  // namespace

TEST_CASE("A network is one region of DirectML, for each size of its inputs", "[dml]") {
    check_sizes(dml{}, {1, 3, 1});
}
TEST_CASE("What DirectML does not take stays outside, and the rest are regions around it", "[dml]") {
    const model m = model_of({4}, [](graph_maker& g, int x) {
        const int a = g.node("Relu", {x});
        return g.node("Mul", {g.node("Hardmax", {a}), a});
    });
    const session s{m, quiet(), dml{}, reference{}};
    const session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp({4})}};
    check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    const plan_report plan = s.plan();
    CHECK(line_of(plan, "Relu").provider == dml::name);
    CHECK(line_of(plan, "Mul").provider == dml::name);
    CHECK(refusal_of<dml>(plan, "Hardmax") == "DirectML has no operation for Hardmax here");
}
TEST_CASE("An input that a region gives back, and one value as two results, are written by operators", "[dml]") {
    const model m = model_of(
        "g (float[4] x) => (float[4] y, float[4] z, float[4] w) "
        "{ y = Identity (x) z = Relu (x) w = Identity (z) }",
        {.optimize = false});
    const session s{m, quiet(), dml{}, cpu{}};
    const session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp({4})}};
    const auto y = s.run(in), expected = plain.run(in);
    for (std::size_t k = 0; k < 3; ++k) CHECK(floats(y[k]) == floats(expected[k]));
    CHECK(s.plan().count(dml::name) == 3);
}
TEST_CASE("Runs of several threads over DirectML have commands and memory of their own", "[dml][threads]") {
    check_threads(dml{});
}
TEST_CASE("A binding over DirectML writes into memory of the caller, and follows when that changes", "[dml]") {
    check_binding(dml{});
}
TEST_CASE("A run over DirectML that is stopped ends, and the next one runs", "[dml]") { check_stop(dml{}); }
TEST_CASE("The provider is named as Inlay and ONNX Runtime write it", "[dml]") {
    for (const char* name : {"DmlExecutionProvider", "dml", "DML"}) CHECK(names_provider(name, dml::name));
}
TEST_CASE("DirectML's options are read from text and written as such", "[dml]") {
    dml p;
    CHECK(options_of(p) == option_list{{"device_id", "0"},
                                       {"performance_preference", "default"},
                                       {"device_filter", "gpu"},
                                       {"disable_metacommands", "false"}});
    CHECK(set_option(p, "device_filter", "npu"));
    CHECK(set_option(p, "performance_preference", "minimum_power"));
    CHECK(p.device_filter == dml_filter::npu);
    CHECK(p.performance_preference == dml_preference::minimum_power);
    CHECK_FALSE(set_option(p, "device_filter", "tpu"));
}
TEST_CASE("device_id counts the adapters of device_filter, in the order of performance_preference", "[dml]") {
    for (int k : {0, 1}) CHECK(problem_of({.device_id = k}).empty());
    CHECK(problem_of({.device_id = 2}) ==
          "DmlExecutionProvider: device_id is 2, and the adapters of device_filter gpu are 2");
    CHECK(problem_of({.device_filter = dml_filter::npu}).empty());
    CHECK(problem_of({.device_id = 1, .device_filter = dml_filter::npu}) ==
          "DmlExecutionProvider: device_id is 1, and the adapters of device_filter npu are 1");
    CHECK(problem_of({.device_id = 2, .device_filter = dml_filter::any}).empty());
    CHECK(problem_of({.device_id = -1}) == "DmlExecutionProvider: device_id is negative");
    const auto name = [](dml_preference p) {
        const auto engine = dml{.performance_preference = p}.open().value_or_raise();
        return engine->identity();
    };
    CHECK(name(dml_preference::minimum_power) == option_list{{"library", "6.2"}, {"device", "Host graphics 1"}});
    CHECK(name(dml_preference::high_performance) == option_list{{"library", "6.2"}, {"device", "Host graphics 2"}});
}
TEST_CASE("An adapter without float16 leaves it to others", "[dml]") {
    const auto forgo = reinterpret_cast<void (*)(bool)>(host_function("libdirectml.so", "host_forgo_float16"));
    const auto refusal = [&](bool forgone) {
        forgo(forgone);
        const std::string text = why_not<dml>("g (float16[4] x) => (float16[4] y) { y = Relu (x) }", "Relu");
        forgo(false);
        return text;
    };
    CHECK(refusal(true) == "the adapter has no float16");
    CHECK(refusal(false) == "taken");
}
TEST_CASE("A device that is lost fails the run, and under fallback::any the next provider goes on", "[dml]") {
    const model m = relu_of_four();
    const std::vector<feed> in{{"x", ramp({4})}};
    const session s{m, quiet(), dml{}, cpu{}};
    session_options o = quiet();
    o.fallback = fallback::any();
    const session any{m, o, dml{}, cpu{}};
    REQUIRE(s.try_run(in));
    lose_devices(true);
    const auto failed = s.try_run(in);
    const auto went_on = any.try_run(in);
    lose_devices(false);
    REQUIRE_FALSE(failed);
    CHECK(has_text(failed.why().text, "the device: the device was removed (0x887A0005)"));
    REQUIRE(went_on);
    CHECK(floats((*went_on)[0]) == std::vector{0.f, 0.f, 1.5f, 0.f});
}
TEST_CASE("A node that DirectML would compute in another way is refused with what was found", "[dml]") {
    const auto refusal = [](const std::string& text, const std::string& op) { return why_not<dml>(text, op); };
    CHECK(refusal("g (float[1,4,2,2] x) => (float[1,4,2,2] y) { y = LRN <size = 4> (x) }", "LRN") ==
          "its size is 4, and DirectML's windows are odd");
    CHECK(refusal("g (float[4] x) => (float[4] y) { c = Cast <to = 11> (x) r = Relu (c) y = Cast <to = 1> (r) }",
                  "Relu") == "DirectML gets no tensors of type double here");
    CHECK(refusal("g (float[4,3] x) => (float[1,3] y) <int64[1] i = {4}> { y = Gather (x, i) }", "Gather") ==
          "index 4 is out of range");
    CHECK(refusal("g (int32[2,3] x) => (int32 y) { y = ReduceMean <keepdims = 0> (x) }", "ReduceMean") ==
          "DirectML gets no tensors of type int32 here");
    CHECK(refusal("g (int64[4] x) => (int64[4] y) { y = Relu (x) }", "Relu") ==
          "DirectML gets no tensors of type int64 here");
    CHECK(refusal("g (float[1,1,5,5] x) => (float[1,1,1,1] y) "
                  "{ y = AveragePool <kernel_shape = [3,3], dilations = [2,2]> (x) }",
                  "AveragePool") == "it is dilated by 2, and DirectML's operation is not");
    CHECK(refusal("g (float[1,1,3,3] x) => (float[1,1,6,6] y) <float[4] s = {1, 1, 2, 2}> "
                  "{ y = Resize <mode = \"cubic\"> (x, , s) }",
                  "Resize") == "mode is cubic, which DirectML has not");
}
TEST_CASE("What this machine has for DirectML is listed", "[dml]") {
    const device_inventory inventory = dml::inventory();
    CHECK(inventory.unusable.empty());
    CHECK(inventory.libraries == option_list{{"feature level", "6.2"}});
    REQUIRE(inventory.devices.size() == 3);  // without the one that is software
    CHECK(inventory.devices[1].name == "Host graphics 2");
    CHECK(inventory.devices[1].bytes == std::int64_t(1) << 30);
    CHECK(inventory.devices[2].facts == option_list{{"kind", "npu"}, {"driver", "31.0.0.15"}});
}
TEST_CASE("DirectML passes the conformance tests of providers", "[dml][threads]") {
    check_passes_less_often(factory_of<dml>());
}

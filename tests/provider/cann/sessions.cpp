// Sessions over CANN: sizes, threads, bindings, stops, options, saved regions, and the conformance tests of providers.
// All over a host implementation of its interface.
#include "../../provider_conformance/checked.hpp"
#include "../engines.hpp"
#include <inlay/provider/cann.hpp>
#include <dlfcn.h>
#include <thread>
using namespace inlay;
using namespace inlay::testing;

namespace {
template <class F> F* host_function(const char* name) {
    void* const library = dlopen(std::getenv("INLAY_CANN_LIBRARY"), RTLD_NOW);
    REQUIRE(library);
    return reinterpret_cast<F*>(dlsym(library, name));
}
std::string option_of_model(const char* key) { return host_function<const char*(const char*)>("host_option")(key); }
plan_report checked_plan(const model& m, const shape& x, const cann& p = {}) {
    const inlay::session s{m, quiet(), p, cpu{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp(x)}};
    check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    return s.plan();
}
std::string problem_of(const cann& p) {
    const auto result = session<cann, cpu>::try_make(network_of(1), quiet(), p, cpu{});
    return result ? "" : result.why().text;
}
}  // namespace

TEST_CASE("A network is one region of CANN, for each size of its inputs", "[cann]") { check_sizes(cann{}, {1, 3, 1}); }
TEST_CASE("CANN parses a region once, and again only after the end of another one's build", "[cann]") {
    const auto parse_count = host_function<int()>("host_parses");
    int before = parse_count();
    checked_plan(network_of(1), {1, 3, 8, 8});
    CHECK(parse_count() == before + 1);
    before = parse_count();
    checked_plan(model_of("g (float[4] x) => (float[4] y) { r = Relu (x) b = Cast <to = 16> (r) c = Cast <to = 1> (b) "
                          "y = Neg (c) }"),
                 {4});
    CHECK(parse_count() == before + 3);  // two regions, and the second again
}
TEST_CASE("A type that CANN has not is refused, and the rest are regions around it", "[cann]") {
    const plan_report plan = checked_plan(
        model_of("g (float[4] x) => (float[4] y) { r = Relu (x) b = Cast <to = 16> (r) c = Cast <to = 1> (b) "
                 "y = Neg (c) }"),
        {4});
    CHECK(refusal_of<cann>(plan, "Cast") == "CANN gets no tensors of type bfloat16 here");
    CHECK(line_of(plan, "Relu").provider == cann::name);
    CHECK(line_of(plan, "Neg").provider == cann::name);
}
TEST_CASE("Runs of several threads over one model of CANN have memory of their own", "[cann][threads]") {
    check_threads(cann{});
}
TEST_CASE("What a session has of CANN's device is freed, on whichever thread it ends", "[cann]") {
    const auto object_count = host_function<int()>("host_objects");
    const int before = object_count();
    auto s = std::make_unique<inlay::session<cann, cpu>>(network_of(1), quiet(), cann{}, cpu{});
    const shape x = s->inputs()[0].shape;
    (void)s->run({{"x", ramp(x)}});
    CHECK(object_count() > before);
    std::thread([&] { s.reset(); }).join();
    CHECK(object_count() == before);
}
TEST_CASE("A binding over CANN writes into memory of the caller, and follows when that changes", "[cann]") {
    check_binding(cann{});
}
TEST_CASE("A run over CANN that is stopped ends, and the next one runs", "[cann]") { check_stop(cann{}); }
TEST_CASE("The provider is named as Inlay and ONNX Runtime write it", "[cann]") {
    for (const char* name : {"CANNExecutionProvider", "cann", "CANN"}) CHECK(names_provider(name, cann::name));
}
TEST_CASE("CANN's options are read from text, checked, and given to the compiler of graphs", "[cann]") {
    cann p;
    CHECK(options_of(p) == option_list{{"device_id", "0"},
                                       {"precision_mode", "must_keep_origin_dtype"},
                                       {"op_select_impl_mode", "high_performance"},
                                       {"optypelist_for_implmode", ""}});
    CHECK(set_option(p, "device_id", "1"));
    CHECK(set_option(p, "precision_mode", "force_fp16"));
    CHECK(set_option(p, "op_select_impl_mode", "high_precision"));
    CHECK(set_option(p, "optypelist_for_implmode", "Gelu,SoftmaxV2"));
    CHECK_FALSE(set_option(p, "precision", "fp16"));
    checked_plan(network_of(1), {1, 3, 8, 8}, p);
    CHECK(option_of_model("ge.exec.precision_mode") == "force_fp16");
    CHECK(option_of_model("ge.opSelectImplmode") == "high_precision");
    CHECK(option_of_model("ge.optypelistForImplmode") == "Gelu,SoftmaxV2");
    checked_plan(network_of(1), {1, 3, 8, 8});
    CHECK(option_of_model("ge.exec.precision_mode") == "must_keep_origin_dtype");
    CHECK(option_of_model("ge.optypelistForImplmode").empty());
    CHECK(problem_of(cann{.precision_mode = "fp16"}) == "CANNExecutionProvider: precision_mode cannot be `fp16`");
    CHECK(problem_of(cann{.op_select_impl_mode = "fast"}) ==
          "CANNExecutionProvider: op_select_impl_mode cannot be `fast`");
    CHECK(problem_of(cann{.device_id = 2}) ==
          "CANNExecutionProvider: CANN cannot be used: there is no device 2 among 2");
}
TEST_CASE("What a session has of the device is given back with it", "[cann]") {
    auto* const count = host_function<int()>("host_objects");
    const int before = count();
    {
        const inlay::session s{network_of(1), quiet(), cann{}, cpu{}};
        const std::vector<feed> in{{"x", ramp({1, 3, 8, 8})}};
        (void)s.run(in);
        CHECK(count() > before);
    }
    CHECK(count() == before);
}
TEST_CASE("What this machine has for CANN is listed", "[cann]") {
    const device_inventory inventory = cann::inventory();
    CHECK(inventory.unusable.empty());
    CHECK(inventory.libraries == option_list{{"CANN", "8.0.0"}});
    REQUIRE(inventory.devices.size() == 2);
    CHECK(inventory.devices[1].name == "AscendHost");
}
TEST_CASE("What CANN compiled is saved, and restored without compiling", "[cann]") {
    const model m = model_of(network_for("1"));
    const auto folder = std::filesystem::temp_directory_path() / "inlay-cann-contexts";
    std::filesystem::create_directories(folder);
    const auto file = folder / "context.onnx";
    const inlay::session s{m, quiet(), cann{}, cpu{}};
    s.save(file);
    session_options o = quiet();
    o.contexts = context_policy::refuse;
    const inlay::session restored{model(file), o, cann{}, cpu{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp({1, 3, 8, 8})}};
    check_close(floats(restored.run(in)[0]), floats(plain.run(in)[0]));
    std::filesystem::remove_all(folder);
}
TEST_CASE("CANN passes the conformance tests of providers", "[cann][threads]") {
    check_passes_less_often(factory_of<cann>());
}

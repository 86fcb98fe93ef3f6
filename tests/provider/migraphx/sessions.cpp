// Sessions over MIGraphX: sizes, threads, bindings, stops, options, saved regions, and the conformance tests of
// providers. All over a host implementation of its interface.
#include "../../provider_conformance/checked.hpp"
#include "../engines.hpp"
#include <inlay/provider/migraphx.hpp>
#include <dlfcn.h>
using namespace inlay;
using namespace inlay::testing;

namespace {
template <class F> F* host_function(const char* name) {
    void* const library = dlopen(std::getenv("INLAY_MIGRAPHX_LIBRARY"), RTLD_NOW);
    REQUIRE(library);
    return reinterpret_cast<F*>(dlsym(library, name));
}
plan_report checked_plan(const model& m, const shape& x, const migraphx& p = {}) {
    const inlay::session s{m, quiet(), p, cpu{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp(x)}};
    check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    return s.plan();
}
std::string problem_of(const migraphx& p) {
    const auto result = session<migraphx, cpu>::try_make(network_of(1), quiet(), p, cpu{});
    return result ? "" : result.why().text;
}
}  // namespace

TEST_CASE("A network is one region of MIGraphX, for each size of its inputs", "[migraphx]") {
    check_sizes(migraphx{}, {1, 3, 1});
}
TEST_CASE("Scalars, and several inputs and results, come in their order", "[migraphx]") {
    const model m = model_of(
        "g (float[2,3] x, float s) => (float[2,3] y, float z) { y = Mul (x, s) m = ReduceMax <keepdims = 0> (y) "
        "z = Sub (m, s) }");
    const std::vector<feed> in{{"x", ramp({2, 3})}, {"s", tensor({}, std::vector{2.f})}};
    const inlay::session s{m, quiet(), migraphx{}, cpu{}};
    const inlay::session plain{m, quiet(), reference{}};
    const auto y = s.run(in), expected = plain.run(in);
    for (std::size_t k : {0, 1}) check_close(floats(y[k]), floats(expected[k]));
    CHECK(s.plan().count(cpu::name) == 0);
}
TEST_CASE("A type that MIGraphX has not is refused, and the rest are regions around it", "[migraphx]") {
    const plan_report plan = checked_plan(
        model_of("g (float[4] x) => (float[4] y) { r = Relu (x) b = Cast <to = 16> (r) c = Cast <to = 1> (b) "
                 "y = Neg (c) }"),
        {4});
    CHECK(refusal_of<migraphx>(plan, "Cast") == "MIGraphX has no tensors of type bfloat16 here");
    CHECK(line_of(plan, "Relu").provider == migraphx::name);
    CHECK(line_of(plan, "Neg").provider == migraphx::name);
}
TEST_CASE("Runs of several threads over one program of MIGraphX take turns", "[migraphx][threads]") {
    check_threads(migraphx{});
}
TEST_CASE("A binding over MIGraphX writes into memory of the caller, and follows when that changes", "[migraphx]") {
    check_binding(migraphx{});
}
TEST_CASE("A run over MIGraphX that is stopped ends, and the next one runs", "[migraphx]") { check_stop(migraphx{}); }
TEST_CASE("The provider is named as Inlay and ONNX Runtime write it", "[migraphx]") {
    for (const char* name : {"MIGraphXExecutionProvider", "migraphx", "MIGraphX"})
        CHECK(names_provider(name, migraphx::name));
}
TEST_CASE("MIGraphX's options are read from text, and do what they say", "[migraphx]") {
    migraphx p;
    CHECK(options_of(p) ==
          option_list{{"device_id", "0"}, {"migraphx_fp16_enable", "false"}, {"migraphx_exhaustive_tune", "false"}});
    CHECK(set_option(p, "device_id", "1"));
    CHECK(set_option(p, "migraphx_exhaustive_tune", "true"));
    CHECK(set_option(p, "migraphx_fp16_enable", "true"));
    CHECK_FALSE(set_option(p, "migraphx_int4_enable", "true"));
    checked_plan(network_of(1), {1, 3, 8, 8}, p);
    CHECK(host_function<int()>("host_device")() == 1);
    CHECK(host_function<bool()>("host_tunes")());
    checked_plan(network_of(1), {1, 3, 8, 8});
    CHECK_FALSE(host_function<bool()>("host_tunes")());
}
TEST_CASE("MIGraphX parses each region once", "[migraphx]") {
    const auto parse_count = host_function<int()>("host_parses");
    const int before = parse_count();
    checked_plan(network_of(1), {1, 3, 8, 8});
    CHECK(parse_count() == before + 1);
}
TEST_CASE("A device that is not there is an error that says so", "[migraphx]") {
    CHECK(problem_of(migraphx{.device_id = 7}) ==
          "MIGraphXExecutionProvider: MIGraphX cannot be used: it has no device 7: MIGraphX says: error 101");
    CHECK(problem_of(migraphx{.device_id = -1}) ==
          "MIGraphXExecutionProvider: MIGraphX cannot be used: device_id cannot be negative");
    CHECK(migraphx::inventory().unusable.empty());
}
TEST_CASE("What MIGraphX compiled is saved, and restored without compiling", "[migraphx]") {
    const model m = model_of(network_for("1"));
    const auto folder = std::filesystem::temp_directory_path() / "inlay-migraphx-contexts";
    std::filesystem::create_directories(folder);
    const auto file = folder / "context.onnx";
    const inlay::session s{m, quiet(), migraphx{}, cpu{}};
    s.save(file);
    session_options o = quiet();
    o.contexts = context_policy::refuse;
    const inlay::session restored{model(file), o, migraphx{}, cpu{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp({1, 3, 8, 8})}};
    check_close(floats(restored.run(in)[0]), floats(plain.run(in)[0]));
    std::filesystem::remove_all(folder);
}
TEST_CASE("MIGraphX passes the conformance tests of providers", "[migraphx][threads]") {
    check_passes_less_often(factory_of<migraphx>());
}

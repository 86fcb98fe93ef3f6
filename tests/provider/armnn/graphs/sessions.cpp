// Sessions over Arm NN: sizes, threads, stops, options, several backends, and the conformance tests.
#include "../../../provider_conformance/checked.hpp"
#include "../../engines.hpp"
#include "backend.hpp"
#include <inlay/provider/armnn.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
// The plan of a session, whose results are right.
template <class... P> plan_report checked_plan(const model& m, const tensor& x, const P&... providers) {
    const inlay::session s{m, quiet(), providers...};
    const inlay::session plain{m, quiet(), reference{}};
    const tensor y = s.run({{"x", x}})[0], expected = plain.run({{"x", x}})[0];
    if (x.type() == element::i32)
        CHECK(elements<std::int32_t>(y) == elements<std::int32_t>(expected));
    else
        check_close(floats(y), floats(expected));
    return s.plan();
}
model between_two() {  // of four nodes the second is none that Arm NN has
    return model_of({-1, 3, 8, 8}, [](graph_maker& g, int x) {
        const int c = g.node("Conv", {x, g.numbers({4, 3, 3, 3})}, {g.list("pads", {1, 1, 1, 1})});
        return g.node("Flatten", {g.node("GlobalAveragePool", {g.node("Erf", {c})})});
    });
}
}  // namespace

TEST_CASE("A network is one region of Arm NN, for each size of its inputs", "[armnn]") {
    for (const char* backend : {tested_backend, ""}) check_sizes(armnn{.backend = backend}, {1, 3, 1});
}
TEST_CASE("What Arm NN does not take stays outside, and the rest are regions around it", "[armnn]") {
    const plan_report plan =
        checked_plan(between_two(), ramp({1, 3, 8, 8}), armnn{.backend = tested_backend}, cpu{.threads = 1});
    CHECK(line_of(plan, "Conv").provider == armnn::name);
    CHECK(line_of(plan, "Flatten").provider == armnn::name);
    CHECK(line_of(plan, "Conv").fused_into != line_of(plan, "Flatten").fused_into);
    CHECK(line_of(plan, "Erf").provider == cpu::name);
    CHECK(refusal_of<armnn>(plan, "Erf") == "Arm NN has no operation for Erf here");
}
TEST_CASE("Runs of several threads have networks of their own", "[armnn][threads]") {
    check_threads(armnn{.backend = tested_backend}, between_two(), 3);
}
TEST_CASE("A binding over Arm NN writes into memory of the caller, and follows when that changes", "[armnn]") {
    check_binding(armnn{.backend = tested_backend});
}
TEST_CASE("A run over Arm NN that is stopped already does not begin", "[armnn]") {
    check_stop(armnn{.backend = tested_backend});
}
TEST_CASE("Arm NN's option is read from text, and a backend that is not there is an error that names those that are",
          "[armnn]") {
    armnn p;
    CHECK(options_of(p) == option_list{{"backend", ""}});
    CHECK(set_option(p, "backend", "CpuAbacus,CpuRef"));
    CHECK(p.backend == "CpuAbacus,CpuRef");
    CHECK_FALSE(set_option(p, "backends", "CpuRef"));
    const auto result = session<armnn, cpu>::try_make(network_of(-1), quiet(), p, cpu{});
    REQUIRE_FALSE(result);
    CHECK(result.why().code == error_code::provider_unavailable);
    CHECK(has_text(result.why().text, "ArmNNExecutionProvider: Arm NN has no backend CpuAbacus here; it has: "));
    for (const char* name : {"CpuRef", tested_backend}) CHECK(has_text(result.why().text, name));
}
TEST_CASE("Arm NN passes the conformance tests of providers", "[armnn][threads]") {
    check_passes_less_often(factory_of<armnn>());
}

#ifdef __aarch64__
TEST_CASE("What CpuAcc lacks is CpuRef's within one network where that is named too, else the next provider's",
          "[armnn]") {
    const model m = model_of({1, 3, 8, 8}, [](graph_maker& g, int x) {
        const int c = g.node("Conv", {x, g.numbers({4, 3, 3, 3})}, {g.list("pads", {1, 1, 1, 1})});
        const int s = g.node("Softmax", {c}, {g.with("axis", std::int64_t(1))});
        return g.node("MaxPool", {s}, {g.list("kernel_shape", {3, 3}), g.list("pads", {1, 1, 1, 1})});
    });
    const tensor x = ramp({1, 3, 8, 8});
    const plan_report combined_plan = checked_plan(m, x, armnn{.backend = "CpuAcc,CpuRef"}, cpu{.threads = 1});
    CHECK(combined_plan.count(armnn::name) == 3);
    CHECK(combined_plan.steps == 1);
    const plan_report acc_plan = checked_plan(m, x, armnn{.backend = "CpuAcc"}, cpu{.threads = 1});
    CHECK(acc_plan.count(armnn::name) == 2);
    CHECK(line_of(acc_plan, "Softmax").provider == cpu::name);
    CHECK(has_text(refusal_of<armnn>(acc_plan, "Softmax"), "Arm NN: CpuAcc: in validate"));
}
TEST_CASE("What CpuAcc computes wrongly is refused there with what was found, with CpuRef next to it too", "[armnn]") {
    const auto check = [](const model& m, const tensor& x, std::string_view op, const std::string& reason) {
        for (const char* backend : {"CpuAcc", "CpuAcc,CpuRef", ""})
            CHECK(refusal_of<armnn>(checked_plan(m, x, armnn{.backend = backend}, reference{}), op) == reason);
        for (const char* backend : {"CpuRef", "CpuRef,CpuAcc"})
            CHECK(checked_plan(m, x, armnn{.backend = backend}, reference{}).count(reference::name) == 0);
    };
    check(model_of({4}, [](graph_maker& g, int x) { return g.node("Floor", {x}); }),
          tensor({4}, {2.5f, 4e9f, -4e9f, 1e30f}), "Floor",
          "on CpuAcc its layer goes by way of int32, where larger numbers and NaN are lost");
    check(model_of(
              {3},
              [](graph_maker& g, int x) {
                  return g.node("Add", {x, x}, {}, 13, element::i32);
              },
              element::i32),
          tensor({3}, std::vector<std::int32_t>{1, 2000000000, -2000000000}), "Add",
          "on CpuAcc its sums of integers stop at the largest one, and do not wrap");
    check(model_of({1, 6, 5, 7},
                   [](graph_maker& g, int x) {
                       const std::vector<attribute> axis{g.with("axis", std::int64_t(1))};
                       const auto parts = g.node_of(2, "Split", {x, g.integers({2, 4})}, axis);
                       return g.node("Concat", {g.node("Relu", {parts[1]}), parts[0]}, axis);
                   }),
          ramp({1, 6, 5, 7}), "Concat", "on CpuAcc its layer leaves out input 1, which Split makes");
}
#endif

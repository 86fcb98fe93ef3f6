// Sessions over the Arm Compute Library: sizes, threads, refusals, options, and the conformance tests.
#include "../../provider_conformance/checked.hpp"
#include "../engines.hpp"
#include <inlay/provider/acl.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
// The reason that ACL's part of the plan has for the node, whose results are right all the same.
std::string refusal_in(const shape& x, const std::string& op, graph_function* graph) {
    const model m = model_of(x, graph);
    const inlay::session s{m, quiet(), acl{}, reference{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp(x)}};
    check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    return refusal_of<acl>(s.plan(), op);
}
}  // namespace

TEST_CASE("The provider is named as Inlay, ONNX Runtime and people write it", "[acl]") {
    for (const char* name : {"AclExecutionProvider", "ACLExecutionProvider", "acl", "ACL"})
        CHECK(names_provider(name, acl::name));
}
TEST_CASE("A network is one region of ACL, for each size of its inputs", "[acl]") { check_sizes(acl{}, {1, 3, 1}); }
TEST_CASE("What ACL does not support stays outside, and the rest are regions around it", "[acl]") {
    const model m = model_of({4}, [](graph_maker& g, int x) {
        const int a = g.node("Relu", {x});
        return g.node("Mul", {g.node("Erf", {a}), a});
    });
    const inlay::session s{m, quiet(), acl{}, reference{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp({4})}};
    check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    const plan_report plan = s.plan();
    CHECK(line_of(plan, "Relu").provider == acl::name);
    CHECK(line_of(plan, "Mul").provider == acl::name);
    CHECK(line_of(plan, "Erf").provider == reference::name);
    CHECK(refusal_of<acl>(plan, "Erf") == "ACL has no operation for Erf here");
}
TEST_CASE("ACL's functions report what they do not support, and the plan has their words", "[acl]") {
    const auto reason = refusal_in({1, 3, 4, 5}, "ConvTranspose", [](graph_maker& g, int x) {
        return g.node("ConvTranspose", {x, g.numbers({3, 4, 3, 2})});
    });
    CHECK(has_text(reason, "ACL: "));
    CHECK(has_text(reason, "NEDeconvolutionLayer"));
}
TEST_CASE("A node that ACL would compute in another way is refused with the difference", "[acl]") {
    CHECK(refusal_in({1, 2, 5}, "Conv", [](graph_maker& g, int x) {
              return g.node("Conv", {x, g.numbers({2, 2, 3})});
          }) == "it is over 1 spatial axes, and ACL's operation over 2");
    CHECK(refusal_in({2, 3, 3}, "MatMul", [](graph_maker& g, int x) {
              return g.node("MatMul", {x, g.node("Reshape", {x, g.integers({1, 2, 3, 3})})});
          }) == "it multiplies [2,3,3] by [1,2,3,3], and ACL matrices of equal batches");
    CHECK(refusal_in({1, 1, 5, 5}, "MaxPool", [](graph_maker& g, int x) {
              return g.node("MaxPool", {x}, {g.list("kernel_shape", {3, 3}), g.list("dilations", {2, 2})});
          }) == "it is dilated by 2, and ACL's operation is not");
    CHECK(refusal_in({1, 4, 2, 2}, "LRN", [](graph_maker& g, int x) {
              return g.node("LRN", {x}, {g.with("size", std::int64_t(4))});
          }) == "its size is 4, and ACL's windows are odd");
    CHECK(refusal_in({4, 6}, "Slice", [](graph_maker& g, int x) {
              return g.node("Slice", {x, g.integers({-1}), g.integers({-9}), g.integers({0}), g.integers({-1})});
          }) == "a step is -1: it goes backwards");
}
TEST_CASE("Runs of several threads have programs of their own", "[acl][threads]") { check_threads(acl{}); }
TEST_CASE("A run over ACL stops on request, and the next one runs", "[acl]") { check_stop(acl{}); }
TEST_CASE("ACL's option is read from text, and convolutions are near the reference kernel with it", "[acl]") {
    acl p;
    CHECK(options_of(p) == option_list{{"enable_fast_math", "false"}});
    CHECK(set_option(p, "enable_fast_math", "true"));
    CHECK(p.enable_fast_math);
    const model m = network_of(1);
    const inlay::session s{m, quiet(), p, reference{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp({1, 3, 8, 8})}};
    const auto y = floats(s.run(in)[0]), expected = floats(plain.run(in)[0]);
    for (std::size_t k = 0; k < y.size(); ++k) CHECK(y[k] == Approx(expected[k]).margin(1e-3));
}
TEST_CASE("ACL passes the conformance tests of providers", "[acl][threads]") {
    auto counts = check_passes(factory_of<acl>());
    CHECK(counts[conformance_outcome::unavailable] == 0);
    CHECK(counts[conformance_outcome::passed] > 15);
}

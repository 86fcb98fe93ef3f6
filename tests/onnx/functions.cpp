#include "models.hpp"
#include <inlay/provider/reference.hpp>
#include <inlay/session.hpp>
#include <cmath>

using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr const char* header = "<ir_version: 10, opset_import: [\"\" : 17, \"local\" : 1]> ";
onnx::ModelProto with(const std::string& graph, const std::string& functions) {
    std::string text = header + ("g " + graph);
    return proto_of(text + functions);
}
std::string function(const std::string& text) {
    return "\n<domain: \"local\", opset_import: [\"\" : 17, \"local\" : 1]> " + text;
}
}  // namespace

TEST_CASE("A call becomes the function's nodes, with names of their own", "[functions]") {
    const model m = loaded(with("(float[2] x) => (float[2] y) { [one] t = local.f(x) [two] y = local.f(t) }",
                                function("f (a) => (b) { [n] t = Relu(a) b = Neg(t) }")));
    const graph_view& g = m.view();
    CHECK(ops(g) == "Relu Neg Relu Neg");
    CHECK(g.nodes[0].name == "one/n");
    CHECK(g.nodes[2].name == "two/n");
    CHECK(find_value(g, "one/t") >= 0);
    CHECK(find_value(g, "two/t") >= 0);
    CHECK(g.values[find_value(g, "two/t")].dims == shape{2});
    CHECK(node_view{g, g.nodes[2]}.input(0).name == "t");
    CHECK(g.values[g.outputs[0]].name == "y");
}

TEST_CASE("Attributes come from the call, else from the function's defaults, else are absent", "[functions]") {
    const auto alpha = [](const std::string& call, const std::string& parameters) {
        const model m =
            loaded(with("(float[2] x) => (float[2] y) { y = local.f" + call + "(x) }",
                        function("f " + parameters + " (a) => (b) { b = LeakyRelu<alpha : float = @slope>(a) }")));
        return node_view{m.view(), m.view().nodes[0]}.real("alpha", -1);
    };
    CHECK(alpha("<slope = 0.5>", "<slope>") == .5);
    CHECK(alpha("<slope = 0.5>", "<slope : float = 0.25>") == .5);
    CHECK(alpha("", "<slope : float = 0.25>") == .25);
    CHECK(alpha("", "<slope>") == -1);
    CHECK(refused(with("(float[2] x) => (float[2] y) { y = local.f<slope = 2>(x) }",
                       function("f <slope> (a) => (b) { b = LeakyRelu<alpha : float = @slope>(a) }")))
              .code == error_code::invalid_model);
}

TEST_CASE("The names that nodes of functions get count towards the limit of what is copied", "[functions]") {
    std::string body = "f (a) => (b) { t0 = Relu(a) ";
    for (int k = 1; k < 9; ++k) body += "t" + std::to_string(k) + " = Relu(t" + std::to_string(k - 1) + ") ";
    onnx::ModelProto p = with("(float[2] x) => (float[2] y) { y = local.f(x) }", function(body + "b = Relu(t8) }"));
    p.mutable_graph()->mutable_node(0)->set_name(std::string(1000, 'n'));  // ten nodes have it in two names each
    model_options o = plain();
    o.limits.copied_bytes = 15000;
    const error e = refused(p, o);
    CHECK(e.code == error_code::limit_exceeded);
    CHECK(contains(e.text, "inlined functions take more than 15000 bytes"));
    CHECK(contains(e.hint, "limits::copied_bytes"));
    o.limits.copied_bytes = 30000;
    CHECK(loaded(p, o).view().nodes.size() == 10);
}

TEST_CASE("A default holds where one function calls another", "[functions]") {
    const std::string functions =
        function("outer (a) => (b) { b = local.inner(a) }") +
        function("inner <slope : float = 0.25> (a) => (b) { b = local.leaf<slope : float = @slope>(a) }") +
        function("leaf <slope : float = 0.75> (a) => (b) { b = LeakyRelu<alpha : float = @slope>(a) }");
    const model m = loaded(with("(float[2] x) => (float[2] y) { y = local.outer(x) }", functions));
    REQUIRE(ops(m.view()) == "LeakyRelu");
    CHECK(node_view{m.view(), m.view().nodes[0]}.real("alpha", -1) == .25);
}

TEST_CASE("Inputs and outputs may be left out, and inputs may be outputs", "[functions]") {
    SECTION("an input that is left out is absent") {
        const model m = loaded(with("(float[2] x) => (float[2] y) { y = local.f(x) }",
                                    function("f (a, low, high) => (b) { b = Clip(a, low, high) }")));
        CHECK(m.view().nodes[0].inputs.count == 1);
    }
    SECTION("an output that is left out is made all the same") {
        auto p = with("(float[2] x) => (float[2] y) { y, z = local.f(x) }",
                      function("f (a) => (b, c) { b = Relu(a) c = Neg(b) }"));
        p.mutable_graph()->mutable_node(0)->mutable_output()->RemoveLast();
        CHECK(ops(loaded(p).view()) == "Relu Neg");
    }
    SECTION("an output that is an input is copied") {
        const model m = loaded(with("(float[2] x) => (float[2] y, float[2] z) { y, z = local.f(x) }",
                                    function("f (a) => (b, a) { b = Relu(a) }")));
        CHECK(ops(m.view()) == "Relu Identity");
    }
    SECTION("more inputs than there are is an error") {
        CHECK(refused(
                  with("(float[2] x) => (float[2] y) { y = local.f(x, x) }", function("f (a) => (b) { b = Relu(a) }")))
                  .code == error_code::invalid_model);
    }
}

TEST_CASE("Functions are called from subgraphs, and have subgraphs", "[functions]") {
    const model m =
        loaded(with("(float[2] x, bool c) => (float[2] y) { y = If(c) <then_branch = t () => (float[2] r) { r = "
                    "local.f(x, c) }, else_branch = e () => (float[2] q) { q = Neg(x) }> }",
                    function("f (a, c) => (b) { t = Relu(a) b = If(c) <then_branch = t1 () => (s) { s = Relu(t) }, "
                             "else_branch = e1 () => (s) { s = Neg(t) }> }")));
    const graph_view& g = m.view();
    REQUIRE(ops(g) == "If");
    REQUIRE(ops(g.subgraphs[0]) == "Relu If");
    CHECK(ops(g.subgraphs[0].subgraphs[1]) == "Neg");
    CHECK(g.subgraphs[0].nodes[1].captures.count == 1);
    CHECK(g.subgraphs[0].inputs.size() == 2);  // x and c
}

TEST_CASE("A graph given to a function keeps the caller's names", "[functions]") {
    const model m =
        loaded(with("(float[2] x, float[2] t, bool c) => (float[2] y) { y = local.f<g = body () => (float[2] r) { r = "
                    "Relu(t) }>(x, c) }",
                    function("f <g> (a, c) => (b) { t = Neg(a) u = If(c) <then_branch : graph = @g, else_branch = e1 "
                             "() => (s) { s = Relu(t) }> b = Relu(u) }")));
    const graph_view& g = m.view();
    REQUIRE(ops(g) == "Neg If Relu");
    const node_view branch{g.subgraphs[0], g.subgraphs[0].nodes[0]};
    CHECK(branch.input(0).name == "t");
    CHECK(node_view{g.subgraphs[1], g.subgraphs[1].nodes[0]}.input(0).name != "t");
}

TEST_CASE("Overloads are distinguished", "[functions]") {
    auto p = with("(float[2] x) => (float[2] y) { t = local.f(x) y = local.f(t) }",
                  function("f (a) => (b) { b = Relu(a) }") + function("f (a) => (b) { b = Neg(a) }"));
    CHECK(refused(p).code == error_code::invalid_model);  // defined twice
    p.mutable_functions(1)->set_overload("second");
    p.mutable_graph()->mutable_node(1)->set_overload("second");
    CHECK(ops(loaded(p).view()) == "Relu Neg");
}

TEST_CASE("Functions that call themselves, or too deeply, or too often are refused", "[functions]") {
    SECTION("directly") {
        const error e = refused(
            with("(float[2] x) => (float[2] y) { y = local.f(x) }", function("f (a) => (b) { b = local.f(a) }")));
        CHECK(e.code == error_code::invalid_model);
        CHECK(contains(e.text, "calls itself"));
    }
    SECTION("through another") {
        CHECK(refused(with("(float[2] x) => (float[2] y) { y = local.f(x) }",
                           function("f (a) => (b) { b = local.h(a) }") + function("h (a) => (b) { b = local.f(a) }")))
                  .code == error_code::invalid_model);
    }
    SECTION("through a subgraph") {
        CHECK(refused(with("(float[2] x, bool c) => (float[2] y) { y = local.f(x, c) }",
                           function("f (a, c) => (b) { b = If(c) <then_branch = t () => (s) { s = local.f(a, c) }, "
                                    "else_branch = e () => (s) { s = Relu(a) }> }")))
                  .code == error_code::invalid_model);
    }
    SECTION("in a long chain") {
        std::string functions;
        for (int i = 0; i < 100; ++i)
            functions +=
                function("f" + std::to_string(i) + " (a) => (b) { b = local.f" + std::to_string(i + 1) + "(a) }");
        functions += function("f100 (a) => (b) { b = Relu(a) }");
        CHECK(refused(with("(float[2] x) => (float[2] y) { y = local.f0(x) }", functions)).code ==
              error_code::limit_exceeded);
        model_options o = plain();
        o.limits.nesting = 200;
        CHECK(ops(loaded(with("(float[2] x) => (float[2] y) { y = local.f0(x) }", functions), o).view()) == "Relu");
    }
    SECTION("ten to the power of twelve nodes, or none") {
        for (const char* leaf : {"b = Relu(a)", ""}) {
            CAPTURE(leaf);
            std::string functions = function(std::string("f12 (a) => (b) { ") + leaf + " }");
            for (int i = 0; i < 12; ++i) {
                functions += function("f" + std::to_string(i) + " (a) => (b) {");
                for (int k = 0; k < 10; ++k)
                    functions += " b" + std::to_string(k) + " = local.f" + std::to_string(i + 1) + "(a)";
                functions += " b = Relu(a) }";
            }
            CHECK(refused(with("(float[2] x) => (float[2] y) { y = local.f0(x) }", functions)).code ==
                  error_code::limit_exceeded);
        }
    }
}

TEST_CASE("A function of another opset fits where its operators are the same", "[functions]") {
    const std::string old = "\n<domain: \"local\", opset_import: [\"\" : 16]> f (a) => (b) { b = Relu(a) }";
    CHECK(ops(loaded(with("(float[2] x) => (float[2] y) { y = local.f(x) }", old)).view()) == "Relu");
    const std::string text = "\n<domain: \"local\", opset_import: [\"\" : 12]> f (a) => (b) { b = Softmax(a) }";
    const error e = refused(with("(float[2] x) => (float[2] y) { y = local.f(x) }", text));
    CHECK(e.code == error_code::unsupported_model);
    CHECK(contains(e.text, "12"));
    CHECK(contains(e.text, "17"));
}

TEST_CASE("A function of another opset fits where its operators only took other types", "[functions]") {
    const auto loads = [](int opset, const std::string& body) {
        const auto m = with("(float[2] x) => (float[2] y) { y = local.f(x) }",
                            "\n<domain: \"local\", opset_import: [\"\" : " + std::to_string(opset) +
                                "]> f (a) => (b) { " + body + " }");
        return bool(load(m));
    };
    CHECK(loads(12, "b = Relu(a)"));
    CHECK(loads(9, "b = Relu(a)"));
    CHECK(loads(23, "b = Relu(a)"));
    CHECK(loads(7, "b = Pow(a, a)"));
    CHECK(loads(7, "b = Identity(a)"));
    CHECK(!loads(6, "b = Add(a, a)"));                      // whose attribute `broadcast` is gone
    CHECK(!loads(12, "b = Softmax <axis = 0> (a)"));        // which had axes from there on as one
    CHECK(!loads(12, "b = ReduceSum <keepdims = 0> (a)"));  // whose axes became an input
    CHECK(!loads(10, "b = Clip <min = 0.0> (a)"));
    CHECK(!loads(9, "d = Constant <value = int64 {2}> () o = Cast <to = 7> (a) b = OneHot (o, d, a)"));
}

TEST_CASE("A function cannot read its caller's values", "[functions]") {
    CHECK(refused(with("(float[2] x, float[2] z) => (float[2] y) { y = local.f(x) }",
                       function("f (a) => (b) { b = Add(a, z) }")))
              .code == error_code::invalid_model);
}

TEST_CASE("An operator without a kernel becomes the nodes by which ONNX defines it", "[functions]") {
    const std::string imports = R"(<ir_version: 13, opset_import: ["" : 26, "ai.onnx.preview" : 1]> )";
    const std::string inputs =
        "g (float[1,1,1,2] q, float[1,1,2,2] k, float[1,1,2,1] v, float w) => (float[a,b,c,d] y) ";
    const std::vector<feed> in{{"q", tensor({1, 1, 1, 2}, {1.f, 0.f})},
                               {"k", tensor({1, 1, 2, 2}, {2.f, 0.f, 0.f, 2.f})},
                               {"v", tensor({1, 1, 2, 1}, {0.f, 1.f})},
                               {"w", tensor(shape{}, {0.5f})}};
    const auto result = [&](const std::string& nodes) {
        const model m = loaded(proto_of(imports + inputs + nodes));
        CHECK(ops(m.view()).find("FlexAttention") == std::string::npos);
        const tensor y = session{m, reference{}}.run(in)[0];
        REQUIRE(y.shape() == shape{1, 1, 1, 1});
        return y.as<float>()[0];
    };
    SECTION("its attributes too") {
        CHECK(result("{ y = ai.onnx.preview.FlexAttention <scale = 1.0> (q, k, v) }") ==
              Approx(1 / (1 + std::exp(2.f))));
    }
    SECTION("with what a graph that it is given reads outside") {
        CHECK(result("{ n = Neg(w) y = ai.onnx.preview.FlexAttention <scale = 1.0, score_mod = m (float[a,b,c,d] s) => "
                     "(float[a,b,c,d] t) { t = Mul(s, n) }> (q, k, v) }") == Approx(1 / (1 + std::exp(-1.f))));
    }
    SECTION("within a subgraph") {
        CHECK(
            result(
                "{ c = Greater(w, w) y = If (c) <then_branch = yes () => (float[a,b,c,d] t) { t = Identity(q) }, "
                "else_branch = no () => (float[a,b,c,d] e) { e = ai.onnx.preview.FlexAttention <scale = 1.0> (q, k, v) "
                "}> }") == Approx(1 / (1 + std::exp(2.f))));
    }
}

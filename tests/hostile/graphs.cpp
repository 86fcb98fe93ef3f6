// Graphs that are none, or that lead in circles: names, order, types, subgraphs, functions, control flow.
#include "attempt.hpp"

using namespace inlay::testing;

TEST_CASE("Nodes in a circle, or without what they read, are refused", "[hostile]") {
    check_hostile_text("two nodes that read each other",
                       "g (float[2] x) => (float[2] y) { a = Add(x, b) b = Relu(a) y = Relu(b) }",
                       "load: invalid_model");
    check_hostile_text("a node that reads itself", "g (float[2] x) => (float[2] y) { y = Add(x, y) }",
                       "load: invalid_model");
    check_hostile_text("a circle behind a node that stands too early",
                       "g (float[2] x) => (float[2] y) { z = Relu(y) y = Add(a, b) b = Relu(y) a = Relu(x) }",
                       "load: invalid_model");
    check_hostile_text("an input that nothing makes", "g (float[2] x) => (float[2] y) { y = Add(x, nothing) }",
                       "load: invalid_model");
    check_hostile_text("an output that nothing makes", "g (float[2] x) => (float[2] y) { z = Relu(x) }",
                       "load: invalid_model");
    check_hostile_text("a required input left out", "g (float[2] x) => (float[2] y) { y = Add(x) }",
                       "load: invalid_model");
    check_hostile_text("a required input of no name", "g (float[1,1,4,4] x) => (float[?] y) { y = Conv(x, \"\") }",
                       "invalid_model");
    check_hostile_text("more inputs than the operator has", "g (float[2] x) => (float[2] y) { y = Relu(x, x, x) }",
                       "load: invalid_model");
    check_hostile_text("more outputs than the operator has", "g (float[2] x) => (float[2] y) { y, z, w = Relu(x) }",
                       "load: invalid_model");
}

TEST_CASE("Names given twice are refused", "[hostile]") {
    check_hostile_text("two nodes that make one value", "g (float[2] x) => (float[2] y) { y = Relu(x) y = Relu(x) }",
                       "load: invalid_model");
    check_hostile_text("one node that makes a value twice",
                       "g (float[4] x) => (float[2] y) { y, y = Split<num_outputs = 2>(x) }", "load: invalid_model");
    check_hostile_text("a node that makes an input", "g (float[2] x) => (float[2] x) { x = Relu(x) }",
                       "load: invalid_model");
    auto m = message("g (float[2] x) => (float[2] y) { y = Relu(x) }");
    *m.mutable_graph()->add_input() = m.graph().input(0);
    check_hostile_message("an input that is listed twice", m, "load: invalid_model");
    m = message("g (float[2] x) => (float[2] y) { y = Relu(x) }");
    *m.mutable_graph()->add_output() = m.graph().output(0);
    check_hostile_message("an output that is listed twice, which is given once", m, "load: ok; cpu: ok");
    m = message("g (float[2] x) => (float[2] y) { y = Relu(x) }");
    auto& a = *m.mutable_graph()->mutable_node(0)->add_attribute();
    a.set_name("x");
    a.set_type(onnx::AttributeProto::INT);
    *m.mutable_graph()->mutable_node(0)->add_attribute() = a;
    check_hostile_message("an attribute that is given twice, and that the operator does not have", m,
                          "load: invalid_model");
}

TEST_CASE("Attributes of another type than the operator's are refused", "[hostile]") {
    check_hostile_text("a text for an axis", R"(g (float[2,2] x) => (float[2,2] y) { y = Softmax<axis = "one">(x) })",
                       "load: invalid_model");
    check_hostile_text("a number for a list",
                       "g (float[1,1,4,4] x, float[1,1,3,3] w) => (float[?,?,?,?] y) { y = Conv<strides = 2>(x, w) }",
                       "load: invalid_model");
    check_hostile_text("real numbers for a list of integers",
                       "g (float[2,2] x) => (float[2,2] y) { y = Transpose<perm = [1.5, 0.5]>(x) }",
                       "load: invalid_model");
    check_hostile_text("a type to cast to that there is not", "g (float[2] x) => (float[2] y) { y = Cast<to = 99>(x) }",
                       "load: ");
    auto m = message("g (float[2,2] x) => (float[2,2] y) { y = Softmax<axis = 1>(x) }");
    auto& a = *m.mutable_graph()->mutable_node(0)->mutable_attribute(0);
    a.set_type(onnx::AttributeProto::GRAPH);
    check_hostile_message("an attribute that says it is a graph and holds none", m, "load: invalid_model");
    std::string bytes = m.SerializeAsString();
    bytes.at(bytes.find("\xa0\x01\x05") + 2) =
        77;  // the field `type`, which holds GRAPH; protobuf's setter takes no kind that it does not know
    check_hostile("an attribute of a kind that ONNX does not define", bytes, "load: ");
    m = message("g (float[2] x) => (float[2] y) { y = Relu(x) }");
    m.mutable_graph()->mutable_node(0)->set_op_type(std::string(1 << 20, 'A'));
    check_hostile_message("an operator's name of a megabyte", m, "load: unsupported_model");
}

TEST_CASE("Nodes that only Inlay's passes make are refused in a file", "[hostile]") {
    const auto model_of = [](const std::string& node) {
        return R"(<ir_version: 10, opset_import: ["" : 21, "inlay" : 1]> g (float[1,1,4,4] x, int8[1,1,3,3] w) => (float[?,?,?,?] y) { y = inlay.)" +
               node + " }";
    };
    check_hostile_text("FusedConv whose weights are bytes", model_of("FusedConv(x, w)"), "load: unsupported_model");
    check_hostile_text("FusedMatMul whose weights are bytes", model_of("FusedMatMul(x, w)"), "load: unsupported_model");
    check_hostile_text("JoinedMatMul whose weights are bytes", model_of("JoinedMatMul(x, w)"),
                       "load: unsupported_model");
    check_hostile_text("FusedGemm whose weights are bytes", model_of("FusedGemm(x, w)"), "load: unsupported_model");
    check_hostile_text("Attention over bytes", model_of("Attention(x, w, w)"), "load: unsupported_model");
}

TEST_CASE("Control flow without its bodies, or with bodies that do not fit, is refused", "[hostile]") {
    auto m = message(
        "g (bool c, float[2] x) => (float[2] y) { y = If(c) <then_branch = t () => (float[2] p) { p = Relu(x) }, "
        "else_branch = e () => (float[2] q) { q = Tanh(x) }> }");
    auto variant = m;
    variant.mutable_graph()->mutable_node(0)->clear_attribute();
    check_hostile_message("If without branches", variant, "load: invalid_model");
    variant = m;
    variant.mutable_graph()->mutable_node(0)->mutable_attribute()->RemoveLast();
    check_hostile_message("If without one of its branches", variant, "load: invalid_model");
    variant = m;
    for (auto& a : *variant.mutable_graph()->mutable_node(0)->mutable_attribute()) a.mutable_g()->clear_output();
    check_hostile_message("If whose branches make nothing", variant, "invalid_");
    variant = m;
    for (auto& a : *variant.mutable_graph()->mutable_node(0)->mutable_attribute()) a.mutable_g()->clear_node();
    check_hostile_message("If whose branches' outputs nothing makes", variant, "load: invalid_model");
    check_hostile_text("Scan over an axis that its input has not",
                       "g (float[3,2] x) => (float[3,2] y) { y = Scan<num_scan_inputs = 1, scan_input_axes = [7], body "
                       "= b (float[2] i) => (float[2] o) { o = Relu(i) }>(x) }",
                       "invalid_");
    check_hostile_text("Scan over a scalar",
                       "g (float x) => (float[?] y) { y = Scan<num_scan_inputs = 1, body = b (float i) => (float o) { "
                       "o = Relu(i) }>(x) }",
                       "invalid_");
    check_hostile_text("Scan over more inputs than it has",
                       "g (float[3,2] x) => (float[3,2] y) { y = Scan<num_scan_inputs = 5, body = b (float[2] i) => "
                       "(float[2] o) { o = Relu(i) }>(x) }",
                       "invalid_");
    check_hostile_text("Scan over a negative number of inputs",
                       "g (float[3,2] x) => (float[3,2] y) { y = Scan<num_scan_inputs = -9223372036854775808, body = b "
                       "(float[2] i) => (float[2] o) { o = Relu(i) }>(x) }",
                       "invalid_");
    check_hostile_text("Scan whose output lies along an axis that it has not",
                       "g (float[3,2] x) => (float[?,?] y) { y = Scan<num_scan_inputs = 1, scan_output_axes = [-9], "
                       "body = b (float[2] i) => (float[2] o) { o = Relu(i) }>(x) }",
                       "invalid_");
    check_hostile_text("Loop whose body takes nothing",
                       "g (float[2] x) => (float[2] y) { y = Loop(\"\", \"\", x) <body = b () => (bool c, float[2] o) "
                       "{ c = Constant<value = bool {1}>() o = Relu(x) }> }",
                       "invalid_");
    check_hostile_text("Loop whose body makes nothing",
                       "g (int64 n, float[2] x) => (float[2] y) { y = Loop(n, \"\", x) <body = b (int64 i, bool c, "
                       "float[2] s) => () { o = Relu(s) }> }",
                       "invalid_");
}

TEST_CASE("Loops that never end are ended by the run's deadline", "[hostile]") {
    check_hostile_text(
        "Loop with 2^62 rounds",
        R"(g (float[2] x) => (float[2] y) { n = Constant<value = int64 {4611686018427387904}>() y = Loop(n, "", x) <body = b (int64 i, bool c, float[2] s) => (bool d, float[2] o) { d = Identity(c) o = Relu(s) }> })",
        "deadline_passed");
    check_hostile_text(
        "Loop whose condition always holds",
        R"(g (float[2] x) => (float[2] y) { t = Constant<value = bool {1}>() y = Loop("", t, x) <body = b (int64 i, bool c, float[2] s) => (bool d, float[2] o) { d = Identity(c) o = Relu(s) }> })",
        "deadline_passed");
    check_hostile_text(
        "Loop of Loops of Loops with a million rounds each",
        R"(g (float[2] x) => (float[2] y) { n = Constant<value = int64 {1000000}>() y = Loop(n, "", x) <body = b (int64 i, bool c, float[2] s) => (bool d, float[2] o) { d = Identity(c)
        o = Loop(n, "", s) <body = b2 (int64 i2, bool c2, float[2] s2) => (bool d2, float[2] o2) { d2 = Identity(c2) o2 = Loop(n, "", s2) <body = b3 (int64 i3, bool c3, float[2] s3) => (bool d3, float[2] o3) { d3 = Identity(c3) o3 = Relu(s3) }> }> }> })",
        "deadline_passed");
    check_hostile_text(
        "Loop that keeps 4 MB of every round",
        R"(g (float[1048576] x) => (float[?,1048576] y) { n = Constant<value = int64 {4611686018427387904}>() y = Loop(n, "") <body = b (int64 i, bool c) => (bool d, float[1048576] o) { d = Identity(c) o = Relu(x) }> })",
        "limit_exceeded|deadline_passed");
    check_hostile_text(
        "Loop whose value doubles in every round",
        R"(g (float[2] x) => (float[?] y) { n = Constant<value = int64 {4611686018427387904}>() y = Loop(n, "", x) <body = b (int64 i, bool c, float[?] s) => (bool d, float[?] o) { d = Identity(c) o = Concat<axis = 0>(s, s) }> })",
        "limit_exceeded|deadline_passed");
}

namespace {
// An If in an If, and so on, written from the inside: no parser recursion.
onnx::ModelProto nest_of_graphs(int depth) {
    onnx::GraphProto inner;
    inner.set_name("g");
    inner.add_output()->set_name("x0");
    inner.mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(1);
    auto& n = *inner.add_node();
    n.set_op_type("Relu");
    n.add_input("x");
    n.add_output("x0");
    for (int level = 1; level < depth; ++level) {
        onnx::GraphProto outer;
        const std::string name = "x" + std::to_string(level);
        outer.set_name("g");
        auto& branch = *outer.add_node();
        branch.set_op_type("If");
        branch.add_input("c");
        branch.add_output(name);
        for (const char* side : {"then_branch", "else_branch"}) {
            auto& a = *branch.add_attribute();
            a.set_name(side);
            a.set_type(onnx::AttributeProto::GRAPH);
            if (side[0] == 't')
                a.mutable_g()->Swap(&inner);
            else {
                a.mutable_g()->set_name("e");
                *a.mutable_g()->add_output() = branch.attribute(0).g().output(0);
                a.mutable_g()->mutable_output(0)->set_name("e" + name);
                auto& leaf = *a.mutable_g()->add_node();
                leaf = n;
                leaf.set_op_type("Tanh");
                leaf.set_output(0, "e" + name);
            }
        }
        outer.add_output()->set_name(name);
        outer.mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(1);
        inner.Swap(&outer);
    }
    auto m = message("g (float[2] x, bool c) => (float[2] y) { y = Relu(x) }");
    for (auto& v : m.graph().input()) *inner.add_input() = v;
    m.mutable_graph()->Swap(&inner);
    return m;
}

// Functions that each call the next one so many times; in a circle, the last calls the first.
onnx::ModelProto chain_of_functions(int count, int copies, bool circle) {
    auto m =
        message(R"(<ir_version: 10, opset_import: ["" : 21, "f" : 1]> g (float[2] x) => (float[2] y) { y = f.f0(x) })");
    for (int k = 0; k < count; ++k) {
        auto& f = *m.add_functions();
        f.set_name("f" + std::to_string(k));
        f.set_domain("f");
        f.add_input("a");
        for (auto& o : m.opset_import()) *f.add_opset_import() = o;
        std::string from = "a";
        for (int c = 0; c < copies; ++c) {
            auto& n = *f.add_node();
            const bool is_last = k + 1 == count && !circle;
            n.set_op_type(is_last ? "Relu" : "f" + std::to_string((k + 1) % count));
            if (!is_last) n.set_domain("f");
            n.add_input(from);
            from = "b" + std::to_string(c);
            n.add_output(from);
        }
        f.add_output(from);
    }
    return m;
}
}  // namespace

TEST_CASE("Graphs within graphs have a limit", "[hostile]") {
    check_hostile_message("20 nested subgraphs, which are allowed", nest_of_graphs(20), "load: ok; cpu: ok");
    check_hostile_message("100 nested subgraphs", nest_of_graphs(100), "load: ");
    check_hostile_message("2,000 nested subgraphs", nest_of_graphs(2000), "load: ");
}

TEST_CASE("Functions within functions have a limit", "[hostile]") {
    check_hostile_message("a function that calls itself", chain_of_functions(1, 1, true), "load: invalid_model");
    check_hostile_message("ten functions that call each other in a circle", chain_of_functions(10, 1, true),
                          "load: invalid_model");
    check_hostile_message("2,000 functions that call each other in a row", chain_of_functions(2000, 1, false),
                          "load: limit_exceeded");
    check_hostile_message("50 functions of which each calls the next ten times", chain_of_functions(50, 10, false),
                          "load: limit_exceeded");
}

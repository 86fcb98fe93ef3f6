// What a file may not say, and how much it may hold.
#include "models.hpp"
#include <sstream>

using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Tensors whose data does not fit are refused by name", "[loader]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { y = Add(x, w) }");
    auto& w = *p.mutable_graph()->add_initializer() = weights("w", {2}, {1, 2});
    error_code code = error_code::invalid_model;
    SECTION("too little raw data") { w.mutable_raw_data()->resize(7); }
    SECTION("too much raw data") { w.mutable_raw_data()->resize(12); }
    SECTION("no data") { w.clear_raw_data(); }
    SECTION("too little typed data") {
        w.clear_raw_data();
        w.add_float_data(1);
    }
    SECTION("data in the wrong field") {
        w.clear_raw_data();
        w.add_int64_data(1);
        w.add_int64_data(1);
    }
    SECTION("a negative dimension") { w.set_dims(0, -2); }
    SECTION("an element type that does not exist") { w.set_data_type(77); }
    SECTION("an element type that is not supported") {
        w.set_data_type(onnx::TensorProto::FLOAT6E2M3);
        code = error_code::unsupported_model;
    }
    SECTION("dimensions whose product overflows") {
        w.clear_dims();
        for (int i = 0; i < 4; ++i) w.add_dims(std::int64_t(1) << 33);
        code = error_code::limit_exceeded;
    }
    SECTION("dimensions whose product overflows to nothing") {
        w.clear_dims();
        for (int i = 0; i < 4; ++i) w.add_dims(std::int64_t(1) << 32);
        code = error_code::limit_exceeded;
    }
    SECTION("too many dimensions") {
        for (int i = 0; i < 8; ++i) w.add_dims(1);
        code = error_code::unsupported_model;
    }
    SECTION("a segment of it") {
        w.mutable_segment()->set_begin(0);
        code = error_code::unsupported_model;
    }
    SECTION("raw strings") { w.set_data_type(onnx::TensorProto::STRING); }
    const error e = refused(p);
    CHECK(e.code == code);
    CHECK(contains(e.text, "`w`"));
    CHECK(!contains(e.text, "\n"));
}

namespace {
onnx::ModelProto three_nodes() {
    return graph_of("(float[2] x) => (float[2] y) { [first] a = Relu(x) [second] b = Relu(a) [third] y = Add(a, b) }");
}
void check_refused_by_name(const onnx::ModelProto& p, const std::string& name) {
    const error e = refused(p);
    CAPTURE(e.text);
    CHECK(e.code == error_code::invalid_model);
    CHECK(contains(e.text, name));
    CHECK(!contains(e.text, "\n"));
}
}  // namespace

TEST_CASE("Graphs that are none are refused by name", "[loader]") {
    auto p = three_nodes();
    auto& g = *p.mutable_graph();
    std::string name;
    SECTION("a cycle") {
        g.mutable_node(0)->set_input(0, "b");
        name = "first";
    }
    SECTION("a missing input") {
        g.mutable_node(1)->set_input(0, "nothing");
        name = "second";
    }
    SECTION("a value made twice") {
        g.mutable_node(1)->set_output(0, "a");
        name = "a";
    }
    SECTION("an input made by a node") {
        g.mutable_node(1)->set_output(0, "x");
        name = "x";
    }
    SECTION("an output that nothing makes") {
        g.mutable_output(0)->set_name("z");
        name = "z";
    }
    SECTION("an initializer made by a node") {
        *g.add_initializer() = weights("a", {2}, {1, 2});
        name = "a";
    }
    SECTION("two initializers of one name") {
        for (int i = 0; i < 2; ++i) *g.add_initializer() = weights("w", {2}, {1, 2});
        name = "w";
    }
    SECTION("two inputs of one name") {
        *g.add_input() = g.input(0);
        name = "x";
    }
    SECTION("an initializer without a name") {
        *g.add_initializer() = weights("", {2}, {1, 2});
        name = "an initializer has no name";
    }
    SECTION("a node of no operator") {
        g.mutable_node(1)->clear_op_type();
        g.mutable_node(1)->set_domain("local");
        p.add_opset_import()->set_domain("local");
        p.mutable_opset_import(1)->set_version(1);
        name = "names no operator";
    }
    SECTION("a node of nothing") {
        g.add_node()->set_op_type("Relu");
        name = "neither inputs nor outputs";
    }
    check_refused_by_name(p, name);
}

TEST_CASE("Nodes that their operator does not know are refused by what is wrong", "[loader]") {
    auto p = three_nodes();
    auto& g = *p.mutable_graph();
    std::string name;
    SECTION("too many inputs") {
        g.mutable_node(0)->add_input("x");
        name = "Relu";
    }
    SECTION("an attribute that the operator lacks") {
        auto& a = *g.mutable_node(0)->add_attribute();
        a.set_name("surprise");
        a.set_type(onnx::AttributeProto::INT);
        a.set_i(1);
        name = "surprise";
    }
    SECTION("a required attribute that is missing") {
        g.mutable_node(0)->set_op_type("Cast");
        name = "to";
    }
    SECTION("a reference to a function's attribute") {
        auto& a = *g.mutable_node(0)->add_attribute();
        a.set_name("alpha");
        a.set_ref_attr_name("b");
        a.set_type(onnx::AttributeProto::FLOAT);
        g.mutable_node(0)->set_op_type("LeakyRelu");
        name = "alpha";
    }
    check_refused_by_name(p, name);
}

TEST_CASE("Declared types are not believed", "[loader]") {
    // A kernel of Shape writes int64: a smaller declared type would make it write past the end.
    CHECK(loaded(
              graph_of("(float[2,2] x) => (float[2,2] y) <int8[2] s> { s = Shape(x) t = Cast<to = 1>(s) y = Relu(x) }"))
              .view()
              .values.size() == 4);
    const model m = loaded(graph_of("(float[2,2] x) => (int8[2] s) { s = Shape(x) }"));
    CHECK(m.view().values[find_value(m.view(), "s")].type == element::i64);
    CHECK(m.outputs()[0].type == element::i64);

    SECTION("nor where inference fails") {  // the shapes do not fit, so nothing is inferred
        const model n = loaded(graph_of("(float[2,2] x, float[3,3] z) => (int8[2,2] y) { y = Add(x, z) }"));
        CHECK(n.view().values[find_value(n.view(), "y")].type == element::f32);
    }
    SECTION("nor in a Loop") {
        CHECK(refused(graph_of("(float[2] x, int64 n, bool c) => (float[2] y) { y = Loop(n, c, x) <body = b (int64 i, "
                               "bool ci, int8[2] s) => (bool co, int8[2] t) { co = Identity(ci) t = Identity(s) }> }"))
                  .code == error_code::invalid_model);
    }
}

TEST_CASE("Dimensions that cannot be are refused", "[loader]") {
    auto p = graph_of("(float[2,2] x) => (float[2,2] y) { y = Relu(x) }");
    auto& d = *p.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
    SECTION("negative ones") {
        d.mutable_dim(0)->set_dim_value(-7);
        CHECK(refused(p).code == error_code::invalid_model);
    }
    SECTION("too many elements") {
        for (int i : {0, 1}) d.mutable_dim(i)->set_dim_value(std::int64_t(1) << 40);
        CHECK(refused(p).code == error_code::limit_exceeded);
    }
    SECTION("but -1 only means that it is open") {
        d.mutable_dim(0)->set_dim_value(-1);
        CHECK(loaded(p).inputs()[0].shape[0] < 0);
    }
}

TEST_CASE("What has more than eight dimensions is refused by its name and the limit", "[loader]") {
    static_assert(max_rank == 8);
    const std::string nine = "float[1,1,1,1,1,1,1,1,2]";
    std::string text, reason = "`x` has 9 dimensions; 8 are supported";
    SECTION("an input") { text = "(" + nine + " x) => (float[1] y) { y = Shape(x) }"; }
    SECTION("an initializer") { text = "(float[2] z) => (float[1] y) <" + nine + " x = {1, 2}> { y = Shape(x) }"; }
    SECTION("an attribute") {
        text = "(float[2] z) => (float[1] y) { x = Constant<value = " + nine + " {1, 2}>() y = Shape(x) }";
        reason = " has 9 dimensions; 8 are supported";
    }
    SECTION("an input of a body") {
        text = "(float[2] z, int64 n, bool c) => (float[2] y) { y = Loop(n, c, z) <body = b (int64 i, bool ci, " +
               nine + " x) => (bool co, float[2] t) { co = Identity(ci) t = Identity(z) }> }";
    }
    SECTION("what a node makes") {
        text = "(float[1,1,1,1,1,1,1,2] z) => (" + nine + " y) <int64[1] a = {0}> { y = Unsqueeze(z, a) }";
        reason = "the output `y` has 9 dimensions; 8 are supported";
    }
    SECTION("an output whose shape nothing determines") {
        text = "(float[2] z, int64[K] s) => (" + nine + " x) { x = Reshape(z, s) }";
    }
    const error e = refused(graph_of(text));
    INFO(e.text);
    CHECK(e.code == error_code::unsupported_model);
    CHECK(contains(e.text, reason));
}

TEST_CASE("Limits hold", "[loader]") {
    auto p = graph_of("(float[2] x) => (float[2] y) { a = Add(x, w) b = Relu(a) y = Relu(b) }");
    *p.mutable_graph()->add_initializer() = weights("w", {2}, {1, 2});
    model_options o = plain();
    SECTION("nodes") { o.limits.nodes = 2; }
    SECTION("elements") { o.limits.elements_per_tensor = 1; }
    SECTION("bytes of a file") {
        o.limits.file_bytes = 50;
        std::istringstream in(p.SerializeAsString());
        const auto r = model::try_load(in, o);
        REQUIRE(!r);
        CHECK(r.why().code == error_code::limit_exceeded);
        scratch_folder folder;
        const auto s = model::try_load(folder.write("m.onnx", p.SerializeAsString()), o);
        REQUIRE(!s);
        CHECK(s.why().code == error_code::limit_exceeded);
        return;
    }
    const error e = refused(p, o);
    CHECK(e.code == error_code::limit_exceeded);
    CHECK(contains(e.hint, "limits::"));
}

namespace {
void check_bound(const onnx::ModelProto& p, std::int64_t too_few, std::int64_t enough) {
    model_options o = plain();
    o.limits.inference = too_few;
    const error e = refused(p, o);
    CHECK(e.code == error_code::limit_exceeded);
    CHECK(contains(e.hint, "limits::inference"));
    o.limits.inference = enough;
    loaded(p, o);
}
std::string names(int count, const std::string& prefix, std::string from) {  // a chain of Relu
    std::string text;
    for (int k = 0; k < count; ++k) {
        const std::string to = prefix + std::to_string(k);
        text += to + " = Relu(" + from + ") ";
        from = to;
    }
    return text;
}
}  // namespace

TEST_CASE("What shape inference may look at has a limit", "[loader]") {
    SECTION("sizes that Concat doubles again and again") {
        std::string nodes = "s0 = Shape(x) ";
        for (int k = 0; k < 40; ++k)
            nodes += "s" + std::to_string(k + 1) + " = Concat<axis = 0>(s" + std::to_string(k) + ", s" +
                     std::to_string(k) + ") ";
        const auto p = graph_of("(float[2] x) => (int64[?] s40) { " + nodes + "}");
        check_bound(p, 100, limits{}.inference);
        const model m = loaded(p, {});  // no step reads them
        CHECK(m.view().nodes.size() > 10);
        CHECK(m.outputs()[0].shape == shape{std::int64_t(1) << 40});
    }
    SECTION("sizes that may be any, about which rules are queried with examples") {
        std::string nodes = "s0 = Add(x, z) ";
        for (int k = 0; k < 20; ++k) nodes += "s" + std::to_string(k + 1) + " = Add(s" + std::to_string(k) + ", z) ";
        check_bound(graph_of("(float[A,B,C] x, float[D,E,F] z) => (float[?,?,?] s20) { " + nodes + "}"), 1000, 100'000);
    }
}

TEST_CASE("Shape inference looks at each node for itself: no constants and no names of other graphs", "[loader]") {
    model_options o = plain();
    const auto enough = [&](const onnx::ModelProto& p, std::int64_t values) {
        o.limits.inference = values;
        loaded(p, o);
    };
    SECTION("large constants that many nodes read") {
        std::string nodes;
        for (int k = 0; k < 100; ++k) nodes += "y" + std::to_string(k) + " = Gather(w, i) ";
        auto p = graph_of("(int64[1] i) => (int64[1] y99) { " + nodes + "}");
        onnx::TensorProto& w = *p.mutable_graph()->add_initializer();
        w.set_name("w");
        w.set_data_type(onnx::TensorProto::INT64);
        w.add_dims(1000);
        for (int k = 0; k < 1000; ++k) w.add_int64_data(1);
        enough(p, 100 * 2 * 3);
    }
    SECTION("many subgraphs that see many names") {
        std::string nodes = names(200, "a", "x"), from = "x";
        for (int k = 0; k < 50; ++k) {
            const std::string i = std::to_string(k);
            nodes += "y" + i + " = If(c) <then_branch = t" + i + " () => (float[2] r" + i + ") { r" + i +
                     " = Neg(x) }, else_branch = e" + i + " () => (float[2] q" + i + ") { q" + i + " = Abs(x) }> ";
        }
        enough(graph_of("(float[2] x, bool c) => (float[2] y49) { " + nodes + "}"), (200 + 2 * 50) * 4);
    }
    SECTION("subgraphs within subgraphs that see the names of all") {
        std::string inner = names(50, "n0_", "x") + "r0 = Neg(x) ";
        for (int k = 1; k < 20; ++k) {
            const std::string i = std::to_string(k), before = std::to_string(k - 1);
            inner = names(50, "n" + i + "_", "x") + "r" + i + " = If(c) <then_branch = t" + i + " () => (float[2] r" +
                    before + ") { " + inner + "}, else_branch = e" + i + " () => (float[2] q" + i + ") { q" + i +
                    " = Abs(x) }> ";
        }
        enough(graph_of("(float[2] x, bool c) => (float[2] r19) { " + inner + "}"), 20 * 53 * 4);
    }
}

TEST_CASE("Graphs nested too deeply are refused, not followed", "[loader]") {
    const auto nested = [](int depth) {
        auto p = graph_of("(float[2] x, bool c) => (float[2] y) { y = Relu(x) }");
        auto* g = p.mutable_graph();
        g->clear_node();
        for (int level = 0; level < depth; ++level) {
            auto& n = *g->add_node();
            n.set_op_type("If");
            n.add_input("c");
            n.add_output(level ? "y" + std::to_string(level) : "y");
            onnx::GraphProto* inner = nullptr;
            for (const char* name : {"then_branch", "else_branch"}) {
                auto& a = *n.add_attribute();
                a.set_name(name);
                a.set_type(onnx::AttributeProto::GRAPH);
                a.mutable_g()->set_name("g");
                auto& out = *a.mutable_g()->add_output();
                const std::string output = "y" + std::to_string(level + 1);
                out.set_name(inner || level + 1 == depth ? output + (inner ? "e" : "t") : output);
                out.mutable_type()->mutable_tensor_type()->set_elem_type(1);
                if (inner || level + 1 == depth) {
                    auto& leaf = *a.mutable_g()->add_node();
                    leaf.set_op_type("Relu");
                    leaf.add_input("x");
                    leaf.add_output(out.name());
                }
                if (!inner) inner = a.mutable_g();
            }
            g = inner;
        }
        return p;
    };
    const model m = loaded(nested(20));
    CHECK(m.view().subgraphs.size() == 2);
    model_options o = plain();
    o.limits.nesting = 19;
    CHECK(refused(nested(20), o).code == error_code::limit_exceeded);
    CHECK(!load(nested(200)));
    CHECK(!load(nested(5000)));
}

#include "models.hpp"

using namespace inlay;
using namespace inlay::testing;

namespace {
model_options with(std::map<std::string, std::int64_t> sizes) {
    model_options o = plain();
    o.free_dimension_overrides = std::move(sizes);
    return o;
}
}  // namespace

TEST_CASE("Free dimensions that are given a size are fixed in ports, shapes and passes", "[free_dimensions]") {
    const auto p = graph_of(
        "(float[N,S,4] x, int64[S] k, float[?,2] z) => (float[N,M,4] y, float[?,2] w, int64[3] s) { y = Relu(x) w = "
        "Relu(z) l = Identity(k) h = Shape(y) two = Constant<value_int = 2>() s = Mul(h, two) }");
    model_options o = with({{"S", 7}, {"z[0]", 5}});
    const model m = loaded(p, o);
    CHECK(m.inputs()[0].shape[1] == 7);
    CHECK(m.inputs()[0].shape[0] < 0);
    CHECK(m.inputs()[0].dim_names == std::vector<std::string>{"N", "", ""});
    CHECK(m.inputs()[1].shape == shape{7});
    CHECK(m.inputs()[2].shape == shape{5, 2});
    CHECK(m.outputs()[0].shape[1] == 7);
    CHECK(m.outputs()[1].shape == shape{5, 2});
    CHECK(m.view().values[find_value(m.view(), "l")].dims == shape{7});
    o.optimize = true;
    CHECK(contains(ops(loaded(p, o).view()), "Shape"));  // N is open still

    o.free_dimension_overrides["N"] = 1;
    const model fixed = loaded(p, o);
    const graph_view& g = fixed.view();
    CHECK(!contains(ops(g), "Shape"));
    CHECK(fixed.outputs()[0].shape == shape{1, 7, 4});
    CHECK(g.symbols.empty());
}

TEST_CASE("Free dimensions are fixed in subgraphs too, and where inference does not reach", "[free_dimensions]") {
    const model m = loaded(proto_of(R"(<ir_version: 8, opset_import: ["" : 17, "acme" : 1]>
        g (float[N,2] x, int64 n, bool c) => (float[N,2] y, float[N,3] z) <float[N,3] a> {
            a = acme.Magic(x) z = Relu(a)
            y = Loop(n, c, x) <body = b (int64 i, bool ci, float[N,2] s) => (bool co, float[N,2] t) { co = Identity(ci) t = Neg(s) }> })"),
                           with({{"N", 6}}));
    const graph_view& body = m.view().subgraphs[0];
    CHECK(body.values[std::size_t(body.inputs[2])].dims == shape{6, 2});
    CHECK(m.view().values[find_value(m.view(), "a")].dims == shape{6, 3});
    CHECK(m.outputs()[1].shape == shape{6, 3});
    CHECK(m.view().symbols.empty());
}

TEST_CASE("A dimension declared as -1 has the generated name", "[free_dimensions]") {
    auto p = graph_of("(float[2,2] x) => (float[?,2] y) { y = Relu(x) }");
    p.mutable_graph()
        ->mutable_input(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(0)
        ->set_dim_value(-1);
    CHECK(loaded(p, with({{"x[0]", 3}})).outputs()[0].shape == shape{3, 2});
}

TEST_CASE("Dimensions that exporters call by no name may have different sizes", "[free_dimensions]") {
    for (const char* name : {"?", "None", "-1", "*"}) {
        auto p = graph_of("(float[A,2,B] x) => (float[C,2,D] y) { y = Relu(x) }");
        for (auto* v : {p.mutable_graph()->mutable_input(0), p.mutable_graph()->mutable_output(0)})
            for (int axis : {0, 2})
                v->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(axis)->set_dim_param(name);
        const model m = loaded(p, with({{"x[2]", 7}}));
        CHECK(m.inputs()[0].shape == shape{-2, 2, 7});
        CHECK(m.outputs()[0].shape == shape{-2, 2, 7});
        CHECK(m.view().symbols.size() == 1);
    }
}

TEST_CASE("Names that are no free dimensions are refused with those that are", "[free_dimensions]") {
    auto p = graph_of("(float[N,?,4] x, float[W] w) => (float[N,?,4] y, float[Z] z) { y = Relu(x) z = Relu(w) }");
    *p.mutable_graph()->add_initializer() = weights("w", {2}, {1, 2});
    for (const char* name : {"M", "Z", "W", "x[0]", "x[2]", ""}) {  // Z: of an output; W: of a default; x[0] is N
        CAPTURE(name);
        const error e = refused(p, with({{"N", 2}, {name, 3}}));
        CHECK(e.code == error_code::not_found);
        CHECK(contains(e.text, "`" + std::string(name) + "`; the inputs have `N`, `x[1]`"));
    }
    CHECK(contains(refused(graph_of("(float[2] x) => (float[2] y) { y = Relu(x) }"), with({{"N", 2}})).text,
                   "the inputs have none"));
}

TEST_CASE("A size is not negative and not too large", "[free_dimensions]") {
    const auto p = graph_of("(float[N,4] x) => (float[N,4] y) { y = Relu(x) }");
    const error e = refused(p, with({{"N", -1}}));
    CHECK(e.code == error_code::invalid_argument);
    CHECK(contains(e.text, "`N`"));
    CHECK(refused(p, with({{"N", std::int64_t(1) << 62}})).code == error_code::limit_exceeded);
    CHECK(loaded(p, with({{"N", 0}})).inputs()[0].shape == shape{0, 4});
}

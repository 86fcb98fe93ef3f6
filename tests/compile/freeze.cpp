// freeze: what an embedded model's graph keeps, and what it cannot hold.
#include "../models.hpp"
#include "compile/freeze.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
const auto frozen = [](std::string_view text, std::vector<dimension_size> sizes = {}) {
    return freeze(model_of(text), sizes);
};
std::string ops(const graph_data& g) {
    std::string text;
    for (const node& n : g.nodes) text += (text.empty() ? "" : " ") + std::string(n.op);
    return text;
}
const value& named(const graph_data& g, std::string_view name) {
    for (const value& v : g.values)
        if (v.name == name) return v;
    FAIL("no value " + std::string(name));
    return g.values.front();
}
std::vector<std::int64_t> contents_of(const graph_data& g, const value& v) {
    if (v.kind != contents::integers) return {};
    const auto list = std::span(g.integers).subspan(std::size_t(v.list.first), std::size_t(v.list.count));
    return {list.begin(), list.end()};
}
error refused(std::string_view text, std::vector<dimension_size> sizes = {}) {
    const model m = model_of(text);
    return raised([&] { (void)freeze(m, sizes); });
}
}  // namespace

TEST_CASE("With all sizes given, shape arithmetic is constant and its nodes are gone", "[freeze]") {
    const frozen_model f = frozen(
        "g (float[N,3,C] x) => (float[M] y, int64[3] t) <int64[1] two = {2}, int64[1] all = {-1}> { s = Shape(x) t = "
        "Mul(s, two) r = Relu(x) y = Reshape(r, all) }",
        {{"N", 2, 2}, {"C", 5, 5}});
    const graph_data& g = f.graph;
    CHECK(ops(g) == "Relu Reshape");
    CHECK(named(g, "y").dims == shape{30});
    CHECK(contents_of(g, named(g, "t")) == std::vector<std::int64_t>{4, 6, 10});
    CHECK(named(g, "t").is_constant());
    CHECK(f.dimensions.empty());
    CHECK(f.input_shapes == std::vector{shape{2, 3, 5}});
    for (const value& v : g.values) {
        CAPTURE(v.name);
        CHECK(v.name != "s");
        CHECK(v.name != "two");
        CHECK(v.constant < int(g.constants.size()));
    }
    CHECK(g.constants.size() == 2);
    CHECK(g.symbols.empty());
}

TEST_CASE("Records that are left keep their order and refer to each other", "[freeze]") {
    const frozen_model f = frozen(
        "g (float[1,1,4,4] x, float[N] z) => (float[1,2,4,4] y, int64[1] n) <float[2,1,1,1] w = {1, -1}> { n = "
        "Shape(z) c = Conv(x, w) y = Relu(c) }",
        {{"N", 7, 7}});
    const graph_data& g = f.graph;
    CHECK(ops(g) == "Conv Relu");
    REQUIRE(g.fused.size() == 1);
    const graph_view v = g.view();
    const auto sources = v.list(g.fused[0].sources);
    CHECK(std::vector(sources.begin(), sources.end()) == std::vector{0, 1});
    CHECK(g.values[std::size_t(v.list(g.fused[0].outputs)[0])].name == "y");
    CHECK(g.values[std::size_t(g.inputs[1])].name == "z");
    std::vector<std::string_view> names;
    for (const value& x : g.values) names.push_back(x.name);
    CHECK(std::ranges::is_sorted(std::vector{std::ranges::find(names, "x"), std::ranges::find(names, "z"),
                                             std::ranges::find(names, "w"), std::ranges::find(names, "c"),
                                             std::ranges::find(names, "y")}));
}

TEST_CASE("With bounds, what follows from a free dimension is computed by each run and known for the largest",
          "[freeze]") {
    const frozen_model f = frozen(
        "g (float[N,3] x, float[B] z) => (float[M] y, int64[2] t, int64[1] b) <int64[1] two = {2}> { s = Shape(x) b = "
        "Shape(z) t = Mul(s, two) y = ConstantOfShape(b) }",
        {{"N", 1, 8}, {"B", 4, 4}});
    const graph_data& g = f.graph;
    CHECK(ops(g) == "Shape Mul");  // of x; the shape of z stays
    REQUIRE(f.dimensions.size() == 1);
    CHECK(f.dimensions[0].name == "N");
    CHECK(f.dimensions[0].least == 1);
    CHECK(f.dimensions[0].most == 8);
    CHECK(f.input_shapes == std::vector{shape{-2, 3}, shape{4}});
    CHECK(named(g, "x").dims == shape{8, 3});
    CHECK_FALSE(named(g, "t").is_constant());
    CHECK(contents_of(g, named(g, "t")) == std::vector<std::int64_t>{16, 6});
    CHECK(named(g, "b").is_constant());
    CHECK(contents_of(g, named(g, "b")) == std::vector<std::int64_t>{4});
    CHECK(named(g, "y").is_constant());
}

TEST_CASE("A real number that follows from a free dimension is not taken for one that is known", "[freeze]") {
    const frozen_model f =
        frozen("g (float[N] x) => (float[1] y) { s = Shape(x) y = Cast <to = 1> (s) }", {{"N", 1, 8}});
    CHECK(named(f.graph, "y").kind == contents::none);
    CHECK_FALSE(named(f.graph, "y").is_constant());
    CHECK(ops(f.graph) == "Shape Cast");
}

TEST_CASE("NonMaxSuppression is bounded by its limit, for every batch and class", "[freeze]") {
    const auto boxes = [](const char* limit) {
        return std::string("g (float[2,50,4] boxes, float[2,3,50] scores") + (*limit ? "" : ", int64[1] limit") +
               ") => (int64[M,3] y, int64[2] s) " + limit +
               " { y = NonMaxSuppression(boxes, scores, limit) s = Shape(y) }";
    };
    const frozen_model f = frozen(boxes("<int64[1] limit = {10}>"));
    CHECK(named(f.graph, "y").dims == shape{60, 3});
    CHECK_FALSE(named(f.graph, "s").is_constant());
    CHECK(ops(f.graph) == "NonMaxSuppression Shape");
    CHECK(named(frozen(boxes("<int64[1] limit = {1000}>")).graph, "y").dims == shape{300, 3});
    const error e = refused(boxes(""));
    CHECK(has_text(e.text,
                   "the shape of its output `y` is not known before the run: it depends on what the node computes, "
                   "without a constant bound"));
    CHECK(e.op == "NonMaxSuppression");
}

TEST_CASE("NonZero is bounded by the elements of its input, Unique and Compress by their number or by the axis",
          "[freeze]") {
    const frozen_model places = frozen("g (float[2,50] x) => (int64[2,M] y) { y = NonZero(x) }");
    CHECK(named(places.graph, "y").dims == shape{2, 100});
    const frozen_model elements =
        frozen("g (float[2,50] x) => (float[M] y, int64[M] first, int64[N] inverse) { y, first, inverse = Unique(x) }");
    CHECK(named(elements.graph, "y").dims == shape{100});
    CHECK(named(elements.graph, "inverse").dims == shape{100});
    const frozen_model slices = frozen(
        "g (float[2,50,3] x) => (float[2,M,3] y, int64[M] counts) { y, first, inverse, counts = Unique <axis = -2> (x) "
        "}");
    CHECK(named(slices.graph, "y").dims == shape{2, 50, 3});
    CHECK(named(slices.graph, "counts").dims == shape{50});
    const frozen_model columns = frozen(
        "g (float[2,50] x, bool[N] c) => (float[2,M] y, float[K] z) { y = Compress <axis = 1> (x, c) z = Compress(x, "
        "c) }",
        {{"N", 50, 50}});
    CHECK(named(columns.graph, "y").dims == shape{2, 50});
    CHECK(named(columns.graph, "z").dims == shape{100});
}

TEST_CASE("What an embedded model cannot hold is refused with the node's name", "[freeze]") {
    const auto check = [](const error& e, const char* text) {
        CAPTURE(e.text);
        CHECK(e.code == error_code::unsupported_model);
        CHECK(has_text(e.text, text));
    };
    check(refused("g (bool c, float[2] x) => (float[2] y) { [choose] y = If (c) <then_branch = t () => (float[2] a) { "
                  "a = Relu(x) }, else_branch = e () => (float[2] b) { b = Add(x, x) }> }"),
          "choose (If, version 21): control flow cannot be part of an embedded model");
    check(refused("g (int64 n, float[2] x) => (float[2] y) { on = Constant <value = bool {1}> () [round] y = Loop (n, "
                  "on, x) <body = b (int64 i, bool go, float[2] v) => (bool again, float[2] next) { again = "
                  "Identity(go) next = Add(v, v) }> }"),
          "round (Loop,");
    check(refused("g (string[2] x) => (string[2] y, string[2] z) { y = Identity(x) z = Concat <axis = 0> (x) }"),
          "input `x` has strings");
    check(refused("g (float[2] x, int64[1] n) => (float[M] y) { [grow] y = Expand(x, n) }"),
          "grow (Expand, version 13): the shape of its output `y` is not known before the run: it depends on the "
          "values of an input");
    check(refused("<ir_version: 10, opset_import: [\"\" : 21, \"own\" : 1]> g (float[2] x) => (float[M] y) { h = "
                  "own.Something(x) y = Relu(h) }"),
          "Inlay does not have this operator, and the model does not state the shape of its output `h`");
}

TEST_CASE("An operator that Inlay has not keeps the shape that the file declares", "[freeze]") {
    const frozen_model f = frozen(
        "<ir_version: 10, opset_import: [\"\" : 21, \"own\" : 1]> g (float[N,4] x) => (float[N,4] y) { h = Relu(x) "
        "[mine] y = own.Twist(h) }",
        {{"N", 3, 3}});
    CHECK(ops(f.graph) == "Relu Twist");
    CHECK(named(f.graph, "y").dims == shape{3, 4});
    const frozen_model bounded = frozen(
        "<ir_version: 10, opset_import: [\"\" : 21, \"own\" : 1]> g (float[N,4] x) => (float[N,4] y, int64[2] s) { y = "
        "own.Twist(x) s = Shape(y) }",
        {{"N", 1, 5}});
    CHECK(named(bounded.graph, "y").dims == shape{5, 4});
    CHECK_FALSE(named(bounded.graph, "s").is_constant());
}

TEST_CASE("Sizes must name free dimensions, and all of them", "[freeze]") {
    const char* const text =
        "g (float[batch,seq] x, float[batch,?] z) => (float[batch,seq] y) { y = Relu(x) u = Relu(z) }";
    error e = refused(text, {{"batch", 1, 1}});
    CHECK(e.code == error_code::invalid_argument);
    CHECK(has_text(e.text, "free dimensions without a size: seq"));
    CHECK(has_text(e.hint, "--shape seq=1"));
    e = refused(text, {{"bacth", 1, 1}});
    CHECK(has_text(e.text, "no free dimension `bacth`; it has batch, seq"));
    CHECK(e.hint == "did you mean `batch`?");
    CHECK(has_text(refused("g (float[2] x) => (float[2] y) { y = Relu(x) }", {{"n", 1, 1}}).text, "it has none"));
}

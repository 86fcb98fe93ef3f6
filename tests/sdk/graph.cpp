// Mirrors include/inlay/sdk/graph.hpp and include/inlay/sdk/graph_data.hpp.
#include "../catch.hpp"
#include <inlay/sdk/graph_data.hpp>
using namespace inlay;

namespace {
using ints = std::vector<std::int64_t>;
graph_data small_graph() {  // y = Conv(x, w, absent), z absent
    graph_data g;
    const int x = g.add_value("x", element::f32, {1, 3, 8, 8}),
              w = g.add_constant("w", tensor(element::f32, {4, 3, 3, 3})),
              y = g.add_value("y", element::f32, {1, 4, 8, 8});
    const std::int64_t pads[] = {1, 1, 1, 1};
    const double reals[] = {0.5, 2};
    const std::string_view texts[] = {"a", "bc"};
    std::vector attributes{g.make("group", std::int64_t(2)),
                           g.make("alpha", 0.25),
                           g.make("auto_pad", std::string_view("NOTSET")),
                           g.make("pads", std::span<const std::int64_t>(pads)),
                           g.make("names", std::span<const std::string_view>(texts)),
                           g.make("value", tensor({2}, {std::int64_t(7), std::int64_t(8)}))};
    attribute list = g.make("list", 0.);
    list.kind = attribute_kind::reals;
    list.list = {int(g.reals.size()), 2};
    g.reals.insert(g.reals.end(), std::begin(reals), std::end(reals));
    attributes.push_back(list);
    const std::vector<int> in{x, w, -1}, out{y, -1};
    g.add_node("", "Conv", 11, "conv", attributes, in, out);
    g.inputs = {x};
    g.outputs = {y};
    return g;
}
template <class T> ints contents_of(std::initializer_list<T> list) {
    graph_data g;
    g.add_constant("", tensor({1}, {std::int64_t(-1)}));  // so that the list does not begin at 0
    const int c = g.add_constant("", tensor({std::int64_t(list.size())}, list));
    const graph_view v = g.view();
    const node n{};
    const auto integers = node_view{v, n}.integers_of(v.values[std::size_t(c)]);
    REQUIRE(integers);
    return {integers->begin(), integers->end()};
}
template <class T> std::vector<double> reals_of(std::initializer_list<T> list) {
    graph_data g;
    const int c = g.add_constant("", tensor({std::int64_t(list.size())}, list));
    const graph_view v = g.view();
    const node n{};
    const auto reals = node_view{v, n}.reals_of(v.values[std::size_t(c)]);
    REQUIRE(reals);
    return {reals->begin(), reals->end()};
}
}  // namespace

TEST_CASE("A node's arguments are found by position, absent ones too") {
    const graph_data g = small_graph();
    const graph_view v = g.view();
    const node_view n{v, v.nodes[0]};
    CHECK(n.version() == 11);
    CHECK(n.input_count() == 3);
    CHECK(n.output_count() == 2);
    CHECK(n.has_input(0));
    CHECK(!n.has_input(2));
    CHECK(!n.has_input(3));
    CHECK(n.has_output(0));
    CHECK(!n.has_output(1));
    CHECK(n.input_id(2) == -1);
    CHECK(n.input_id(17) == -1);
    CHECK(n.input(0).name == "x");
    CHECK(n.output(0).dims == shape{1, 4, 8, 8});
    CHECK(!n.is_constant(0));
    CHECK(n.is_constant(1));
    CHECK(!n.is_constant(2));
    CHECK(n.complete());
}
TEST_CASE("Whether inputs are constants is known of the first 32, by a bit each") {
    graph_data g;
    const int x = g.add_value("x", element::f32, {2}), w = g.add_constant("w", tensor(element::f32, {2}));
    std::vector<int> in(33, w);
    in[30] = -1;
    in[31] = x;
    g.add_node("", "Concat", 13, "concat", {}, in, std::vector{g.add_value("y", element::f32, {66})});
    const graph_view v = g.view();
    const node_view n{v, v.nodes[0]};
    CHECK(n.are_constant(~0u >> 1));
    CHECK_FALSE(n.are_constant(1u << 31));
    CHECK_FALSE(n.are_constant(~0u));
}
TEST_CASE("A node's attributes are found by name, of their own kind only") {
    const graph_data g = small_graph();
    const graph_view v = g.view();
    const node_view n{v, v.nodes[0]};
    CHECK(n.has("group"));
    CHECK(!n.has("grou"));
    CHECK(n.integer("group", 1) == 2);
    CHECK(n.integer("alpha", 1) == 1);
    CHECK(n.integer("none", 5) == 5);
    CHECK(n.real("alpha", 1) == 0.25);
    CHECK(n.real("group", 1.5) == 1.5);
    CHECK(n.text("auto_pad", "") == "NOTSET");
    CHECK(n.text("pads", "otherwise") == "otherwise");
    CHECK(ints(n.integers("pads").begin(), n.integers("pads").end()) == ints{1, 1, 1, 1});
    CHECK(n.integers("group").empty());
    CHECK(n.integers("none").empty());
    CHECK(n.reals("list")[1] == 2);
    CHECK(n.reals("pads").empty());
    CHECK(n.texts("names")[1] == "bc");
    CHECK(n.texts("auto_pad").empty());
    REQUIRE(n.tensor("value"));
    CHECK((*n.integers_of(*n.tensor("value")))[1] == 8);
    CHECK(!n.tensor("group"));
}
TEST_CASE("A node without layouts has plain arguments") {
    const graph_data g = small_graph();
    const graph_view v = g.view();
    const layout layouts[] = {layout::channels_last, layout::plain, layout::plain, layout::channels_last,
                              layout::plain};
    CHECK(node_view{v, v.nodes[0]}.input_layout(0) == layout::plain);
    CHECK(node_view{v, v.nodes[0]}.output_layout(0) == layout::plain);
    CHECK(node_view{v, v.nodes[0], layouts}.input_layout(0) == layout::channels_last);
    CHECK(node_view{v, v.nodes[0], layouts}.input_layout(1) == layout::plain);
    CHECK(node_view{v, v.nodes[0], layouts}.output_layout(0) == layout::channels_last);
}
TEST_CASE("A node is complete when all its shapes are known, objects aside") {
    graph_data g;
    const int x = g.add_value("x", element::f32, {2, -1}), y = g.add_value("y", element::f32, {2, 3}),
              o = g.add_value("o", element::object, shape::unknown());
    const auto complete = [&](std::vector<int> in, std::vector<int> out) {
        g.nodes.clear();
        g.add_node("", "Op", 1, "", {}, in, out);
        const graph_view v = g.view();
        return node_view{v, v.nodes[0]}.complete();
    };
    CHECK(complete({y}, {y}));
    CHECK(!complete({x}, {y}));
    CHECK(!complete({y}, {x}));
    CHECK(complete({y, -1, o}, {-1, o}));
}
TEST_CASE("Small constants can be read as numbers, whatever their type") {
    CHECK(contents_of<std::int64_t>({-1, std::int64_t(1) << 40}) == ints{-1, std::int64_t(1) << 40});
    CHECK(contents_of<std::int32_t>({-7, 7}) == ints{-7, 7});
    CHECK(contents_of<std::int16_t>({-7}) == ints{-7});
    CHECK(contents_of<std::int8_t>({-7}) == ints{-7});
    CHECK(contents_of<std::uint8_t>({255}) == ints{255});
    CHECK(contents_of<std::uint16_t>({65535}) == ints{65535});
    CHECK(contents_of<std::uint32_t>({4294967295u}) == ints{4294967295});
    CHECK(contents_of<std::uint64_t>({5}) == ints{5});
    CHECK(contents_of<bool>({true, false}) == ints{1, 0});
    CHECK(reals_of<float>({0.5f, -1}) == std::vector<double>{0.5, -1});
    CHECK(reals_of<double>({0.1}) == std::vector<double>{0.1});
    CHECK(reals_of<float16>({float16(0.5f), float16(-2.f)}) == std::vector<double>{0.5, -2});
    CHECK(reals_of<bfloat16>({bfloat16(3.f)}) == std::vector<double>{3});
    CHECK(reals_of<float>({}).empty());
}
TEST_CASE("Large constants, strings and values that are no constants cannot be read as numbers") {
    graph_data g;
    const int large = g.add_constant("", tensor(element::i64, {largest_contents + 1})),
              most = g.add_constant("", tensor(element::i64, {largest_contents})),
              words = g.add_constant("", tensor(element::string, {1})), x = g.add_value("x", element::i64, {1});
    const std::vector<int> in{large, most, words, x, -1}, no_outputs;
    g.add_node("", "Op", 1, "", {}, in, no_outputs);
    const graph_view v = g.view();
    const node_view n{v, v.nodes[0]};
    CHECK(!n.input_integers(0));
    REQUIRE(n.input_integers(1));
    CHECK(n.input_integers(1)->size() == std::size_t(largest_contents));
    CHECK(!n.input_reals(1));
    CHECK(!n.input_integers(2));
    CHECK(!n.input_integers(3));
    CHECK(!n.input_integers(4));
    CHECK(!n.input_integers(5));
}
TEST_CASE("A value becomes a constant") {
    graph_data g;
    const int x = g.add_value("x", element::undefined, shape::unknown());
    CHECK(!g.values[std::size_t(x)].is_constant());
    g.set_constant(x, tensor({2}, {1.f, 2.f}));
    const value& v = g.values[std::size_t(x)];
    CHECK(v.is_constant());
    CHECK(v.type == element::f32);
    CHECK(v.dims == shape{2});
    CHECK(v.kind == contents::reals);
    CHECK(tensor_view(g.constants[std::size_t(v.constant)].get()).as<float>()[1] == 2);
}
TEST_CASE("Units are the nodes, then the fused nodes") {
    graph_data g = small_graph();
    node fused;
    fused.name = "fused";
    fused.sources = g.add_edges({0});
    g.fused.push_back(fused);
    const graph_view v = g.view();
    CHECK(v.units() == 2);
    CHECK(v.unit(0).name == "conv");
    CHECK(v.unit(1).name == "fused");
    CHECK(v.list(v.unit(1).sources)[0] == 0);
    CHECK(v.list(v.nodes[0].inputs).size() == 3);
    CHECK(v.inputs[0] == 0);
}
TEST_CASE("A graph keeps copies of its names, also when it is moved") {
    graph_data g;
    {
        std::string name(100, 'n');
        g.add_value(name, element::f32, {1});
        const std::vector<int> no_values;
        g.add_node(std::string("domain"), std::string("Op"), 1, name, {}, no_values, no_values);
    }
    const graph_data moved = std::move(g);
    CHECK(moved.values[0].name == std::string(100, 'n'));
    CHECK(moved.nodes[0].domain == "domain");
    CHECK(moved.nodes[0].name.size() == 100);
}
TEST_CASE("A graph holds the graphs of its attributes") {
    graph_data body;
    body.add_value("inner", element::i64, {3});
    graph_data deeper;
    deeper.add_value("innermost", element::i64, {});
    std::vector inside{body.make("body", std::move(deeper))};
    const std::vector<int> no_values;
    body.add_node("", "If", 1, "", inside, no_values, no_values);
    graph_data g;
    std::vector outside{g.make("then_branch", graph_data{}), g.make("else_branch", std::move(body))};
    g.add_node("", "If", 1, "", outside, no_values, no_values);
    const graph_view v = g.view();
    REQUIRE(v.subgraphs.size() == 2);
    const attribute* a = node_view{v, v.nodes[0]}.find("else_branch");
    REQUIRE(a);
    CHECK(a->kind == attribute_kind::graph);
    const graph_view& inner = v.subgraphs[std::size_t(a->integer)];
    CHECK(inner.values[0].name == "inner");
    CHECK(inner.subgraphs[0].values[0].name == "innermost");
}
TEST_CASE("A graph is a constant where its records are") {
    static constexpr value values[] = {
        {.name = "x", .type = element::f32, .dims = {2, 3}, .list = {}},
        {.name = "axes", .type = element::i64, .dims = {1}, .constant = 0, .kind = contents::integers, .list = {0, 1}},
        {.name = "y", .type = element::f32, .dims = {2, 3}, .list = {}}};
    static constexpr int edges[] = {0, 1, 2};
    static constexpr std::int64_t integers[] = {-1};
    static constexpr attribute attributes[] = {{.name = "keepdims", .integer = 1, .list = {}}};
    static constexpr node nodes[] = {{.name = "n",
                                      .domain = "",
                                      .op = "Op",
                                      .version = 13,
                                      .attributes = {0, 1},
                                      .inputs = {0, 2},
                                      .outputs = {2, 1},
                                      .sources = {},
                                      .captures = {}}};
    static constexpr graph_view v{
        .nodes = nodes, .values = values, .attributes = attributes, .edges = edges, .integers = integers};
    constexpr node_view n{v, nodes[0]};
    STATIC_REQUIRE(n.input(0).dims.elements() == 6);
    STATIC_REQUIRE(n.is_constant(1));
    STATIC_REQUIRE((*n.input_integers(1))[0] == -1);
    STATIC_REQUIRE(n.complete());
    CHECK(n.integer("keepdims", 0) ==
          1);  // the undefined-behaviour sanitizer keeps g++ from asking this in the compiler
    CHECK(!n.find("other"));
}
TEST_CASE("Strides follow the layout, dimensions never do") {
    CHECK(strides_of({2, 3, 4, 5}, layout::plain) == shape{60, 20, 5, 1});
    CHECK(strides_of({2, 3, 4, 5}, layout::channels_last) == shape{60, 1, 15, 3});
    CHECK(strides_of({2, 3, 5}, layout::channels_last) == shape{15, 1, 3});
    CHECK(strides_of({2, 3}, layout::channels_last) == shape{3, 1});
    CHECK(strides_of({7}, layout::plain) == shape{1});
    CHECK(strides_of({}, layout::plain) == shape{});
    CHECK(strides_of(shape::unknown(), layout::plain).rank == -1);
}

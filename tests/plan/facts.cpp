#include "../catch.hpp"
#include <inlay/plan/partition.hpp>
#include <inlay/sdk/graph_data.hpp>

using namespace inlay;

namespace {
struct facts_device {};
struct ranked : op::standard {  // the elements, and their places
    static constexpr std::string_view onnx_name = "Ranked", domain = "facts";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, double>;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .required_outputs = 1};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (shape& dims : y) dims = n.input(0).dims;
        return yes();
    }
    static constexpr element output_type(const node_view& n, int k) { return k ? element::i64 : n.input_type(0); }
    static constexpr double flop(const node_view&, const argument_shapes& s) { return 3 * count_of(s.input(0)); }
};
struct bare : ranked {
    [[maybe_unused]] static constexpr std::string_view onnx_name = "Bare";
    static constexpr operator_facts facts{};
    [[maybe_unused]] static constexpr std::array constraints{input(0), output(1)};
    static constexpr auto elements = hana::tuple_t<types<float, bool>, types<double, raw<32>>>;
};
struct plain : op::standard {
    static constexpr std::string_view onnx_name = "Plain", domain = "facts";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{input(0), output(1)};
    static constexpr auto elements = bare::elements;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return ranked::shapes(n, y); }
};
template <class Op> struct facts_kernel : simple_kernel {
    struct params {};
    static constexpr params prepare(const node_view&) { return {}; }
    static status run(const params&, const state&, const arguments&, context&) noexcept { return status::ok; }
};
}  // namespace
namespace inlay {
inline namespace v1 {
template <class T> struct kernel<ranked, facts_device, types<T>> : facts_kernel<ranked> {};
template <class... T> struct kernel<plain, facts_device, types<T...>> : facts_kernel<plain> {};
}  // namespace v1
}  // namespace inlay

namespace {
constexpr auto& entries = catalogue_of<pack<ranked, plain>, pack<facts_device>>::entries;

// A node of one input and two outputs of these types.
graph_data node_of(std::string_view op, element x, element y, element z) {
    graph_data g;
    const int in = g.add_value("x", x, {2}), out[] = {g.add_value("y", y, {2}), g.add_value("z", z, {2})};
    g.add_node("facts", op, 1, "n", {}, std::span(&in, 1), out);
    return g;
}
bool runs(const graph_data& g) {
    const graph_view v = g.view();
    return find_kernel(entries, {v, v.nodes[0]}).kernel >= 0;
}
}  // namespace

TEST_CASE("An entry has its operator's facts, and the functions that it states", "[facts]") {
    STATIC_REQUIRE(record_of<ranked>.facts.folding == fold_cost::of_inputs);
    STATIC_REQUIRE(record_of<ranked>.facts.required_outputs == 1);
    STATIC_REQUIRE(record_of<ranked>.facts.pure);
    STATIC_REQUIRE(record_of<ranked>.flop == &ranked::flop);
    STATIC_REQUIRE(!record_of<ranked>.bounds);
    STATIC_REQUIRE(!record_of<ranked>.passes_through);
    STATIC_REQUIRE(record_of<bare>.facts.folding == fold_cost::unknown);  // facts of its own
    STATIC_REQUIRE(record_of<bare>.flop == &ranked::flop);                // and its parent's functions
    STATIC_REQUIRE(!record_of<plain>.flop);
    for (const entry& e : entries) CHECK(e.about == (e.name == "Ranked" ? &record_of<ranked> : &record_of<plain>));
}

TEST_CASE("Outputs of a domain that ONNX does not know have the types that the operator declares", "[facts]") {
    CHECK(runs(node_of("Ranked", element::f32, element::f32, element::i64)));
    CHECK(!runs(node_of("Ranked", element::f32, element::f32, element::f32)));
    CHECK(!runs(node_of("Ranked", element::f32, element::f64, element::i64)));
    CHECK(runs(node_of("Ranked", element::f64, element::f64, element::i64)));
    SECTION("else those of their constraints, or of the first one") {
        CHECK(runs(node_of("Plain", element::f32, element::f32, element::boolean)));
        CHECK(!runs(node_of("Plain", element::f32, element::f32, element::i64)));
        CHECK(!runs(node_of("Plain", element::f32, element::f64, element::boolean)));
        CHECK(runs(node_of("Plain", element::f64, element::f64, element::i32)));
        CHECK(!runs(node_of("Plain", element::f64, element::f64, element::u8)));
    }
}

TEST_CASE("A type that the kernel's constraints leave open is not reported", "[facts]") {
    const auto type_of = [](element x, int k) {
        const graph_data g = node_of("Plain", x, element::undefined, element::undefined);
        const graph_view v = g.view();
        const entry* e =
            std::ranges::find_if(entries, [&](const entry& e) { return e.name == "Plain" && e.elements[0].has(x); });
        return output_type(*e, {v, v.nodes[0]}, k);
    };
    CHECK(type_of(element::f32, 0) == element::f32);
    CHECK(type_of(element::f32, 1) == element::boolean);
    CHECK(type_of(element::f64, 1) == element::undefined);
}

TEST_CASE("Control flow is identified by its operators", "[facts]") {
    node n;
    for (const char* op : {"If", "Loop", "Scan"}) {
        n.op = op;
        CHECK(is_control_flow(n));
    }
    for (std::string_view domain : {"acme", "com.microsoft"}) {
        n.domain = domain;
        CHECK(!is_control_flow(n));
    }
    for (const char* op : {"GreedySearch", "Sampling", "BeamSearch", "WhisperBeamSearch"}) {
        n.op = op;
        n.domain = "com.microsoft";
        CHECK(is_control_flow(n));
        n.domain = "";
        CHECK(!is_control_flow(n));
    }
    n.op = "Add";
    CHECK(!is_control_flow(n));
}

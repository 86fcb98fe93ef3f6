// What becomes of models written as text, with rules of no vendor.
#pragma once
#include "../model_constants.hpp"
#include "../models.hpp"
#include <lowering/canonical.hpp>
#include <lowering/region_lowering.hpp>
#include <lowering/weights.hpp>

namespace inlay::testing {
using namespace inlay::lowering;
struct recording final : primitive_sink {
    std::vector<operand> arguments, results;
    std::vector<primitive> primitives;
    void argument(const operand& x) override { arguments.push_back(x); }
    void write(const primitive& p) override { primitives.push_back(p); }
    void result(const operand& y) override { results.push_back(y); }
    std::vector<kind> kinds() const {
        std::vector<kind> list;
        for (const primitive& p : primitives) list.push_back(kind_of(p));
        return list;
    }
};
inline constexpr element_set floats_only = element_set::of({element::f32});
constexpr element_set all_types{~decltype(element_set::bits)(0)};
template <std::size_t Count> constexpr std::array<rule, Count> every_kind(element_set types) {
    std::array<rule, Count> rules{};
    for (std::size_t k = 0; k < Count; ++k) rules[k] = {.of = kind(k), .types = types, .order = usual_order(kind(k))};
    return rules;
}
// Supports all primitives of float32, and no operator whole that others are made of.
inline constexpr auto simple_kinds = every_kind<std::size_t(kind::gemm)>(floats_only);
inline constexpr rule_set all_taken{.library = "Machine", .rules = simple_kinds};
// Takes all of all types.
inline constexpr auto all_kinds = every_kind<std::variant_size_v<primitive>>(all_types);
inline constexpr rule_set whole_taken{
    .library = "Machine", .rules = all_kinds, .tensors = {.plain_bytes = true}, .images = layout::plain};
// The simple ones, of integers and truths too.
inline constexpr auto kinds_of_integers =
    every_kind<std::size_t(kind::gemm)>(element_set::of({element::f32, element::i64, element::boolean}));
inline constexpr rule_set with_integers{.library = "Machine", .rules = kinds_of_integers};
// The simple ones, of all types.
inline constexpr auto kinds_of_all_types = every_kind<std::size_t(kind::gemm)>(all_types);
inline constexpr rule_set of_all_types{.library = "Machine", .rules = kinds_of_all_types};

// The whole model as one region.
inline recording lowered_model(const model& m, const rule_set& rules, layout images) {
    const graph_view& g = m.view();
    std::vector<int> nodes;
    for (int i = 0; i < int(g.nodes.size()); ++i) nodes.push_back(i);
    const region_values ends = ends_of(g, nodes);
    const auto elements = model_constants(m);
    const region r{g, nodes, ends.inputs, ends.outputs, &elements};
    const byte_graph bytes(g, &elements);
    recording record;
    lower_region(r, byte_nodes(g, bytes), {&rules, "1.0", images}, record);
    for (primitive& p : record.primitives)  // while the region lives
        std::visit(
            [](auto& prim) {
                const auto keep = [](operand& x) {
                    if (x.elements) x.elements = [values = x.elements()] { return values; };
                };
                each_input(prim, keep);
                each_parameter(prim, keep);
            },
            p);
    return record;
}
inline recording lowered(const std::string& text, const rule_set& rules = all_taken,
                         layout images = layout::channels_last) {
    return lowered_model(model_of(text, {.optimize = false}), rules, images);
}
inline std::string why_not_lowered(const std::string& text, const rule_set& rules = all_taken,
                                   layout images = layout::channels_last) try {
    (void)lowered(text, rules, images);
    return "taken";
} catch (const refused_node& r) {
    return r.reason;
}
template <class P> const P& at(const recording& r, std::size_t k) { return std::get<P>(r.primitives.at(k)); }
}  // namespace inlay::testing

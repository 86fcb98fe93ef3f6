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
        std::vector<kind> all;
        for (const primitive& p : primitives) all.push_back(kind_of(p));
        return all;
    }
};
inline constexpr element_set floats_only = element_set::of({element::f32});
// Takes all primitives of floats.
inline constexpr auto all_kinds = [] {
    std::array<rule, std::variant_size_v<primitive>> all{};
    for (std::size_t k = 0; k < all.size(); ++k)
        all[k] = {.of = kind(k), .types = floats_only, .order = usual_order(kind(k))};
    return all;
}();
inline constexpr rule_set all_taken{.library = "Machine", .rules = all_kinds};

// The whole model as one region.
inline recording lowered_model(const model& m, const rule_set& rules, layout images) {
    const graph_view& g = m.view();
    std::vector<int> nodes;
    for (int i = 0; i < int(g.nodes.size()); ++i) nodes.push_back(i);
    const region_values ends = ends_of(g, nodes);
    const auto elements = model_constants(m);
    const region r{g, nodes, ends.inputs, ends.outputs, &elements};
    const byte_graph bytes(g, &elements);
    recording all;
    lower_region(r, byte_nodes(g, bytes), {&rules, "1.0", images}, all);
    for (primitive& p : all.primitives)  // while the region lives
        std::visit(
            [](auto& one) {
                const auto keep = [](operand& x) {
                    if (x.elements) x.elements = [all = x.elements()] { return all; };
                };
                each_input(one, keep);
                if constexpr (requires { one.w; }) keep(one.w);
                if constexpr (requires { one.bias->id; })
                    if (one.bias) keep(*one.bias);
                if constexpr (requires { one.scale; }) {
                    keep(one.scale);
                    keep(one.shift);
                }
            },
            p);
    return all;
}
inline recording lowered(const std::string& text, const rule_set& rules = all_taken,
                         layout images = layout::channels_last) {
    return lowered_model(model_of(text, {.optimize = false}), rules, images);
}
inline std::string why_not_lowered(const std::string& text, const rule_set& rules = all_taken) try {
    (void)lowered(text, rules);
    return "taken";
} catch (const refused_node& r) {
    return r.why;
}
template <class P> const P& at(const recording& r, std::size_t k) { return std::get<P>(r.primitives.at(k)); }
}  // namespace inlay::testing

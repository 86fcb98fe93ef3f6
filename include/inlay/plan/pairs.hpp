// Values that are kept as packed bf16 pairs, though they are float32 in the graph: where every kernel that touches them
// supports it, and where what shares their memory is kept so too.
#pragma once
#include "schedule.hpp"

namespace inlay {
inline namespace v1 {
// Does the list prefer bf16, because its instruction set is faster with it?
template <provider_list L> constexpr bool keeps_pairs(const L& list) {
    if constexpr (requires {
                      { list.keeps_pairs() } -> std::same_as<bool>;
                  })
        return list.keeps_pairs();
    else
        return (void)list, false;
}
// Per value and copy of the schedule; `roots`: what each is a slice of, or itself; `outside`: its memory is a caller's.
// An operator that joins or divides has all its arguments so, or none.
template <provider_list L>
constexpr std::vector<char> find_pairs(const graph_view& g, const schedule& s, const L& list,
                                       std::span<const int> roots, std::span<const char> outside) {
    std::vector<char> pairs(roots.size(), 0);
    if (!keeps_pairs(list)) return pairs;
    for (std::size_t id = 0; id < g.values.size(); ++id) {
        const value& v = g.values[id];
        pairs[id] = v.type == element::f32 && has_layout_choice(v) && s.value_layouts[id] == layout::channels_last &&
                    !layouts_coincide(v.dims) && v.dims[1] % 2 == 0 && s.value_spaces[id] == 0 && !outside[id];
    }
    for (int id : g.inputs) pairs[std::size_t(id)] = 0;
    for (int id : s.outputs)
        if (id >= 0) pairs[std::size_t(id)] = 0;
    const auto kernel_of = [&](const step& t) -> const entry* {
        return t.unit >= 0 && t.kernel >= 0 ? &list.view(t.provider).kernels[std::size_t(t.kernel)] : nullptr;
    };
    const auto arguments = [&](const step& t) {
        return std::span(s.arguments)
            .subspan(std::size_t(t.inputs.first), std::size_t(t.inputs.count + t.outputs.count));
    };
    for (const step& t : s.steps) {
        const entry* const e = kernel_of(t);
        const auto operands = arguments(t);
        for (int k = 0; k < int(operands.size()); ++k)
            if (operands[k] >= 0 && pairs[std::size_t(operands[k])])
                pairs[std::size_t(operands[k])] =
                    e && e->spaced &&
                    e->spaced(node_view{g, g.unit(t.unit), s.layouts.data() + t.inputs.first},
                              k < t.inputs.count ? k : ~(k - t.inputs.count));
    }
    for (bool changed = true; changed;) {
        changed = false;
        const auto clear = [&](int id) {
            if (id < 0 || !pairs[std::size_t(id)]) return;
            pairs[std::size_t(id)] = 0;
            changed = true;
        };
        for (std::size_t id = 0; id < roots.size(); ++id)
            if (const int root = roots[id]; pairs[id] != pairs[std::size_t(root)]) clear(int(id)), clear(root);
        for (const step& t : s.steps) {
            const entry* const e = kernel_of(t);
            if (!e || (e->shares != reuse::joins && e->shares != reuse::divides)) continue;
            const auto operands = arguments(t);
            const auto fits = [&](int id) {
                return id < 0 || pairs[std::size_t(id)] ||
                       (id < int(g.values.size()) && g.values[std::size_t(id)].type != element::f32);
            };
            if (!std::ranges::all_of(operands, fits))
                for (int id : operands) clear(id);
        }
    }
    return pairs;
}
}  // namespace v1
}  // namespace inlay

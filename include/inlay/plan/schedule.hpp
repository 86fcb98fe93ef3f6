// Order, layouts and places: one step per unit, and what must happen between them, a conversion where a step cannot
// read a value's layout and a transfer where it cannot reach its memory; each once per value and destination.
#pragma once
#include "partition.hpp"

namespace inlay {
inline namespace v1 {
namespace step_kind {  // a step's `unit`, where there is none
inline constexpr int conversion = -1, transfer = -2;
}
// inputs and outputs follow each other in schedule::arguments; of a conversion, provider: whose memory it is in
struct step {
    int unit, provider, kernel;
    range inputs, outputs;
};

struct copied_value {  // source: a value, or an earlier copy
    int source;
    layout to;
    int space;
};
struct schedule {
    std::vector<step> steps;
    std::vector<int> arguments;  // value ids of the steps' ranges, -1 for an absent one; copy i has the id `values + i`
    std::vector<layout> layouts;  // of the arguments
    std::vector<copied_value> copies;
    std::vector<layout> value_layouts;  // of the graph's values as they are produced, then of the copies
    std::vector<int> value_spaces;      // where they are produced, then where the copies are
    std::vector<int> outputs;           // the graph's outputs, always plain and on the host
    int conversions = 0, transfers = 0;
    constexpr std::span<const int> list(range r) const { return std::span(arguments).subspan(r.first, r.count); }
};

// Both layouts put the elements in the same order.
constexpr bool layouts_coincide(const shape& dims) { return dims.rank < 3 || dims[1] == 1 || dims.elements(2) == 1; }
// May the value have a layout other than plain? It has a batch, channels and one to three spatial axes.
constexpr bool has_layout_choice(const value& v) {
    return !v.is_constant() && v.dims.rank >= 3 && v.dims.rank <= 5 && v.dims.known() && v.type != element::object &&
           v.type != element::string && bits_of(v.type) >= 8;
}

constexpr layout argument_layout(const value& v, layout of_step) {
    return has_layout_choice(v) ? of_step : layout::plain;
}
// The inputs that a kernel's layout rule covers: -1 in the place of what it packs, which is always plain.
constexpr void find_inputs_in_layout(const entry* kernel, std::span<const int> inputs, std::vector<int>& ids) {
    ids.assign(inputs.begin(), inputs.end());
    for (std::size_t k = 0; kernel && k < ids.size(); ++k)
        if (kernel->packs_input(int(k))) ids[k] = -1;
}
// The layouts that a step reads and writes by its kernel's rule, `any` resolved; of(id): an input's current layout.
// Called before the run by the scheduler, and in the run where shapes are known only then.
template <class Of>
constexpr layout_rule resolve_layouts(layout_rule rule, std::span<const value> values, std::span<const int> inputs,
                                      std::span<const int> outputs, Of of) {
    layout input_layout = rule.in;
    if (input_layout == layout::any) {
        for (const bool strict : {true, false})
            for (int v : inputs)
                if (input_layout == layout::any && v >= 0 && has_layout_choice(values[v]) &&
                    (!strict || !layouts_coincide(values[v].dims)))
                    input_layout = of(v);
        const bool has_choices = rule.out != layout::any || std::ranges::all_of(outputs, [&](int v) {
                                     return v < 0 || has_layout_choice(values[v]);
                                 });
        if (input_layout == layout::any || !has_choices) input_layout = layout::plain;
    }
    return {input_layout, rule.out == layout::any ? input_layout : rule.out};
}

template <provider_list L> class scheduler {
    const graph_view& g_;
    const assignment& a_;
    const L& list_;
    schedule s_;
    std::vector<int> newest_copy_, older_copy_;  // chains of the copies of each value
    // By space: the provider that changes layouts there; -1 on the host, and where none does.
    std::vector<int> converters_;

    constexpr const value& record(int id) const {
        while (id >= int(g_.values.size())) id = s_.copies[id - g_.values.size()].source;
        return g_.values[id];
    }
    constexpr int add_copy(int from, layout to, int space, int root) {
        const int id = int(g_.values.size() + s_.copies.size());
        const bool converts = to != s_.value_layouts[from];
        s_.copies.push_back({from, to, space});
        s_.value_layouts.push_back(to);
        s_.value_spaces.push_back(space);
        const int first = int(s_.arguments.size());
        s_.arguments.insert(s_.arguments.end(), {from, id});
        s_.layouts.insert(s_.layouts.end(), {s_.value_layouts[from], to});
        s_.steps.push_back({converts ? step_kind::conversion : step_kind::transfer,
                            converts ? converters_[space] : -1,
                            -1,
                            {first, 1},
                            {first + 1, 1}});
        ++(converts ? s_.conversions : s_.transfers);
        older_copy_.push_back(newest_copy_[root]);
        newest_copy_[root] = id;
        return id;
    }
    constexpr int find(int root, layout l, int space) const {
        const bool either = layouts_coincide(g_.values[root].dims);
        const auto fits = [&](int id) { return s_.value_spaces[id] == space && (either || s_.value_layouts[id] == l); };
        if (fits(root)) return root;
        for (int id = newest_copy_[root]; id >= 0; id = older_copy_[id - g_.values.size()])
            if (fits(id)) return id;
        return -1;
    }
    constexpr bool reaches(int from, int to, int root) const {  // without the host in between
        if constexpr (requires { list_.reaches(from, to); })
            return from > 0 && to > 0 && g_.values[root].dims.known() && list_.reaches(from, to);
        else
            return (void)from, (void)to, (void)root, false;
    }
    constexpr int carried(int from, int space, int root) {  // to another space: directly, or by way of the host
        const layout as = s_.value_layouts[from];
        if (const int copy = find(root, as, space); copy >= 0) return copy;
        if (reaches(s_.value_spaces[from], space, root)) return add_copy(from, as, space, root);
        int host = find(root, as, 0);
        if (host < 0) host = add_copy(from, as, 0, root);
        return space == 0 ? host : add_copy(host, s_.value_layouts[host], space, root);
    }
    // The value as a step can read it; may add steps before that one. Constants go to other spaces when the session
    // binds them.
    constexpr int readable(int id, layout order, int space) {
        const value& v = g_.values[id];
        if (v.is_constant()) return id;
        if (!has_layout_choice(v)) order = layout::plain;
        if (const int copy = find(id, order, space); copy >= 0) return copy;
        if (s_.value_layouts[id] == order || layouts_coincide(v.dims)) return carried(id, space, id);
        // The layout changes where the value was produced, else where it is read, else on the host between the two.
        for (const int converter_space : {s_.value_spaces[id], space})
            if (converters_[converter_space] >= 0 && find(id, order, 0) < 0) {
                int copy = find(id, order, converter_space);
                if (copy < 0) copy = add_copy(carried(id, converter_space, id), order, converter_space, id);
                return s_.value_spaces[copy] == space ? copy : carried(copy, space, id);
            }
        int host = find(id, order, 0);
        if (host < 0) host = add_copy(carried(id, 0, id), order, 0, id);
        return space == 0 ? host : add_copy(host, order, space, id);
    }
    constexpr void add_step(int unit, int provider, int kernel, std::span<const int> inputs,
                            std::span<const int> outputs, layout_rule rule, int space,
                            const entry* kernel_entry = nullptr) {
        std::vector<int> movable;
        find_inputs_in_layout(kernel_entry, inputs, movable);
        const auto [input_layout, outside] =
            resolve_layouts(rule, g_.values, movable, outputs, [&](int v) { return s_.value_layouts[v]; });
        std::vector<int> line;
        for (std::size_t k = 0; k < inputs.size(); ++k)
            line.push_back(inputs[k] < 0 ? -1
                                         : readable(inputs[k], movable[k] < 0 ? layout::plain : input_layout, space));
        const int first = int(s_.arguments.size());
        for (std::size_t k = 0; k < line.size(); ++k) {
            s_.arguments.push_back(line[k]);
            s_.layouts.push_back(movable[k] >= 0 ? argument_layout(record(line[k]), input_layout) : layout::plain);
        }
        for (int v : outputs) {
            s_.arguments.push_back(v);
            if (v >= 0) {
                s_.value_layouts[v] = argument_layout(g_.values[v], outside);
                s_.value_spaces[v] = space;
            }
            s_.layouts.push_back(v >= 0 ? s_.value_layouts[v] : layout::plain);
        }
        s_.steps.push_back(
            {unit, provider, kernel, {first, int(line.size())}, {first + int(line.size()), int(outputs.size())}});
    }

  public:
    constexpr scheduler(const graph_view& g, const assignment& a, const L& list) : g_(g), a_(a), list_(list) {
        s_.value_layouts.assign(g.values.size(), layout::plain);
        s_.value_spaces.assign(g.values.size(), 0);
        newest_copy_.assign(g.values.size(), -1);
        converters_.assign(list.size() + 1, -1);
        for (int p = list.size() - 1; p >= 0; --p)
            if (const provider_view v = list.view(p); v.space > 0 && v.converts) converters_[v.space] = p;
    }
    constexpr schedule run() {
        std::vector<provider_view> views;
        for (int p = 0; p < list_.size(); ++p) views.push_back(list_.view(p));
        const int units = g_.units() + int(a_.regions.size());
        for (int u : order_units(g_, a_.unit_of, units).units) {
            if (u >= g_.units()) {
                const assigned_region& r = a_.regions[u - g_.units()];
                add_step(u, r.provider, -1, a_.list(r.inputs), a_.list(r.outputs), {}, views[r.provider].space);
                continue;
            }
            const node& n = g_.unit(u);
            const int first = n.sources.count ? g_.list(n.sources).front() : u, owner = a_.owners[first],
                      kernel = a_.kernels[u];
            if (owner >= 0) {
                const entry* const kernel_entry = kernel >= 0 ? &views[owner].kernels[kernel] : nullptr;
                const layout_rule rule = kernel_entry ? kernel_entry->layouts(node_view{g_, n}) : layout_rule{};
                add_step(u, owner, kernel, g_.list(n.inputs), g_.list(n.outputs), rule, views[owner].space,
                         kernel_entry);
            } else if (owner == inlay::owner::control_flow) {
                std::vector<int> reads(g_.list(n.inputs).begin(), g_.list(n.inputs).end());
                for (int v : g_.list(n.captures)) reads.push_back(v);
                add_step(u, -1, -1, reads, g_.list(n.outputs), {}, 0);
            }
        }
        for (int v : g_.outputs) s_.outputs.push_back(readable(v, layout::plain, 0));
        return std::move(s_);
    }
};
template <provider_list L> constexpr schedule make_schedule(const graph_view& g, const assignment& a, const L& list) {
    return scheduler<L>(g, a, list).run();
}
}  // namespace v1
}  // namespace inlay

#include "carry_contexts.hpp"
#include "engine/specialise.hpp"
#include "freeze.hpp"
#include "passes/rewrite.hpp"
#include <inlay/plan/partition.hpp>
#include <inlay/provider/cpu.hpp>

namespace inlay {
inline namespace v1 {
namespace {
[[noreturn]] void refuse(std::string text, std::string hint = {}) {
    error e(error_code::unsupported_model, "inlay: " + std::move(text));
    e.hint = std::move(hint);
    raise(std::move(e));
}
[[noreturn]] void refuse(const node& n, const std::string& reason) {
    error e(error_code::unsupported_model, "inlay: " + describe_node(n) + ": " + reason);
    e.node = n.name;
    e.op = n.op;
    e.version = n.version;
    raise(std::move(e));
}

// The shapes of the inputs with the sizes given to their free dimensions, and the bounds of the graph's symbols.
class chosen_sizes {
    const graph_view& g_;
    std::span<const dimension_size> sizes_;
    std::vector<std::string> free_, open_;  // names, in the order in which the inputs have them
    static void add(std::vector<std::string>& names, const std::string& name) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    void choose(const value& input) {
        if (input.type == element::object)
            refuse("input `" + std::string(input.name) + "` is no tensor, which an embedded model cannot take");
        if (input.dims.rank < 0)
            refuse("input `" + std::string(input.name) + "` has no shape in the model",
                   "give it one there, with names for the dimensions that are free");
        shape most = input.dims, declared = input.dims;
        for (int i = 0; i < most.rank; ++i) {
            if (most[i] >= 0) continue;
            const auto symbol = std::size_t(-2 - most[i]);  // the loader names every dimension of an input
            const std::string name(g_.symbols[symbol]);
            add(free_, name);
            const auto size = std::ranges::find(sizes_, name, &dimension_size::name);
            if (size == sizes_.end()) {
                add(open_, name);
                continue;
            }
            most[i] = declared[i] = size->most;
            if (size->least == size->most) continue;
            bounded[symbol] = true;
            declared[i] = -2 - (std::ranges::find(dimensions, name, &dimension_size::name) - dimensions.begin());
        }
        largest.push_back(most);
        shapes.push_back(declared);
    }
    static std::string joined(const std::vector<std::string>& names, const char* between) {
        std::string text;
        for (const std::string& n : names) text += (text.empty() ? "" : between) + n;
        return text;
    }

  public:
    std::vector<shape> largest, shapes;
    std::vector<dimension_size> dimensions;
    std::vector<char> bounded;
    chosen_sizes(const graph_view& g, std::span<const dimension_size> sizes)
        : g_(g), sizes_(sizes), bounded(g.symbols.size()) {
        for (const dimension_size& d : sizes)
            if (d.least != d.most) dimensions.push_back(d);
        for (int id : g.inputs) choose(g.values[std::size_t(id)]);
        for (const dimension_size& d : sizes)
            if (std::ranges::find(free_, d.name) == free_.end()) {
                error e(error_code::invalid_argument, "inlay: the model has no free dimension `" + d.name +
                                                          "`; it has " +
                                                          (free_.empty() ? "none" : joined(free_, ", ")));
                if (const std::string near = nearest_name(d.name, free_); !near.empty())
                    e.hint = "did you mean `" + near + "`?";
                raise(std::move(e));
            }
        if (open_.empty()) return;
        error e(error_code::invalid_argument,
                "inlay: the model has free dimensions without a size: " + joined(open_, ", "));
        e.hint = "give each a size or bounds: --shape " + joined(open_, "=1 --shape ") + "=1";
        raise(std::move(e));
    }
};

const entry* rule_of(const node& n) { return find_entry(kernels_of<cpu>(), n); }

void check(const specialised& s) {
    const graph_view& g = s.graph.view;
    for (int id : g.inputs)
        if (g.values[std::size_t(id)].type == element::string)
            refuse("input `" + std::string(g.values[std::size_t(id)].name) +
                   "` has strings, which an embedded model cannot hold");
    for (const node& n : g.nodes) {
        const auto out = g.list(n.outputs);
        if (all_constant(g.values, out)) continue;
        if (is_control_flow(n)) refuse(n, "control flow cannot be part of an embedded model; inlay::session runs it");
        const auto check_value = [&](int id, const char* does) {
            const value& v = g.values[std::size_t(id)];
            if (v.type == element::string)
                refuse(n, std::string(does) + " strings in `" + std::string(v.name) +
                              "`, which an embedded model cannot hold");
            if (v.type == element::object)
                refuse(n, std::string(does) + " `" + std::string(v.name) + "`, which is no tensor");
            if (v.dims.known()) return;
            const entry* operator_entry = rule_of(n);
            if (!operator_entry)
                refuse(n, "Inlay does not have this operator, and the model does not state the shape of its output `" +
                              std::string(v.name) + "`");
            refuse(n, "the shape of its output `" + std::string(v.name) +
                          "` is not known before the run: it depends on " +
                          (operator_entry->data_dependent ? "what the node computes, without a constant bound"
                                                          : "the values of an input"));
        };
        for (int id : g.list(n.inputs))
            if (id >= 0) check_value(id, "it reads");
        for (int id : out)
            if (id >= 0) check_value(id, "it makes");
    }
    for (int id : g.outputs)
        if (const value& v = g.values[std::size_t(id)]; v.type == element::string)
            refuse("output `" + std::string(v.name) + "` has strings, which an embedded model cannot hold");
}
}  // namespace

frozen_model freeze(const model& m, std::span<const dimension_size> sizes) {
    chosen_sizes selection(m.view(), sizes);
    const specialised s = specialise(m.graph(), m.view(), selection.largest, rule_of, {selection.bounded, true, true});
    check(s);
    const graph_view& v = s.graph.view;
    const auto copy = [](const auto& from, auto& to) { to.assign(from.begin(), from.end()); };
    graph_data g;
    g.name = v.name;
    copy(v.values, g.values);
    copy(v.attributes, g.attributes);
    copy(v.edges, g.edges);
    copy(v.inputs, g.inputs);
    copy(v.outputs, g.outputs);
    copy(v.integers, g.integers);
    copy(v.reals, g.reals);
    copy(v.texts, g.texts);
    copy(s.constants, g.constants);
    g.constants.insert(g.constants.end(), s.extra_constants.begin(), s.extra_constants.end());
    std::vector<int> place(v.nodes.size(), -1);
    for (std::size_t i = 0; i < v.nodes.size(); ++i) {
        if (all_constant(g.values, v.list(v.nodes[i].outputs))) continue;
        place[i] = int(g.nodes.size());
        g.nodes.push_back(v.nodes[i]);
    }
    for (node n : v.fused) {
        std::vector<int> sources;
        bool fits = true;
        for (int i : v.list(n.sources))
            if (place[std::size_t(i)] >= 0)
                sources.push_back(place[std::size_t(i)]);
            else  // dequantized constants are computed, and an integer node reads the quantized values
                fits &= leaves_floats(v, n) && all_constant(v.values, v.list(v.nodes[std::size_t(i)].inputs));
        if (!fits || sources.empty()) continue;
        n.sources = g.add_edges(sources);
        g.fused.push_back(n);
    }
    carry_contexts(g, m);
    passes::compact(g);
    return {m, std::move(g), std::move(selection.shapes), std::move(selection.dimensions)};
}
}  // namespace v1
}  // namespace inlay

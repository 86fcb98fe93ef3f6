#include "partitions.hpp"
#include "rules.hpp"

namespace inlay {
inline namespace v1 {
using namespace onednn_rules;
namespace {
const rule* rule_of(const node& n) {
    for (const std::span<const rule> list : {convolution_rules(), element_wise_rules(), movement_rules(),
                                             normalization_rules(), product_rules(), window_rules()})
        for (const rule& r : list)
            if (r.op == n.op && r.domain == n.domain) return &r;
    return nullptr;
}
void check_tensor(const value& v, const std::string& which) {
    if (v.type != element::f32) refuse(which + " is of type " + std::string(name_of(v.type)) + ", not of floats");
    if (v.dims.elements() == 0) refuse(which + " has no elements");
}
void check_tensors(const node_view& n, const rule& r) {
    for (int k = 0; k < std::min(n.input_count(), r.tensors); ++k)
        if (n.has_input(k)) check_tensor(n.input(k), "input " + std::to_string(k));
    for (int k = 0; k < n.output_count(); ++k)
        if (n.has_output(k)) check_tensor(n.output(k), "output " + std::to_string(k));
}
// Why oneDNN does not take a node, or a fused one; empty: it does.
std::string refusal_of(const graph_view& g, const node& record) {
    const rule* const r = rule_of(record);
    if (!r) return "oneDNN has no " + std::string(record.op);
    const node_view n{g, record};
    std::vector<int> inputs, outputs;
    for (int v : g.list(record.inputs))
        if (v >= 0 && !g.values[std::size_t(v)].is_constant()) inputs.push_back(v);
    for (int v : g.list(record.outputs))
        if (v >= 0) outputs.push_back(v);
    try {
        check_tensors(n, *r);
        dnnl_program trial;
        const region alone{g, {}, inputs, outputs};
        onednn_rules::lowering l(alone, trial, purpose::trial);
        r->lower(l, n);
        l.finish();
        return {};
    } catch (const onednn_refusal& e) {
        return e.why;
    }
}
// What some nodes become, in an order in which it can run: a node, a fused candidate or a partition, which count on
// from each other.
struct units {
    dnnl_partitions partitions;
    std::vector<int> order;

    const dnnl_partition* partition(const graph_view& g, int unit) const {
        return unit < g.units() ? nullptr : &partitions.list[std::size_t(unit - g.units())];
    }
    std::string refusal(const graph_view& g, int unit) const {
        if (unit >= int(g.nodes.size())) return {};  // candidates and partitions were asked about when they were chosen
        const std::string& why = partitions.refusals[std::size_t(unit)];
        return why.empty() ? refusal_of(g, g.unit(unit)) : why;
    }
};
units units_of(const graph_view& g, std::span<const int> nodes, const constant_source* constants) {
    units all{partitions_of(g, nodes, constants), {}};
    std::vector<char> single(g.nodes.size(), 0);
    std::vector<int> runs(g.nodes.size(), -1);  // at the last of its nodes
    for (int i : nodes) single[std::size_t(i)] = 1;
    const auto take = [&](int unit, std::span<const int> sources) {
        for (int i : sources) single[std::size_t(i)] = 0;
        runs[std::size_t(sources.back())] = unit;
    };
    for (std::size_t k = 0; k < all.partitions.list.size(); ++k) take(g.units() + int(k), all.partitions.list[k].nodes);
    for (std::size_t k = 0; k < g.fused.size(); ++k) {
        const auto sources = g.list(g.fused[k].sources);
        const bool is_free = std::ranges::all_of(
            sources, [&](int i) { return single[std::size_t(i)] && all.partitions.refusals[std::size_t(i)].empty(); });
        if (is_free && refusal_of(g, g.fused[k]).empty()) take(int(g.nodes.size() + k), sources);
    }
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
        if (runs[i] >= 0)
            all.order.push_back(runs[i]);
        else if (single[i])
            all.order.push_back(int(i));
    return all;
}
}  // namespace

dnnl_program program_of(const region& r) {
    const graph_view& g = r.graph;
    const units all = units_of(g, r.nodes, r.constants);
    dnnl_program p;
    onednn_rules::lowering l(r, p, purpose::use);
    for (int unit : all.order)
        if (const dnnl_partition* const part = all.partition(g, unit))
            l.add(*part);
        else if (std::string why = all.refusal(g, unit); !why.empty())
            refuse(std::move(why));
        else
            rule_of(g.unit(unit))->lower(l, {g, g.unit(unit)});
    l.finish();
    return p;
}
void propose_for_onednn(const free_nodes& free, proposals& out) {
    const graph_view& g = free.graph;
    const units all = units_of(g, free.nodes, free.constants);
    std::vector<int> taken;
    for (int unit : all.order) {
        const dnnl_partition* const part = all.partition(g, unit);
        const auto nodes = part                          ? std::span<const int>(part->nodes)
                           : unit >= int(g.nodes.size()) ? g.list(g.unit(unit).sources)
                                                         : std::span<const int>(&unit, 1);
        if (std::string why = all.refusal(g, unit); !why.empty())
            out.refuse(unit, std::move(why));
        else
            taken.insert(taken.end(), nodes.begin(), nodes.end());
    }
    std::ranges::sort(taken);
    taken.erase(std::ranges::unique(taken).begin(), taken.end());
    for (std::vector<int>& set : convex_sets(g, taken)) out.take(std::move(set));
}
}  // namespace v1
}  // namespace inlay

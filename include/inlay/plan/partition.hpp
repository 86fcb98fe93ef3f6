// Partition: every node to the first provider of the list that can run it, as part of a region, of a fused node, or
// alone. Constexpr: the same function decides at run time and in the compiler. Every answer is kept.
#pragma once
#include "contraction.hpp"
#include <inlay/onnx/control_flow.hpp>
#include <inlay/sdk/integer_node.hpp>
#include <inlay/sdk/provider.hpp>

namespace inlay {
inline namespace v1 {
namespace owner {  // of a node, where it is no provider's position
inline constexpr int nobody = -1, folded = -2, control_flow = -3;
}
inline constexpr int chosen_at_run = -2;  // as a kernel: the shapes are not known before the node runs

struct assigned_region {  // in assignment::lists
    int provider;
    range nodes, inputs, outputs;
};

struct assignment {
    std::vector<int> owners;        // of each node
    std::vector<int> kernels;       // of each unit: its position in the owner's catalogue, chosen_at_run, or -1
    std::vector<int> unit_of;       // of each node: itself, the fused node or the region that it became part of
    std::vector<verdict> verdicts;  // unit * providers + provider, nodes and fused nodes; stage none where not queried
    std::vector<assigned_region> regions;  // as units they come after the fused nodes
    std::vector<int> lists;
    int providers = 0;
    constexpr std::span<const int> list(range r) const { return std::span(lists).subspan(r.first, r.count); }
};

// The first kernel of the catalogue that runs the node, and the reason of a refusal, or of a slower kernel.
struct choice {
    int kernel;
    verdict outcome;
};
constexpr bool inputs_complete(const node_view& n) {
    for (int k = 0; k < n.input_count(); ++k)
        if (n.has_input(k) && n.input(k).type != element::object && !n.input(k).dims.known()) return false;
    return true;
}
struct none_barred {
    constexpr verdict operator()(int) const { return yes(); }
};
// While a node with data-dependent shapes runs (`running`), its inputs are complete and only data-dependent outputs are
// not. `early`: a kernel that itself reports how large its outputs are is chosen as soon as its inputs are complete.
// barred(kernel): no where that kernel is known to refuse the node, though supports() says yes.
template <class Barred = none_barred>
constexpr choice find_kernel(std::span<const entry> catalogue, const node_view& n, bool running = false,
                             bool early = false, Barred barred = {}) {
    const node& r = n.record;
    verdict answer{false, "no kernel for this operator", refusal::operation, 0};
    const std::uint64_t key = operator_key(r.domain, r.op);
    const bool complete = running || n.complete();
    for (auto e = std::ranges::lower_bound(catalogue, key, {}, &entry::key); e != catalogue.end() && e->key == key;
         ++e) {
        if (e->name != r.op || e->domain != r.domain) continue;
        verdict v = yes();
        if (r.version < e->versions.since || r.version > e->versions.through)
            v = {false, "schema version not covered", refusal::version, r.version};
        else
            for (int k = 0; k < e->constraint_count && v; ++k) {
                const int at = e->constraints[k];
                if (at < 0 ? !n.has_output(~at) : !n.has_input(at)) continue;
                const element type = (at < 0 ? n.output(~at) : n.input(at)).type;
                if (!e->elements[k].has(type))
                    v = {false, "element type not covered", refusal::type, std::int64_t(type)};
            }
        for (int k = 0; k < e->required_inputs; ++k)
            if (v && !n.has_input(k)) v = no("a required input is missing");
        // A value of unknown type has memory of unknown size: its readers and writers could only guess.
        for (int k = 0; v && k < n.input_count(); ++k)
            if (n.has_input(k) && n.input(k).type == element::undefined)
                v = {false, "the element type of an input is not known", refusal::type, 0};
        for (int k = 0; v && k < n.output_count(); ++k)
            if (n.has_output(k) && n.output(k).type == element::undefined)
                v = {false, "the element type of an output is not known", refusal::type, 0};
        // ONNX's schemas check that outputs have the operator's types; this check is for domains that ONNX does not
        // know.
        for (int k = 0; v && !r.domain.empty() && k < n.output_count(); ++k) {
            if (!n.has_output(k)) continue;
            const element type = output_type(*e, n, k);
            const bool open = type == element::undefined && e->constraint_of_output(k) >= 0;
            if (!open && n.output(k).type != type)
                v = {false, "element type not covered", refusal::type, std::int64_t(n.output(k).type)};
        }
        if (v && !complete && !(early && e->data_dependent && inputs_complete(n))) return {chosen_at_run, yes()};
        if (v) v = e->supports(n);
        if (v) v = barred(int(e - catalogue.begin()));
        if (v)
            return {int(e - catalogue.begin()),
                    {true, answer.stage == refusal::node ? answer.reason : std::string_view{}, refusal::none, 0}};
        if (v.stage > answer.stage) answer = v;  // report the refusal that came furthest
    }
    return {-1, answer};
}

constexpr bool is_control_flow(const node& n) { return is_control_flow(n.domain, n.op); }

// An order in which every unit comes after the units that it reads from; empty if there is none. Stable: by the last
// node of each unit.
struct unit_order {
    std::vector<int> units;
    bool acyclic = true;
};
constexpr unit_order order_units(const graph_view& g, std::span<const int> unit_of, int units) {
    const int nodes = int(g.nodes.size());
    std::vector<int> producer(g.values.size(), -1), place(std::size_t(units), -1), waiting(std::size_t(units), 0),
        first(std::size_t(units) + 1, 0);
    for (int i = 0; i < nodes; ++i) {
        if (unit_of[i] < 0) continue;
        place[unit_of[i]] = i;
        for (int v : g.list(g.nodes[i].outputs))
            if (v >= 0 && !g.values[v].is_constant()) producer[v] = unit_of[i];
    }
    std::vector<std::pair<int, int>> arrows;  // from, to
    for (int i = 0; i < nodes; ++i)
        if (unit_of[i] >= 0)
            for_each_read(g, g.nodes[i], [&](int v) {
                if (producer[v] >= 0 && producer[v] != unit_of[i]) arrows.emplace_back(producer[v], unit_of[i]);
            });
    for (auto [from, to] : arrows) {
        ++first[from + 1];
        ++waiting[to];
    }
    for (int u = 0; u < units; ++u) first[u + 1] += first[u];
    std::vector<int> targets(arrows.size(), 0), next(first.begin(), first.end());
    for (auto [from, to] : arrows) targets[next[from]++] = to;
    std::vector<std::pair<int, int>> ready;  // a heap, the smallest place on top
    const auto later = [](const auto& a, const auto& b) { return a > b; };
    int count = 0;
    for (int u = 0; u < units; ++u)
        if (place[u] >= 0) {
            ++count;
            if (!waiting[u]) ready.emplace_back(place[u], u);
        }
    std::make_heap(ready.begin(), ready.end(), later);
    unit_order order;
    while (!ready.empty()) {
        std::pop_heap(ready.begin(), ready.end(), later);
        const int u = ready.back().second;
        ready.pop_back();
        order.units.push_back(u);
        for (int k = first[u]; k < first[u + 1]; ++k)
            if (--waiting[targets[k]] == 0) {
                ready.emplace_back(place[targets[k]], targets[k]);
                std::push_heap(ready.begin(), ready.end(), later);
            }
    }
    order.acyclic = int(order.units.size()) == count;
    return order;
}

template <provider_list L> class partitioner {
    const graph_view& g_;
    const L& list_;
    assignment a_;
    int nodes_;
    contraction joined_;

    // Alone, some of the nodes that it replaces would have kernels of a tag that the provider prefers.
    constexpr bool slower_than_parts(std::span<const entry> kernels, int unit, int kernel) const {
        return kernels[kernel].device > 0 && !leaves_floats(g_, g_.unit(unit)) &&
               std::ranges::any_of(g_.list(g_.unit(unit).sources), [&](int s) {
                   const int alone = find_kernel(kernels, node_view{g_, g_.nodes[s]}).kernel;
                   return alone >= 0 && kernels[alone].device < kernels[kernel].device;
               });
    }
    constexpr bool offer(int provider, const provider_view& v, int unit) {
        const node_view n{g_, g_.unit(unit)};
        verdict answer = list_.accepts(provider, n);
        if (answer && v.has_engine && v.kernels.empty()) {
            answer = a_.verdicts[unit * a_.providers + provider];  // the engine's
            if (answer.stage == refusal::none)
                answer = {false, "its engine neither took nor refused the node", refusal::provider, 0};
        }
        choice c{-1, answer};
        if (!answer) {
            if (c.outcome.stage == refusal::none) c.outcome.stage = refusal::provider;
        } else
            c = find_kernel(v.kernels, n, false, v.space != 0, [&](int kernel) {
                if constexpr (requires { list_.barred(provider, n, kernel); })
                    return list_.barred(provider, n, kernel);
                else
                    return yes();
            });
        if (c.kernel == chosen_at_run && v.space != 0)
            c = {-1,
                 {false, "its shapes are known only while it runs, and the provider's memory is not the host's",
                  refusal::node, 0}};
        if (c.kernel >= 0 && unit >= nodes_ && slower_than_parts(v.kernels, unit, c.kernel))
            c = {-1, no("its kernel here is slower than those of the nodes that it stands for")};
        a_.verdicts[unit * a_.providers + provider] = c.outcome;
        if (c.outcome.stage == refusal::none) a_.verdicts[unit * a_.providers + provider].detail = 1;  // it was queried
        if (c.kernel == -1) return false;
        a_.kernels[unit] = c.kernel;
        return true;
    }
    // Computed when the model was loaded or its shapes became known, yet kept for a region or a fused node that
    // requires the constants as in the file.
    constexpr bool is_kept_decoder(int i) const {
        return a_.owners[i] == owner::folded && all_constant(g_.values, g_.list(g_.nodes[i].inputs));
    }
    constexpr bool is_free(int i) const { return a_.owners[i] == owner::nobody || is_kept_decoder(i); }
    constexpr void refuse(int provider, int node, std::string_view reason) {
        a_.verdicts[node * a_.providers + provider] = {false, reason, refusal::provider, 0};
    }
    constexpr void ask_engine(int provider) {
        std::vector<int> free;
        for (int i = 0; i < nodes_; ++i)
            if (is_free(i)) {
                if (node_view{g_, g_.nodes[i]}.complete())
                    free.push_back(i);
                else
                    refuse(provider, i, "its shapes are known only while it runs, and an engine compiles for shapes");
            }
        const proposals& answer = list_.propose(provider, g_, free);
        for (const auto& [node, reason] : answer.refusals())
            if (std::ranges::binary_search(free, node)) refuse(provider, node, reason);
        take_regions(provider, answer.regions());
    }
    // Each region in turn, unless it forms a cycle with those before it. Detecting one requires an order of all units,
    // which costs the same for many regions at once: as many as possible are tried together, fewer after a cycle.
    constexpr void take_regions(int provider, std::span<const std::vector<int>> regions) {
        if (regions.empty()) return;
        region_ends ends(g_);
        for (std::size_t together = regions.size(); !regions.empty();) {
            const auto batch = regions.first(std::min(together, regions.size()));
            if (take_together(provider, batch, ends)) {
                together *= 2;
            } else if (batch.size() > 1) {
                together = batch.size() / 2;
                continue;
            } else
                for (int i : batch[0]) refuse(provider, i, "its region would depend on itself through other nodes");
            regions = regions.subspan(batch.size());
        }
    }
    constexpr bool is_sound(std::span<const int> nodes) const {
        const auto is_free_here = [&](int i) {
            return i >= 0 && i < nodes_ && is_free(i) && a_.unit_of[i] < g_.units();
        };
        return !nodes.empty() && std::ranges::adjacent_find(nodes, std::ranges::greater_equal{}) == nodes.end() &&
               std::ranges::all_of(nodes, is_free_here);
    }
    // All of them that are sound; false: none, for something outside reads from one and feeds it.
    constexpr bool take_together(int provider, std::span<const std::vector<int>> regions, region_ends& ends) {
        std::vector<const std::vector<int>*> sound;
        std::vector<std::pair<int, int>> before;  // nodes, and the units that they were part of
        int unit = g_.units() + int(a_.regions.size());
        for (const std::vector<int>& nodes : regions) {
            if (!is_sound(nodes)) continue;
            for (int i : nodes) {
                before.emplace_back(i, a_.unit_of[i]);
                a_.unit_of[i] = unit;
            }
            ++unit;
            sound.push_back(&nodes);
        }
        if (!sound.empty() && !order_units(g_, a_.unit_of, unit).acyclic) {
            for (const auto& [i, old_unit] : before) a_.unit_of[i] = old_unit;
            return false;
        }
        for (const std::vector<int>* nodes : sound) add_region(provider, *nodes, ends);
        return true;
    }
    constexpr void add_region(int provider, const std::vector<int>& members, region_ends& finder) {
        for (int i : members) {
            a_.owners[i] = provider;
            a_.verdicts[i * a_.providers + provider] = {true, {}, refusal::none, 1};
        }
        a_.kernels.push_back(-1);
        joined_.take(members);
        const region_values ends = finder.of(members);
        const auto add = [&](const std::vector<int>& ids) {
            const range r{int(a_.lists.size()), int(ids.size())};
            a_.lists.insert(a_.lists.end(), ids.begin(), ids.end());
            return r;
        };
        const range members_at = add(members), inputs_at = add(ends.inputs), outputs_at = add(ends.outputs);
        a_.regions.push_back({provider, members_at, inputs_at, outputs_at});
    }

    // An integer node reads constants before dequantization; other nodes would repeat finished work.
    constexpr bool may_stand_for(const node& fused, int source) const {
        return a_.owners[source] == owner::nobody || (is_kept_decoder(source) && leaves_floats(g_, fused));
    }
    constexpr void take_fused(int provider, const provider_view& v, int unit) {
        const auto sources = g_.list(g_.unit(unit).sources);
        if (!std::ranges::all_of(sources, [&](int s) { return may_stand_for(g_.unit(unit), s); }) ||
            all_constant(g_.values, g_.list(g_.unit(unit).outputs)) || !node_view{g_, g_.unit(unit)}.complete())
            return;
        const contraction::answer c = joined_.check(g_.unit(unit));
        if (!c.outcome) {
            a_.verdicts[unit * a_.providers + provider] = c.outcome;
            return;
        }
        if (!offer(provider, v, unit)) return;
        for (int s : sources) {
            a_.owners[s] = provider;
            a_.unit_of[s] = unit;
        }
        joined_.take(sources, c.joins);
    }

  public:
    constexpr partitioner(const graph_view& g, const L& list)
        : g_(g), list_(list), nodes_(int(g.nodes.size())), joined_(g) {}
    constexpr assignment run() {
        a_.providers = list_.size();
        a_.owners.assign(nodes_, owner::nobody);
        a_.kernels.assign(g_.units(), -1);
        a_.unit_of.assign(nodes_, 0);
        a_.verdicts.assign(std::size_t(g_.units() * a_.providers), verdict{false, {}, refusal::none, 0});
        for (int i = 0; i < nodes_; ++i) {
            a_.unit_of[i] = i;
            if (all_constant(g_.values, g_.list(g_.nodes[i].outputs))) {
                a_.owners[i] = owner::folded;
                a_.unit_of[i] = -1;
            } else if (is_control_flow(g_.nodes[i]))
                a_.owners[i] = owner::control_flow;
        }
        for (int p = 0; p < a_.providers; ++p) {
            const provider_view v = list_.view(p);
            if (v.has_engine) ask_engine(p);
            for (int u = nodes_; u < g_.units() && !v.kernels.empty(); ++u)
                take_fused(p, v, u);  // first, while all their sources are free
            for (int i = 0; i < nodes_; ++i)
                if (a_.owners[i] == owner::nobody && offer(p, v, i)) a_.owners[i] = p;
        }
        return std::move(a_);
    }
};
template <provider_list L> constexpr assignment partition(const graph_view& g, const L& list) {
    return partitioner<L>(g, list).run();
}
}  // namespace v1
}  // namespace inlay

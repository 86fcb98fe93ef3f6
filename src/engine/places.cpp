// Where each argument of a plan's steps lies.
#include "planner.hpp"

namespace inlay {
inline namespace v1 {
void planner::place_arguments(compiled_plan& p) const {
    const inlay::plan& plan = p.plan;
    const auto place_of = [&](int id, int space) -> place {
        if (id < 0) return {};
        const value& v = p.record(id);
        if (v.is_constant())  // binder finds its readers
            return {place::kind::constant, v.constant, 0, nullptr, space};
        if (plan.outside[std::size_t(id)]) return {};  // each run sets it
        if (plan.offsets[std::size_t(id)] >= 0)
            return {place::kind::arena, plan.value_spaces[std::size_t(id)], plan.offsets[std::size_t(id)]};
        return {place::kind::own, p.source(id)};
    };
    p.places.resize(plan.arguments.size());
    std::vector<char> is_own(p.graph.values.size(), 0);
    for (const step& s : plan.steps) {
        const provider_handle* const h = s.provider >= 0 ? &setup_.handles[std::size_t(s.provider)] : nullptr;
        const int space = h ? int(std::ranges::find(p.spaces, h->memory_space) - p.spaces.begin()) : 0;
        const entry* const kernel =
            s.unit >= 0 && s.kernel >= 0 ? &h->kernels->entries[std::size_t(s.kernel)] : nullptr;
        for (range r : {s.inputs, s.outputs})
            for (int k = r.first; k < r.first + r.count; ++k) {
                const int input = k - s.inputs.first;
                const bool packed =  // from the host's memory, into whatever memory
                    kernel && input < s.inputs.count &&
                    kernel->packs_at_bind(node_view{p.graph.view, p.graph.view.unit(s.unit)}, input);
                const place at = place_of(plan.arguments[std::size_t(k)], packed ? 0 : space);
                p.places[std::size_t(k)] = at;
                if (at.what == place::kind::own) is_own[std::size_t(at.index)] = 1;
            }
    }
    for (int id : plan.outputs) {
        p.output_places.push_back(place_of(id, 0));
        if (p.output_places.back().what == place::kind::own) is_own[std::size_t(p.output_places.back().index)] = 1;
    }
    for (int id = 0; id < int(is_own.size()); ++id)
        if (is_own[std::size_t(id)]) p.own_values.push_back(id);
    std::vector<int> input_of(p.graph.values.size(), -1);
    for (std::size_t k = 0; k < p.graph.view.inputs.size(); ++k) input_of[std::size_t(p.graph.view.inputs[k])] = int(k);
    const auto by_input = [&](const std::vector<int>& ids) {  // which of them are the bytes of each graph input
        std::vector<std::vector<std::size_t>> result(p.graph.view.inputs.size());
        for (std::size_t k = 0; k < ids.size(); ++k) {
            const int root = ids[k] < 0 ? -1 : plan.roots[std::size_t(ids[k])];
            if (root < 0 || std::size_t(root) >= input_of.size() || p.record(ids[k]).is_constant()) continue;
            if (const int input = input_of[std::size_t(root)]; input >= 0) result[std::size_t(input)].push_back(k);
        }
        return result;
    };
    p.input_arguments = by_input(plan.arguments);
    p.input_outputs = by_input(plan.outputs);
}
}  // namespace v1
}  // namespace inlay

#include "core.hpp"

namespace inlay {
inline namespace v1 {
void session_core::place_arguments(compiled_plan& p, const erased_providers& list) const {
    const plan& plan = p.plan;
    for (int i = 0; i < list.spaces(); ++i) p.spaces.push_back(&list.space_at(i));
    std::map<std::pair<int, int>, const void*> uploads;
    const auto place_of = [&](int id, int space) -> place {
        if (id < 0) return {};
        const value& v = p.record(id);
        if (v.is_constant()) {
            if (space == 0) return {place::kind::constant, v.constant, 0, nullptr};  // bind_steps() knows who reads it
            auto& there = uploads[{id, space}];
            if (!there && !plan_only) {
                p.uploaded.push_back(p.constant(v.constant).get().copied_to(list.space_at(space)));
                there = p.uploaded.back().data();
            }
            return {place::kind::constant, -1, 0, there};
        }
        if (plan.outside[std::size_t(id)]) return {};  // each run says where
        if (plan.offsets[std::size_t(id)] >= 0)
            return {place::kind::arena, plan.value_spaces[std::size_t(id)], plan.offsets[std::size_t(id)], nullptr};
        return {place::kind::own, p.source(id), 0, nullptr};
    };
    p.places.resize(plan.arguments.size());
    std::vector<char> is_own(p.graph.values.size(), 0);
    for (const step& s : plan.steps) {
        const int space = s.provider >= 0 ? list.view(s.provider).space : 0;
        const entry* const kernel =
            s.unit >= 0 && s.kernel >= 0 ? &list.view(s.provider).kernels[std::size_t(s.kernel)] : nullptr;
        for (range r : {s.inputs, s.outputs})
            for (int k = r.first; k < r.first + r.count; ++k) {
                const int input = k - s.inputs.first;
                const bool packed =  // from the host's memory, into whatever memory
                    kernel && input < s.inputs.count &&
                    kernel->packs_at_bind(node_view{p.graph.view, p.graph.view.unit(s.unit)}, input);
                const place at = [&] {
                    try {
                        return place_of(plan.arguments[std::size_t(k)], packed ? 0 : space);
                    } catch (const error& e) {  // its memory had no room for a constant
                        raise_failure(s.provider, e);
                    }
                }();
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
    p.input_arguments.resize(p.graph.view.inputs.size());
    for (std::size_t k = 0; k < plan.arguments.size(); ++k) {
        const int a = plan.arguments[k], root = a < 0 ? -1 : plan.roots[std::size_t(a)];
        if (root < 0 || std::size_t(root) >= input_of.size() || p.record(a).is_constant()) continue;
        if (const int input = input_of[std::size_t(root)]; input >= 0)
            p.input_arguments[std::size_t(input)].push_back(k);
    }
}
}  // namespace v1
}  // namespace inlay

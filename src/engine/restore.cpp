// Regions that a model's file has compiled, into a plan; and those of a plan, for such a file.
#include "core.hpp"

namespace inlay {
inline namespace v1 {
std::shared_ptr<const compiled_region> session_core::restore_region(const region& r, int saved, int provider) const {
    const saved_region& from = restored->region(saved);
    const auto refuse = [&](const std::string& why) {
        error e(error_code::unsupported_model, "`" + from.name + "`: " + why);
        e.provider = handles[std::size_t(provider)].name;
        throw restore_failure(std::move(e));
    };
    if (const std::string other = from.difference_of_ports(r.graph, r.inputs, r.outputs); !other.empty()) refuse(other);
    auto made =
        restored_by(*engines_[std::size_t(provider)].engine, handles[std::size_t(provider)].name, r, from.bytes);
    if (!made) refuse(made.why().text);
    return std::move(*made);
}

std::vector<region_to_save> session_core::save_regions(const compiled_plan& p,
                                                       std::vector<std::string>& left_out) const {
    std::vector<region_to_save> all;
    for (const exec_step& e : p.steps) {
        if (e.what != exec_step::kind::region) continue;
        const step& s = p.plan.steps[std::size_t(e.step)];
        const assigned_region& r = p.plan.assigned.regions[std::size_t(s.unit - p.graph.view.units())];
        const provider_handle& h = handles[std::size_t(s.provider)];
        auto bytes = p.regions[std::size_t(e.region)]->save();
        if (!bytes) {
            left_out.push_back("a region of " + std::to_string(r.nodes.count) + " nodes of " + h.name + ": " +
                               bytes.why().text);
            continue;
        }
        const auto copied = [&](range of) {
            const auto list = p.plan.assigned.list(of);
            return std::vector<int>(list.begin(), list.end());
        };
        all.push_back({h.name.substr(0, h.name.find(':')), copied(r.nodes), copied(r.inputs), copied(r.outputs),
                       std::move(*bytes),
                       key_of(*engines_[std::size_t(s.provider)].engine, h.options(h.object.get()))});
    }
    return all;
}
}  // namespace v1
}  // namespace inlay

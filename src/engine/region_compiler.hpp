// Regions of plans, as engines compiled them: for a plan's shapes, once for any shapes when a second set of input
// shapes needs one, or from what a model's file holds.
#pragma once
#include "compiled_plan.hpp"
#include "session_graph.hpp"
#include "session_setup.hpp"
#include <future>

namespace inlay {
inline namespace v1 {
class region_compiler {
    struct ranged {
        bool in_use = false;                                                    // for at least one set of input shapes
        std::shared_ptr<const constant_source> lent{};                          // to what is compiled
        std::shared_future<std::shared_ptr<const compiled_region>> compiled{};  // for a second set; null: there is none
    };
    session_setup& setup_;
    const session_graph& graph_;
    std::mutex lock_;
    std::map<std::pair<int, std::vector<int>>, ranged> ranged_;  // by provider and nodes

    std::shared_ptr<const constant_source> own_constants() const;
    std::shared_ptr<const compiled_region> compile_ranged(const region&, int provider, ranged&);
    std::shared_ptr<const compiled_region> for_any_shapes(const region&, int provider);
    std::shared_ptr<const compiled_region> restore(const region&, int saved, int provider) const;

  public:
    region_compiler(session_setup& s, const session_graph& g) : setup_(s), graph_(g) {}
    // Raises kernel_refusal where the engine refuses what it had proposed, and failures of providers.
    std::shared_ptr<const compiled_region> compile(compiled_plan&, const step&);
};
// The regions of a plan that their engines can save; `left_out`: the reasons for the others.
std::vector<region_to_save> save_regions(const session_setup&, const compiled_plan&,
                                         std::vector<std::string>& left_out);
}  // namespace v1
}  // namespace inlay

// Kernels of a plan are bound: those of the host pack their constants in parallel, by all threads of the session.
#pragma once
#include "kept_states.hpp"
#include "stage_progress.hpp"

namespace inlay {
inline namespace v1 {
class copy_room;

class packing {
    struct job;
    session_setup& setup_;
    const session_graph& graph_;
    kept_states& states_;
    compiled_plan& plan_;
    std::vector<job> waiting_;

    job job_of(exec_step&, const step&);
    void pack(job&, copy_room&) const;
    void keep(const job&);

  public:
    packing(session_setup&, const session_graph&, kept_states&, compiled_plan&);
    ~packing();
    // The kernel of a step: one of the currently selected device, or one that packs nothing, is bound at once.
    // Raises kernel_refusal, and failures of providers.
    void add(exec_step&, const step&);
    std::int64_t waiting() const;
    void run(stage_progress&);  // binds the others
};
}  // namespace v1
}  // namespace inlay

// Contexts of runs: created for a plan, kept between runs.
#pragma once
#include "run_context.hpp"
#include "session_setup.hpp"

namespace inlay {
inline namespace v1 {
class context_pool {
    const session_setup& setup_;
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<run_context>> idle_;
    std::unique_ptr<run_context> find(const compiled_plan&);
    void make_arenas(run_context&, const compiled_plan&) const;
    void make_executables(run_context&, const compiled_plan&) const;

  public:
    explicit context_pool(const session_setup& s) : setup_(s) {}
    // For a run that may use so many bytes. Raises provider_failure where a device is out of memory.
    std::unique_ptr<run_context> take(std::shared_ptr<const compiled_plan>, std::int64_t most_bytes);
    void give_back(std::unique_ptr<run_context>);
    void drop_large();
    std::int64_t held_bytes() const;  // by contexts that no run uses
    void release();                   // of these
};
}  // namespace v1
}  // namespace inlay

// What all graphs of a session share: options, providers, threads, and how it computes.
#pragma once
#include "opened_providers.hpp"
#include <inlay/thread_pool.hpp>

namespace inlay {
inline namespace v1 {
class session_setup {
  public:
    // `g`: of the model, for the instruction set that suits it. Raises errors.
    session_setup(session_options, std::vector<provider_handle>, const graph_view& g);
    session_setup(const session_setup&) = delete;
    session_setup& operator=(const session_setup&) = delete;

    const session_options options;
    std::vector<provider_handle> handles;
    const std::shared_ptr<const std::vector<std::string>> names;  // of the providers: results may outlive the session
    failures failed;
    opened_providers backends;
    inlay::precision precision{};
    isa::level level{};
    executor_ref executor{};
    bool flush_denormals = false;
    std::int64_t run_bytes = limits{}.run_bytes;  // limits::run_bytes of the model

    const kernel_table& kernels_at(int provider) const { return *handles[std::size_t(provider)].kernels; }
    context base(const run_options&) const;
    // The providers for the partitioner, without those that failed.
    erased_providers list(const constant_source* = nullptr, const restored_target* = nullptr) const;

  private:
    std::unique_ptr<thread_pool> pool_;
    isa::level level_of(std::optional<isa::level> request, const graph_view&) const;
    void start_threads(std::optional<int> threads);  // a pool of its own, with so many threads; none: one per core
};
}  // namespace v1
}  // namespace inlay

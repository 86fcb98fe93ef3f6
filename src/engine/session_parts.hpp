// What session_base creates its core from.
#pragma once
#include "saved_regions.hpp"
#include "session_core.hpp"

namespace inlay {
inline namespace v1 {
struct session_base::parts {
    chosen_graph selection;
    std::vector<provider_handle> list;
    bool implicit_cpu = false;

    // Not an aggregate: g++ 12 destroys `selection` twice where the copy of a list next to it throws.
    parts(chosen_graph c, std::vector<provider_handle> l, bool implicit)
        : selection(std::move(c)), list(std::move(l)), implicit_cpu(implicit) {}
    // Not exported with the rest of session_base.
    [[gnu::visibility("hidden")]] static bool append_cpu(std::vector<provider_handle>& list,
                                                         const session_options&);  // true: it is added to others
    [[gnu::visibility("hidden")]] static std::shared_ptr<session_core> unplanned(const inlay::model&,
                                                                                 const session_options&,
                                                                                 std::vector<provider_handle> list);
    // What try_run() would report of the binding's last run, which gave this status.
    [[noreturn, gnu::visibility("hidden")]] static void raise_failure(const binding&, status);
    // As set_input() and set_output() for each position, but all at once: single calls would check the whole plan each.
    // Host memory, of the types and shapes that the binding has; an output without a tensor stays the binding's.
    [[gnu::visibility("hidden")]] static void set_memory(binding&, std::span<const tensor> inputs,
                                                         std::span<const tensor> outputs);
};
std::vector<provider_count> counts_of(const std::vector<std::string>& names, std::span<const std::int64_t> nodes);
// By position; `in`: null, but for what a cache holds. Raises errors.
void place_feeds(std::span<const feed> feeds, std::span<const port> ports, std::span<const any_value*> in);
}  // namespace v1
}  // namespace inlay

// Providers that failed in a session: under fallback::any the next ones of the list take over, and new plans exclude
// them. Bodies of control flow share this list with the enclosing graph.
#pragma once
#include "erased_providers.hpp"

namespace inlay {
inline namespace v1 {
struct provider_failure {  // thrown where a provider fails before a run: the others may take over
    int provider;
    error cause;
};

class failures {
    const std::vector<provider_handle>& handles_;
    const session_options& options_;
    mutable std::mutex lock_;
    std::vector<char> is_failed_;  // by position in the list
    std::vector<std::string> notes_;
    std::atomic<int> count_{0};
    bool is_of(int provider, const error&) const;

  public:
    failures(const std::vector<provider_handle>& handles, const session_options& o)
        : handles_(handles), options_(o), is_failed_(handles.size(), 0) {}
    barred_kernels barred;
    int count() const noexcept { return count_; }
    std::vector<char> which() const;
    std::vector<std::string> notes() const;                 // for reports
    void add_note(std::string);                             // logged as a warning
    bool replace(int provider, const std::string& reason);  // true: the others take over
    [[noreturn]] void raise(int provider, error) const;     // throws provider_failure, if it is one
};
}  // namespace v1
}  // namespace inlay

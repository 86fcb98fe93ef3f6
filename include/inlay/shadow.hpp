// inlay::shadow<A, B>, a shadow run, as a provider for a session's list: A runs its nodes as usual, and B computes each
// of A's steps again from the same values, in the same run. A run ends at the first step whose results differ, with an
// error that names its nodes, the value and the element.
//
//     inlay::session session{"model.onnx", inlay::shadow{inlay::cpu{}, inlay::reference{}}};
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/provider_handle.hpp>

namespace inlay {
inline namespace v1 {
class session_core;
struct run_context;
struct step_watcher;
namespace shadows {
// The comparison of the steps of a run in a session with shadow runs: only programs that have one link it.
std::unique_ptr<step_watcher> watcher_of(const session_core&, const run_context&);
}  // namespace shadows

// Its settings. |a - b| <= absolute + relative * |b| is no difference, of floating-point types; of others any is.
struct shadow_side {
    provider_handle second;
    double relative = 1e-3;
    // None: 1e-5 of each tensor's largest value; of fp16 2^-9, of bf16 2^-6.
    std::optional<double> absolute{};
    std::unique_ptr<step_watcher> (*watcher)(const session_core&, const run_context&) = shadows::watcher_of;
};

template <provider A, provider B> struct shadow : A {
    B second{};
    double relative = 1e-3;
    std::optional<double> absolute{};  // as in shadow_side
};
template <provider A, provider B, class... Tolerance> shadow(A, B, Tolerance...) -> shadow<A, B>;

template <provider A, provider B> provider_handle make_handle(const shadow<A, B>& t) {
    provider_handle h = make_handle(static_cast<const A&>(t));
    h.shadow = std::make_shared<const shadow_side>(shadow_side{make_handle(t.second), t.relative, t.absolute});
    return h;
}
}  // namespace v1
}  // namespace inlay

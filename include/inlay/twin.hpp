// The name that inlay::shadow had before, for one release.
#pragma once
#include "shadow.hpp"

namespace inlay {
inline namespace v1 {
#if defined(__GNUC__)  // the alias itself is declared below
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
// A type of its own, since clang deduces no arguments of alias templates before version 19.
template <provider A, provider B>
struct [[deprecated("inlay::twin is now inlay::shadow, in <inlay/shadow.hpp>")]] twin : shadow<A, B> {
    twin() = default;
    // Compilers warn of a type whose arguments they deduce where its constructor is deprecated.
    [[deprecated("inlay::twin is now inlay::shadow, in <inlay/shadow.hpp>")]] twin(A a, B b, double relative = 1e-3,
                                                                                   std::optional<double> absolute = {})
        : shadow<A, B>{std::move(a), std::move(b), relative, absolute} {}
};
template <provider A, provider B> provider_handle make_handle(const twin<A, B>& t) {
    return make_handle(static_cast<const shadow<A, B>&>(t));
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
}  // namespace v1
}  // namespace inlay

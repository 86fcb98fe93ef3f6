// The names that <inlay/provider_conformance.hpp> had before, for one release.
#pragma once
#include "provider_conformance.hpp"

namespace inlay {
inline namespace v1 {
#if defined(__GNUC__)  // they name each other
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
enum class [[deprecated("it is now inlay::conformance_outcome")]] law_outcome{kept, broken, unavailable, not_for_it};
struct [[deprecated("it is now inlay::conformance_result")]] law_result {
    std::string law;
    law_outcome outcome = law_outcome::kept;
    std::string reason{};
};
using law_options [[deprecated("it is now inlay::conformance_options")]] = conformance_options;

[[deprecated("it is now inlay::check_conformance()")]] inline std::vector<law_result> check_laws(
    const provider_factory& f, const law_options& o = {}) {
    std::vector<law_result> results;
    for (conformance_result& r : check_conformance(f, o))
        results.push_back({std::move(r.test), law_outcome(r.outcome), std::move(r.reason)});
    return results;
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
}  // namespace v1
}  // namespace inlay

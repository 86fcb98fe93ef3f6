// Conformance tests for every provider, for authors of providers. They need no test framework: link inlay::laws.
//
//     for (const inlay::law_result& r : inlay::check_laws(inlay::factory_of<abacus>()))
//         if (r.outcome == inlay::law_outcome::broken) std::cerr << r << '\n';
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "any_session.hpp"
#include <iosfwd>

namespace inlay {
inline namespace v1 {
enum class law_outcome : std::uint8_t {
    kept,
    broken,
    unavailable,  // not run: the provider's library or device is missing
    not_for_it    // not run: for example a test of engines, for a provider without one
};
constexpr std::string_view name_of(law_outcome o) {
    constexpr std::string_view names[] = {"kept", "broken", "unavailable", "not for it"};
    return names[int(o)];
}
struct law_result {
    std::string law;  // a sentence
    law_outcome outcome = law_outcome::kept;
    std::string reason{};  // what broke it, or why it was not run
};
std::ostream& operator<<(std::ostream&, const law_result&);

struct law_options {
    // Besides the tests' own, for a provider that supports none of their nodes. They read numbers from -1 to 1.
    std::vector<model> networks{};
    double tolerance = 1e-4;  // relative to the reference kernels' largest element, or to 1 if that is more
    int threads = 4, runs = 20, sessions = 30;  // how many of each are created
    std::int64_t kept_bytes = 16 << 20;         // that the process may grow by while so many sessions come and go
};
// Each conformance test once, in a fixed order. Memory tests look at the whole process and at all calls of the
// provider's memory: nothing else should run meanwhile.
std::vector<law_result> check_laws(const provider_factory&, const law_options& = {});
}  // namespace v1
}  // namespace inlay

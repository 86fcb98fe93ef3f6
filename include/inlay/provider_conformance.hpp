// Conformance tests for every provider, for authors of providers. They need no test framework: link
// inlay::provider_conformance.
//
//     for (const inlay::conformance_result& r : inlay::check_conformance(inlay::factory_of<abacus>()))
//         if (r.outcome == inlay::conformance_outcome::failed) std::cerr << r << '\n';
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "any_session.hpp"
#include <iosfwd>

namespace inlay {
inline namespace v1 {
enum class conformance_outcome : std::uint8_t {
    passed,
    failed,
    unavailable,    // not run: the provider's library or device is missing
    not_applicable  // not run: for example a test of engines, for a provider without one
};
constexpr std::string_view name_of(conformance_outcome o) {
    constexpr std::string_view names[] = {"passed", "failed", "unavailable", "not applicable"};
    return names[int(o)];
}
struct conformance_result {
    std::string test;  // a sentence
    conformance_outcome outcome = conformance_outcome::passed;
    std::string reason{};  // why it failed or was not run
};
std::ostream& operator<<(std::ostream&, const conformance_result&);

struct conformance_options {
    // Besides the tests' own, for a provider that supports none of their nodes. They read numbers from -1 to 1.
    std::vector<model> networks{};
    double tolerance = 1e-4;  // relative to the reference kernels' largest element, or to 1 if that is more
    int threads = 4, runs = 20, sessions = 30;  // how many of each are created
    std::int64_t kept_bytes = 16 << 20;         // that the process may grow by while so many sessions come and go
};
// Each conformance test once, in a fixed order. Memory tests look at the whole process and at all calls of the
// provider's memory: nothing else should run meanwhile.
std::vector<conformance_result> check_conformance(const provider_factory&, const conformance_options& = {});
}  // namespace v1
}  // namespace inlay

// The conformance tests in Catch2.
#pragma once
#include "../catch.hpp"
#include <inlay/provider_conformance.hpp>
#include <iostream>
#include <map>

namespace inlay::testing {
// What a sanitizer keeps of freed memory says nothing of the provider.
inline conformance_options conformance_options_of_tests() {
    conformance_options o;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    o.kept_bytes = std::int64_t(1) << 30;
#endif
    return o;
}
// None fails; returns how many had each outcome, and prints it.
inline std::map<conformance_outcome, int> check_passes(const provider_factory& f,
                                                       const conformance_options& o = conformance_options_of_tests()) {
    std::map<conformance_outcome, int> counts;
    std::string missing;
    for (const conformance_result& r : check_conformance(f, o)) {
        ++counts[r.outcome];
        INFO(f.name << ": " << r.test << ": " << r.reason);
        CHECK(r.outcome != conformance_outcome::failed);
        if (r.outcome == conformance_outcome::unavailable) missing = "; unavailable: " + r.reason;
    }
    std::cout << f.name << ':';
    for (const auto& [outcome, count] : counts) std::cout << ' ' << count << ' ' << name_of(outcome);
    std::cout << missing << '\n';
    return counts;
}
// The same of a provider of this build, repeated less: an emulator takes its time, `provider_conformance.<name>` does
// not.
inline void check_passes_less_often(const provider_factory& f) {
    conformance_options o = conformance_options_of_tests();
    o.threads = 2;
    o.runs = o.sessions = 3;
    auto counts = check_passes(f, o);
    CHECK(counts[conformance_outcome::unavailable] == 0);
    CHECK(counts[conformance_outcome::passed] > 15);
}
// Why the conformance test whose name has these words fails; empty: it passes.
inline std::string reason_of_failure(const provider_factory& f, std::string_view words,
                                     const conformance_options& o = conformance_options_of_tests()) {
    for (const conformance_result& r : check_conformance(f, o))
        if (r.test.find(words) != std::string::npos) return r.outcome == conformance_outcome::failed ? r.reason : "";
    FAIL("there is no such conformance test: " + std::string(words));
    return {};
}
}  // namespace inlay::testing

// The conformance tests in Catch2.
#pragma once
#include "../catch.hpp"
#include <inlay/provider_laws.hpp>
#include <iostream>
#include <map>

namespace inlay::testing {
// What a sanitizer keeps of freed memory says nothing of the provider.
inline law_options law_options_of_tests() {
    law_options o;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    o.kept_bytes = std::int64_t(1) << 30;
#endif
    return o;
}
// None is broken; gives how many had each outcome, and prints it.
inline std::map<law_outcome, int> check_kept(const provider_factory& f, const law_options& o = law_options_of_tests()) {
    std::map<law_outcome, int> counts;
    std::string missing;
    for (const law_result& r : check_laws(f, o)) {
        ++counts[r.outcome];
        INFO(f.name << ": " << r.law << ": " << r.reason);
        CHECK(r.outcome != law_outcome::broken);
        if (r.outcome == law_outcome::unavailable) missing = "; unavailable: " + r.reason;
    }
    std::cout << f.name << ':';
    for (const auto& [outcome, count] : counts) std::cout << ' ' << count << ' ' << name_of(outcome);
    std::cout << missing << '\n';
    return counts;
}
// The same of a provider of this build, repeated less: an emulator takes its time, `laws.<name>` does not.
inline void check_kept_less_often(const provider_factory& f) {
    law_options o = law_options_of_tests();
    o.threads = 2;
    o.runs = o.sessions = 3;
    auto counts = check_kept(f, o);
    CHECK(counts[law_outcome::unavailable] == 0);
    CHECK(counts[law_outcome::kept] > 15);
}
// Why the conformance test whose name has these words fails; empty: it passes.
inline std::string why_broken(const provider_factory& f, std::string_view words,
                              const law_options& o = law_options_of_tests()) {
    for (const law_result& r : check_laws(f, o))
        if (r.law.find(words) != std::string::npos) return r.outcome == law_outcome::broken ? r.reason : "";
    FAIL("there is no such conformance test: " + std::string(words));
    return {};
}
}  // namespace inlay::testing

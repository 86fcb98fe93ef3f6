// `provider_conformance`: runs the conformance tests of providers on the reference provider.
#include <inlay/inlay.hpp>
#include <inlay/provider_conformance.hpp>
#include <iostream>

int main() {
    inlay::conformance_options few;
    few.threads = 2;
    few.runs = few.sessions = 2;
    int passes = 0;
    for (const inlay::conformance_result& r : inlay::check_conformance(inlay::factory_of<inlay::reference>(), few)) {
        if (r.outcome == inlay::conformance_outcome::failed) return std::cout << r << '\n', 1;
        passes += r.outcome == inlay::conformance_outcome::passed;
    }
    return passes > 10 ? 0 : 1;
}

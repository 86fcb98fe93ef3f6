// `laws`: runs the conformance tests of providers on the reference provider.
#include <inlay/inlay.hpp>
#include <inlay/provider_laws.hpp>
#include <iostream>

int main() {
    inlay::law_options few;
    few.threads = 2;
    few.runs = few.sessions = 2;
    int passes = 0;
    for (const inlay::law_result& r : inlay::check_laws(inlay::factory_of<inlay::reference>(), few)) {
        if (r.outcome == inlay::law_outcome::broken) return std::cout << r << '\n', 1;
        passes += r.outcome == inlay::law_outcome::kept;
    }
    return passes > 10 ? 0 : 1;
}

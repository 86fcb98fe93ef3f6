// Plugins pass the conformance tests of providers.
#include "checked.hpp"
#include <inlay/plugin.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A plugin in C passes the conformance tests", "[laws][plugins][threads]") {
    auto counts = check_kept(plugin(PLUGIN_RELU).factory());
    CHECK(counts[law_outcome::unavailable] == 0);
    CHECK(counts[law_outcome::not_for_it] == 4);  // as of other engines
}
TEST_CASE("A plugin of a C++ provider passes the conformance tests, as the provider does in the program",
          "[laws][plugins][threads]") {
    auto counts = check_kept(plugin(PLUGIN_IMAGINARY).factory());
    CHECK(counts[law_outcome::unavailable] == 0);
    CHECK(counts[law_outcome::not_for_it] == 4);
}

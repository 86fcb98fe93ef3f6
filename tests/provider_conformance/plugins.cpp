// Plugins pass the conformance tests of providers.
#include "checked.hpp"
#include <inlay/plugin.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A plugin in C passes the conformance tests", "[provider_conformance][plugins][threads]") {
    auto counts = check_passes(plugin(PLUGIN_RELU).factory());
    CHECK(counts[conformance_outcome::unavailable] == 0);
    CHECK(counts[conformance_outcome::not_applicable] == 4);  // as of other engines
}
TEST_CASE("A plugin of a C++ provider passes the conformance tests, as the provider does in the program",
          "[provider_conformance][plugins][threads]") {
    auto counts = check_passes(plugin(PLUGIN_IMAGINARY).factory());
    CHECK(counts[conformance_outcome::unavailable] == 0);
    CHECK(counts[conformance_outcome::not_applicable] == 4);
}

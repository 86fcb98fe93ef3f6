// The conformance tests of providers, for each one of the build: one ctest test for each.
#include "../provider_conformance/checked.hpp"
#include "providers.hpp"
using namespace inlay::testing;

TEST_CASE("Each provider of the build passes the conformance tests", "[provider_conformance]") {
    const std::vector<std::string> names = built_names();
    REQUIRE(names.size() == inlay::built_providers().size());
    bool has_run = false;  // it is not where ctest names a provider that there is not
    for (std::size_t k = 0; k < names.size(); ++k) {
        DYNAMIC_SECTION(names[k]) {
            has_run = true;
            check_passes(inlay::built_providers()[k]);
        }
    }
    CHECK(has_run);
}

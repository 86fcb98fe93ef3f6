// The names of <inlay/provider_laws.hpp>, which stay for one release.
#include "../session/test_providers.hpp"
#include "checked.hpp"
#include <inlay/provider_laws.hpp>
using namespace inlay;
using namespace inlay::testing;

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST_CASE("The old names return what the new ones do", "[provider_conformance]") {
    law_options few;
    few.runs = few.sessions = 2;
    const auto results = check_conformance(factory_of<alpha>(), few);
    const std::vector<law_result> old_results = check_laws(factory_of<alpha>(), few);
    REQUIRE(old_results.size() == results.size());
    const law_outcome outcomes[] = {law_outcome::kept, law_outcome::broken, law_outcome::unavailable,
                                    law_outcome::not_for_it};
    int passes = 0;
    for (std::size_t k = 0; k < results.size(); ++k) {
        CHECK(old_results[k].law == results[k].test);
        CHECK(old_results[k].reason == results[k].reason);
        CHECK(old_results[k].outcome == outcomes[int(results[k].outcome)]);
        passes += old_results[k].outcome == law_outcome::kept;
    }
    CHECK(passes > 15);
}

// What tests/skip.hpp does; check.sh runs these cases and looks at the status.
#include "../skip.hpp"

TEST_CASE("A case for which something is missing ends where it says so", "[missing]") {
    [] { SKIP("nothing is missing but " << 1 << " reason"); }();
    FAIL("it went on");
}
TEST_CASE("A case that passes", "[passing]") { CHECK(true); }
TEST_CASE("A case that fails", "[.failing]") { CHECK(false); }

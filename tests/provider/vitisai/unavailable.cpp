// Where there is no library: this file's tests run with one that does not exist.
#include "../engines.hpp"
#include <inlay/provider/vitisai.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over Vitis AI says what is missing, and fallback::any does without") {
    check_unavailable<vitisai>("Vitis AI", "/no/such/place", "INLAY_VITISAI_LIBRARY");
}

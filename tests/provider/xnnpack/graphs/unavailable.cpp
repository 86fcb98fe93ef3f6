// Where there is no library: this file's tests run with one that does not exist.
#include "../../engines.hpp"
#include <inlay/provider/xnnpack.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over XNNPACK says what is missing, and fallback::any does without") {
    check_unavailable<xnnpack>("XNNPACK", "/no/such/place", "INLAY_XNNPACK_LIBRARY");
}

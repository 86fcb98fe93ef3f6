// Where there is no library: this file's tests run with one that does not exist.
#include "../engines.hpp"
#include <inlay/provider/acl.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over ACL says what is missing, and fallback::any does without") {
    check_unavailable<acl>("the Arm Compute Library", "/no/such/place", "INLAY_ACL_LIBRARY");
}

// Where there is no library: this file's tests run with one that does not exist.
#include "../engines.hpp"
#include <inlay/provider/remote.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over a server says what is missing, and fallback::any does without") {
    check_unavailable<remote>("libcurl", "/no/such/place", "INLAY_REMOTE_LIBRARY");
}

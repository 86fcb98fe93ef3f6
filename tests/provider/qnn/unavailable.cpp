// Where there is no library: this file's tests run with a folder that does not exist.
#include "../engines.hpp"
#include <inlay/provider/qnn.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over QNN says what is missing, and fallback::any does without") {
    check_unavailable<inlay::qnn>("QNN", "/no/such/place", "INLAY_QNN_LIBRARY");
}

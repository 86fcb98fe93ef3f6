// Where there is no library: this file's tests run with one that does not exist.
#include "../engines.hpp"
#include <inlay/provider/onednn.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over oneDNN says what is missing, and fallback::any does without") {
    check_unavailable<onednn>("oneDNN", "/no/such/place", "INLAY_ONEDNN_LIBRARY");
}

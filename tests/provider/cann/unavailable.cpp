// Where there is no library: this file's tests run with one that does not exist.
#include "../engines.hpp"
#include <inlay/provider/cann.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over CANN says what is missing, and fallback::any does without") {
    check_unavailable<cann>("CANN", "/no/such/place", "INLAY_CANN_LIBRARY");
    CHECK(has_text(cann::inventory().unusable, "Huawei's CANN toolkit has it"));
}

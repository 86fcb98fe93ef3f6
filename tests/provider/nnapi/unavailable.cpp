// Where there is no library: this file's tests run with one that does not exist.
#include "../engines.hpp"
#include <inlay/provider/nnapi.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over NNAPI says what is missing, and fallback::any does without") {
    check_unavailable<nnapi>("NNAPI", "/no/such/place", "INLAY_NNAPI_LIBRARY");
    CHECK(has_text(nnapi::inventory().unusable, "it is part of Android, from 8.1 on"));
}

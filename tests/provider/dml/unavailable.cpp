// Where there is no library: this file's tests run with a folder that does not exist.
#include "../engines.hpp"
#include <inlay/provider/dml.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over DirectML says what is missing, and fallback::any does without") {
    check_unavailable<dml>("DirectML", "/no/such/place/libdirectml.so", "INLAY_DML_LIBRARY");
    CHECK(has_text(dml::inventory().unusable, "DirectML is for Windows, and for Linux under it"));
}

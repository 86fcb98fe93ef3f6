// Where there is no library: this file's tests run with one that does not exist.
#include "../../engines.hpp"
#include <inlay/provider/armnn.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over Arm NN says what is missing, and fallback::any does without") {
    check_unavailable<armnn>("Arm NN", "/no/such/place", "INLAY_ARMNN_LIBRARY");
}

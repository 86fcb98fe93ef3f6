// Where there is no library: this file's tests run with one that does not exist.
#include "../engines.hpp"
#include <inlay/provider/openvino.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its library a session over OpenVINO says what is missing, and fallback::any does without") {
    check_unavailable<openvino>("OpenVINO", "/no/such/place", "INLAY_OPENVINO_LIBRARY");
}

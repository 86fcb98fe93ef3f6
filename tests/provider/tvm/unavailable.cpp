// Where there is no library: this file's tests run with a folder that does not exist.
#include "../engines.hpp"
#include <inlay/provider/tvm.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("Without its libraries a session over TVM says what is missing, and fallback::any does without") {
    check_unavailable<inlay::tvm>("TVM", "/no/such/place/libtvm_ffi.so", "INLAY_TVM_LIBRARY");
}

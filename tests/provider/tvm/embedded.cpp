// A model that is a type, with what TVM compiled of it.
#include "../embedded_engine.hpp"
#include <inlay/models/digits_tvm.hpp>
#include <inlay/provider/tvm.hpp>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("An embedded model restores what TVM compiled, and runs it", "[tvm][contexts]") {
    check_embedded<models::digits_tvm>(DIGITS, inlay::tvm{.load_native_code = true});
}

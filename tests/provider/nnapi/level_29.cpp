// Over a library of feature level 29.
#include "../byte_cases.hpp"
#include "levels.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("At level 29 images lie as the model has them, if that is requested", "[nnapi]") {
    CHECK(checked_plan(network_of(1), {1, 3, 8, 8}, nnapi{.use_nchw = true}).steps == 1);
}
TEST_CASE("At level 29 functions that later levels brought are what they are made of") {
    const model m = model_of("g (float[2,5] x) => (float[2,5] y) { y = HardSwish (x) }");
    CHECK(checked_plan(m, {2, 5}).count(nnapi::name) == 1);
}
TEST_CASE("At level 29 unsigned integers of 8 bits are NNAPI's, and signed ones are not", "[nnapi]") {
    check_bytes(nnapi{}, conv_in_bytes(3, 4, "0.02, 0.01, 0.04", "", "uint8"), {2, 4, 6, 5}, element::u8);
    const std::string reason = why_not<nnapi>(conv_in_bytes(3, 4, "0.02", "", "int8"), "QuantizeLinear");
    CHECK(reason ==
          "NNAPI has signed integers of 8 bits from Android 11 (feature level 30) on, and this is Android 10 "
          "(feature level 29)");
}

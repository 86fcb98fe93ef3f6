// Over a library of feature level 31.
#include "levels.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("At level 31 NNAPI multiplies by constants, and two inputs only from feature level 6 on", "[nnapi]") {
    CHECK(why_not<nnapi>("g (float[2,3,4] x, float[2,4,5] w) => (float[2,3,5] y) { y = MatMul (x, w) }", "MatMul") ==
          "NNAPI has the operation from feature level 6 on, and this is Android 12 (feature level 31)");
    CHECK(why_not<nnapi>("g (float[3,2] x) => (float[3,2] y) <float[2,2] w = {1, 2, 3, 4}> { y = MatMul (x, w) }",
                         "MatMul") == "taken");
}

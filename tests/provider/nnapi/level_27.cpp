// Over a library of feature level 27.
#include "levels.hpp"
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("At level 27 there are no options that later levels brought", "[nnapi]") {
    const std::string suffix = ", and this is Android 8.1 (feature level 27)";
    CHECK(unavailable_with(nnapi{.use_fp16 = true}) ==
          "NnapiExecutionProvider: use_fp16 needs Android 9 (feature level 28)" + suffix);
    CHECK(unavailable_with(nnapi{.use_nchw = true}) ==
          "NnapiExecutionProvider: use_nchw needs Android 10 (feature level 29)" + suffix);
    CHECK(unavailable_with(nnapi{.cpu_only = true}) ==
          "NnapiExecutionProvider: cpu_only needs Android 10 (feature level 29)" + suffix);
    CHECK(unavailable_with(nnapi{}).empty());
}
TEST_CASE("At level 27 images cannot be turned, and what needs none of it runs", "[nnapi]") {
    const plan_report plan = checked_plan(network_of(1), {1, 3, 8, 8});
    CHECK(refusal_of<nnapi>(plan, "Conv") ==
          "NNAPI has the operation from Android 9 (feature level 28) on, and this is Android 8.1 (feature level 27)");
    CHECK(line_of(plan, "Softmax").provider == nnapi::name);
    CHECK(checked_plan(relu_and_exp(), {4}).count(nnapi::name) == 1);
}

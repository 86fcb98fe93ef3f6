// What Arm NN does not take, with the reasons that the plan has.
#include "../engines.hpp"
#include <inlay/provider/armnn.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
// The reason that Arm NN's part of the plan has for the node of this model, whose input is x.
std::string refusal_in(const std::string& graph, const std::string& op, const shape& dims) {
    const model m = model_of(graph, {.optimize = false});
    const inlay::session s{m, quiet(), armnn{.backend = "CpuRef"}, reference{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp(dims)}};
    check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    return refusal_of<armnn>(s.plan(), op);
}
}  // namespace

TEST_CASE("Arm NN itself says which layers its backend lacks, and the plan has its words", "[armnn]") {
    const auto gather = refusal_in(
        "g (float[2,3] x) => (float[2,2] y) <int64[2] i = {0, 2}> { y = Gather <axis = 1> (x, i) }", "Gather", {2, 3});
    CHECK(gather == "Arm NN: CpuRef: Reference Gather: axis not supported");
}

TEST_CASE("A node that Arm NN would compute in another way is refused with what was found", "[armnn]") {
    const std::string w = "<float[2,2,3] w = {" + numbers(12) + "}> ";
    CHECK(refusal_in("g (float[1,2,5] x) => (float[1,2,3] y) " + w + "{ y = Conv (x, w) }", "Conv", {1, 2, 5}) ==
          "it is over 1 spatial axes, and Arm NN's operation over 2");
    CHECK(refusal_in("g (float[2,2] x) => (float[2,2] y) { y = MatMul (x, x) }", "MatMul", {2, 2}) ==
          "Arm NN has no products here but by a matrix that is a constant");
    CHECK(
        refusal_in("g (float[1,1,5,5] x) => (float[1,1,1,1] y) { y = MaxPool <kernel_shape = [3,3], dilations = [2,2]> "
                   "(x) }",
                   "MaxPool", {1, 1, 5, 5}) == "it is dilated by 2, and Arm NN's operation is not");
    CHECK(refusal_in("g (float[1,4,2,2] x) => (float[1,4,2,2] y) { y = LRN <size = 4> (x) }", "LRN", {1, 4, 2, 2}) ==
          "its size is 4, and Arm NN's windows are odd");
    CHECK(refusal_in("g (float[4] x) => (float[4] y) { c = Cast <to = 11> (x) r = Relu (c) y = Cast <to = 1> (r) }",
                     "Relu", {4}) == "Arm NN gets no tensors of type double here");
    CHECK(
        refusal_in("g (float[2,2] x) => (float[2,2] y) <float[2,2] b = {1, 2, 3, 4}> { y = Gemm <transA = 1> (x, b) }",
                   "Gemm", {2, 2}) == "taken");
    CHECK(refusal_in("g (float[4] x) => (float[4] y) <int64[6] to = {1, 1, 1, 2, 1, 2}, int64[1] back = {4}> "
                     "{ r = Reshape (x, to) y = Reshape (r, back) }",
                     "Reshape", {4}) == "a tensor has 6 dimensions, and Arm NN's operations take 5 at most");
    CHECK(refusal_in("g (float[1,1,3,3] x) => (float[1,1,6,6] y) <float[4] s = {1, 1, 2, 2}> { y = Resize <mode = "
                     "\"nearest\"> (x, , s) }",
                     "Resize", {1, 1, 3, 3}) ==
          "coordinate_transformation_mode is half_pixel, which is not Arm NN's for mode nearest");
}

TEST_CASE("What Arm NN aborts on, or folds wrongly, is refused", "[armnn]") {
    CHECK(refusal_in(
              "g (float[3,1,1,1] x) => (float[3,1,2,1] y) <float[1,1,2,1] w = {1, 2}> { y = ConvTranspose (x, w) }",
              "ConvTranspose", {3, 1, 1, 1}) == "its batch is 3, and Arm NN's layer aborts where it is not 1");
    CHECK(refusal_in(
              "g (float[1,1,2,2] x) => (float[1,1,3,3] y) <int64[8] p = {0, 0, 1, 0, 0, 0, 0, 1}, float v = {0.5}, "
              "float[1,1,1,1] w = {2}> { z = Pad (x, p, v) y = Conv (z, w) }",
              "Pad",
              {1, 1, 2, 2}) == "Arm NN makes it part of the Conv that reads it, which pads images with zeros only");
}
TEST_CASE("An index that a model's constant says wrongly never gets to Arm NN", "[armnn]") {
    const model m =
        model_of("g (float[4,3] x) => (float[1,3] y) <int64[1] i = {4}> { y = Gather (x, i) }", {.optimize = false});
    const inlay::session s{m, quiet(), armnn{.backend = "CpuRef"}, reference{}};
    CHECK(refusal_of<armnn>(s.plan(), "Gather") == "index 4 is out of range");
    CHECK_FALSE(s.try_run(std::vector<feed>{{"x", ramp({4, 3})}}));
}

// Which nodes of float32 XNNPACK supports, compared with the reference kernels.
#include "../engines.hpp"
#include <inlay/provider/xnnpack.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
void check_taken(const std::string& text, const shape& x) {
    testing::check_taken(xnnpack{.intra_op_num_threads = 1}, text, x);
}
std::string why_not(const std::string& text, const std::string& op) { return testing::why_not<xnnpack>(text, op); }
}  // namespace

TEST_CASE("Convolutions have strides, dilations, groups, uneven pads and biases as ONNX says", "[xnnpack]") {
    const auto with = [](const std::string& attributes, const std::string& y, int out = 4, int in = 4,
                         const std::string& kernel = "3,3", int taps = 9) {
        check_taken("g (float[2,4,9,8] x) => (float[" + y + "] y) <float[" + std::to_string(out) + "," +
                        std::to_string(in) + "," + kernel + "] w = {" + numbers(out * in * taps) + "}, float[" +
                        std::to_string(out) + "] b = {" + numbers(out) + "}> { y = Conv <" + attributes +
                        "> (x, w, b) }",
                    {2, 4, 9, 8});
    };
    with("pads = [0,1,2,1]", "2,4,9,8");
    with("strides = [2,3]", "2,4,4,2");
    with("dilations = [2,1], pads = [2,0,0,3]", "2,4,7,9");
    with("auto_pad = \"SAME_UPPER\", strides = [2,2]", "2,4,5,4");
    with("auto_pad = \"SAME_LOWER\", strides = [2,2]", "2,4,5,4");
    with("group = 2", "2,4,7,6", 4, 2);
    with("group = 4, pads = [1,1,1,1]", "2,4,9,8", 4, 1);
    with("group = 4", "2,8,7,6", 8, 1);
    with("strides = [1,1]", "2,4,9,6", 4, 4, "1,3", 3);
}
TEST_CASE("Transposed convolutions have strides, groups, pads and what is added to their output", "[xnnpack]") {
    const auto with = [](const std::string& attributes, const std::string& y, int out = 3) {
        check_taken("g (float[2,4,5,6] x) => (float[" + y + "] y) <float[4," + std::to_string(out) + ",3,2] w = {" +
                        numbers(4 * out * 6) + "}> { y = ConvTranspose <" + attributes + "> (x, w) }",
                    {2, 4, 5, 6});
    };
    with("strides = [1,1]", "2,3,7,7");
    with("strides = [2,3], pads = [1,0,0,1]", "2,3,10,16");
    with("strides = [2,3], output_padding = [1,2]", "2,3,12,19");
    with("dilations = [2,1]", "2,3,9,7");
    with("strides = [2,2], group = 2", "2,6,11,12");
    with("strides = [2,2], auto_pad = \"SAME_UPPER\"", "2,3,10,12");
    CHECK(why_not("g (float[1,1,2,2] x) => (float[1,1,6,4] y) <float[1,1,2,2] w = {1, 2, 3, 4}> "
                  "{ y = ConvTranspose <strides = [2,2], output_shape = [6,4]> (x, w) }",
                  "ConvTranspose") ==
          "its result is longer by 2 than what its kernel reaches, which XNNPACK's operation does not make");
}
TEST_CASE("Constants are put around images and matrices", "[xnnpack]") {
    check_taken(
        "g (float[2,3,4,5] x) => (float[2,4,7,5] y) <int64[8] p = {0,0,1,0,0,1,2,0}, float v = {1.5}> "
        "{ y = Pad(x, p, v) }",
        {2, 3, 4, 5});
    check_taken("g (float[2,3] x) => (float[4,4] y) <int64[4] p = {2,0,0,1}> { y = Pad(x, p) }", {2, 3});
    const auto refusal = [](const std::string& mode, const std::string& pads, const std::string& y) {
        return why_not(
            "g (float[3] x) => (float[" + y + "] y) <int64[2] p = {" + pads + "}> { y = Pad " + mode + "(x, p) }",
            "Pad");
    };
    CHECK(refusal("<mode = \"reflect\"> ", "1,1", "5") == "mode is reflect, and XNNPACK pads with a constant here");
    CHECK(refusal("", "-1,1", "3") == "a pad is negative");
}
TEST_CASE("Images are resized linearly, with the coordinates that XNNPACK has", "[xnnpack]") {
    const auto text = [](const std::string& attributes, int height, int width) {
        const std::string size = std::to_string(height) + "," + std::to_string(width);
        return "g (float[2,3,4,5] x) => (float[2,3," + size + "] y) <int64[4] s = {2,3," + size + "}> { y = Resize <" +
               attributes + "> (x, , , s) }";
    };
    for (const std::string mode : {"half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"})
        for (const auto& [height, width] : {std::pair{8, 10}, {7, 3}, {4, 5}})
            check_taken(text("mode = \"linear\", coordinate_transformation_mode = \"" + mode + "\"", height, width),
                        {2, 3, 4, 5});
    for (const std::string mode : {"half_pixel", "asymmetric", "align_corners"})
        check_taken(text("mode = \"linear\", coordinate_transformation_mode = \"" + mode + "\"", 1, 1), {2, 3, 4, 5});
    check_taken(
        "g (float[1,2,4,5] x) => (float[1,2,8,10] y) <float[4] s = {1,1,2,2}> { y = Resize <mode = "
        "\"linear\"> (x, , s) }",
        {1, 2, 4, 5});
    CHECK(why_not(text("mode = \"cubic\"", 8, 10), "Resize") == "mode is cubic, which XNNPACK has not");
    CHECK(why_not("g (float[1,2,4,5] x) => (float[1,2,5,6] y) <float[4] s = {1,1,1.3,1.3}> { y = Resize <mode = "
                  "\"linear\"> (x, , s) }",
                  "Resize") == "a scale is not that of the lengths, which XNNPACK takes");
}
TEST_CASE("Pools leave padding out, and round the number of windows as ONNX says", "[xnnpack]") {
    const auto with = [](const std::string& node, const std::string& y) {
        check_taken("g (float[1,2,7,7] x) => (float[1,2," + y + "] y) { y = " + node + " (x) }", {1, 2, 7, 7});
    };
    with("MaxPool <kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1]>", "4,4");
    with("MaxPool <kernel_shape = [2,2], strides = [2,2], ceil_mode = 1>", "4,4");
    with("AveragePool <kernel_shape = [3,2], pads = [1,0,1,1]>", "7,7");
    with("AveragePool <kernel_shape = [2,2], strides = [2,2]>", "3,3");
    with("GlobalAveragePool", "1,1");
    with("AveragePool <kernel_shape = [3,3], pads = [1,1,1,1], count_include_pad = 1>", "7,7");
    CHECK(why_not("g (float[1,2,7] x) => (float[1,2,5] y) { y = MaxPool <kernel_shape = [3]> (x) }", "MaxPool") ==
          "it is over 1 spatial axes, and XNNPACK's operation over 2");
}
TEST_CASE("Products take matrices of constants, either way round", "[xnnpack]") {
    const std::string w = "<float[3,5] w = {" + numbers(15) + "}, float[5] b = {" + numbers(5) + "}>";
    check_taken("g (float[2,3] x) => (float[2,5] y) " + w + " { y = Gemm <alpha = 0.5, beta = 2.0> (x, w, b) }",
                {2, 3});
    check_taken("g (float[4,2,3] x) => (float[4,2,5] y) " + w + " { y = MatMul(x, w) }", {4, 2, 3});
    check_taken("g (float[2,5] x) => (float[2,3] y) " + w + " { y = Gemm <transB = 1> (x, w) }", {2, 5});
    CHECK(why_not("g (float[2,3] x) => (float[3,3] y) { t = Transpose(x) y = MatMul(t, x) }", "MatMul") ==
          "XNNPACK has no products here but by a matrix that is a constant");
}
TEST_CASE("Elementwise nodes broadcast over images whose channels come last inside", "[xnnpack]") {
    const auto with = [](const std::string& dims, int count, const std::string& op) {
        check_taken("g (float[2,3,4,5] x) => (float[2,3,4,5] y) <float[" + dims + "] k = {" + numbers(count, .3) +
                        "}> { r = Relu(x) y = " + op + "(r, k) }",
                    {2, 3, 4, 5});
    };
    with("3,1,1", 3, "Add");
    with("1,3,1,1", 3, "Mul");
    with("5", 5, "Sub");
    with("4,5", 20, "Max");
    with("1", 1, "Min");
    with("2,3,4,5", 120, "Add");
    check_taken("g (float[2,3,4,5] x) => (float[2,3,4,5] y) { p = GlobalAveragePool(x) s = Sigmoid(p) y = Mul(x, s) }",
                {2, 3, 4, 5});
    check_taken("g (float[3,4] x) => (float[2,3,4] y) <float[2,1,1] k = {2, 3}> { y = Mul(k, x) }", {3, 4});
    CHECK(why_not("g (float[2,3,4,4] x, float[4] z) => (float[2,3,4,4] y) { y = Add(x, z) }", "Add") ==
          "its images have their channels last, and XNNPACK does not turn [2,3,4,4]");
}
TEST_CASE("Activations are those of ONNX", "[xnnpack]") {
    for (const std::string node :
         {"Abs", "Ceil", "Floor", "Neg", "Round", "Sigmoid", "HardSwish", "HardSigmoid", "Elu <alpha = 0.7>",
          "LeakyRelu", "LeakyRelu <alpha = 0.3>", "Identity", "HardSigmoid <alpha = 0.3, beta = 0.1>"})
        check_taken("g (float[3,7] x) => (float[3,7] y) { y = " + node + " (x) }", {3, 7});
    check_taken(
        "g (float[1,2,3,3] x) => (float[1,2,3,3] y) <float low = {-0.5}, float high = {0.75}> { y = Clip(x, low, high) "
        "}",
        {1, 2, 3, 3});
    check_taken("g (float[1,2,3,3] x) => (float[1,2,3,3] y) <float[2,1,1] s = {0.1, 0.4}> { y = PRelu(x, s) }",
                {1, 2, 3, 3});
    check_taken("g (float[1,8,2,2] x) => (float[1,2,4,4] y) { y = DepthToSpace <blocksize = 2> (x) }", {1, 8, 2, 2});
    check_taken("g (float[1,4,2,2] x) => (float[1,4,2,2] y) { y = Softmax <axis = 1> (x) }", {1, 4, 2, 2});
    check_taken("g (float[1,3,2,2] x) => (float[1,3,2,2] y) { r = Relu(x) y = Identity(r) }", {1, 3, 2, 2});
}
TEST_CASE("Tensors without dimensions have one of length 1 inside", "[xnnpack]") {
    for (const std::string node : {"Round(x)", "Abs(x)", "Add(x, x)", "Mul(x, two)", "Relu(x)", "Identity(x)"})
        check_taken("g (float x) => (float y) <float two = {2}> { y = " + node + " }", {});
    check_taken("g (float x) => (float[1,1] y) <int64[2] s = {1,1}> { r = Neg(x) y = Reshape(r, s) }", {});
    check_taken("g (float[1] x) => (float y) { r = Neg(x) y = Squeeze(r) }", {1});
}
TEST_CASE("What XNNPACK does not take stays outside, with the reason", "[xnnpack]") {
    CHECK(why_not("g (float[2,3,4,4] x) => (float[2,48] y) { y = Flatten(x) }", "Flatten") ==
          "its images have their channels last, and XNNPACK does not turn [2,3,4,4]");
    CHECK(why_not("g (int64[4] x) => (int64[4] y) { y = Abs(x) }", "Abs") ==
          "XNNPACK gets no tensors of type int64 here");
    CHECK(why_not("g (float[4] x) => (float[4] y) { y = Tanh(x) }", "Tanh") ==
          "XNNPACK has no operation for Tanh here");
    CHECK(why_not("g (float[0] x) => (float[0] y) { y = Relu(x) }", "Relu") ==
          "XNNPACK gets no tensors without elements here, as that of shape [0]");
    CHECK(why_not("g (float[1,4,2,2] x) => (float[1,4,2,2] y) { y = Softmax <axis = 2> (x) }", "Softmax") ==
          "it is not along the last axis, as XNNPACK's is");
    const model m = model_of("g (float[1,4,2,2] x) => (float[1,4,2,2] y) { a = Relu(x) t = Tanh(a) y = Abs(t) }");
    const inlay::session s{m, quiet(), xnnpack{}, cpu{}};
    const inlay::session plain{m, reference{}};
    const std::vector<feed> in{{"x", ramp({1, 4, 2, 2})}};
    check_close(floats(s.run(in)[0]), floats(plain.run(in)[0]));
    CHECK(s.plan().count(xnnpack::name) == 2);
}
TEST_CASE("Images are joined along each axis where the version of XNNPACK can, up to 5 of them", "[xnnpack]") {
    const auto joined = [](const std::string& axis, const std::string& y, const std::string& inputs) {
        return "g (float[2,3,4,5] x) => (float[" + y + "] y) <float[2,3,4,5] k = {" + numbers(120, .3) +
               "}> { r = Relu(x) s = Neg(x) y = Concat <axis = " + axis + "> (" + inputs + ") }";
    };
    if (!INLAY_XNNPACK_SHARES_WEIGHTS) {
        CHECK(why_not(joined("1", "2,6,4,5", "x, r"), "Concat") ==
              "XNNPACK has the operation from 2024-11-08 on, and this is 2022-02-16");
        return;
    }
    const shape x{2, 3, 4, 5};
    check_taken(joined("0", "4,3,4,5", "x, r"), x);
    check_taken(joined("1", "2,9,4,5", "r, s, x"), x);
    check_taken(joined("2", "2,3,16,5", "r, s, k, x"), x);
    check_taken(joined("-1", "2,3,4,25", "r, k, s, x, r"), x);
    CHECK(why_not(joined("1", "2,18,4,5", "r, s, r, s, r, s"), "Concat") == "XNNPACK joins 2 to 5 tensors, not 6");
}

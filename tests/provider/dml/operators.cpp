// Each operator on DirectML beside the plain loops.
#include "../operator_cases.hpp"
#include <inlay/provider/dml.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string whole(const std::string& y, const std::string& x = "2,3", const std::string& type = "float") {
    return "g (" + type + "[" + x + "] x) => (" + type + "[" + x + "] y) { " + y + " }";
}
}  // namespace

TEST_CASE("DirectML takes the operator, and its numbers are those of the plain loops", "[dml]") {
    check_operators(dml{});
}
TEST_CASE("Functions beside those that engines have in common", "[dml]") {
    for (const char* f : {"Asinh", "Atan", "Ceil", "Celu <alpha = 0.7>", "Cos", "Cosh", "Erf", "Gelu", "Reciprocal",
                          "Round", "Selu", "Sign", "Sin", "Sinh", "Softplus", "Softsign", "Tan", "ThresholdedRelu"})
        check_taken(dml{}, whole(std::string("y = ") + f + " (x)"), {2, 3});
    for (const char* f : {"Acos", "Asin", "Atanh"})
        check_taken(dml{}, whole(std::string("t = Tanh (x) y = ") + f + " (t)"), {2, 3});
    check_taken(dml{}, whole("a = Cosh (x) y = Acosh (a)"), {2, 3});
    check_taken(dml{}, whole("a = Abs (x) y = Sqrt (a)"), {2, 3});
    check_taken(dml{}, whole("a = Exp (x) y = Log (a)"), {2, 3});
    check_taken(dml{}, whole("a = Abs (x) y = Pow (a, x)"), {2, 3});
}
TEST_CASE("Products of matrices in batches, transposed, and with one that is only known in the run", "[dml]") {
    check_taken(dml{}, whole("t = Transpose (x) m = MatMul (x, t) y = MatMul (m, x)"), {2, 3});
    check_taken(dml{}, whole("t = Transpose <perm = [0,1,3,2]> (x) m = MatMul (x, t) y = MatMul (m, x)", "2,3,2,4"),
                {2, 3, 2, 4});
    check_taken(dml{}, whole("t = Transpose <perm = [0,1,2,4,3]> (x) m = MatMul (x, t) y = MatMul (m, x)", "2,1,3,2,4"),
                {2, 1, 3, 2, 4});
    check_taken(
        dml{},
        "g (float[3,1,2,2] x) => (float[3,4,2,2] y) <float[4,2,2] w = {" + numbers(16) + "}> { y = MatMul (x, w) }",
        {3, 1, 2, 2});
    check_taken(dml{}, "g (float[2,3] x) => (float[2] y) <float[3] w = {1, 2, 3}> { y = MatMul (x, w) }", {2, 3});
    check_taken(dml{}, "g (float[3] x) => (float[2] y) <float[3,2] w = {" + numbers(6) + "}> { y = MatMul (x, w) }",
                {3});
    check_taken(dml{}, "g (float[3,2] x) => (float[3,3] y) { y = Gemm <transB = 1, alpha = 0.5> (x, x) }", {3, 2});
    check_taken(dml{},
                "g (float[3,2] x) => (float[2,2] y) <float[2,1] c = {1, 2}> "
                "{ y = Gemm <transA = 1, beta = 3.0> (x, x, c) }",
                {3, 2});
}
TEST_CASE("Convolutions and pools over one axis and over three", "[dml]") {
    check_taken(dml{},
                "g (float[1,2,5] x) => (float[1,2,4] y) <float[2,2,3] w = {" + numbers(12) +
                    "}> { y = Conv <pads = [1,0]> (x, w) }",
                {1, 2, 5});
    check_taken(dml{},
                "g (float[1,1,3,4,4] x) => (float[1,2,2,3,3] y) <float[2,1,2,2,2] w = {" + numbers(16) +
                    "}> { y = Conv (x, w) }",
                {1, 1, 3, 4, 4});
    check_taken(dml{},
                "g (float[1,2,5] x) => (float[1,2,11] y) <float[2,1,3] w = {" + numbers(6) +
                    "}> { y = ConvTranspose <strides = [2], group = 2> (x, w) }",
                {1, 2, 5});
    check_taken(dml{},
                "g (float[1,2,3,3] x) => (float[1,1,8,8] y) <float[2,1,3,3] w = {" + numbers(18) +
                    "}> { y = ConvTranspose <strides = [2,2], output_padding = [1,1]> (x, w) }",
                {1, 2, 3, 3});
    check_taken(dml{}, "g (float[1,2,6] x) => (float[1,2,3] y) { y = MaxPool <kernel_shape = [2], strides = [2]> (x) }",
                {1, 2, 6});
    check_taken(dml{},
                "g (float[1,1,3,3,3] x) => (float[1,1,2,2,2] y) { y = AveragePool <kernel_shape = [2,2,2]> (x) }",
                {1, 1, 3, 3, 3});
    check_taken(dml{},
                "g (float[1,1,6,6] x) => (float[1,1,2,2] y) "
                "{ y = MaxPool <kernel_shape = [3,3], dilations = [2,2]> (x) }",
                {1, 1, 6, 6});
}
TEST_CASE("Reductions of every kind, over axes and over all", "[dml]") {
    for (const char* f : {"ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceMax", "ReduceMean", "ReduceMin",
                          "ReduceProd", "ReduceSum", "ReduceSumSquare"}) {
        check_taken(dml{},
                    "<ir_version: 8, opset_import: [\"\" : 18]> g (float[2,3,4] x) => (float[2,1,4] y) "
                    "<int64[1] a = {1}> { y = " +
                        std::string(f) + " (x, a) }",
                    {2, 3, 4});
        check_taken(dml{},
                    "<ir_version: 8, opset_import: [\"\" : 18]> g (float[2,3] x) => (float y) { y = " + std::string(f) +
                        " <keepdims = 0> (x) }",
                    {2, 3});
    }
    check_taken(dml{},
                "<ir_version: 8, opset_import: [\"\" : 18]> g (float[2,3] x) => (float[2,1] y) "
                "<int64[1] a = {1}> { e = Exp (x) y = ReduceLogSum (e, a) }",
                {2, 3});
}
TEST_CASE("What moves elements backwards, mirrored, repeated, and over normal layers", "[dml]") {
    check_taken(dml{},
                "g (float[4,5] x) => (float[2,3] y) <int64[2] s = {3, 4}, int64[2] e = {0, -100}, int64[2] a = "
                "{0, 1}, int64[2] t = {-2, -2}> { y = Slice (x, s, e, a, t) }",
                {4, 5});
    for (const char* mode : {"reflect", "edge"})
        check_taken(dml{},
                    "g (float[3,4] x) => (float[5,7] y) <int64[4] p = {2, 1, 0, 2}> { y = Pad <mode = \"" +
                        std::string(mode) + "\"> (x, p) }",
                    {3, 4});
    check_taken(dml{}, "g (float[2,1] x) => (float[3,2,4] y) <int64[3] s = {3, 1, 4}> { y = Expand (x, s) }", {2, 1});
    check_taken(dml{}, "g (float[2,3] x) => (float[4,9] y) <int64[2] r = {2, 3}> { y = Tile (x, r) }", {2, 3});
    check_taken(dml{},
                "g (float[1,8,2,3] x) => (float[1,2,4,6] y) { y = DepthToSpace <blocksize = 2, mode = \"CRD\"> "
                "(x) }",
                {1, 8, 2, 3});
    check_taken(dml{},
                "g (float[2,3,4] x) => (float[2,3,4] y) <float[4] s = {1, 2, 3, 4}, float[4] b = {0, 1, 0, 2}> "
                "{ y = LayerNormalization (x, s, b) }",
                {2, 3, 4});
    check_taken(dml{},
                "g (float[2,3,4] x) => (float[2,3,4] y) <float[3,4] s = {" + numbers(12) +
                    "}> { y = LayerNormalization <axis = 1> (x, s) }",
                {2, 3, 4});
}
TEST_CASE("Images are resized by every rule of places and of the nearest element that ONNX has", "[dml]") {
    for (const char* where :
         {"half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners", "half_pixel_symmetric"})
        for (const char* rule : {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})
            for (const char* mode : {"nearest", "linear"})
                check_taken(dml{},
                            "<ir_version: 9, opset_import: [\"\" : 19]> g (float[1,2,3,4] x) => "
                            "(float[1,2,6,2] y) <float[4] s = {1, 1, 2, 0.5}> { y = Resize <mode = \"" +
                                std::string(mode) + "\", coordinate_transformation_mode = \"" + where +
                                "\", nearest_mode = \"" + rule + "\"> (x, , s) }",
                            {1, 2, 3, 4});
}
TEST_CASE("Models of float16 are computed as such", "[dml]") {
    const std::string text = "g (float[2,3,4,4] x) => (float[2,4] y) <float[4,3,3,3] w32 = {" + numbers(108) +
                             "}> { w = Cast <to = 10> (w32) h = Cast <to = 10> (x) c = Conv <pads = [1,1,1,1]> (h, w) "
                             "r = Relu (c) p = GlobalAveragePool (r) "
                             "f = Flatten (p) s = Softmax (f) y = Cast <to = 1> (s) }";
    const model m = model_of(text);
    const session s{m, quiet(), dml{}, cpu{}};
    const session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp({2, 3, 4, 4})}};
    const auto y = floats(s.run(in)[0]), expected = floats(plain.run(in)[0]);
    for (std::size_t k = 0; k < y.size(); ++k) CHECK(y[k] == Approx(expected[k]).margin(4e-3));
    CHECK(s.plan().count(dml::name) == 7);
    CHECK(s.plan().steps == 1);
}

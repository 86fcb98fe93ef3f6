// Twenty small models, each of a kind of network or of something that providers differ in.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace inlay::testing {
struct small_model {
    std::string_view name;
    std::string text;
};
// `count` elements of a constant.
inline std::string elements_text(int count, std::string_view element = "0.5") {
    std::string text;
    for (int k = 0; k < count; ++k) text += (k ? ", " : "") + std::string(element);
    return "{" + text + "}";
}
inline std::string floats_text(std::string_view name, std::string_view dims, int count) {
    return "float[" + std::string(dims) + "] " + std::string(name) + " = " + elements_text(count);
}
// A convolution, its Relu and a pool between quantized values of this type.
inline std::string quantised_text(std::string_view type) {
    const std::string t(type), zero = t[0] == 'u' ? "128" : "0";
    return "g (float[1,2,6,6] x) => (float[1,4,2,2] y) <float s = {0.1}, " + t + " z = {" + zero +
           "}, int8[4,2,3,3] w = " + elements_text(72, "3") +
           ", float ws = {0.05}, int8 wz = {0}> {"
           "q = QuantizeLinear (x, s, z) f = DequantizeLinear (q, s, z) v = DequantizeLinear (w, ws, wz) "
           "c = Conv (f, v) r = Relu (c) cq = QuantizeLinear (r, s, z) cf = DequantizeLinear (cq, s, z) "
           "p = MaxPool <kernel_shape = [2,2], strides = [2,2]> (cf) pq = QuantizeLinear (p, s, z) "
           "y = DequantizeLinear (pq, s, z) }";
}
inline std::vector<small_model> image_models() {
    const auto f = floats_text;
    const std::string image = "g (float[1,3,8,8] x) => (float[1,4] y) <" + f("w", "4,3,3,3", 108) +
                              "> { c = Conv <pads = [1,1,1,1]> (x, w) r = Relu (c) p = GlobalAveragePool (r) "
                              "y = Flatten (p) }";
    return std::vector<small_model>{
        {"mlp", "g (float[2,4] x) => (float[2,3] y) <" + f("w", "4,8", 32) + ", " + f("b", "8", 8) + ", " +
                    f("v", "8,3", 24) + "> { h = Gemm (x, w, b) r = Relu (h) o = Gemm (r, v) y = Softmax (o) }"},
        {"image", image},
        {"image_any_batch", "g (float[N,3,8,8] x) => (float[N,4,8,8] y) <" + f("w", "4,3,3,3", 108) +
                                "> { c = Conv <pads = [1,1,1,1]> (x, w) y = Relu (c) }"},
        {"image_float16",
         "g (float16[1,2,4,4] x, float16[3,2,1,1] w) => (float16[1,3,4,4] y) { c = Conv (x, w) "
         "r = Relu (c) y = Sigmoid (r) }"},
        {"image_uint8", quantised_text("uint8")},
        {"image_int8", quantised_text("int8")},
        {"separable", "g (float[1,4,8,8] x) => (float[1,8,8,8] y) <" + f("d", "4,1,3,3", 36) + ", " +
                          f("p", "8,4,1,1", 32) +
                          ", float low = {0}, float high = {6}> { a = Conv <group = 4, pads = [1,1,1,1]> (x, d) "
                          "b = Clip (a, low, high) c = Conv (b, p) y = Clip (c, low, high) }"},
        {"residual", "g (float[1,2,4,4] x) => (float[1,2,4,4] y) <" + f("w", "2,2,3,3", 36) + ", " + f("s", "2", 2) +
                         "> { c = Conv <pads = [1,1,1,1]> (x, w) r = Relu (c) b = BatchNormalization (r, s, s, s, "
                         "s) a = Add (b, x) y = Relu (a) }"},
        {"squeeze_excite", "g (float[1,4,4,4] x) => (float[1,4,4,4] y) <" + f("w", "4,4,1,1", 16) +
                               "> { p = GlobalAveragePool (x) c = Conv (p, w) h = HardSigmoid (c) y = Mul (x, h) }"},
        {"attention",
         "g (float[1,4,8] x) => (float[1,4,8] y) <" + f("w", "8,8", 64) + ", " + f("s", "8", 8) +
             ", float k = {0.5}> { q = MatMul (x, w) t = Transpose <perm = [0,2,1]> (x) a = MatMul (q, t) "
             "m = Mul (a, k) p = Softmax (m) o = MatMul (p, x) r = Add (o, x) y = LayerNormalization (r, s, s) }"},
        {"waves", "g (float[1,2,16] x) => (float[1,3,7] y) <" + f("w", "3,2,3", 18) +
                      "> { c = Conv (x, w) l = LeakyRelu (c) y = MaxPool <kernel_shape = [2], strides = [2]> (l) }"},
        {"volumes", "g (float[1,1,4,4,4] x) => (float[1,2,1,1,1] y) <" + f("w", "2,1,2,2,2", 16) +
                        "> { c = Conv (x, w) r = Relu (c) y = GlobalMaxPool (r) }"},
    };
}
inline std::vector<small_model> other_models() {
    const auto f = floats_text;
    return std::vector<small_model>{
        {"decoder", "g (float[1,2,3,3] x) => (float[1,2,12,12] y) <" + f("w", "2,2,2,2", 16) +
                        ", float[4] s = {1, 1, 2, 2}> { c = ConvTranspose <strides = [2,2]> (x, w) r = Relu (c) "
                        "y = Resize <mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\", "
                        "nearest_mode = \"floor\"> (r, , s) }"},
        {"recurrent", "g (float[3,1,2] x) => (float[3,1,1,4] y) <" + f("w", "1,16,2", 32) + ", " +
                          f("r", "1,16,4", 64) + "> { y = LSTM <hidden_size = 4> (x, w, r) }"},
        {"embedding", "g (int64[1,3] i) => (float[1,3,4] y) <" + f("t", "5,4", 20) + ", " + f("s", "4", 4) +
                          "> { e = Gather (t, i) y = LayerNormalization (e, s, s) }"},
        {"branches",
         "g (float[2] x, bool c) => (float[2] y) { r = Relu (x) y = If (c) <then_branch = t () => "
         "(float[2] p) { p = Add (r, r) }, else_branch = e () => (float[2] q) { q = Sigmoid (r) }> }"},
        {"doubles", "g (double[2,2] x) => (double[2,2] y) { a = MatMul (x, x) b = Add (a, x) y = Relu (b) }"},
        {"best",
         "g (float[1,8] x) => (float[1,3] v, int64[1,3] i) <int64[1] k = {3}> { s = Sigmoid (x) "
         "v, i = TopK (s, k) }"},
        {"moves",
         "g (float[2,6] x) => (float[3,2,2] y) <int64[1] a = {0}, int64[1] one = {1}, int64[1] five = {5}, "
         "int64[3] to = {3, 2, 2}, float[2,2] z = {1, 2, 3, 4}> { s = Slice (x, one, five, one) "
         "c = Concat <axis = 1> (s, z) y = Reshape (c, to) }"},
        {"functions",
         "g (float[2,3,4,5] x) => (float[2,3,4,5] y) { a = Erf (x) b = Exp (a) c = Sin (b) d = Tan (c) "
         "e = Floor (d) y = Neg (e) }"}};
}
inline std::vector<small_model> small_models() {
    std::vector<small_model> models = image_models();
    for (small_model& m : other_models()) models.push_back(std::move(m));
    return models;
}
}  // namespace inlay::testing

// What a DPU computes on quantized values, through XIR and VART, compared with the reference kernels: no further
// than one step away, which halves are that a DPU rounds up.
#include "tested.hpp"
using namespace inlay;
using namespace inlay::testing;

namespace {
void check(const std::string& text, const shape& x) { check_bytes(on_dpu(), text, x, element::i8); }
std::string why_not_on_dpu(const std::string& text, std::string_view op) {
    const session s{model_of(text), quiet(), on_dpu(), cpu{}};
    return refusal_of<vitisai>(s.plan(), op);
}
}  // namespace

TEST_CASE("Convolutions and products of codes are a DPU's, with their weights as codes", "[vitisai]") {
    check(in_codes("2,4,6,5", "2,4,6,5", with_weights("r = Conv <pads = [1,1,1,1]> (d, w, b)"),
                   weights("4,4,3,3", 144, 4), "1"),
          {2, 4, 6, 5});
    check(in_codes("1,4,7,6", "1,4,3,6",
                   with_weights("r = Conv <group = 4, pads = [0,1,0,1], strides = [2,1]> (d, w, b)"),
                   weights("4,1,3,3", 36, 4), "0.5"),
          {1, 4, 7, 6});
    check(
        in_codes("1,3,4,5", "1,4,8,5", with_weights("r = ConvTranspose <strides = [2,1], pads = [1,0,0,1]> (d, w, b)"),
                 weights("3,4,3,2", 72, 4), "0.5"),
        {1, 3, 4, 5});
    check(in_codes("3,4", "3,5", with_weights("r = Gemm <transB = 1> (d, w, b)"), weights("5,4", 20, 5), "0.5"),
          {3, 4});
    check(in_codes("3,4", "3,5", with_weights("r = Gemm (d, w, b)"), weights("4,5", 20, 5), "0.5"), {3, 4});
}
TEST_CASE("Pools, sums, functions and what moves codes are a DPU's", "[vitisai]") {
    const auto image = [&](const std::string& node, const std::string& y = "1,4,6,5",
                           const std::string& scale = "0.0625", const std::string& constants = "") {
        check(in_codes("1,4,6,5", y, node, constants, scale), {1, 4, 6, 5});
    };
    image("r = MaxPool <kernel_shape = [2,2]> (d)", "1,4,5,4");
    image("r = AveragePool <kernel_shape = [2,2]> (d)", "1,4,5,4");
    image("r = GlobalAveragePool(d)", "1,4,1,1", "0.03125");
    image("r = Add(d, d)", "1,4,6,5", "0.125");
    image("r = Mul(d, d)", "1,4,6,5", "0.5");
    image("r = Relu(d)");
    image("r = Clip(d, low, high)", "1,4,6,5", "0.0625", ", float low = {0}, float high = {6}");
    image("r = LeakyRelu <alpha = 0.1015625> (d)");
    image("r = HardSigmoid <alpha = 0.16666667> (d)", "1,4,6,5", "0.0078125");
    image("r = HardSwish(d)", "1,4,6,5", "0.0625");
    image("r = Concat <axis = 1> (d, d)", "1,8,6,5");
    image("r = Flatten(d)", "1,120");
    image("r = Reshape(d, to)", "4,30", "0.0625", ", int64[2] to = {4, 30}");
    image("r = Transpose <perm = [0,2,3,1]> (d)", "1,6,5,4");
    image("r = ReduceMean(d, axes)", "1,4,1,1", "0.03125", ", int64[2] axes = {2, 3}");
    image("r = ReduceMax(d, axes)", "1,4,1,5", "0.0625", ", int64[1] axes = {2}");
    image("r = Pad(d, pads)", "1,4,7,6", "0.0625", ", int64[8] pads = {0, 0, 1, 0, 0, 0, 0, 1}");
    image(
        "r = Resize <mode = \"nearest\", nearest_mode = \"floor\", coordinate_transformation_mode = \"asymmetric\"> "
        "(d, , scales)",
        "1,4,12,10", "0.0625", ", float[4] scales = {1, 1, 2, 2}");
}
TEST_CASE("Operators on int8 itself are a DPU's too, where their scales are powers of two", "[vitisai]") {
    const std::string scales = "float s = {0.0625}, float so = {1}, int8 z = {0}, ";
    check("g (int8[1,2,4,4] x) => (int8[1,2,2,2] y) <" + scales + "float sw = {0.5}, int8[2,2,3,3] w = {" +
              whole_numbers(36) + "}, int32[2] b = {32, -64}> { y = QLinearConv (x, s, z, w, sw, z, so, z, b) }",
          {1, 2, 4, 4});
    const std::string product =
        "g (int8[3,4] x) => (int8[3,5] y) <" + scales + "int8[4,5] w = {" + whole_numbers(20) + "}, float sw = {";
    const std::string node = "}> { y = QLinearMatMul (x, s, z, w, sw, z, so, z) }";
    check(product + "0.5" + node, {3, 4});
    CHECK(has_text(why_not_on_dpu(product + "0.3" + node, "QLinearMatMul"), "a DPU's are powers of two"));
}
TEST_CASE("A network of codes is one region, from codes to codes", "[vitisai]") {
    const std::string text =
        in_codes("2,3,8,8", "2,4",
                 with_weights("c = Conv <pads = [1,1,1,1]> (d, w, b) e = Relu(c) "
                              "q = QuantizeLinear(e, sm, z) f = DequantizeLinear(q, sm, z) "
                              "a = Add(f, f) q2 = QuantizeLinear(a, s1, z) f2 = DequantizeLinear(q2, s1, z) "
                              "p = GlobalAveragePool(f2) q3 = QuantizeLinear(p, sm, z) "
                              "f3 = DequantizeLinear(q3, sm, z) r = Flatten(f3)"),
                 weights("4,3,3,3", 108, 4) + ", float sm = {0.5}, float s1 = {1}", "0.5");
    check(text, {2, 3, 8, 8});
}
TEST_CASE("Floats around codes are the host's, and those that others read are decoded where a region ends",
          "[vitisai]") {
    const model m = model_of(
        "g (float[1,2,3,4] x) => (float[1,2,3,4] y, float[1,2,3,4] e) <float s = {0.0625}, int8 z = {0}> "
        "{ q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) r = Relu(d) p = QuantizeLinear(r, s, z) "
        "f = DequantizeLinear(p, s, z) g = Relu(f) o = QuantizeLinear(g, s, z) y = DequantizeLinear(o, s, z) e = "
        "Erf(f) }");
    const inlay::session s{m, quiet(), on_dpu(), cpu{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", ramp({1, 2, 3, 4})}};
    const fetched actual = s.run(in), expected = plain.run(in);
    for (int k : {0, 1}) check_close(floats(actual[k]), floats(expected[k]));
    CHECK(refusal_of<vitisai>(s.plan(), "QuantizeLinear") == "a DPU has no operation for QuantizeLinear here");
    CHECK(line_of(s.plan(), "Relu").provider == vitisai::name);
    CHECK(line_of(s.plan(), "Erf").provider == cpu::name);
}
TEST_CASE("A DPU gets no floats, and no codes of another kind than its own", "[vitisai]") {
    CHECK(has_text(why_not_on_dpu("g (float[4] x) => (float[4] y) { y = Relu(x) }", "Relu"),
                   "a DPU gets no tensors of type float here"));
    CHECK(has_text(why_not_on_dpu(in_codes("4", "4", "r = Relu(d)", "", "0.1"), "Relu"),
                   "its scale is 0.100000, and a DPU's are powers of two"));
    CHECK(has_text(why_not_on_dpu(in_codes("4", "4", "r = Relu(d)", "", "0.0625", "int8", "3"), "Relu"),
                   "its zero point is 3, and a DPU has none"));
    CHECK(has_text(why_not_on_dpu(in_codes("4", "4", "r = Relu(d)", "", "0.0625", "uint8", "0"), "Relu"),
                   "a DPU gets no tensors of type uint8 here"));
    CHECK(has_text(why_not_on_dpu(in_codes("4", "4", "r = Sigmoid(d)"), "Sigmoid"),
                   "a DPU has no operation for Sigmoid here"));
    CHECK(has_text(why_not_on_dpu(in_codes("4", "4", "r = LeakyRelu <alpha = 0.2> (d)"), "LeakyRelu"),
                   "its alpha and beta are 0.200000 and 0.000000, and a DPU's 0.101562 and 0.000000"));
}
TEST_CASE("Weights and biases that a DPU cannot hold are refused with what they are", "[vitisai]") {
    const auto refusal = [](const std::string& constants) {
        return why_not_on_dpu(
            in_codes("1,2,4,4", "1,2,2,2", "w = DequantizeLinear <axis = 0> (wc, ws, wz) r = Conv (d, w, b)",
                     ", int8[2,2,3,3] wc = {" + whole_numbers(36) + "}" + constants, "1"),
            "Conv");
    };
    CHECK(has_text(refusal(", float[2] ws = {0.5, 0.25}, int8[2] wz = {0, 0}, float[2] b = {1, 2}"),
                   "a scale for each channel"));
    CHECK(has_text(refusal(", float ws = {0.3}, int8 wz = {0}, float[2] b = {1, 2}"), "powers of two"));
    CHECK(has_text(refusal(", float ws = {0.5}, int8 wz = {0}, float[2] b = {1, 200.5}"),
                   "its bias has more than 8 bits"));
    CHECK(refusal(", float ws = {0.5}, int8 wz = {0}, float[2] b = {1, 63.5}") == "taken");
    const std::string wide =
        in_codes("1,1,40,40", "1,1,20,20", with_weights("r = Conv (d, w, b)"), weights("1,1,21,21", 441, 1), "8");
    CHECK(has_text(why_not_on_dpu(wide, "Conv"), "the kernel is 21, and a DPU takes 1 to 16"));
}

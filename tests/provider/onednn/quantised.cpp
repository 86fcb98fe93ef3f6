// Models whose nodes stand between dequantizers and quantizers of 8 bits, on oneDNN.
#include "../byte_cases.hpp"
#include <inlay/provider/onednn.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string why_not(const std::string& text, const std::string& op) { return testing::why_not<onednn>(text, op); }
void check_bytes(const std::string& text, const shape& x, element type = element::u8) {
    testing::check_bytes(onednn{.num_of_threads = 1}, text, x, type);
}
}  // namespace

TEST_CASE("Convolutions between dequantizers and a quantizer are computed in 8 bits", "[onednn]") {
    check_bytes(conv_in_bytes(3, 4, "0.02", ""), {2, 4, 6, 5});
    check_bytes(conv_in_bytes(3, 4, "0.02, 0.01, 0.04", ""), {2, 4, 6, 5});
    check_bytes(conv_in_bytes(4, 1, "0.02, 0.01, 0.04, 0.03", ", group = 4"), {2, 4, 6, 5});
}
TEST_CASE("Groups of channels in 8 bits are right, also where oneDNN has only reference kernels for them", "[onednn]") {
    const model m = model_of(conv_in_bytes(6, 2, "0.02", ", group = 2"));
    const inlay::session s{m, quiet(), onednn{.num_of_threads = 1}, cpu{}};
    const inlay::session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", byte_ramp(element::u8, {2, 4, 6, 5})}};
    CHECK(steps_between(s.run(in)[0], plain.run(in)[0]) <= 1);
}
TEST_CASE("What else oneDNN computes in 8 bits agrees with the reference kernels to one step", "[onednn]") {
    const shape image{2, 3, 6, 5};
    check_bytes(in_bytes("2,3,6,5", "2,3,4,3", "r = MaxPool <kernel_shape = [3,3]> (d)", "", "uint8", "0.05"), image);
    check_bytes(in_bytes("2,3,6,5", "2,3,1,1", "r = GlobalAveragePool(d)", "", "uint8", "0.02"), image);
    check_bytes(in_bytes("2,3,6,5", "2,3,4,3", "r = AveragePool <kernel_shape = [3,3]> (d)", "", "uint8", "0.05"),
                image);
    check_bytes(in_bytes("2,7", "2,3", "wf = DequantizeLinear(w, sw) r = Gemm <transB = 1> (d, wf, b)",
                         ", int8[3,7] w = {" + whole_numbers(21) + "}, float sw = {0.03}, float[3] b = {1, -2, 3}"),
                {2, 7});
    check_bytes(in_bytes("2,3,7", "2,3,2", "wf = DequantizeLinear(w, sw) r = MatMul(d, wf)",
                         ", int8[7,2] w = {" + whole_numbers(14) + "}, float sw = {0.03}"),
                {2, 3, 7});
}
TEST_CASE("What has the scale of its input is computed on its integers, and else in floats between", "[onednn]") {
    for (const std::string scale : {"0.05", "0.1"}) {
        const auto check = [&](const std::string& y, const std::string& node) {
            check_bytes(in_bytes("2,3,6,5", y, node, "", "uint8", scale), {2, 3, 6, 5});
            check_bytes(in_bytes("2,3,6,5", y, node, "", "int8", scale), {2, 3, 6, 5}, element::i8);
        };
        check("2,6,6,5", "r = Concat <axis = 1> (d, d)");
        check("6,2,5,3", "r = Transpose <perm = [2,0,3,1]> (d)");
        check("2,3,6,5", "r = Mul(d, d)");
        check("2,3,6,5", "r = Add(d, d)");

        check("2,3,3,2",
              "r = AveragePool <kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,0], count_include_pad = 1> (d)");
    }
}
TEST_CASE("Operators of integers of 8 bits are oneDNN's", "[onednn]") {
    check_bytes(
        "<ir_version: 8, opset_import: [\"\" : 20, \"com.microsoft\" : 1]> g (uint8[1,2,4,4] x) => (uint8[1,3,4,4] y) "
        "<float s = {0.05}, uint8 z = {100}, float t = {0.3}, int8[3,2,1,1] w = {" +
            whole_numbers(6) +
            "}, float sw = {0.02}, int8 zw = {0}> { c = QLinearConv (x, s, z, w, sw, zw, t, z) "
            "y = com.microsoft.QLinearAdd (c, t, z, c, t, z, t, z) }",
        {1, 2, 4, 4});
}
TEST_CASE("A quantised network of floats is one region of oneDNN", "[onednn]") {
    const model m = model_of(
        "g (float[1,4,6,5] x) => (float[1,3] y) <float s = {0.05}, uint8 z = {100}, float t = {0.3}, "
        "int8[3,4,3,3] w = {" +
        whole_numbers(108) + "}, float sw = {0.02}, int8[3,3,3,3] v = {" + whole_numbers(81) +
        "}, float sv = {0.01}> { q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) "
        "wf = DequantizeLinear(w, sw) c = Conv <pads = [1,1,1,1]> (d, wf) r = Relu(c) p = QuantizeLinear(r, t, z) "
        "e = DequantizeLinear(p, t, z) vf = DequantizeLinear(v, sv) f = Conv <pads = [1,1,1,1]> (e, vf) "
        "a = Add(f, e) o = QuantizeLinear(a, t, z) h = DequantizeLinear(o, t, z) g = GlobalAveragePool(h) "
        "l = Flatten(g) y = Softmax(l) }");
    const inlay::session s{m, quiet(), onednn{.num_of_threads = 1}, cpu{}};
    const inlay::session plain{m, reference{}};
    const std::vector<feed> in{{"x", ramp({1, 4, 6, 5})}};
    const auto y = floats(s.run(in)[0]), expected = floats(plain.run(in)[0]);
    REQUIRE(y.size() == expected.size());
    for (std::size_t k = 0; k < y.size(); ++k) CHECK(y[k] == Approx(expected[k]).margin(.05));
    CHECK(s.plan().count(cpu::name) == 0);
    CHECK(s.plan().steps == 1);
}
TEST_CASE("What is decoded for others too is given to them as floats", "[onednn]") {
    const model m = model_of(
        "g (uint8[1,2,4,4] x) => (uint8[1,2,2,2] y, float[1,2,4,4] d) <float s = {0.05}, uint8 z = {128}> "
        "{ d = DequantizeLinear(x, s, z) r = MaxPool <kernel_shape = [3,3]> (d) y = QuantizeLinear(r, s, z) }");
    const inlay::session s{m, quiet(), onednn{}, cpu{}};
    const inlay::session plain{m, reference{}};
    const std::vector<feed> in{{"x", byte_ramp(element::u8, {1, 2, 4, 4})}};
    const auto y = floats(s.run(in)[1]), expected = floats(plain.run(in)[1]);
    REQUIRE(y.size() == expected.size());
    for (std::size_t k = 0; k < y.size(); ++k) CHECK(y[k] == Approx(expected[k]).margin(1e-6));
    CHECK(s.plan().count(cpu::name) == 0);
}
TEST_CASE("A sum between nodes in 8 bits is one of floats, in their region", "[onednn]") {
    const model m = model_of(
        "g (uint8[1,2,6,6] x) => (uint8[1,2,2,2] y) <float s = {0.05}, uint8 z = {100}, float t = {0.1}> "
        "{ d = DequantizeLinear(x, s, z) r = MaxPool <kernel_shape = [3,3]> (d) p = QuantizeLinear(r, s, z) "
        "e = DequantizeLinear(p, s, z) a = Add(e, e) q = QuantizeLinear(a, t, z) f = DequantizeLinear(q, t, z) "
        "o = MaxPool <kernel_shape = [3,3]> (f) y = QuantizeLinear(o, t, z) }");
    const inlay::session s{m, quiet(), onednn{}, cpu{}};
    const inlay::session plain{m, reference{}};
    const std::vector<feed> in{{"x", byte_ramp(element::u8, {1, 2, 6, 6})}};
    CHECK(elements<std::uint8_t>(s.run(in)[0]) == elements<std::uint8_t>(plain.run(in)[0]));
    CHECK(s.plan().count(cpu::name) == 0);
    CHECK(s.plan().steps == 1);
}
TEST_CASE("Of what oneDNN does not compute in 8 bits the plan says why", "[onednn]") {
    CHECK(why_not(in_bytes("4", "4", "r = Round(d)", ""), "Round") == "oneDNN does not have it on integers of 8 bits");
    CHECK(why_not(in_bytes("4", "4", "r = Round(d)", ""), "QuantizeLinear") ==
          "no node next to it is computed in 8 bits");
    CHECK(why_not(in_bytes("2,2", "2,2", "r = MatMul(d, w)", ", float[2,2] w = {1, 2, 3, 4}"), "MatMul") ==
          "its weights are not dequantized from integers of 8 bits");
    CHECK(why_not(in_bytes("2,2", "2,2", "wf = DequantizeLinear(w, sw, zw) r = Gemm <alpha = 2.0> (d, wf)",
                           ", int8[2,2] w = {1, 2, 3, 4}, float sw = {0.03}, int8 zw = {0}"),
                  "Gemm") == "products in 8 bits have no alpha");
    CHECK(why_not(in_bytes("2,2", "2,2", "wf = DequantizeLinear(w, sw, zw) r = MatMul(d, wf)",
                           ", uint8[2,2] w = {1, 2, 3, 4}, float sw = {0.03}, uint8 zw = {3}"),
                  "MatMul") == "its weights of 8 bits have the zero point -125, and oneDNN's are symmetric");
}

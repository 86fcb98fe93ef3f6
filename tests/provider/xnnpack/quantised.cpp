// Models whose nodes stand between DequantizeLinear and QuantizeLinear of 8 bits, on XNNPACK.
#include "../byte_cases.hpp"
#include <inlay/provider/xnnpack.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string why_not(const std::string& text, const std::string& op) { return testing::why_not<xnnpack>(text, op); }
// All nodes but DequantizeLinear of constants are XNNPACK's.
void check_bytes(const std::string& text, const shape& x, element type = element::u8) {
    testing::check_bytes(xnnpack{.intra_op_num_threads = 1}, text, x, type);
}
}  // namespace

TEST_CASE("Convolutions between decoders and an encoder are computed in 8 bits", "[xnnpack]") {
    for (const std::string type : {"uint8", "int8"}) {
        const element e = type == "uint8" ? element::u8 : element::i8;
        check_bytes(conv_in_bytes(3, 4, "0.02", "", type), {2, 4, 6, 5}, e);
        check_bytes(conv_in_bytes(3, 4, "0.02, 0.01, 0.04", "", type), {2, 4, 6, 5}, e);
        check_bytes(conv_in_bytes(6, 2, "0.02", ", group = 2", type), {2, 4, 6, 5}, e);
        check_bytes(conv_in_bytes(4, 1, "0.02, 0.01, 0.04, 0.03", ", group = 4", type), {2, 4, 6, 5}, e);
        check_bytes(conv_in_bytes(4, 1, "0.02", ", group = 4", type), {2, 4, 6, 5}, e);
    }
}
TEST_CASE("What else XNNPACK computes in 8 bits agrees with the reference kernels to one step", "[xnnpack]") {
    for (const std::string type : {"uint8", "int8"}) {
        const element e = type == "uint8" ? element::u8 : element::i8;
        const shape image{2, 3, 6, 5};
        check_bytes(in_bytes("2,3,6,5", "2,3,1,1", "r = GlobalAveragePool(d)", "", type, "0.02"), image, e);
        check_bytes(in_bytes("2,3,6,5", "2,3,4,3", "r = MaxPool <kernel_shape = [3,3]> (d)", "", type, "0.05"), image,
                    e);
        check_bytes(in_bytes("2,3,6,5", "2,3,6,5", "r = Add(d, d)", "", type), image, e);
        check_bytes(in_bytes("2,3,6,5", "2,3,6,5", "r = Mul(d, d)", "", type, "0.4"), image, e);
        check_bytes(in_bytes("2,3,6,5", "2,3,6,5", "r = Relu(d)", "", type, "0.05"), image, e);
        check_bytes(in_bytes("2,3,1,1", "2,3", "r = Flatten(d)", "", type, "0.05"), {2, 3, 1, 1}, e);
        check_bytes(
            in_bytes("2,7", "2,3", "wf = DequantizeLinear(w, sw) r = Gemm <transB = 1> (d, wf, b)",
                     ", int8[3,7] w = {" + whole_numbers(21) + "}, float sw = {0.03}, float[3] b = {1, -2, 3}", type),
            {2, 7}, e);
    }
}
TEST_CASE("What is decoded for others too is given to them as floats", "[xnnpack]") {
    const model m = model_of(
        "g (uint8[1,2,4,4] x) => (uint8[1,2,4,4] y, float[1,2,4,4] d) <float s = {0.05}, uint8 z = {128}> "
        "{ d = DequantizeLinear(x, s, z) r = Add(d, d) y = QuantizeLinear(r, s, z) }");
    const inlay::session s{m, quiet(), xnnpack{}, cpu{}};
    const inlay::session plain{m, reference{}};
    const std::vector<feed> in{{"x", byte_ramp(element::u8, {1, 2, 4, 4})}};
    const auto y = floats(s.run(in)[1]), expected = floats(plain.run(in)[1]);
    REQUIRE(y.size() == expected.size());
    for (std::size_t k = 0; k < y.size(); ++k) CHECK(y[k] == Approx(expected[k]).margin(1e-6));
    CHECK(s.plan().count(xnnpack::name) == 4);  // fuse_quantized gave Add a DequantizeLinear of its own
}
TEST_CASE("Of QLinearConv and QLinearMatMul that XNNPACK does not take the plan says why", "[xnnpack]") {
    const auto conv = [](const std::string& weights, const std::string& inputs = "x, s, z, w, sw, zw, so, z",
                         const std::string& more = "") {
        return why_not("g (uint8[1,2,4,4] x" + more +
                           ") => (uint8[1,2,4,4] y) <float s = {0.05}, float so = {0.7}, uint8 z = {128}, "
                           "float sw = {0.02}, " +
                           weights + "> { y = QLinearConv (" + inputs + ") }",
                       "QLinearConv");
    };
    const std::string signed_weights = "int8[2,2,1,1] w = {1, 2, 3, 4}, int8 zw = {0}";
    CHECK(conv(signed_weights) == "taken");
    CHECK(conv("int8[2,2,1,1] w = {1, 2, 3, 4}, int8 zw = {5}") ==
          "its weights of 8 bits have the zero point 5, and XNNPACK's are symmetric");
    CHECK(conv("int8[2,2,1,1] w = {1, 2, 3, 4}, int8[2] zw = {0, 5}") ==
          "its weights, their scales and one zero point are not constants");
    CHECK(conv("int8 zw = {0}", "x, s, z, w, sw, zw, so, z", ", int8[2,2,1,1] w") ==
          "its weights, their scales and one zero point are not constants");
    CHECK(conv(signed_weights, "x, r, z, w, sw, zw, so, z", ", float r") ==
          "what its integers of 8 bits stand for is not one scale that is known before the run");
    CHECK(conv(signed_weights, "x, s, z, w, sw, zw, r, z", ", float r") ==
          "what its integers of 8 bits stand for is not one scale that is known before the run");
    CHECK(has_text(conv(signed_weights + ", float far = {0.000001}", "x, s, z, w, sw, zw, far, z"),
                   "XNNPACK does not compute it in 8 bits: XNNPACK says: unsupported parameter"));
    const std::string product =
        "g (uint8[2,2] x) => (uint8[2,2] y, uint8[2,2] v) <float s = {0.05}, float t = {0.06}, uint8 z = {128}, "
        "int8[2,2] w = {1, 2, 3, 4}, float[2] each = {0.02, 0.03}, float sw = {0.02}, int8[2] zs = {0, 0}, "
        "int8 zw = {0}> { v = QLinearMatMul (x, s, z, w, sw, zw, s, z) y = QLinearMatMul ";
    const auto second = [&](const std::string& inputs) {
        const inlay::session s{model_of(product + "(" + inputs + ") }"), quiet(), xnnpack{}, cpu{}};
        const plan_report plan = s.plan();
        for (const auto& answer : line_of(plan, "QLinearMatMul", 1).answers)
            if (answer.provider == xnnpack::name) return answer.text;
        return std::string("taken");
    };
    CHECK(second("v, s, z, w, sw, zw, s, z") == "taken");
    CHECK(second("v, t, z, w, sw, zw, s, z") ==
          "its scale and zero point are not one of each that is known, as where its input is made or first read");
    CHECK(second("v, s, z, w, each, zs, s, z") == "it is not rows times a matrix of one scale");
}
TEST_CASE("What encodes for others, or decodes for them, is left to them", "[xnnpack]") {
    const model m = model_of(
        "g (float[2,2] x) => (float[2,2] y) <float s = {0.05}, uint8 z = {128}, int8[2,2] w = {1, 2, 3, 4}, "
        "float sw = {0.02}, int8 zw = {0}> { t = Tanh(x) q = QuantizeLinear(t, s, z) "
        "r = QLinearMatMul (q, s, z, w, sw, zw, s, z) d = DequantizeLinear(r, s, z) y = Erf(d) }");
    const inlay::session s{m, quiet(), xnnpack{}, cpu{}};
    for (const char* op : {"QuantizeLinear", "DequantizeLinear"})
        CHECK(refusal_of<xnnpack>(s.plan(), op) ==
              "the floats next to it are another provider's, which may have them in integers");
    CHECK(s.plan().count(xnnpack::name) == 1);
    const std::vector<feed> in{{"x", ramp({2, 2})}};
    const inlay::session plain{m, reference{}};
    const auto y = floats(s.run(in)[0]), expected = floats(plain.run(in)[0]);
    for (std::size_t k = 0; k < expected.size(); ++k) CHECK(y[k] == Approx(expected[k]).margin(.06));
}
TEST_CASE("Of what is not computed in 8 bits the plan says why", "[xnnpack]") {
    const std::string pool = "r = MaxPool <kernel_shape = [3,3]> (d)";
    CHECK(why_not(in_bytes("2,3,6,5", "2,3,4,3", pool, ""), "MaxPool") == "XNNPACK has another scale of its result");
    CHECK(why_not(in_bytes("2,3,6,5", "2,3,4,3", pool, ""), "QuantizeLinear") ==
          "no node next to it is computed in 8 bits");
    CHECK(why_not(in_bytes("4", "4", "r = Sigmoid(d)", ""), "Sigmoid") ==
          "XNNPACK does not have it on integers of 8 bits");
    CHECK(why_not(in_bytes("4", "4", "r = Add(d, c)", ", float[4] c = {1, 2, 3, 4}"), "Add") ==
          "its operands and its result are of different types");
    const auto product = [](const std::string& zero, const std::string& attributes = "") {
        return in_bytes("2,2", "2,2", "wf = DequantizeLinear(w, sw, zw) r = Gemm" + attributes + " (d, wf)",
                        ", uint8[2,2] w = {1, 2, 3, 4}, float sw = {0.03}, uint8 zw = {" + zero + "}");
    };
    CHECK(why_not(product("100"), "Gemm") ==
          "its weights of 8 bits have the zero point -28, and XNNPACK's are symmetric");
    CHECK(why_not(product("128", " <alpha = 2.0>"), "Gemm") == "products in 8 bits have no alpha");
    CHECK(why_not(in_bytes("2,2", "2,2", "r = MatMul(d, w)", ", float[2,2] w = {1, 2, 3, 4}"), "MatMul") ==
          "its weights are not dequantized from integers of 8 bits");
    CHECK(has_text(
        why_not(in_bytes("2,2", "2,2", "wf = DequantizeLinear(w, sw, zw) r = MatMul(d, wf)",
                         ", int8[2,2] w = {1, 2, 3, 4}, float sw = {0.03}, int8 zw = {0}", "uint8", "0.000001"),
                "MatMul"),
        "XNNPACK does not compute it in 8 bits: XNNPACK says: unsupported parameter"));
}

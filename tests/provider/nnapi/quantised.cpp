// Models whose nodes stand between DequantizeLinear and QuantizeLinear of 8 bits, on NNAPI.
#include "../byte_cases.hpp"
#include "../contracts.hpp"
#include "host_counts.hpp"
#include <provider/nnapi/rules.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::nnapi_interface;

namespace {
// All nodes but DequantizeLinear of constants are NNAPI's, one operation has this code, and none dequantizes.
void check_in_bytes(std::int32_t code, const std::string& text, const shape& x, element type) {
    forget_operations();
    check_bytes(nnapi{}, text, x, type);
    CHECK(operations_of(code) == 1);
    CHECK(operations_of(DEQUANTIZE) + operations_of(QUANTIZE) == 0);
}
// The same, computed in float32 between DEQUANTIZE and QUANTIZE of NNAPI.
void check_in_floats(const std::string& text, const shape& x, element type) {
    forget_operations();
    check_bytes(nnapi{}, text, x, type);
    CHECK(operations_of(DEQUANTIZE) >= 1);
    CHECK(operations_of(QUANTIZE) == 1);
}
}  // namespace

TEST_CASE("Convolutions between decoders and an encoder are computed in 8 bits", "[nnapi]") {
    for (const std::string type : {"uint8", "int8"}) {
        const element e = type == "uint8" ? element::u8 : element::i8;
        check_in_bytes(CONV_2D, conv_in_bytes(3, 4, "0.02", "", type), {2, 4, 6, 5}, e);
        check_in_bytes(CONV_2D, conv_in_bytes(3, 4, "0.02, 0.01, 0.04", "", type), {2, 4, 6, 5}, e);
        check_in_bytes(GROUPED_CONV_2D, conv_in_bytes(6, 2, "0.02", ", group = 2", type), {2, 4, 6, 5}, e);
        check_in_bytes(DEPTHWISE_CONV_2D, conv_in_bytes(4, 1, "0.02, 0.01, 0.04, 0.03", ", group = 4", type),
                       {2, 4, 6, 5}, e);
        check_in_bytes(DEPTHWISE_CONV_2D, conv_in_bytes(4, 1, "0.02", ", group = 4", type), {2, 4, 6, 5}, e);
    }
}
TEST_CASE("What else NNAPI computes in 8 bits agrees with the reference kernels to one step", "[nnapi]") {
    for (const std::string type : {"uint8", "int8"}) {
        const element e = type == "uint8" ? element::u8 : element::i8;
        const shape image{2, 3, 6, 5};
        const auto same = [&](const std::string& y, const std::string& node, const std::string& scale = "0.05") {
            return in_bytes("2,3,6,5", y, node, "", type, scale);
        };
        check_in_bytes(AVERAGE_POOL_2D, same("2,3,1,1", "r = GlobalAveragePool(d)"), image, e);
        check_in_bytes(MAX_POOL_2D, same("2,3,4,3", "r = MaxPool <kernel_shape = [3,3]> (d)"), image, e);
        check_in_bytes(AVERAGE_POOL_2D, same("2,3,4,3", "r = AveragePool <kernel_shape = [3,3]> (d)"), image, e);
        check_in_bytes(ADD, same("2,3,6,5", "r = Add(d, d)", "0.1"), image, e);
        check_in_bytes(MUL, same("2,3,6,5", "r = Mul(d, d)", "0.4"), image, e);
        check_in_bytes(RELU, same("2,3,6,5", "r = Relu(d)"), image, e);
        check_in_bytes(TRANSPOSE, same("6,2,3,5", "r = Transpose <perm = [2,0,1,3]> (d)"), image, e);
        check_in_bytes(RESHAPE, in_bytes("2,3,1,1", "2,3", "r = Flatten(d)", "", type, "0.05"), {2, 3, 1, 1}, e);
        check_in_bytes(
            FULLY_CONNECTED,
            in_bytes("2,7", "2,3", "wf = DequantizeLinear(w, sw) r = Gemm <transB = 1> (d, wf, b)",
                     ", int8[3,7] w = {" + whole_numbers(21) + "}, float sw = {0.03}, float[3] b = {1, -2, 3}", type),
            {2, 7}, e);
    }
}
TEST_CASE("Weights with a zero point keep it, in the input's type", "[nnapi]") {
    for (const std::string type : {"uint8", "int8"})
        check_in_bytes(
            FULLY_CONNECTED,
            in_bytes("2,7", "2,3", "wf = DequantizeLinear(w, sw, zw) r = Gemm <transB = 1> (d, wf)",
                     ", uint8[3,7] w = {1,2,3,4,5,6,7,255,254,253,252,251,250,249,9,8,7,6,5,4,3}, float sw = {0.03}, "
                     "uint8 zw = {120}",
                     type, "2.5"),
            {2, 7}, type == "uint8" ? element::u8 : element::i8);
}
TEST_CASE("What NNAPI has not in 8 bits it computes in floats, between a decoder and an encoder", "[nnapi]") {
    check_in_floats(in_bytes("2,6", "2,6", "r = Relu(d)", ""), {2, 6}, element::u8);  // another scale
    check_in_floats(in_bytes("2,6", "2,6", "r = Exp(d)", "", "uint8", "4.0"), {2, 6}, element::u8);
    check_in_floats(in_bytes("2,6", "2,6", "r = Sigmoid(d)", "", "uint8", "0.01"), {2, 6}, element::u8);
    check_in_floats(in_bytes("2,6", "2,6", "r = Add(d, c)", ", float[6] c = {1, 2, 3, 4, 5, 6}"), {2, 6}, element::u8);
}
TEST_CASE("Functions with results between bounds have the codes that NNAPI gives them", "[nnapi]") {
    const auto bounded = [](const std::string& node, const std::string& scale, const std::string& zero) {
        return "g (uint8[2,6] x) => (uint8[2,6] y) <float s = {0.05}, uint8 z = {128}, float so = {" + scale +
               "}, uint8 zo = {" + zero + "}> { d = DequantizeLinear(x, s, z) r = " + node +
               " (d) y = QuantizeLinear(r, so, zo) }";
    };
    check_in_bytes(LOGISTIC, bounded("Sigmoid", "0.00390625", "0"), {2, 6}, element::u8);
    check_in_bytes(SOFTMAX, bounded("Softmax", "0.00390625", "0"), {2, 6}, element::u8);
    check_in_bytes(TANH, bounded("Tanh", "0.0078125", "128"), {2, 6}, element::u8);
}
TEST_CASE("Operators on integers of 8 bits are what stands between decoders and encoders, and plans know them") {
    const auto qlinear = [](const std::string& y, const std::string& constants, const std::string& node) {
        return "<ir_version: 8, opset_import: [\"\" : 20, \"com.microsoft\" : 1]> g (uint8[1,4,6,5] x) => (uint8[" + y +
               "] y) <float s = {0.05}, float t = {0.7}, uint8 z = {128}" + constants + "> { " + node + " }";
    };
    const std::string weights = ", int8[3,4,3,3] w = {" + whole_numbers(108) +
                                "}, float[3] sw = {0.02, 0.01, 0.04}, "
                                "int8[3] zw = {0, 0, 0}, int32[3] b = {100, -2000, 30}";
    const std::pair<std::int32_t, std::string> cases[] = {
        {CONV_2D, qlinear("1,3,6,5", weights, "y = QLinearConv <pads = [1,1,1,1]> (x, s, z, w, sw, zw, t, z, b)")},
        {ADD, qlinear("1,4,6,5", "", "y = com.microsoft.QLinearAdd (x, s, z, x, s, z, t, z)")},
        {MUL, qlinear("1,4,6,5", "", "y = com.microsoft.QLinearMul (x, s, z, x, s, z, t, z)")},
        {AVERAGE_POOL_2D, qlinear("1,4,1,1", "", "y = com.microsoft.QLinearGlobalAveragePool (x, s, z, s, z)")},
        {FULLY_CONNECTED,
         qlinear("1,4,6,2", ", uint8[5,2] w = {1,2,3,4,5,250,251,252,253,254}, float sw = {0.03}, uint8 zw = {120}",
                 "y = QLinearMatMul (x, s, z, w, sw, zw, t, z)")}};
    for (const auto& [code, text] : cases) {
        check_in_bytes(code, text, {1, 4, 6, 5}, element::u8);
        CHECK(contract_plan(nnapi_contract, model_of(text), {}).count(nnapi::name) == 1);
    }
    const std::string pool = qlinear("1,4,1,1", "", "y = com.microsoft.QLinearGlobalAveragePool (x, s, z, t, z)");
    CHECK(why_not<nnapi>(pool, "QLinearGlobalAveragePool") == "NNAPI has another scale of its result");
    CHECK(contract_plan(nnapi_contract, model_of(pool), {}).count(nnapi::name) == 0);
}
TEST_CASE("Several nodes in 8 bits, one after another, decode nothing in between", "[nnapi]") {
    const std::string text =
        "g (uint8[1,2,4,4] x) => (uint8[1,2,4,4] y) <float s = {0.05}, float t = {0.1}, float u = {0.15}, uint8 z = "
        "{128}> { d = DequantizeLinear(x, s, z) a = Add(d, d) q = QuantizeLinear(a, t, z) e = DequantizeLinear(q, t, "
        "z) b = Add(e, d) y = QuantizeLinear(b, u, z) }";
    forget_operations();
    check_bytes(nnapi{}, text, {1, 2, 4, 4}, element::u8);
    CHECK(operations_of(ADD) == 2);
    CHECK(operations_of(DEQUANTIZE) + operations_of(QUANTIZE) == 0);
}
TEST_CASE("What is decoded for others too is given to them as floats", "[nnapi]") {
    const model m = model_of(
        "g (uint8[1,2,4,4] x) => (uint8[1,2,4,4] y, float[1,2,4,4] d) <float s = {0.05}, uint8 z = {128}> "
        "{ d = DequantizeLinear(x, s, z) r = Add(d, d) y = QuantizeLinear(r, s, z) }");
    const inlay::session s{m, quiet(), nnapi{}, cpu{}};
    const inlay::session plain{m, reference{}};
    const std::vector<feed> in{{"x", byte_ramp(element::u8, {1, 2, 4, 4})}};
    const auto y = floats(s.run(in)[1]), expected = floats(plain.run(in)[1]);
    REQUIRE(y.size() == expected.size());
    for (std::size_t k = 0; k < y.size(); ++k) CHECK(y[k] == Approx(expected[k]).margin(1e-6));
    CHECK(s.plan().count(cpu::name) == 0);
}
TEST_CASE("Of a value of 8 bits that NNAPI cannot tell, the plan says why", "[nnapi]") {
    CHECK(why_not<nnapi>("g (uint8[2,3] x, float s) => (float[2,3] y) { y = DequantizeLinear (x, s) }",
                         "DequantizeLinear") ==
          "what its integers of 8 bits stand for is not one scale that is known before the run");
}

// Nodes between DequantizeLinear and QuantizeLinear, which engines may compute in 8 bits.
#pragma once
#include "engines.hpp"

namespace inlay::testing {
// A float32 input, quantized, the node between DequantizeLinear and QuantizeLinear, dequantized: `node` is in 8 bits.
inline std::string in_bytes(const std::string& x, const std::string& y, const std::string& node,
                            const std::string& constants, const std::string& type = "uint8",
                            const std::string& out_scale = "0.1") {
    const std::string zero = type == "uint8" ? "128" : "3";
    return "g (" + type + "[" + x + "] x) => (" + type + "[" + y + "] y) <float s = {0.05}, float so = {" + out_scale +
           "}, " + type + " z = {" + zero + "}" + constants + "> { d = DequantizeLinear(x, s, z) " + node +
           " y = QuantizeLinear(r, so, z) }";
}
inline tensor byte_ramp(element type, const shape& dims) {
    tensor t(type, dims);
    int k = 0;
    for (std::int64_t i = 0; i < dims.elements(); ++i)
        static_cast<std::uint8_t*>(t.data())[i] = std::uint8_t(k++ * 37 % 251);
    return t;
}
inline int byte_at(const tensor& t, std::int64_t k) {
    return t.type() == element::u8 ? int(static_cast<const std::uint8_t*>(t.data())[k])
                                   : int(static_cast<const std::int8_t*>(t.data())[k]);
}
// The largest distance of two elements at the same place.
inline int steps_between(const tensor& y, const tensor& expected) {
    REQUIRE(y.shape() == expected.shape());
    int most = 0;
    for (std::int64_t k = 0; k < y.elements(); ++k)
        most = std::max(most, std::abs(byte_at(y, k) - byte_at(expected, k)));
    return most;
}
// All nodes but DequantizeLinear of constants are the engine's, and no result is further than one step from the
// reference kernels'.
template <provider P> void check_bytes(const P& p, const model& m, const shape& x, element type) {
    const session s{m, quiet(), p, cpu{}};
    const session plain{m, quiet(), reference{}};
    const std::vector<feed> in{{"x", byte_ramp(type, x)}};
    for (int run = 0; run < 2; ++run) {
        const tensor y = s.run(in)[0], expected = plain.run(in)[0];
        CHECK(steps_between(y, expected) <= 1);
        int different = 0;
        for (std::int64_t k = 0; k < expected.elements(); ++k)
            different += byte_at(expected, k) != byte_at(expected, 0);
        CHECK(different > 0);
    }
    CHECK(s.plan().count(cpu::name) == 0);
    CHECK(s.plan().steps == 1);
}
template <provider P> void check_bytes(const P& p, const std::string& text, const shape& x, element type) {
    INFO(text);
    check_bytes(p, model_of(text), x, type);
}
inline std::string whole_numbers(int count) {
    std::string text;
    for (int k = 0; k < count; ++k) text += (k ? ", " : "") + std::to_string(k * 29 % 61 - 30);
    return text;
}
// A Conv with weights of 8 bits: [channels, inner, 3, 3].
inline std::string conv_in_bytes(int channels, int inner, const std::string& scales, const std::string& attributes,
                                 const std::string& type = "uint8") {
    const std::string c = std::to_string(channels);
    const bool per_channel = scales.find(',') != std::string::npos;
    const std::string shape = per_channel ? "[" + c + "]" : "";
    std::string zeros, biases;
    for (int k = 0; k < channels; ++k) {
        zeros += k ? ",0" : "0";
        biases += (k ? "," : "") + std::to_string(k * 50 - 60);
    }
    return in_bytes("2,4,6,5", "2," + c + ",6,5",
                    "wf = DequantizeLinear" + std::string(per_channel ? " <axis = 0>" : "") +
                        "(w, sw, zw) r = Conv <pads = [1,1,1,1]" + attributes + "> (d, wf, b)",
                    ", int8[" + c + "," + std::to_string(inner) + ",3,3] w = {" + whole_numbers(channels * inner * 9) +
                        "}, float" + shape + " sw = {" + scales + "}, int8" + shape + " zw = {" +
                        (per_channel ? zeros : "0") + "}, float[" + c + "] b = {" + biases + "}",
                    type, "0.7");
}
}  // namespace inlay::testing

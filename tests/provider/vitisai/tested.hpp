// The provider over a library of the tests' in the place of a device's, which VART opens: plugin.
#pragma once
#include "../byte_cases.hpp"
#include <inlay/provider/vitisai.hpp>

namespace inlay::testing {
inline vitisai on_dpu() { return {.runner = VITISAI_TEST_RUNNER}; }
inline vitisai by_reference() { return {.mode = vitisai_mode::ref, .runner = VITISAI_TEST_RUNNER}; }
// The same as a provider of these options, for what makes providers of a type.
struct reference_vitisai : vitisai {
    reference_vitisai() : vitisai(by_reference()) {}
};

// A node between decoders and an encoder of codes as DPUs have them: signed, and of scales that are powers of two.
inline std::string in_codes(const std::string& x, const std::string& y, const std::string& node,
                            const std::string& constants = "", const std::string& scale = "0.0625",
                            const std::string& type = "int8", const std::string& zero = "0") {
    return "g (" + type + "[" + x + "] x) => (" + type + "[" + y + "] y) <float s = {0.0625}, float so = {" + scale +
           "}, " + type + " z = {" + zero + "}" + constants + "> { d = DequantizeLinear(x, s, z) " + node +
           " y = QuantizeLinear(r, so, z) }";
}
// Weights as codes, decoded to `w`, and a bias of small whole numbers, decoded to `b`.
inline std::string weights(const std::string& dims, int count, int biases, const std::string& scale = "0.03125") {
    std::string bias;
    for (int k = 0; k < biases; ++k) bias += (k ? ", " : "") + std::to_string(k * 5 - 7);
    return ", int8[" + dims + "] wc = {" + whole_numbers(count) + "}, float ws = {" + scale + "}, int8[" +
           std::to_string(biases) + "] bc = {" + bias + "}, float bs = {0.25}, int8 wz = {0}";
}
inline std::string with_weights(const std::string& node) {
    return "w = DequantizeLinear(wc, ws, wz) b = DequantizeLinear(bc, bs, wz) " + node;
}
}  // namespace inlay::testing

// The numbers that 8-bit quantized values q represent, by the nodes that quantize and dequantize them by constants:
// (q - zero point) * scale.
#pragma once
#include "fuse.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
struct coded {
    int node = -1;                // that quantizes or dequantizes
    int codes = -1, floats = -1;  // the values on its two sides
    int scale = -1, zero = -1;    // values; zero: -1 where it is absent, which is 0
    element type{};               // of the quantized values
    tensor scales{};              // one, or one for each index of `axis`
    int axis = -1;                // -1: one for all
    int offset = 0;               // the zero point, where there is one for all
    bool of_tensor() const { return axis < 0; }
    std::int64_t count() const { return scales.elements(); }
    float step(std::int64_t i = 0) const { return load<float>(scales.data(), of_tensor() ? 0 : i); }
    bool same_as(const coded& o) const {
        return type == o.type && of_tensor() && o.of_tensor() && step() == o.step() && offset == o.offset;
    }
};
inline bool is_byte(element e) { return e == element::u8 || e == element::i8; }
inline bool encodes(const node& n) {
    return n.op == "QuantizeLinear" && (n.domain.empty() || n.domain == "com.microsoft");
}
inline bool decodes(const node& n) {
    return n.op == "DequantizeLinear" && (n.domain.empty() || n.domain == "com.microsoft");
}
// The result of QuantizeLinear for x.
int code_of(double x, const coded& y);

class quantized_values {
    const rewriter& r_;
    std::vector<int> decoders_;       // by result, constants too; -1: none
    std::vector<signed char> sound_;  // by constant; -1: not checked yet

    bool sound(int v);  // scales are positive and far from the ends of the type, zero points of int32 are 0

  public:
    explicit quantized_values(const rewriter& r);
    // Of a node that quantizes floating-point values to 8 bits, or dequantizes 8 bits or int32; nothing where its scale
    // or zero point is no constant, or in blocks.
    std::optional<coded> read(int node);
    std::optional<coded> decoded(int v) {  // v is the result of such a node
        return v < 0 || decoders_[std::size_t(v)] < 0 ? std::nullopt : read(decoders_[std::size_t(v)]);
    }
    // y saturates where the activation, Relu or Clip, cuts off: the quantized values are the same without it.
    static bool implies(const coded& y, const activation& bound);
};
}  // namespace passes
}  // namespace v1
}  // namespace inlay

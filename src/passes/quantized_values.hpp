// What codes of 8 bits stand for, as the nodes say it that encode and decode them by constants:
// (code - zero point) * scale.
#pragma once
#include "fuse.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
struct coded {
    int node = -1;                // that encodes or decodes
    int codes = -1, floats = -1;  // the values on its two sides
    int scale = -1, zero = -1;    // values; zero: -1 where it is absent, which is 0
    element type{};               // of the codes
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
// What QuantizeLinear makes of x.
int code_of(double x, const coded& y);

class quantized_values {
    const rewriter& r_;
    std::vector<int> decoders_;       // by what they make, constants too; -1: none
    std::vector<signed char> sound_;  // by constant; -1: nobody asked

    bool sound(int v);  // scales are positive and far from the ends of the type, zero points of int32 are 0

  public:
    explicit quantized_values(const rewriter& r);
    // Of a node that makes 8-bit codes of floats, or floats of them or of int32; nothing where its scale or zero point
    // are no constants, or in blocks.
    std::optional<coded> read(int node);
    std::optional<coded> decoded(int v) {  // v is made by such a node
        return v < 0 || decoders_[std::size_t(v)] < 0 ? std::nullopt : read(decoders_[std::size_t(v)]);
    }
    // y's codes saturate where the activation, Relu or Clip, bounds what is encoded: they are the same without it.
    static bool implies(const coded& y, const activation& bound);
};
}  // namespace passes
}  // namespace v1
}  // namespace inlay

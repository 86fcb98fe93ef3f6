// Weights and biases in the form that libraries want them.
#pragma once
#include "primitive.hpp"
#include <deque>

namespace inlay {
inline namespace v1 {
namespace lowering {
// The elements of a constant of the graph, as they lie there. Throws refused_node.
const void* constant_of(const region&, const operand&);
// Elements of these dims with their axes in another order: axis k of the result is axes[k].
std::vector<float> permuted(const float* x, const shape& dims, std::span<const int> axes);
// A constant's floats, in the order of memory: the region's own, or such as are kept. Throws refused_node.
const float* floats_of(const region&, const operand&, std::deque<std::vector<float>>& storage);
// A constant's elements of its own type, in the order of memory; floats that a constant is made of become it. Throws
// refused_node.
std::vector<char> stored_elements(const region&, const operand&);
// Floats as elements of 16 or 32 bits.
std::vector<char> stored(const std::vector<float>&, element);

// Weights as the integers of 8 bits that they were dequantized from, and their bias in those of the products.
class byte_weights {
    quantisation of_;
    float scale_of_input_;
    bool has_sign_;
    float scale(std::size_t channel) const { return of_.scales[each() ? channel : 0]; }

  public:
    byte_weights(const quantisation& q, const operand& x)
        : of_(q), scale_of_input_(x.quantized->scales[0]), has_sign_(q.scales.size() > 1 || x.type == element::i8) {}
    bool each() const { return of_.scales.size() > 1; }  // a scale for each channel; then they are signed
    // Of integers that have the input's sign, or one of their own where there is a scale for each channel.
    std::int32_t zero() const {
        return of_.zero + (has_sign_ && of_.type == element::u8 ? -128 : 0) +
               (!has_sign_ && of_.type == element::i8 ? 128 : 0);
    }
    const std::vector<float>& scales() const { return of_.scales; }
    float product_scale() const { return scale_of_input_ * of_.scales[0]; }
    // inner: elements behind an index of the channels.
    std::vector<char> quantized(const std::vector<float>& weights, std::size_t channels, std::size_t inner) const;
    std::vector<std::int32_t> quantized_bias(const std::vector<float>&) const;
};
}  // namespace lowering
}  // namespace v1
}  // namespace inlay

// How each operator of ONNX becomes primitives of oneDNN: a rule in a list of its file.
#pragma once
#include "lowering.hpp"
#include <algorithm>
#include <support/shape_text.hpp>

namespace inlay {
inline namespace v1 {
namespace onednn_rules {
struct rule {
    std::string_view op;
    void (*lower)(lowering&, const node_view&);  // throws onednn_refusal
    int tensors = all_inputs;  // how many of the first inputs oneDNN gets; the others are small constants
    std::string_view domain{};

    static constexpr int all_inputs = 1 << 20;
};
std::span<const rule> convolution_rules();
std::span<const rule> element_wise_rules();
std::span<const rule> movement_rules();
std::span<const rule> normalization_rules();
std::span<const rule> product_rules();
std::span<const rule> window_rules();

// The function that ends a fused node, as its attributes say; no endings where there is none.
endings activation_of(const node_view&);
// The addend of a fused node, of the result's dimensions or broadcast to them, as an ending.
ending addend(lowering&, int slot, int rank);
// A node of which this function, as an operator's read() of shapes and attributes, says that it is refused.
template <class F> void check_read(F read) {
    if (const verdict v = read(); !v) refuse(std::string(v.reason));
}
}  // namespace onednn_rules
}  // namespace v1
}  // namespace inlay

// SimplifiedLayerNormalization, which exporters write in ai.onnx though ONNX has no such operator, and com.microsoft's:
// RMSNormalization by another name.
#pragma once
#include "rms_normalization.hpp"
#include <concepts>

namespace inlay {
inline namespace v1 {
namespace op {
struct simplified_layer_normalization : rms_normalization {
    static constexpr std::string_view onnx_name = "SimplifiedLayerNormalization";
    static constexpr version_range versions{1, 28};
    static constexpr operator_facts facts{.keeps_names = true, .required_outputs = 1};
    static constexpr element output_type(const node_view& n, int k) {
        return k == 0 ? n.input_type(1) : element_numbered(n.integer("stash_type", std::int64_t(element::f32)));
    }
};

struct microsoft_simplified_layer_normalization : simplified_layer_normalization {
    static constexpr std::string_view domain = "com.microsoft";
    static constexpr version_range versions{1, 1};
};
}  // namespace op

template <std::derived_from<op::simplified_layer_normalization> Op, class T>
struct kernel<Op, device::reference, types<T, any_float>>
    : kernel<op::rms_normalization, device::reference, types<T, any_float>> {
    static constexpr verdict supports(const node_view& n) {
        return n.has_output(1) ? no("the root is not given back") : rms_normalization_kernel::supports(n);
    }
};
}  // namespace v1
}  // namespace inlay

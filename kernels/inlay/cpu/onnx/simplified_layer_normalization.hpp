// SimplifiedLayerNormalization of com.microsoft on the CPU: RMSNormalization's kernel. The loader rewrites that of
// ai.onnx to RMSNormalization.
#pragma once
#include <inlay/cpu/onnx/rms_normalization.hpp>
#include <inlay/onnx/simplified_layer_normalization.hpp>

namespace inlay {
inline namespace v1 {
template <>
struct kernel<op::microsoft_simplified_layer_normalization, device::cpu, types<float, float>>
    : kernel<op::rms_normalization, device::cpu, types<float, float>> {
    static constexpr verdict supports(const node_view& n) {
        return n.has_output(1) ? no("the root is not given back")
                               : kernel<op::rms_normalization, device::cpu, types<float, float>>::supports(n);
    }
};
}  // namespace v1
}  // namespace inlay

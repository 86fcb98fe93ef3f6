// The scales and zero points of a node's quantized values, as the kernels' loops use them.
#pragma once
#include <inlay/cpu/isa/code_scaling.hpp>
#include <inlay/support/linear_code.hpp>

namespace inlay {
inline namespace v1 {
// Of quantized values whose scale is input `scale_at`, their zero point the one after it.
inline code_scaling scaling_of(element code, const arguments& a, int scale_at, const presence& has) noexcept {
    const quantized::linear_code c(code, a, scale_at, scale_at + 1, has);
    return {c.scale, c.zero};
}
}  // namespace v1
}  // namespace inlay

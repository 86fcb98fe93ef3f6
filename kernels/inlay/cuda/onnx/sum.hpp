// Sum, Mean, Min and Max of floating-point types on CUDA, Min and Max of int32 and int64 too, in any layout. Limit: the
// bytes of operands and result.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/sum.hpp>

namespace inlay {
inline namespace v1 {
template <class Op, class T> struct joining_on_cuda : sum_kernel {
    static constexpr verdict supports(const node_view& n) {
        return !is_small_float<T> || n.input_count() <= params::most
                   ? sum_kernel::supports(n)
                   : no("cuda: more than 32 inputs, and results between them would be rounded");
    }
    static constexpr layout_rule layouts(
        const node_view& n) {  // of more inputs, a constant might keep another layout than the rest
        return n.input_count() <= params::most ? layout_rule{layout::any, layout::any} : layout_rule{};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // sum.cu
};
#define INLAY_JOINED(X) \
    X(sum, float) \
    X(sum, float16) \
    X(sum, bfloat16) \
    X(mean, float) \
    X(mean, float16) \
    X(mean, bfloat16) \
    X(max, float) \
    X(max, float16) \
    X(max, bfloat16) \
    X(max, std::int32_t) \
    X(max, std::int64_t) \
    X(min, float) \
    X(min, float16) \
    X(min, bfloat16) \
    X(min, std::int32_t) \
    X(min, std::int64_t)
#define INLAY_JOINING(name, T) \
    template <> struct kernel<op::name, device::cuda, types<T>> : joining_on_cuda<op::name, T> {};
INLAY_JOINED(INLAY_JOINING)
#undef INLAY_JOINING
}  // namespace v1
}  // namespace inlay

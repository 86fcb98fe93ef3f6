// Cast on CUDA, for the pairs that models have, in any layout. Limit: one read and one write of every element.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/cast.hpp>

namespace inlay {
inline namespace v1 {
template <class From, class To> struct cast_on_cuda : casting::any_kernel {
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // cast.cu
};
#define INLAY_CAST_PAIRS(X) \
    X(float, std::int64_t) \
    X(float, std::int32_t) \
    X(float, std::uint8_t) \
    X(float, bool) \
    X(float, float16) \
    X(float, bfloat16) \
    X(std::int64_t, float) \
    X(std::int32_t, float) \
    X(std::uint8_t, float) \
    X(bool, float) \
    X(float16, float) \
    X(bfloat16, float) \
    X(std::int64_t, std::int32_t) \
    X(std::int32_t, std::int64_t) \
    X(std::int64_t, bool) \
    X(bool, std::int64_t) \
    X(std::int32_t, bool) \
    X(bool, std::int32_t)
#define INLAY_CAST(From, To) \
    template <casting::operation Op> struct kernel<Op, device::cuda, types<From, To>> : cast_on_cuda<From, To> {};
INLAY_CAST_PAIRS(INLAY_CAST)
#undef INLAY_CAST
}  // namespace v1
}  // namespace inlay

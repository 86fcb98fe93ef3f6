// Attention of floating-point types on CUDA. In 16 bits cuDNN does it where it has a plan; else a block per head and 32
// rows of Q walks over the keys in tiles of 32, with a running maximum and sum; for a few rows, as in decoding, and for
// heads of more than 128 numbers, a block per row. Limit: the multiplications, at the rate of shared memory; for a few
// rows the bytes of K and V.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/fused/attention.hpp>
#include <memory>

namespace inlay {
inline namespace v1 {
struct attention_on_cuda_params : attention_params {
    element type = element::f16;
    constexpr bool few_rows() const { return rows <= 4; }
    // The cases given to cuDNN. It reads 16 bytes at a time and does not check that steps allow it; and decoding has a
    // new shape for every token, each of which would cost a plan.
    constexpr bool fits_library() const {
        std::int64_t steps = size | value_size;
        for (const operand& o : {q, k, v}) steps |= o.batch | o.head | o.row | o.at;
        return steps % 8 == 0 && size <= 256 && value_size <= 256 && batches > 0 && !few_rows() && keys > 0 &&
               (!masked || mask.column == 1);
    }
};
struct bound_attention;  // src/provider/cuda/attention.cpp: cuDNN's plan, and the last pointers
status bind_attention(const attention_on_cuda_params&,
                      std::shared_ptr<bound_attention>&) noexcept;  // leaves null where the library has no plan
// unsupported: the library does not support these pointers, or has no plan for a shape other than the bound one;
// nothing was done.
status run_attention(const attention_on_cuda_params&, bound_attention&, const void* q, const void* k, const void* v,
                     const void* mask, void* y, context&) noexcept;

template <class T, class Mask> struct attention_on_cuda : attention_kernel {
    using params = attention_on_cuda_params;
    struct state {
        std::shared_ptr<bound_attention> library;
    };
    static constexpr bool of_library =
        !std::is_same_v<T, float> && std::is_same_v<T, Mask>;  // cuDNN has no boolean masks here
    static constexpr bool by_rows(const params& p) { return p.few_rows() || p.size > 128 || p.value_size > 128; }
    static constexpr params prepare(const node_view& n) { return {make(n), element_of<T>}; }
    static status bind(const params& p, constants, const setup&, state& s) noexcept {
        if constexpr (of_library)
            if (p.fits_library()) return bind_attention(p, s.library);
        return status::ok;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, by_rows(p) ? p.batches * p.heads * p.rows * p.keys * std::int64_t(sizeof(float)) : 0};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // attention.cu
};
template <> struct kernel<op::attention, device::cuda, types<float, float>> : attention_on_cuda<float, float> {};
template <> struct kernel<op::attention, device::cuda, types<float, bool>> : attention_on_cuda<float, bool> {};
template <>
struct kernel<op::attention, device::cuda, types<float16, float16>> : attention_on_cuda<float16, float16> {};
template <> struct kernel<op::attention, device::cuda, types<float16, bool>> : attention_on_cuda<float16, bool> {};
template <>
struct kernel<op::attention, device::cuda, types<bfloat16, bfloat16>> : attention_on_cuda<bfloat16, bfloat16> {};
template <> struct kernel<op::attention, device::cuda, types<bfloat16, bool>> : attention_on_cuda<bfloat16, bool> {};
}  // namespace v1
}  // namespace inlay

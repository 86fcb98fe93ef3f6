// LRN of floating-point types on CUDA, in either layout: a thread per element, whose neighbours come from the cache.
// Limit: one read and one write of every element.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/lrn.hpp>

namespace inlay {
inline namespace v1 {
template <class T> struct lrn_on_cuda : simple_kernel {
    struct params : lrn_params {  // from one channel to the next
        std::int64_t step;
    };
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr params prepare(const node_view& n) {
        const lrn_params p = lrn_params::of(n);
        return {p, n.input_layout(0) == layout::channels_last ? 1 : p.inner};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // lrn.cu
};
template <> struct kernel<op::lrn, device::cuda, types<float>> : lrn_on_cuda<float> {};
template <> struct kernel<op::lrn, device::cuda, types<float16>> : lrn_on_cuda<float16> {};
template <> struct kernel<op::lrn, device::cuda, types<bfloat16>> : lrn_on_cuda<bfloat16> {};
}  // namespace v1
}  // namespace inlay

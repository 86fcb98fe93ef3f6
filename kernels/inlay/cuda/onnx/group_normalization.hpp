// InstanceNormalization and GroupNormalization on CUDA, in either layout: a warp or a block per group of a sample.
// Limit: one read and one write of every element where groups are many and come again from the cache; few large groups
// leave multiprocessors idle.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/group_normalization.hpp>

namespace inlay {
inline namespace v1 {
template <class Op, class T> struct group_normalization_on_cuda : group_normalization_kernel<Op> {
    struct params : group_normalization_params {
        bool channels_last;
    };
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr params prepare(const node_view& n) {
        return {group_normalization_kernel<Op>::prepare(n), n.input_layout(0) == layout::channels_last};
    }
    static status run(const params& p, const simple_kernel::state&, const arguments& a,
                      context& c) noexcept;  // group_normalization.cu
};
#define INLAY_NORMALIZATION(T) \
    template <> \
    struct kernel<op::instance_normalization, device::cuda, types<T>> \
        : group_normalization_on_cuda<op::instance_normalization, T> {}; \
    template <> \
    struct kernel<op::group_normalization, device::cuda, types<T>> \
        : group_normalization_on_cuda<op::group_normalization, T> {};
INLAY_NORMALIZATION(float)
INLAY_NORMALIZATION(float16)
INLAY_NORMALIZATION(bfloat16)
#undef INLAY_NORMALIZATION
}  // namespace v1
}  // namespace inlay

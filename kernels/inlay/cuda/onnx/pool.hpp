// MaxPool, AveragePool and GlobalAveragePool of floating-point types on CUDA, over 1 to 3 axes in either layout. Limit:
// one read of every element, since windows that overlap read from the cache.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/reduce_middle.hpp>
#include <inlay/onnx/pool.hpp>

namespace inlay {
inline namespace v1 {
template <class T, bool Maximum> struct pool_on_cuda : simple_kernel {
    struct params {  // channels: contiguous ones
        pool_windows windows;
        std::int64_t channels;
    };
    static constexpr verdict supports(const node_view& n) {
        return n.has_output(1) ? no("cuda: Indices are found by the reference kernel only") : yes();
    }
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr params prepare(const node_view& n) {
        return {pool_kernel::prepare(n), n.input_layout(0) == layout::channels_last ? n.input(0).dims[1] : 1};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // pool.cu
};
template <> struct kernel<op::max_pool, device::cuda, types<float>> : pool_on_cuda<float, true> {};
template <> struct kernel<op::max_pool, device::cuda, types<float16>> : pool_on_cuda<float16, true> {};
template <> struct kernel<op::max_pool, device::cuda, types<bfloat16>> : pool_on_cuda<bfloat16, true> {};
template <> struct kernel<op::average_pool, device::cuda, types<float>> : pool_on_cuda<float, false> {};
template <> struct kernel<op::average_pool, device::cuda, types<float16>> : pool_on_cuda<float16, false> {};
template <> struct kernel<op::average_pool, device::cuda, types<bfloat16>> : pool_on_cuda<bfloat16, false> {};

template <class T> struct global_pool_on_cuda : simple_kernel {
    using params = reduce_middle;
    static constexpr layout_rule layouts(const node_view&) {
        return {layout::any, layout::plain};
    }  // one pixel has the same bytes in both
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        const bool is_channels_last = n.input_layout(0) == layout::channels_last;
        return {is_channels_last ? x[0] : x[0] * x[1], x.elements(2), is_channels_last ? x[1] : 1};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) { return {0, p.scratch(sizeof(double))}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // pool.cu
};
template <> struct kernel<op::global_average_pool, device::cuda, types<float>> : global_pool_on_cuda<float> {};
template <> struct kernel<op::global_average_pool, device::cuda, types<float16>> : global_pool_on_cuda<float16> {};
template <> struct kernel<op::global_average_pool, device::cuda, types<bfloat16>> : global_pool_on_cuda<bfloat16> {};
}  // namespace v1
}  // namespace inlay

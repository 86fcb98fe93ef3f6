// All reductions of floating-point types, int32 and int64 on CUDA, in either layout. Limit: one read of every element,
// where the axes are neighbours in memory.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/reduce_middle.hpp>
#include <inlay/onnx/reduce.hpp>

namespace inlay {
inline namespace v1 {
template <class Op, class T> struct reduction_on_cuda : simple_kernel {
    using fold = typename Op::template fold<typename Op::template sum_type<T>>;
    struct params {
        reduction_loops loops;
        reduce_middle middle;
        bool neighbours;  // the reduced axes are contiguous, so that `middle` describes all
    };
    static constexpr verdict supports(const node_view& n) { return reduction_kernel<Op, T>::supports(n); }
    static constexpr layout_rule layouts(const node_view& n) { return reduction_layouts(n); }
    static constexpr params prepare(const node_view& n) {
        params p{reduction_kernel<Op, T>::prepare(n).loops, {}, true};
        bool reduction_started = false;
        for (int i = 0; i < p.loops.rank; ++i) {
            const auto& loop = p.loops.loops[i];
            if (loop.reduced && reduction_started) p.neighbours = false;
            (loop.reduced ? p.middle.length : reduction_started ? p.middle.inner : p.middle.outer) *= loop.count;
            reduction_started |= loop.reduced;
        }
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, p.neighbours ? p.middle.scratch(sizeof(fold)) : 0};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // reduce.cu
};
#define INLAY_REDUCTIONS(X) \
    X(reduce_mean) \
    X(reduce_sum) \
    X(reduce_prod) \
    X(reduce_max) \
    X(reduce_min) \
    X(reduce_l1) \
    X(reduce_l2) \
    X(reduce_sum_square) \
    X(reduce_log_sum) \
    X(reduce_log_sum_exp)
#define INLAY_REDUCTION(name) \
    template <> struct kernel<op::name, device::cuda, types<float>> : reduction_on_cuda<op::name, float> {}; \
    template <> struct kernel<op::name, device::cuda, types<float16>> : reduction_on_cuda<op::name, float16> {}; \
    template <> struct kernel<op::name, device::cuda, types<bfloat16>> : reduction_on_cuda<op::name, bfloat16> {}; \
    template <> \
    struct kernel<op::name, device::cuda, types<std::int32_t>> : reduction_on_cuda<op::name, std::int32_t> {}; \
    template <> \
    struct kernel<op::name, device::cuda, types<std::int64_t>> : reduction_on_cuda<op::name, std::int64_t> {};
INLAY_REDUCTIONS(INLAY_REDUCTION)
#undef INLAY_REDUCTION
}  // namespace v1
}  // namespace inlay

// CumSum on CUDA, in pieces of the axis: of blocks along memory, of threads across it. Limit: two reads and one write
// of every element.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/scan.hpp>
#include <inlay/onnx/cum_sum.hpp>

namespace inlay {
inline namespace v1 {
struct cum_sum_on_cuda_params {
    std::int64_t outer, length, inner;  // element (o, k, i) at (o * length + k) * inner + i
    bool exclusive, reverse;
    constexpr std::int64_t each() const { return inner == 1 ? scan_piece : 128; }  // elements of a piece
    constexpr std::int64_t pieces() const { return scan_pieces(length, each()); }
};
template <class T> struct cum_sum_on_cuda : simple_kernel {
    using params = cum_sum_on_cuda_params;
    static constexpr reuse shares = reuse::in_place;
    static constexpr verdict supports(const node_view& n) {
        return n.input_integers(1) ? yes() : no("cuda: the axis is known only while it runs");
    }
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        const int axis = normal_axis((*n.input_integers(1))[0], x.rank);
        const cum_sum_params p = cum_sum_params::of(n);
        return {x.elements(0, axis), x[axis], x.elements(axis + 1), p.exclusive, p.reverse};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, scan_scratch(p.outer * p.inner, p.pieces())};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // cum_sum.cu
};
template <> struct kernel<op::cum_sum, device::cuda, types<float>> : cum_sum_on_cuda<float> {};
template <> struct kernel<op::cum_sum, device::cuda, types<double>> : cum_sum_on_cuda<double> {};
template <> struct kernel<op::cum_sum, device::cuda, types<float16>> : cum_sum_on_cuda<float16> {};
template <> struct kernel<op::cum_sum, device::cuda, types<bfloat16>> : cum_sum_on_cuda<bfloat16> {};
template <> struct kernel<op::cum_sum, device::cuda, types<std::int32_t>> : cum_sum_on_cuda<std::int32_t> {};
template <> struct kernel<op::cum_sum, device::cuda, types<std::int64_t>> : cum_sum_on_cuda<std::int64_t> {};
}  // namespace v1
}  // namespace inlay

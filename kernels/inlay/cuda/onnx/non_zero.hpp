// NonZero on CUDA: counted in pieces, then written. The host waits for the count. Limit: two reads of every element and
// one write of every index.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/scan.hpp>
#include <inlay/onnx/non_zero.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits> struct non_zero_on_cuda : simple_kernel {
    using params = non_zero_params;
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, scan_scratch(1, scan_pieces(p.dims.elements()))};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // non_zero.cu
};
template <> struct kernel<op::non_zero, device::cuda, types<raw<8>>> : non_zero_on_cuda<8> {};
template <> struct kernel<op::non_zero, device::cuda, types<raw<16>>> : non_zero_on_cuda<16> {};
template <> struct kernel<op::non_zero, device::cuda, types<raw<32>>> : non_zero_on_cuda<32> {};
template <> struct kernel<op::non_zero, device::cuda, types<raw<64>>> : non_zero_on_cuda<64> {};
}  // namespace v1
}  // namespace inlay

// Compress on CUDA: NonZero of the condition, and then Gather. The host waits for
// their count. Limit: one read and one write of every byte that is kept, and two reads of the condition.
#pragma once
#include "gather.hpp"
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/scan.hpp>
#include <inlay/onnx/compress.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits> struct compress_on_cuda : kernel<op::compress, device::reference, types<raw<Bits>>> {
    using typename kernel<op::compress, device::reference, types<raw<Bits>>>::params;
    static constexpr std::int64_t sums(const params& p) {
        return scan_scratch(1, scan_pieces(p.conditions));
    }  // bytes; the places follow
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, sums(p) + p.conditions * 8};
    }
    static status run(const params& p, const simple_kernel::state&, const arguments& a,
                      context& c) noexcept;  // non_zero.cu
};
template <int Bits> struct kernel<op::compress, device::cuda, types<raw<Bits>>> : compress_on_cuda<Bits> {};
}  // namespace v1
}  // namespace inlay

// Unique on CUDA, of single elements in ascending order: sorted as CUB does it, then counted where they differ. The
// host waits for the count. Limit: the passes of that sort.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/scan.hpp>
#include <inlay/cuda/support/sorted_pairs.hpp>
#include <inlay/onnx/unique.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits> struct unique_on_cuda : simple_kernel {
    using params = unique_params;
    using word = bits_as<Bits>;
    struct places {  // of scratch: keys and indices, the first of each group, and the scan's sums
        sorted_pairs<word> pairs;
        constexpr std::int64_t starts() const { return pairs.bytes(); }
        constexpr std::int64_t sums() const { return starts() + sorted_pairs<word>::rounded(pairs.elements * 4); }
        constexpr std::int64_t bytes() const { return sums() + scan_scratch(1, scan_pieces(pairs.elements)); }
    };
    static constexpr verdict supports(const node_view& n) {
        const params p = params::of(n);
        if (p.outer * p.inner != 1) return no("cuda: slices of more than one element");
        if (!p.sorted) return no("cuda: the order of first occurrence");
        if (p.complex) return no("cuda: complex numbers");
        return p.length >= std::int64_t(1) << 31 ? no("cuda: more than 2^31 elements")
                                                 : kernel<op::unique, device::reference, types<raw<Bits>>>::supports(n);
    }
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, places{{p.length}}.bytes()};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // unique.cu
};
template <> struct kernel<op::unique, device::cuda, types<raw<8>>> : unique_on_cuda<8> {};
template <> struct kernel<op::unique, device::cuda, types<raw<16>>> : unique_on_cuda<16> {};
template <> struct kernel<op::unique, device::cuda, types<raw<32>>> : unique_on_cuda<32> {};
template <> struct kernel<op::unique, device::cuda, types<raw<64>>> : unique_on_cuda<64> {};
}  // namespace v1
}  // namespace inlay

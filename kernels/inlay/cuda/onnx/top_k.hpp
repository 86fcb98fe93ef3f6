// TopK on CUDA: every row sorted as CUB does it, by keys that have the order of the elements. Limit: the passes of that
// sort.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/sorted_pairs.hpp>
#include <inlay/onnx/top_k.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits> struct top_k_on_cuda : simple_kernel {
    using params = top_k_params;
    using word = bits_as<Bits>;
    static constexpr verdict supports(const node_view& n) {
        const verdict v = kernel<op::top_k, device::reference, types<raw<Bits>>>::supports(n);
        return v && n.input(0).dims.elements() >= std::int64_t(1) << 31 ? no("cuda: more than 2^31 elements") : v;
    }
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, sorted_pairs<word>{p.outer * p.length * p.inner}.bytes()};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept;  // top_k.cu
};
template <int Bits> struct kernel<op::top_k, device::cuda, types<raw<Bits>>> : top_k_on_cuda<Bits> {};
}  // namespace v1
}  // namespace inlay

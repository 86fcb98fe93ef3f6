// ScatterElements and ScatterND on CUDA: places are sorted, so that updates of one place meet in their order.
// Limit: the passes of that sort.
#pragma once
#include <inlay/cuda/support/sorted_pairs.hpp>
#include <inlay/support/scatter.hpp>

namespace inlay {
inline namespace v1 {
template <class Plain, class T> struct scatter_on_cuda : Plain {
    using typename Plain::params;
    using pairs = sorted_pairs<std::uint32_t>;  // of places, in elements, and updates
    static constexpr verdict supports(const node_view& n) {
        constexpr std::int64_t most = std::int64_t(1) << 31;
        return n.input(0).dims.elements() >= most || n.input(2).dims.elements() >= most
                   ? no("cuda: more than 2^31 elements")
                   : Plain::supports(n);
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, pairs{p.updates()}.bytes()};
    }
    static status run(const params& p, const simple_kernel::state&, const arguments& a,
                      context& c) noexcept;  // indexed.cu
};
}  // namespace v1
}  // namespace inlay

// NonMaxSuppression on CUDA: a block per batch and class takes the best candidate that is left, again and again, and
// drops all overlaps. Limit: for each chosen box, a barrier or two and one read of what is left, from the cache.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/non_max_suppression.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::non_max_suppression, device::cuda, types<float>> : simple_kernel {
    using plain = kernel<op::non_max_suppression, device::reference, types<float>>;
    using params = suppression::params;
    struct places {  // in scratch: corners and areas of all boxes; per batch and class keys of candidates, chosen
                     // indices, and where its rows begin, their end at last
        std::int64_t keys, selected_indices, begins, end;
        constexpr places(const params& p) {
            const std::int64_t lists = p.batches * p.classes;
            keys = suppression::rounded_up(p.batches * p.boxes * 5 * 4, 64);
            selected_indices = keys + suppression::rounded_up(lists * p.boxes * 8, 64);
            begins = selected_indices + suppression::rounded_up(lists * p.most * 4, 64);
            end = begins + (lists + 1) * 8;
        }
    };
    static constexpr verdict supports(const node_view& n) {
        return n.input(0).dims[1] < 1 << 30 ? plain::supports(n) : no("2^30 boxes or more");
    }
    static constexpr params prepare(const node_view& n) { return plain::prepare(n); }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) { return {0, places(p).end}; }
    static status run(const params& p, const state&, const arguments& a,
                      context& c) noexcept;  // non_max_suppression.cu
};
}  // namespace v1
}  // namespace inlay

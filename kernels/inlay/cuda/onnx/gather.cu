// Device code of kernels/inlay/cuda/onnx/gather.hpp.
#include "gather.hpp"
#include <inlay/cuda/support/moving.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <int W, class T> struct gather_body {
    divider inner, count;  // inner: in steps of W elements
    std::int64_t length;
    bool wide_indices;
    const void* indices;
    const T* x;
    T* y;
    unsigned* faults;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t o = i;
        const std::int64_t e = inner.split(o), at = count.split(o);
        std::int64_t k = wide_indices ? static_cast<const std::int64_t*>(indices)[at]
                                      : static_cast<const std::int32_t*>(indices)[at];
        if (k < 0) k += length;
        if (k >= 0 && k < length)
            return store_lanes(y + i * W, load_lanes<W>(x + ((o * length + k) * std::int64_t(inner.by) + e) * W));
        report(faults, fault::index_out_of_range);
        store_lanes(y + i * W, lanes<T, W>{});
    }
};
struct check_body {  // where no element is gathered, indices are checked all the same
    std::int64_t length;
    bool wide_indices;
    const void* indices;
    unsigned* faults;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t k =
            wide_indices ? static_cast<const std::int64_t*>(indices)[i] : static_cast<const std::int32_t*>(indices)[i];
        if (k < 0) k += length;
        if (k < 0 || k >= length) report(faults, fault::index_out_of_range);
    }
};
}  // namespace
template <int Bits>
status gather_on_cuda<Bits>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    using T = moved<Bits>;
    constexpr int w = full_lanes<T>;
    const T* x = a.in<T>(0);
    T* y = a.out<T>(0);
    if (p.elements() == 0) return launch(c, p.count, check_body{p.length, p.wide, a.inputs[1], c.faults});
    return launch_lanes<w>(
        c, p.elements(), p.inner % w == 0 && is_aligned(x, y), [&]<int W>(std::integral_constant<int, W>) {
            return gather_body<W, T>{
                divider(p.inner / W), divider(p.count), p.length, p.wide, a.inputs[1], x, y, c.faults};
        });
}
template struct gather_on_cuda<8>;
template struct gather_on_cuda<16>;
template struct gather_on_cuda<32>;
template struct gather_on_cuda<64>;
template struct gather_on_cuda<128>;
}  // namespace v1
}  // namespace inlay

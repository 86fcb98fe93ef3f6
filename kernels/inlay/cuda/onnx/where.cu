// Device code of kernels/inlay/cuda/onnx/where.hpp.
#include "where.hpp"
#include <inlay/cuda/support/element_wise.cuh>
#include <inlay/cuda/support/moving.cuh>

namespace inlay {
inline namespace v1 {
namespace {
template <int W, class T> struct choose_body {
    broadcast_walk<3> walk;
    bool dense[3];
    const std::uint8_t* condition;  // bytes: a caller's true may be any nonzero value
    const T *yes, *no;
    T* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        const auto at = walk.of(i);
        const auto holds = operand_lanes<W>(condition + walk.offset(0, at), dense[0]);
        const auto p = operand_lanes<W>(yes + walk.offset(1, at), dense[1]),
                   q = operand_lanes<W>(no + walk.offset(2, at), dense[2]);
        lanes<T, W> r;
        for (int k = 0; k < W; ++k) r.at[k] = holds.at[k] ? p.at[k] : q.at[k];
        store_lanes(y + i * W, r);
    }
};
}  // namespace
template <int Bits>
status where_on_cuda<Bits>::run(const params& p, const state&, const arguments& a, context& c) noexcept {
    using T = moved<Bits>;
    constexpr int w = full_lanes<T>;
    const auto& l = p.loops;
    const auto* condition = a.in<std::uint8_t>(0);
    const T *yes = a.in<T>(1), *no = a.in<T>(2);
    T* y = a.out<T>(0);
    const bool dense[] = {l.along(0) == 1, l.along(1) == 1, l.along(2) == 1};
    if (in_lanes(l, w) && (!dense[0] || is_aligned(condition)) && (!dense[1] || is_aligned(yes)) &&
        (!dense[2] || is_aligned(no)) && is_aligned(y))
        return launch(c, l.elements() / w,
                      choose_body<w, T>{{l, w}, {dense[0], dense[1], dense[2]}, condition, yes, no, y});
    return launch(c, l.elements(), choose_body<1, T>{{l, 1}, {}, condition, yes, no, y});
}
template struct where_on_cuda<8>;
template struct where_on_cuda<16>;
template struct where_on_cuda<32>;
template struct where_on_cuda<64>;
template struct where_on_cuda<128>;
}  // namespace v1
}  // namespace inlay

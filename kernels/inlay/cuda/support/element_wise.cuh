// Element-wise loops of CUDA threads: y = f(x), and y = f(a, b) over a broadcast. Limit: the bytes of operands and
// result, each once.
#pragma once
#include "launch.cuh"
#include <inlay/support/broadcast.hpp>

namespace inlay {
inline namespace v1 {
template <int W, class F, class X, class Y> struct map_body {
    F f;
    const X* x;
    Y* y;
    std::int64_t full;  // packs; single elements follow
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        if (i < full) {
            const lanes<X, W> v = load_lanes<W>(x + i * W);
            lanes<Y, W> r;
            for (int k = 0; k < W; ++k) r.at[k] = narrowed<Y>(f(widened(v.at[k])));
            store_lanes(y + i * W, r);
        } else {
            i += full * (W - 1);
            y[i] = narrowed<Y>(f(widened(x[i])));
        }
    }
};
template <class F, class X, class Y> status map(context& c, std::int64_t count, const X* x, Y* y, F f) noexcept {
    constexpr int w = full_lanes<X, Y>;
    const std::int64_t full = is_aligned(x, y) ? count / w : 0;
    return launch(c, full + (count - full * w), map_body<w, F, X, Y>{f, x, y, full});
}

// Where the operands of element i, or of the i-th W elements, are: the loops of a broadcast by fast division.
template <int Most> struct broadcast_walk {
    int rank;
    divider count[max_rank];
    std::int64_t step[Most][max_rank];
    broadcast_walk(const broadcast_loops<Most>& l, int w) : rank(l.rank) {
        for (int r = 0; r < rank; ++r) {
            count[r] = divider(r == rank - 1 ? l.count[r] / w : l.count[r]);
            for (int k = 0; k < l.operands; ++k) step[k][r] = r == rank - 1 ? l.step[k][r] * w : l.step[k][r];
        }
    }
    struct position {
        std::int64_t at[max_rank];
    };
    INLAY_ON_DEVICE position of(std::int64_t i) const {
        position p;
        for (int r = max_rank - 1; r >= 0; --r)
            if (r < rank) p.at[r] = r > 0 ? count[r].split(i) : i;  // unrolled: `at` stays in registers
        return p;
    }
    INLAY_ON_DEVICE std::int64_t offset(int k, const position& p) const {
        std::int64_t o = 0;
        for (int r = 0; r < max_rank; ++r)
            if (r < rank) o += p.at[r] * step[k][r];
        return o;
    }
};
// W elements of a row lie side by side, or are one and the same, in every operand.
template <int Most> bool in_lanes(const broadcast_loops<Most>& l, int w) {
    if (l.count[l.rank - 1] % w != 0) return false;
    for (int k = 0; k < l.operands; ++k) {
        if (l.along(k) != 0 && l.along(k) != 1) return false;
        for (int r = 0; r < l.rank - 1; ++r)
            if (l.along(k) == 1 && l.step[k][r] % w != 0) return false;
    }
    return true;
}

template <int W, class F, class X, class Y> struct combine_body {
    broadcast_walk<2> walk;
    bool dense[2];
    F f;
    const X *a, *b;
    Y* y;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        const auto at = walk.of(i);
        const lanes<X, W> p = operand_lanes<W>(a + walk.offset(0, at), dense[0]),
                          q = operand_lanes<W>(b + walk.offset(1, at), dense[1]);
        lanes<Y, W> r;
        for (int k = 0; k < W; ++k) r.at[k] = narrowed<Y>(f(widened(p.at[k]), widened(q.at[k])));
        store_lanes(y + i * W, r);
    }
};
template <class F, class X, class Y>
status combine(context& c, const broadcast_loops<2>& l, const X* a, const X* b, Y* y, F f) noexcept {
    constexpr int w = full_lanes<X, Y>;
    const bool dense[] = {l.along(0) == 1, l.along(1) == 1};
    if (in_lanes(l, w) && (!dense[0] || is_aligned(a)) && (!dense[1] || is_aligned(b)) && is_aligned(y))
        return launch(c, l.elements() / w, combine_body<w, F, X, Y>{{l, w}, {dense[0], dense[1]}, f, a, b, y});
    return launch(c, l.elements(), combine_body<1, F, X, Y>{{l, 1}, {false, false}, f, a, b, y});
}
}  // namespace v1
}  // namespace inlay

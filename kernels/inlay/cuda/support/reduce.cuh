// A fold over one axis of three: a team per output where the axis is the last, else blocks of 32 outputs side by
// side. Where outputs are few and the axis is long, parts of it are folded apart first, into scratch.
#pragma once
#include "reduce_middle.hpp"
#include "rows.cuh"
#include <inlay/onnx/reduce.hpp>

namespace inlay {
inline namespace v1 {
template <class Fold, class T> struct fold_of_row {
    struct total {
        Fold fold;
        INLAY_ON_DEVICE static total join(total a, total b) {
            a.fold.join(b.fold);
            return a;
        }
    };
    static constexpr int rounds = 1;
    const T* x;
    T* y;
    std::int64_t length;
    INLAY_ON_DEVICE total part(int, std::int64_t row, team t, total accumulator) const {
        over_row<1>(x + row * length, length, t, [&](std::int64_t, const lanes<T, 1>& v) {
            accumulator.fold.add(decltype(accumulator.fold.sum)(widened(v.at[0])));
        });
        return accumulator;
    }
    INLAY_ON_DEVICE void finish(std::int64_t row, team t, total reduction) const {
        if (t.rank == 0) y[row] = reduced_to<T>(reduction.fold.result(length));
    }
};

// 32 columns of a slab by 8 threads each; a part of the length per block. X is T, or the folds of parts; Y is T, or
// these.
template <class Fold, class X, class Y> struct fold_of_columns {
    static constexpr int threads = 256, side = 32, deep = threads / side;
    struct shared {
        alignas(Fold) unsigned char bytes[deep * side * sizeof(Fold)];  // shared memory has no constructors
        INLAY_ON_DEVICE Fold& of(int thread) { return reinterpret_cast<Fold*>(bytes)[thread]; }
    };
    struct local {};
    const X* x;
    Y* y;
    std::int64_t length, inner, part_length, count;  // count: how many are combined
    divider across, parts;                           // blocks over the columns of a slab; parts of the length
    INLAY_ON_DEVICE int phases(std::int64_t) const { return 2; }
    INLAY_ON_DEVICE void operator()(int phase, std::int64_t block, int thread, local&, shared& room) const {
        std::int64_t slab = block;
        const std::int64_t column = across.split(slab) * side + thread % side, p = parts.split(slab);
        if (column >= inner) return;
        Fold fold;
        if (phase == 0) {
            const std::int64_t end = (p + 1) * part_length < length ? (p + 1) * part_length : length;
            for (std::int64_t k = p * part_length + thread / side; k < end; k += deep) {
                const X& v = x[(slab * length + k) * inner + column];
                if constexpr (std::is_same_v<X, Fold>)
                    fold.join(v);
                else
                    fold.add(decltype(fold.sum)(widened(v)));
            }
            room.of(thread) = fold;
        } else if (thread < side) {
            for (int d = 0; d < deep; ++d) fold.join(room.of(d * side + thread));
            Y& to = y[(slab * std::int64_t(parts.by) + p) * inner + column];
            if constexpr (std::is_same_v<Y, Fold>)
                to = fold;
            else
                to = reduced_to<Y>(fold.result(count));
        }
    }
};
template <class Fold, class T> status fold_middle(context& c, const reduce_middle& r, const T* x, T* y) noexcept {
    if (r.inner == 1) return launch_rows(c, r.outer, r.length, fold_of_row<Fold, T>{x, y, r.length});
    const std::int64_t across = (r.inner + 31) / 32, parts = r.parts(), part_length = (r.length + parts - 1) / parts;
    if (parts == 1)
        return launch_blocks(
            c, r.outer * across,
            fold_of_columns<Fold, T, T>{x, y, r.length, r.inner, r.length, r.length, divider(across), divider(1)});
    auto* folds = reinterpret_cast<Fold*>(c.scratch);
    const status s = launch_blocks(c, r.outer * parts * across,
                                   fold_of_columns<Fold, T, Fold>{x, folds, r.length, r.inner, part_length, r.length,
                                                                  divider(across), divider(parts)});
    if (s != status::ok) return s;
    return launch_blocks(
        c, r.outer * across,
        fold_of_columns<Fold, Fold, T>{folds, y, parts, r.inner, parts, r.length, divider(across), divider(1)});
}
}  // namespace v1
}  // namespace inlay

// The index of the largest or the smallest element of a row or of a column, for ArgMax and ArgMin; there is at least
// one element.
#pragma once
#include "rows.cuh"
#include <inlay/onnx/arg.hpp>

namespace inlay {
inline namespace v1 {
template <bool Largest, class T> struct best_of_row {  // the thread that finishes gets its index
    struct total {
        computed<T> best{};
        std::int64_t index = -1;  // none yet
        bool select_last = false;
        INLAY_ON_DEVICE static total join(total a, total b) {
            if (a.index < 0 || (b.index >= 0 && b.index < a.index)) {
                const total t = a;
                a = b;
                b = t;
            }
            return b.index >= 0 && takes_over<Largest>(b.best, a.best, a.select_last) ? b : a;
        }
    };
    static constexpr int rounds = 1;
    const T* x;
    std::int64_t length;
    bool select_last;
    INLAY_ON_DEVICE total part(int, std::int64_t row, team t, total accumulator) const {
        over_row<1>(x + row * length, length, t, [&](std::int64_t k, const lanes<T, 1>& v) {
            const computed<T> e = widened(v.at[0]);
            if (accumulator.index < 0 || takes_over<Largest>(e, accumulator.best, select_last))
                accumulator = {e, k, select_last};
        });
        return accumulator;
    }
};
template <bool Largest, class T>
INLAY_ON_DEVICE std::int64_t best_of_column(const T* first, std::int64_t length, std::int64_t step, bool select_last) {
    std::int64_t index = 0;
    computed<T> best = widened(*first);
    for (std::int64_t k = 1; k < length; ++k)
        if (const computed<T> e = widened(first[k * step]); takes_over<Largest>(e, best, select_last)) {
            best = e;
            index = k;
        }
    return index;
}
}  // namespace v1
}  // namespace inlay

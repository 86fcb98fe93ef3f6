// Gauss-Jordan elimination in place, by panels: the multipliers of a panel's steps are kept in its columns, and are
// applied at once to the panel's rows of all other columns, which no step has touched.
#include "along.hpp"
#include "inverse_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::inverse_f32 {
constexpr std::int64_t width = inverse_f32_panel, parts = width / lane_count;
alignas(64) constexpr float places[width] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
INLAY_INLINE void swap_rows(float* a, float* b, std::int64_t n) {
    along(n, [&](std::int64_t i, std::int64_t k) INLAY_INLINED {
        const lanes x = load_some(a + i, k), y = load_some(b + i, k);
        store_some(a + i, k, y);
        store_some(b + i, k, x);
    });
}
INLAY_INLINE std::int64_t greatest(const float* column, std::int64_t from, std::int64_t n) {
    std::int64_t best = from;
    float most = __builtin_fabsf(column[from * width]);
    for (std::int64_t r = from + 1; r < n; ++r) {
        const float x = __builtin_fabsf(column[r * width]);
        if (x > most) most = x, best = r;
    }
    return best;
}
// A row of a panel with its element i replaced: set in the vector, because loading a whole row just after storing one
// of its elements stalls.
struct panel_row {
    lanes of[parts];
    INLAY_STATIC panel_row load(const float* row, std::int64_t i, float number) {
        panel_row x;
        INLAY_UNROLL for (int k = 0; k < parts; ++k) x.of[k] =
            xsimd::select(lanes::load_aligned(places + k * lane_count) == lanes(float(i)), lanes(number),
                          lanes::load_unaligned(row + k * lane_count));
        return x;
    }
    INLAY_STATIC void store(const panel_row& x, float* row) {
        INLAY_UNROLL for (int k = 0; k < parts; ++k) x.of[k].store_unaligned(row + k * lane_count);
    }
};
// Eliminates column i from rows of a panel; the multipliers times the pivot's inverse are stored there.
INLAY_INLINE void subtract(float* panel, std::int64_t i, const panel_row& pivot, std::int64_t from, std::int64_t to) {
    for (std::int64_t r = from; r < to; ++r) {
        float* const row = panel + r * width;
        const lanes times(row[i]);
        panel_row x = panel_row::load(row, i, 0);
        INLAY_UNROLL for (int k = 0; k < parts; ++k) x.of[k] = x.of[k] - times * pivot.of[k];
        panel_row::store(x, row);
    }
}
INLAY_INLINE bool eliminate_panel(float* panel, std::int64_t n, std::int64_t first, std::int64_t columns,
                                  std::int32_t* rows) {
    for (std::int64_t i = 0; i < columns; ++i) {
        const std::int64_t at = first + i, best = greatest(panel + i, at, n);
        rows[at] = std::int32_t(best);
        float* const row = panel + at * width;
        if (best != at) swap_rows(row, panel + best * width, width);
        const float factor = 1 / row[i];
        if (!(__builtin_fabsf(factor) < __builtin_inff())) return false;
        panel_row pivot = panel_row::load(row, i, 1);
        INLAY_UNROLL for (int k = 0; k < parts; ++k) pivot.of[k] = pivot.of[k] * lanes(factor);
        panel_row::store(pivot, row);
        subtract(panel, i, pivot, 0, at);
        subtract(panel, i, pivot, at + 1, n);
    }
    return true;
}
// `Rows` rows of m plus those of a panel times `columns` rows of x.
template <int Rows>
INLAY_INLINE void add_product(float* m, std::int64_t n, const float* panel, const float* x, std::int64_t x_row,
                              std::int64_t columns) {
    along(n, [&](std::int64_t j, std::int64_t count) INLAY_INLINED {
        lanes sum[Rows];
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) sum[r] = load_some(m + r * n + j, count);
        for (std::int64_t k = 0; k < columns; ++k) {
            const lanes row = lanes::load_unaligned(x + k * x_row + j);
            INLAY_UNROLL for (int r = 0; r < Rows; ++r) sum[r] = fma(lanes(panel[r * width + k]), row, sum[r]);
        }
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) store_some(m + r * n + j, count, sum[r]);
    });
}
// Applies the panel's steps to all columns of m; those of the panel are left to the caller.
INLAY_INLINE void follow(float* m, std::int64_t n, std::int64_t first, std::int64_t columns, const std::int32_t* rows,
                         const float* panel, float* x) {
    const std::int64_t x_row = (n + 15) / 16 * 16;
    for (std::int64_t i = first; i < first + columns; ++i)
        if (rows[i] != i) swap_rows(m + i * n, m + rows[i] * n, n);
    for (std::int64_t i = 0; i < columns; ++i)
        along(n, [&](std::int64_t j, std::int64_t count) INLAY_INLINED {
            load_some(m + (first + i) * n + j, count).store_unaligned(x + i * x_row + j);
            store_some(m + (first + i) * n + j, count, lanes(0.f));
        });
    std::int64_t r = 0;
    for (; r + 8 <= n; r += 8) add_product<8>(m + r * n, n, panel + r * width, x, x_row, columns);
    for (; r < n; ++r) add_product<1>(m + r * n, n, panel + r * width, x, x_row, columns);
}
INLAY_LOCAL bool eliminate(float* m, std::int64_t n, std::int64_t first, std::int32_t* rows, float* room) noexcept {
    const std::int64_t columns = smaller(width, n - first);
    float *const panel = room, *const x = room + width * ((n + 15) / 16 * 16);
    for (std::int64_t r = 0; r < n; ++r)
        for (std::int64_t k = 0; k < width; k += lane_count)
            load_some(m + r * n + first + k, larger(0, smaller(lane_count, columns - k)))
                .store_unaligned(panel + r * width + k);
    if (!eliminate_panel(panel, n, first, columns, rows)) return false;
    if (columns < n) follow(m, n, first, columns, rows, panel, x);
    for (std::int64_t r = 0; r < n; ++r)
        for (std::int64_t k = 0; k < columns; k += lane_count)
            store_some(m + r * n + first + k, smaller(lane_count, columns - k),
                       lanes::load_unaligned(panel + r * width + k));
    return true;
}
}  // namespace INLAY_LEVEL::inverse_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(inverse_f32, eliminate)

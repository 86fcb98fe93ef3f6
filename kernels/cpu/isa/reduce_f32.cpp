// Sums in blocks of a few thousand, so that a long one stays exact enough; their order depends on the lengths only.
#include "reduce_f32.hpp"
#include "lanes.hpp"

namespace inlay::inline v1::INLAY_LEVEL {
constexpr std::int64_t block = 4096;

static float sum_row(const float* x, std::int64_t n) noexcept {
    lanes sum[4] = {lanes(0.f), lanes(0.f), lanes(0.f), lanes(0.f)};
    std::int64_t i = 0;
    for (; i + 4 * lane_count <= n; i += 4 * lane_count) _Pragma("GCC unroll 4") for (int v = 0; v < 4; ++v) sum[v] += lanes::load_unaligned(x + i + v * lane_count);
    for (; i + lane_count <= n; i += lane_count) sum[0] += lanes::load_unaligned(x + i);
    if (i < n) sum[1] += load_tail(x + i, n - i);
    return xsimd::hadd((sum[0] + sum[1]) + (sum[2] + sum[3]));
}
static void sum_rows(const float* x, std::int64_t row, std::int64_t rows, std::int64_t n, float* y) noexcept {
    for (std::int64_t r = 0; r < rows; ++r) {
        float sum = 0;
        for (std::int64_t i = 0; i < n; i += block) sum += sum_row(x + r * row + i, smaller(block, n - i));
        y[r] += sum;
    }
}

template <int Lanes> INLAY_INLINE void sum_block(const float* x, std::int64_t row, std::int64_t rows, float* y) {
    lanes all[Lanes];
    for (int v = 0; v < Lanes; ++v) all[v] = lanes::load_unaligned(y + v * lane_count);
    for (std::int64_t first = 0; first < rows; first += block) {
        lanes sum[Lanes];
        for (int v = 0; v < Lanes; ++v) sum[v] = lanes(0.f);
        const std::int64_t last = smaller(first + block, rows);
        for (std::int64_t r = first; r < last; ++r) _Pragma("GCC unroll 4") for (int v = 0; v < Lanes; ++v) sum[v] += lanes::load_unaligned(x + r * row + v * lane_count);
        for (int v = 0; v < Lanes; ++v) all[v] += sum[v];
    }
    for (int v = 0; v < Lanes; ++v) all[v].store_unaligned(y + v * lane_count);
}
static void sum_columns(const float* x, std::int64_t row, std::int64_t rows, std::int64_t n, float* y) noexcept {
    std::int64_t j = 0;
    for (; j + 4 * lane_count <= n; j += 4 * lane_count) sum_block<4>(x + j, row, rows, y + j);
    for (; j + lane_count <= n; j += lane_count) sum_block<1>(x + j, row, rows, y + j);
    if (j == n) return;
    lanes all = load_tail(y + j, n - j);
    for (std::int64_t first = 0; first < rows; first += block) {
        lanes sum(0.f);
        for (std::int64_t r = first; r < smaller(first + block, rows); ++r) sum += load_tail(x + r * row + j, n - j);
        all += sum;
    }
    store_tail(y + j, n - j, all);
}
static void divide(float* y, std::int64_t n, float by) noexcept {
    for (std::int64_t i = 0; i < n; ++i) y[i] /= by;
}
extern constexpr reduce_f32_table reduce_f32{sum_rows, sum_columns, divide};
}  // namespace inlay::inline v1::INLAY_LEVEL
INLAY_CHOICE(reduce_f32)

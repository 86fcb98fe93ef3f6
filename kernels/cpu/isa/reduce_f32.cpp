// Sums by halves down to short runs, so that long ones stay exact; their order depends on the lengths only.
#include "reduce_f32.hpp"
#include "along.hpp"

namespace inlay::inline v1::INLAY_LEVEL::reduce_f32 {
constexpr std::int64_t short_row = 2048, few_rows = 128;

INLAY_LOCAL float sum_row(const float* x, std::int64_t n) noexcept {
    if (n > short_row) return sum_row(x, n / 2) + sum_row(x + n / 2, n - n / 2);
    lanes sum[4] = {lanes(0.f), lanes(0.f), lanes(0.f), lanes(0.f)};
    std::int64_t i = 0;
    for (; i + 4 * lane_count <= n; i += 4 * lane_count) _Pragma("GCC unroll 4") for (int v = 0; v < 4; ++v) sum[v] += lanes::load_unaligned(x + i + v * lane_count);
    for (; i + lane_count <= n; i += lane_count) sum[0] += lanes::load_unaligned(x + i);
    if (i < n) sum[1] += load_tail(x + i, n - i);
    return xsimd::hadd((sum[0] + sum[1]) + (sum[2] + sum[3]));
}
INLAY_LOCAL void sum_rows(const float* x, std::int64_t row, std::int64_t rows, std::int64_t n, float* y) noexcept {
    for (std::int64_t r = 0; r < rows; ++r) y[r] += sum_row(x + r * row, n);
}

template <int Lanes> struct sums { lanes v[Lanes]; };
template <int Lanes> INLAY_LOCAL sums<Lanes> sum_block(const float* x, std::int64_t row, std::int64_t rows, std::int64_t columns) noexcept {  // columns: of each vector
    sums<Lanes> s;
    if (rows > few_rows) {
        s = sum_block<Lanes>(x, row, rows / 2, columns);
        const sums<Lanes> rest = sum_block<Lanes>(x + rows / 2 * row, row, rows - rows / 2, columns);
        for (int v = 0; v < Lanes; ++v) s.v[v] += rest.v[v];
        return s;
    }
    for (int v = 0; v < Lanes; ++v) s.v[v] = lanes(0.f);
    for (std::int64_t r = 0; r < rows; ++r, x += row) _Pragma("GCC unroll 4") for (int v = 0; v < Lanes; ++v) s.v[v] += load_some(x + v * lane_count, columns);
    return s;
}
INLAY_LOCAL void sum_columns(const float* x, std::int64_t row, std::int64_t rows, std::int64_t n, float* y) noexcept {
    std::int64_t j = 0;
    for (; j + 4 * lane_count <= n; j += 4 * lane_count) {
        const sums<4> s = sum_block<4>(x + j, row, rows, lane_count);
        for (int v = 0; v < 4; ++v) (lanes::load_unaligned(y + j + v * lane_count) + s.v[v]).store_unaligned(y + j + v * lane_count);
    }
    for (; j < n; j += lane_count) {
        const std::int64_t columns = smaller(lane_count, n - j);
        store_some(y + j, columns, load_some(y + j, columns) + sum_block<1>(x + j, row, rows, columns).v[0]);
    }
}
INLAY_LOCAL void divide(float* y, std::int64_t n, float by) noexcept {
    for (std::int64_t i = 0; i < n; ++i) y[i] /= by;
}
}  // namespace inlay::inline v1::INLAY_LEVEL::reduce_f32
INLAY_TABLE(reduce_f32, sum_rows, sum_columns, divide)

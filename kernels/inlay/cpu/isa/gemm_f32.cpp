// GEMM of float32: an element of B is a word, and A is read in place.
#include "gemm_f32.hpp"
#include "gemm_loops.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::gemm_f32 {
struct format : gemm::float_sums {
    using element = float;
    static constexpr std::int64_t group = 1;
    INLAY_STATIC lanes load(const float* p) { return lanes::load_unaligned(p); }
    INLAY_STATIC lanes multiply_add(lanes a, lanes b, lanes sum) { return fma(a, b, sum); }
    INLAY_STATIC void finish(const epilogue& e, float* y, std::int64_t rows, std::int64_t columns, std::int64_t row) {
        activate(e, y, rows, columns, row);
    }
    INLAY_STATIC void pack_row(const float* from, std::int64_t, std::int64_t, std::int64_t columns, float factor,
                               float* to) {
        const lanes scale(factor);
        std::int64_t j = 0;
        for (; j + lane_count <= columns; j += lane_count)
            (lanes::load_unaligned(from + j) * scale).store_unaligned(to + j);
        if (j < columns) (load_tail(from + j, columns - j) * scale).store_unaligned(to + j);
    }
    INLAY_STATIC void pack_column(const float* from, std::int64_t step, std::int64_t n, float scale, float* to,
                                  std::int64_t to_step) {
        for (std::int64_t e = 0; e < n; ++e) to[e * to_step] = from[e * step] * scale;
    }
    INLAY_STATIC void pack_columns(const gemm_f32_source& s, const float* from, float* to, std::int64_t to_step) {
        using four = float __attribute__((vector_size(16)));
        for (std::int64_t half = 0; half < 8; half += 4) {
            four column[4];
            for (int j = 0; j < 4; ++j) {
                __builtin_memcpy(column + j, from + j * s.column + half, 16);
                column[j] *= s.scale;
            }
            const four low01 = __builtin_shufflevector(column[0], column[1], 0, 4, 1, 5),
                       low23 = __builtin_shufflevector(column[2], column[3], 0, 4, 1, 5),
                       high01 = __builtin_shufflevector(column[0], column[1], 2, 6, 3, 7),
                       high23 = __builtin_shufflevector(column[2], column[3], 2, 6, 3, 7);
            const four rows[] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                                 __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                                 __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                                 __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
            for (int i = 0; i < 4; ++i) __builtin_memcpy(to + (half + i) * to_step, rows + i, 16);
        }
    }
    INLAY_STATIC void copy_rows(float* to, std::int64_t to_row, const float* from, std::int64_t from_row,
                                std::int64_t rows, std::int64_t columns) {
        gemm::copy_rows(to, to_row, from, from_row, rows, columns);
    }
};
INLAY_LOCAL void pack_tail(const gemm_f32_source& s, const gemm_f32_depth& d, float* tail) noexcept {
    const std::int64_t full = s.n / gemm::width * gemm::width;
    if (full < s.n && d.total() > 0) gemm::pack_panel<format>(s, d.length, 0, d.total(), full, s.n - full, tail);
}
}  // namespace INLAY_LEVEL::gemm_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(gemm_f32, gemm::pack<format>, pack_tail, gemm::run<format>)

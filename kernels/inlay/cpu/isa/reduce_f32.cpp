// Pairwise summation down to short runs, so that long ones stay accurate; their order depends on the lengths only.
// Extremes are reduced likewise.
#include "along.hpp"
#include "math_f32.hpp"
#include "reduce_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::reduce_f32 {
constexpr std::int64_t short_row = 2048, few_rows = 128;

// A fold: `identity` is the neutral element, `of` is an element's part, `join` combines two parts.
struct sum {
    static constexpr float identity = 0;
    INLAY_STATIC lanes of(lanes x) { return x; }
    INLAY_STATIC lanes join(lanes a, lanes b) { return a + b; }
    INLAY_STATIC float join(float a, float b) { return a + b; }
    INLAY_STATIC float all(lanes x) { return xsimd::hadd(x); }
};
struct magnitudes : sum {
    INLAY_STATIC lanes of(lanes x) { return magnitude_of(x); }
};
struct squares : sum {
    INLAY_STATIC lanes of(lanes x) { return x * x; }
};
template <bool Largest>
struct extreme {  // NaN is both above and below all others; xsimd 8.1 can find it by isnan() only
    static constexpr float identity = Largest ? -__builtin_inff() : __builtin_inff();
    INLAY_STATIC lanes of(lanes x) { return x; }
    INLAY_STATIC lanes join(lanes a, lanes b) {
        return xsimd::select((Largest ? a < b : b < a) || xsimd::isnan(b), b, a);
    }
    INLAY_STATIC float join(float a, float b) { return (Largest ? a < b : b < a) || b != b ? b : a; }
    INLAY_STATIC float all(lanes x) {
        alignas(64) float values[lane_count];
        x.store_aligned(values);
        float most = values[0];
        for (std::int64_t i = 1; i < lane_count; ++i) most = join(most, values[i]);
        return most;
    }
};

template <class F> INLAY_LOCAL float fold_row(const float* x, std::int64_t n) noexcept {
    if (n > short_row) return F::join(fold_row<F>(x, n / 2), fold_row<F>(x + n / 2, n - n / 2));
    lanes part[4] = {lanes(F::identity), lanes(F::identity), lanes(F::identity), lanes(F::identity)};
    std::int64_t i = 0;
    for (; i + 4 * lane_count <= n; i += 4 * lane_count)
        _Pragma("GCC unroll 4") for (int v = 0; v < 4; ++v) part[v] =
            F::join(part[v], F::of(lanes::load_unaligned(x + i + v * lane_count)));
    for (; i + lane_count <= n; i += lane_count) part[0] = F::join(part[0], F::of(lanes::load_unaligned(x + i)));
    if (i < n) part[1] = F::join(part[1], F::of(load_tail(x + i, n - i, F::identity)));
    return F::all(F::join(F::join(part[0], part[1]), F::join(part[2], part[3])));
}
template <class F>
INLAY_LOCAL void fold_rows(const float* x, std::int64_t row, std::int64_t rows, std::int64_t n, float* y) noexcept {
    for (std::int64_t r = 0; r < rows; ++r) y[r] = F::join(y[r], fold_row<F>(x + r * row, n));
}

template <int Lanes> struct parts { lanes v[Lanes]; };
template <class F, int Lanes>
INLAY_LOCAL parts<Lanes> fold_block(const float* x, std::int64_t row, std::int64_t rows,
                                    std::int64_t columns) noexcept {  // columns: of each vector
    parts<Lanes> s;
    if (rows > few_rows) {
        s = fold_block<F, Lanes>(x, row, rows / 2, columns);
        const parts<Lanes> rest = fold_block<F, Lanes>(x + rows / 2 * row, row, rows - rows / 2, columns);
        for (int v = 0; v < Lanes; ++v) s.v[v] = F::join(s.v[v], rest.v[v]);
        return s;
    }
    for (int v = 0; v < Lanes; ++v) s.v[v] = lanes(F::identity);
    for (std::int64_t r = 0; r < rows; ++r, x += row)
        _Pragma("GCC unroll 4") for (int v = 0; v < Lanes; ++v) s.v[v] =
            F::join(s.v[v], F::of(load_some(x + v * lane_count, columns)));
    return s;
}
template <class F>
INLAY_LOCAL void fold_columns(const float* x, std::int64_t row, std::int64_t rows, std::int64_t n, float* y) noexcept {
    std::int64_t j = 0;
    for (; j + 4 * lane_count <= n; j += 4 * lane_count) {
        const parts<4> s = fold_block<F, 4>(x + j, row, rows, lane_count);
        for (int v = 0; v < 4; ++v)
            F::join(lanes::load_unaligned(y + j + v * lane_count), s.v[v]).store_unaligned(y + j + v * lane_count);
    }
    for (; j < n; j += lane_count) {
        const std::int64_t columns = smaller(lane_count, n - j);
        store_some(y + j, columns,
                   F::join(load_some(y + j, columns), fold_block<F, 1>(x + j, row, rows, columns).v[0]));
    }
}
INLAY_LOCAL void divide(float* y, std::int64_t n, float by) noexcept {
    for (std::int64_t i = 0; i < n; ++i) y[i] /= by;
}
template <class F> INLAY_LOCAL constexpr reduce_f32_table::fold fold_of{fold_rows<F>, fold_columns<F>};
}  // namespace INLAY_LEVEL::reduce_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(reduce_f32, fold_of<sum>, fold_of<magnitudes>, fold_of<squares>, fold_of<extreme<true>>,
            fold_of<extreme<false>>, divide)

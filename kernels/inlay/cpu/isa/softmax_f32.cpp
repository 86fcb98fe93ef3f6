// Maximum, then e^(x - maximum) and its sum, then the division, or the difference of logarithms: three passes over
// cached data.
#include "along.hpp"
#include "math_f32.hpp"
#include "softmax_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::softmax_f32 {
constexpr float lowest = -__builtin_inff();
INLAY_INLINE lanes raised(lanes x, lanes most) {
    return xsimd::max(x, most);
}  // this order: `most` is kept where x is NaN

template <bool Log>
INLAY_LOCAL void softmax_rows(const float* x, float* y, std::int64_t rows, std::int64_t n) noexcept {
    for (std::int64_t r = 0; r < rows; ++r, x += n, y += n) {
        lanes m[4] = {lanes(lowest), lanes(lowest), lanes(lowest), lanes(lowest)},
              s[4] = {lanes(0.f), lanes(0.f), lanes(0.f), lanes(0.f)};
        const std::int64_t whole = n / (4 * lane_count) * (4 * lane_count);
        for (std::int64_t i = 0; i < whole; i += 4 * lane_count)
            _Pragma("GCC unroll 4") for (int v = 0; v < 4; ++v) m[v] =
                raised(lanes::load_unaligned(x + i + v * lane_count), m[v]);
        along(n - whole, [&](std::int64_t i, std::int64_t k)
                             INLAY_INLINED { m[0] = raised(load_some(x + whole + i, k, lowest), m[0]); });
        const lanes most(largest_of(raised(raised(m[0], m[1]), raised(m[2], m[3]))));
        const auto add = [&](std::int64_t i, std::int64_t k, int v) INLAY_INLINED {
            const lanes e = exp_of_nonpositive<true>(load_some(x + i, k, lowest) - most);
            if (!Log) store_some(y + i, k, e);
            s[v] += e;
        };
        for (std::int64_t i = 0; i < whole; i += 4 * lane_count)
            _Pragma("GCC unroll 4") for (int v = 0; v < 4; ++v) add(i + v * lane_count, lane_count, v);
        along(n - whole, [&](std::int64_t i, std::int64_t k) INLAY_INLINED { add(whole + i, k, 0); });
        const float sum = xsimd::hadd((s[0] + s[1]) + (s[2] + s[3]));
        const lanes log_sum(Log ? __builtin_logf(sum) : 0.f), factor(1 / sum);
        along(n, [&](std::int64_t i, std::int64_t k) INLAY_INLINED {
            store_some(y + i, k, Log ? load_some(x + i, k) - most - log_sum : load_some(y + i, k) * factor);
        });
    }
}

template <bool Log, int Lanes>
INLAY_INLINE void column_block(const float* x, float* y, std::int64_t n, std::int64_t inner, std::int64_t columns) {
    lanes most[Lanes], sum[Lanes], scale[Lanes];
    _Pragma("GCC unroll 4") for (int v = 0; v < Lanes; ++v) {
        most[v] = lanes(lowest);
        sum[v] = lanes(0.f);
    }
    for (std::int64_t k = 0; k < n; ++k)
        _Pragma("GCC unroll 4") for (int v = 0; v < Lanes; ++v) most[v] =
            raised(load_some(x + k * inner + v * lane_count, columns), most[v]);
    for (std::int64_t k = 0; k < n; ++k) _Pragma("GCC unroll 4") for (int v = 0; v < Lanes; ++v) {
            const lanes e = exp_of_nonpositive<true>(load_some(x + k * inner + v * lane_count, columns) - most[v]);
            if (!Log) store_some(y + k * inner + v * lane_count, columns, e);
            sum[v] += e;
        }
    _Pragma("GCC unroll 4") for (int v = 0; v < Lanes; ++v) scale[v] =
        Log ? each_lane(sum[v], [](float s) INLAY_INLINED { return __builtin_logf(s); }) : lanes(1.f) / sum[v];
    for (std::int64_t k = 0; k < n; ++k) _Pragma("GCC unroll 4") for (int v = 0; v < Lanes; ++v) {
            const std::int64_t at = k * inner + v * lane_count;
            store_some(y + at, columns,
                       Log ? load_some(x + at, columns) - most[v] - scale[v] : load_some(y + at, columns) * scale[v]);
        }
}
template <bool Log>
INLAY_LOCAL void softmax_columns(const float* x, float* y, std::int64_t n, std::int64_t inner, std::int64_t first,
                                 std::int64_t end) noexcept {
    std::int64_t j = first;
    for (; j + 4 * lane_count <= end; j += 4 * lane_count) column_block<Log, 4>(x + j, y + j, n, inner, lane_count);
    for (; j < end; j += lane_count) column_block<Log, 1>(x + j, y + j, n, inner, smaller(lane_count, end - j));
}
}  // namespace INLAY_LEVEL::softmax_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(softmax_f32, softmax_rows<false>, softmax_rows<true>, softmax_columns<false>, softmax_columns<true>)

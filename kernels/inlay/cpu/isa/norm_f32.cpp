// x and y may be the same, but for the local response normalisation, which reads its neighbours.
#include "along.hpp"
#include "math_f32.hpp"
#include "norm_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::norm_f32 {
INLAY_LOCAL void scale_shift(const float* x, float scale, float shift, float* y, std::int64_t n) noexcept {
    const lanes a(scale), b(shift);
    along(n,
          [&](std::int64_t i, std::int64_t k) INLAY_INLINED { store_some(y + i, k, fma(load_some(x + i, k), a, b)); });
}
INLAY_LOCAL void scale_shift_rows(const float* x, std::int64_t x_row, const float* scale, const float* shift, float* y,
                                  std::int64_t rows, std::int64_t channels) noexcept {
    for (std::int64_t r = 0; r < rows; ++r, x += x_row, y += channels)
        along(channels, [&](std::int64_t i, std::int64_t k) INLAY_INLINED {
            store_some(y + i, k, fma(load_some(x + i, k), load_some(scale + i, k), load_some(shift + i, k)));
        });
}

// Sums f(vector) over a row, with four chains and in blocks, so that a long row stays exact enough; the elements after
// its end are `fill`.
template <class F> INLAY_INLINE double sum_over(const float* x, std::int64_t n, float fill, F f) {
    double sum = 0;
    for (std::int64_t i = 0; i < n;) {
        lanes s[4] = {lanes(0.f), lanes(0.f), lanes(0.f), lanes(0.f)};
        const std::int64_t end = smaller(n, i + 4096);
        for (; i + 4 * lane_count <= end; i += 4 * lane_count)
            _Pragma("GCC unroll 4") for (int v = 0; v < 4; ++v) s[v] +=
                f(lanes::load_unaligned(x + i + v * lane_count));
        for (; i + lane_count <= end; i += lane_count) s[0] += f(lanes::load_unaligned(x + i));
        if (i < end) s[1] += f(load_tail(x + i, end - i, fill));
        i = end;
        sum += static_cast<double>(xsimd::hadd((s[0] + s[1]) + (s[2] + s[3])));
    }
    return sum;
}
struct moments {  // inverse: of the deviation
    float mean, inverse;
};
INLAY_LOCAL moments moments_of(const float* x, std::int64_t n, double epsilon) noexcept {
    const float mean =
        static_cast<float>(sum_over(x, n, 0.f, [](lanes v) INLAY_INLINED { return v; }) / static_cast<double>(n));
    const double variance = sum_over(x, n, mean,
                                     [&](lanes v) INLAY_INLINED {
                                         const lanes d = v - lanes(mean);
                                         return d * d;
                                     }) /
                            static_cast<double>(n);
    return {mean, static_cast<float>(1 / __builtin_sqrt(variance + epsilon))};
}
INLAY_LOCAL void add(const float* a, const float* b, const float* c, float* y, std::int64_t n) noexcept {
    if (c)
        along(n, [&](std::int64_t i, std::int64_t k) INLAY_INLINED {
            store_some(y + i, k, load_some(a + i, k) + load_some(b + i, k) + load_some(c + i, k));
        });
    else
        along(n, [&](std::int64_t i, std::int64_t k)
                     INLAY_INLINED { store_some(y + i, k, load_some(a + i, k) + load_some(b + i, k)); });
}
INLAY_LOCAL void layer_norm(const layer_norm_f32_call& c, std::int64_t first, std::int64_t end) noexcept {
    for (std::int64_t r = first; r < end; ++r) {
        const float* x = c.x + r * c.n;
        float* y = c.y + r * c.n;
        const auto [mean, inverse] = moments_of(x, c.n, c.epsilon);
        const lanes m(mean), f(inverse);
        if (c.shift)
            along(c.n, [&](std::int64_t i, std::int64_t k) INLAY_INLINED {
                store_some(y + i, k,
                           fma((load_some(x + i, k) - m) * f, load_some(c.scale + i, k), load_some(c.shift + i, k)));
            });
        else
            along(c.n, [&](std::int64_t i, std::int64_t k) INLAY_INLINED {
                store_some(y + i, k, (load_some(x + i, k) - m) * f * load_some(c.scale + i, k));
            });
        if (c.mean) c.mean[r] = mean;
        if (c.inverse) c.inverse[r] = inverse;
    }
}
INLAY_LOCAL void rms_norm(const layer_norm_f32_call& c, std::int64_t first, std::int64_t end) noexcept {
    for (std::int64_t r = first; r < end; ++r) {
        const float* x = c.x + r * c.n;
        float* y = c.y + r * c.n;
        const double squares =
            sum_over(x, c.n, 0.f, [](lanes v) INLAY_INLINED { return v * v; }) / static_cast<double>(c.n);
        const lanes f(static_cast<float>(1 / __builtin_sqrt(squares + c.epsilon)));
        along(c.n, [&](std::int64_t i, std::int64_t k)
                       INLAY_INLINED { store_some(y + i, k, load_some(x + i, k) * f * load_some(c.scale + i, k)); });
    }
}
INLAY_LOCAL void group_norm(const group_norm_f32_call& c, std::int64_t first, std::int64_t end) noexcept {
    const std::int64_t n = c.channels * c.inner;
    for (std::int64_t r = first; r < end; ++r) {
        const auto [mean, inverse] = moments_of(c.x + r * n, n, c.epsilon);
        const std::int64_t group = r % c.groups;
        for (std::int64_t channel = 0; channel < c.channels; ++channel) {
            const float* x = c.x + r * n + channel * c.inner;
            float* y = c.y + r * n + channel * c.inner;
            const std::int64_t number = c.per_group ? group : group * c.channels + channel;
            const lanes m(mean), f(inverse * c.scale[number]), shift(c.shift[number]);
            along(c.inner, [&](std::int64_t i, std::int64_t k)
                               INLAY_INLINED { store_some(y + i, k, fma(load_some(x + i, k) - m, f, shift)); });
        }
    }
}

INLAY_INLINE lanes divided(const lrn_f32_call& c, lanes x, lanes squares) {  // by (bias + alpha * squares)^beta
    const lanes base = fma(squares, lanes(c.alpha), lanes(c.bias));
    if (c.beta == 0.75f) {
        const lanes root = xsimd::sqrt(base);
        return x / (root * xsimd::sqrt(root));
    }
    if (c.beta == 1.f) return x / base;
    if (c.beta == 0.5f) return x / xsimd::sqrt(base);
    return x / each_lane(base, [&](float b) INLAY_INLINED { return __builtin_powf(b, c.beta); });
}
INLAY_LOCAL void lrn(const lrn_f32_call& c, std::int64_t first, std::int64_t end) noexcept {
    along(end - first, [&](std::int64_t i, std::int64_t k) INLAY_INLINED {
        const float* x = c.x + first + i;
        float* y = c.y + first + i;
        for (std::int64_t channel = 0; channel < c.channels; ++channel) {
            lanes sum(0.f);
            for (std::int64_t near = larger(channel - c.below, 0); near < smaller(channel + c.above + 1, c.channels);
                 ++near) {
                const lanes v = load_some(x + near * c.inner, k);
                sum = fma(v, v, sum);
            }
            store_some(y + channel * c.inner, k, divided(c, load_some(x + channel * c.inner, k), sum));
        }
    });
}
INLAY_LOCAL void lrn_rows(const lrn_f32_call& c, std::int64_t first, std::int64_t end, float* squares) noexcept {
    for (std::int64_t i = 0; i < c.below; ++i) squares[i] = 0;
    for (std::int64_t i = c.below + c.channels; i < lrn_f32_squares(c.channels, c.below, c.above); ++i) squares[i] = 0;
    for (std::int64_t r = first; r < end; ++r) {
        const float* x = c.x + r * c.channels;
        float* y = c.y + r * c.channels;
        along(c.channels, [&](std::int64_t i, std::int64_t k) INLAY_INLINED {
            const lanes v = load_some(x + i, k);
            store_some(squares + c.below + i, k, v * v);
        });
        along(c.channels, [&](std::int64_t i, std::int64_t k) INLAY_INLINED {
            lanes sum(0.f);
            for (std::int64_t near = 0; near <= c.below + c.above; ++near)
                sum += lanes::load_unaligned(squares + i + near);
            store_some(y + i, k, divided(c, load_some(x + i, k), sum));
        });
    }
}
}  // namespace INLAY_LEVEL::norm_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(norm_f32, add, scale_shift, scale_shift_rows, layer_norm, rms_norm, group_norm, lrn, lrn_rows)

// A block of places at a time: where their pixels are and what they weigh, then these pixels of every channel.
#include "along.hpp"
#include "sample_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::sample_f32 {
constexpr std::int64_t block = 128;
struct places {  // pixel -1: none
    alignas(64) std::int32_t pixel[4][block];
    alignas(64) float weight[4][block];
};
struct axis {
    float length, last_index, low, high;  // low, high: of the positions that padding leaves as they are
    axis(std::int64_t n, bool corners)
        : length(static_cast<float>(n)),
          last_index(static_cast<float>(n - 1)),
          low(corners ? 0.f : -.5f),
          high(corners ? last_index : length - .5f) {}
};
struct neighbours {  // along one axis; keep: all bits where the pixel is there
    lanes first, second, rest, keep_first, keep_second;
};
template <class Mask> INLAY_INLINE lanes bits(Mask m) {
    return xsimd::select(m, xsimd::bitwise_cast<lanes>(int_lanes(-1)), lanes(0.f));
}

INLAY_INLINE lanes reflected(lanes x, const axis& a) {
    const lanes low(a.low), high(a.high), range(a.high - a.low), way = xsimd::max(low - x, x - high);
    const lanes times = xsimd::floor(way / range), rest = way - times * range,
                odd = times - lanes(2.f) * xsimd::floor(times * lanes(.5f));
    const lanes from_low = low + rest, from_high = high - rest;
    const lanes turned = xsimd::select(x < low, xsimd::select(odd == lanes(0.f), from_low, from_high),
                                       xsimd::select(odd == lanes(0.f), from_high, from_low));
    const lanes y = xsimd::select(way > lanes(0.f), turned, x);
    return xsimd::select((y >= low) && (y <= high), y, low);  // also where x is no finite number
}
// What padding does to positions.
INLAY_INLINE lanes padded(lanes x, const axis& a, int padding) {
    if (padding == 0)  // what is far outside is so by a few pixels only; NaN is outside
        return xsimd::min(xsimd::max(x, lanes(-8.f)), lanes(a.length + 8));
    if (padding == 2) return reflected(x, a);
    const lanes outside = xsimd::select(x > lanes(a.high), lanes(a.last_index), lanes(0.f));
    return xsimd::select((x >= lanes(a.low)) && (x <= lanes(a.high)), x, outside);
}
INLAY_INLINE lanes within(lanes i, const axis& a) { return xsimd::min(xsimd::max(i, lanes(0.f)), lanes(a.last_index)); }
INLAY_INLINE lanes is_there(lanes i, const axis& a, int padding) {
    return padding == 0 ? bits((i >= lanes(0.f)) && (i <= lanes(a.last_index))) : bits(i == i);
}
INLAY_INLINE neighbours find(lanes x, const axis& a, const sample_f32_call& call) {
    if (call.nearest) {
        const lanes i = xsimd::nearbyint(padded(xsimd::nearbyint(x), a, call.padding));
        return {within(i, a), lanes(0.f), lanes(0.f), is_there(i, a, call.padding), lanes(0.f)};
    }
    x = padded(x, a, call.padding);
    const lanes below = xsimd::floor(x), above = below + lanes(1.f);
    lanes second = within(above, a);
    if (call.padding == 2 && call.corners)
        second = xsimd::select(above > lanes(a.last_index), xsimd::max(lanes(a.last_index - 1), lanes(0.f)), second);
    return {within(below, a), second, x - below, is_there(below, a, call.padding), is_there(above, a, call.padding)};
}
INLAY_INLINE void put(places& p, int k, std::int64_t i, lanes pixel, lanes keep, lanes weight) {
    const lanes no_pixel = xsimd::bitwise_cast<lanes>(int_lanes(-1)),
                index = xsimd::bitwise_cast<lanes>(xsimd::to_int(pixel));
    ((keep & index) | (keep ^ no_pixel)).store_aligned(reinterpret_cast<float*>(p.pixel[k] + i));
    weight.store_aligned(p.weight[k] + i);
}
INLAY_LOCAL void find_places(const sample_f32_call& call, std::int64_t image, std::int64_t first, std::int64_t count,
                             places& p) noexcept {
    const axis across(call.width, call.corners), down(call.height, call.corners);
    // Separate multiplications, so that none is fused into an addition: the reference kernel would round otherwise.
    alignas(64) float column[block], row[block];
    const float half = call.corners ? .5f : 1.f, w = call.corners ? across.last_index : across.length,
                h = call.corners ? down.last_index : down.length;
    const float* line = call.grid + image * call.grid_image + first / call.out_width * call.grid_row;
    for (std::int64_t i = 0, o = first % call.out_width; i < count; o = 0, line += call.grid_row)
        for (const float* g = line + o * call.grid_column; o < call.out_width && i < count; ++o, ++i) {
            column[i] = (g[0] + 1) * half * w;
            row[i] = (g[call.grid_pair] + 1) * half * h;
            g += call.grid_column;
        }
    for (std::int64_t i = count; i % lane_count; ++i) column[i] = row[i] = 0;
    const lanes width(across.length), unit(1.f), shift(call.corners ? 0.f : 1.f), factor(call.corners ? 1.f : .5f);
    for (std::int64_t i = 0; i < count; i += lane_count) {
        const neighbours x = find((lanes::load_aligned(column + i) - shift) * factor, across, call),
                         y = find((lanes::load_aligned(row + i) - shift) * factor, down, call);
        const lanes top = y.first * width, bottom = y.second * width;
        if (call.nearest) {
            put(p, 0, i, top + x.first, y.keep_first & x.keep_first, unit);
            continue;
        }
        const lanes left = unit - x.rest, upper = unit - y.rest;
        put(p, 0, i, top + x.first, y.keep_first & x.keep_first, upper * left);
        put(p, 1, i, top + x.second, y.keep_first & x.keep_second, upper * x.rest);
        put(p, 2, i, bottom + x.first, y.keep_second & x.keep_first, y.rest * left);
        put(p, 3, i, bottom + x.second, y.keep_second & x.keep_second, y.rest * x.rest);
    }
}

// Gathers x at these places; of a negative one 0. On zen 4, 16 scalar loads take a third of the time of a gather
// instruction.
#if defined(__AVX2__)
INLAY_INLINE __m128 four(const float* x, const std::int32_t* at) {
    return _mm_set_ps(x[at[3]], x[at[2]], x[at[1]], x[at[0]]);
}
INLAY_INLINE __m256 eight(const float* x, const std::int32_t* at) {
    return _mm256_set_m128(four(x, at + 4), four(x, at));
}
#endif
INLAY_INLINE lanes gathered(const float* x, const std::int32_t* at) {
#if defined(__AVX512F__)
    const __m512i i = _mm512_load_si512(at);
    const __mmask16 valid = _mm512_cmpge_epi32_mask(i, _mm512_setzero_si512());
    if (valid == 0xffff) return _mm512_insertf32x8(_mm512_castps256_ps512(eight(x, at)), eight(x, at + 8), 1);
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), valid, i, x, 4);
#elif defined(__AVX2__)
    const __m256i i = _mm256_load_si256(reinterpret_cast<const __m256i*>(at));
    if (_mm256_movemask_ps(_mm256_castsi256_ps(i)) == 0) return eight(x, at);
    const __m256i mask = _mm256_cmpgt_epi32(i, _mm256_set1_epi32(-1));
    return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), x, i, _mm256_castsi256_ps(mask), 4);
#else
    alignas(64) float values[lane_count];
    for (std::int64_t k = 0; k < lane_count; ++k) values[k] = at[k] < 0 ? 0 : x[at[k]];
    return lanes::load_aligned(values);
#endif
}
INLAY_LOCAL void by_channels(const sample_f32_call& call, const float* x, float* y, std::int64_t count,
                             const places& p) noexcept {
    for (std::int64_t c = 0; c < call.channels; ++c, x += call.height * call.width, y += call.places)
        along(
            count, [&](std::int64_t i, std::int64_t n) __attribute__((always_inline)) {
                lanes sum = gathered(x, p.pixel[0] + i);
                if (!call.nearest) {
                    sum *= lanes::load_aligned(p.weight[0] + i);
                    for (int k = 1; k < 4; ++k)
                        sum = fma(gathered(x, p.pixel[k] + i), lanes::load_aligned(p.weight[k] + i), sum);
                }
                store_some(y + i, n, sum);
            });
}
INLAY_LOCAL void by_pixels(const sample_f32_call& call, const float* x, float* y, std::int64_t count,
                           const places& p) noexcept {
    for (std::int64_t i = 0; i < count; ++i, y += call.channels) {
        const auto pixel = [&](int k) __attribute__((always_inline)) {
            return p.pixel[k][i] < 0 ? call.zeros : x + p.pixel[k][i] * call.channels;
        };
        const float* const a = pixel(0);
        if (call.nearest) {
            along(
                call.channels, [&](std::int64_t c, std::int64_t n)
                                   __attribute__((always_inline)) { store_some(y + c, n, load_some(a + c, n)); });
            continue;
        }
        const float *const b = pixel(1), *const d = pixel(2), *const e = pixel(3);
        const lanes wa(p.weight[0][i]), wb(p.weight[1][i]), wd(p.weight[2][i]), we(p.weight[3][i]);
        along(
            call.channels, [&](std::int64_t c, std::int64_t n) __attribute__((always_inline)) {
                const lanes upper = fma(load_some(b + c, n), wb, load_some(a + c, n) * wa);
                store_some(y + c, n, fma(load_some(e + c, n), we, fma(load_some(d + c, n), wd, upper)));
            });
    }
}
INLAY_LOCAL void sample(const sample_f32_call& call, std::int64_t first, std::int64_t end) noexcept {
    places p;
    while (first < end) {
        const std::int64_t image = first / call.places, o = first % call.places,
                           count = smaller(smaller(block, end - first), call.places - o);
        find_places(call, image, o, count, p);
        const float* x = call.x + image * call.channels * call.height * call.width;
        float* y = call.y + image * call.channels * call.places;
        if (call.channels_last)
            by_pixels(call, x, y + o * call.channels, count, p);
        else
            by_channels(call, x, y + o, count, p);
        first += count;
    }
}

struct sum_of {
    INLAY_STATIC lanes start() { return lanes(0.f); }
    INLAY_STATIC lanes add(lanes accumulator, lanes x, lanes weight) { return fma(x, weight, accumulator); }
};
struct largest_of {
    INLAY_STATIC lanes start() { return lanes(-__builtin_inff()); }
    INLAY_STATIC lanes add(lanes accumulator, lanes x, lanes weight) { return xsimd::max(x * weight, accumulator); }
};
template <class Fold>
INLAY_LOCAL void region_by_channels(const sample_f32_region& r, const sample_f32_points& p) noexcept {
    const float* x = r.x;
    float* y = r.y;
    for (std::int64_t c = 0; c < r.channels; ++c, x += r.pixels, y += r.places)
        along(
            r.outputs, [&](std::int64_t i, std::int64_t n) __attribute__((always_inline)) {
                lanes accumulator = r.more ? load_some(y + i, n) : Fold::start();
                for (std::int64_t s = 0; s < r.points; ++s)
                    for (int k = 0; k < 4; ++k)
                        accumulator = Fold::add(accumulator, gathered(x, p.pixel[s][k] + i),
                                                lanes::load_aligned(p.weight[s][k] + i));
                store_some(y + i, n, accumulator);
            });
}
template <class Fold>
INLAY_LOCAL void region_by_pixels(const sample_f32_region& r, const sample_f32_points& p) noexcept {
    const float* at[4 * sample_f32_points::most];
    float weight[4 * sample_f32_points::most];
    float* y = r.y;
    for (std::int64_t i = 0; i < r.outputs; ++i, y += r.channels) {
        std::int64_t count = 0;
        for (std::int64_t s = 0; s < r.points; ++s)
            for (int k = 0; k < 4; ++k, ++count) {
                const std::int32_t pixel = p.pixel[s][k][i];
                at[count] = pixel < 0 ? r.zeros : r.x + pixel * r.channels;
                weight[count] = p.weight[s][k][i];
            }
        std::int64_t c = 0;
        for (; c + 4 * lane_count <= r.channels; c += 4 * lane_count) {
            lanes accumulators[4];
            for (int v = 0; v < 4; ++v)
                accumulators[v] = r.more ? lanes::load_unaligned(y + c + v * lane_count) : Fold::start();
            for (std::int64_t k = 0; k < count; ++k) {
                const lanes w(weight[k]);
                _Pragma("GCC unroll 4") for (int v = 0; v < 4; ++v) accumulators[v] =
                    Fold::add(accumulators[v], lanes::load_unaligned(at[k] + c + v * lane_count), w);
            }
            for (int v = 0; v < 4; ++v) accumulators[v].store_unaligned(y + c + v * lane_count);
        }
        along(
            r.channels - c, [&](std::int64_t j, std::int64_t n) __attribute__((always_inline)) {
                lanes accumulator = r.more ? load_some(y + c + j, n) : Fold::start();
                for (std::int64_t k = 0; k < count; ++k)
                    accumulator = Fold::add(accumulator, load_some(at[k] + c + j, n), lanes(weight[k]));
                store_some(y + c + j, n, accumulator);
            });
    }
}
INLAY_LOCAL void region(const sample_f32_region& r, const sample_f32_points& p) noexcept {
    if (r.channels_last)
        r.maximum ? region_by_pixels<largest_of>(r, p) : region_by_pixels<sum_of>(r, p);
    else
        r.maximum ? region_by_channels<largest_of>(r, p) : region_by_channels<sum_of>(r, p);
}

template <int Rows> INLAY_INLINE void product_rows(const sample_f32_product& p, std::int64_t row, std::int64_t first) {
    constexpr std::int64_t step = sample_f32_points::outputs;
    const float *const w = p.w + row * p.inner, *const x = p.columns + first;
    lanes accumulators[Rows][2];
    for (int r = 0; r < Rows; ++r) accumulators[r][0] = accumulators[r][1] = lanes(p.bias ? p.bias[row + r] : 0.f);
    for (std::int64_t k = 0; k < p.inner; ++k) {
        const lanes a = lanes::load_aligned(x + k * step), b = lanes::load_aligned(x + k * step + lane_count);
        _Pragma("GCC unroll 4") for (int r = 0; r < Rows; ++r) {
            const lanes factor(w[r * p.inner + k]);
            accumulators[r][0] = fma(factor, a, accumulators[r][0]);
            accumulators[r][1] = fma(factor, b, accumulators[r][1]);
        }
    }
    for (int r = 0; r < Rows; ++r)
        for (std::int64_t v = 0; v < 2; ++v) {
            const std::int64_t at = first + v * lane_count, left = smaller(p.outputs - at, lane_count);
            if (left > 0) store_some(p.y + (row + r) * p.y_row + at, left, accumulators[r][v]);
        }
}
INLAY_LOCAL void product(const sample_f32_product& p) noexcept {
    for (std::int64_t first = 0; first < p.outputs; first += 2 * lane_count) {
        std::int64_t row = 0;
        for (; row + 4 <= p.rows; row += 4) product_rows<4>(p, row, first);
        for (; row < p.rows; ++row) product_rows<1>(p, row, first);
    }
}
}  // namespace INLAY_LEVEL::sample_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(sample_f32, sample, region, product)

// A strip of neighbouring pixels of a row at a time, one vector of channels after another. Pixels of two rows lie in
// the halves of a word, where one dot-product instruction handles both; or of four rows in its bytes.
#include "depthwise_u8.hpp"
#include "sum_codes.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::depthwise_u8 {
constexpr int most_pixels = lane_count == 16 ? 7 : 4;  // of a strip

INLAY_INLINE int_lanes load(const std::int32_t* p) {
    return xsimd::bitwise_cast<int_lanes>(lanes::load_unaligned(reinterpret_cast<const float*>(p)));
}
// Dot product of the halves of each lane.
INLAY_INLINE int_lanes products(int_lanes a, int_lanes b) {
#if defined(__AVX512F__)
    return _mm512_madd_epi16(a, b);
#elif defined(__AVX2__)
    return _mm256_madd_epi16(a, b);
#elif defined(__aarch64__)
    const int16x8_t x = vreinterpretq_s16_s32(a), y = vreinterpretq_s16_s32(b);
    return vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)), vmull_high_s16(x, y));
#else
    return _mm_madd_epi16(a, b);
#endif
}
template <bool Two> INLAY_INLINE int_lanes pair_at(const std::uint8_t* upper, std::int64_t lower) {
    const int_lanes x = code_lanes::load_codes(upper, lane_count);
    if constexpr (Two)
        return x ^ code_lanes::load_codes(upper + lower, lane_count) << 16;
    else
        return x;
}
// Accumulates a row of windows, or two that lie under each other, for a strip. Kernels have `Columns` columns, and
// windows are `Stride` pixels apart, where those are not any.
template <int Pixels, int Columns, int Stride, bool Two>
INLAY_INLINE void add_rows(const depthwise_u8_call& d, const std::uint8_t* x, const std::int32_t* w, int_lanes* sum) {
    const std::int64_t channels = d.channels, lower = d.dilation_h * d.line, w_step = depthwise_u8_channels(channels);
    if constexpr (Columns > 0) {
        constexpr int input_pixels = (Pixels - 1) * Stride + Columns;
        int_lanes pair[input_pixels];
        INLAY_UNROLL for (int p = 0; p < input_pixels; ++p) pair[p] = pair_at<Two>(x + p * channels, lower);
        INLAY_UNROLL for (int k = 0; k < Columns; ++k) {
            const int_lanes weight = load(w + k * w_step);
            INLAY_UNROLL for (int p = 0; p < Pixels; ++p) sum[p] = sum[p] + products(pair[p * Stride + k], weight);
        }
    } else {
        const std::int64_t step = d.stride_w * channels;
        for (std::int64_t k = 0; k < d.kernel_w; ++k, x += d.dilation_w * channels, w += w_step) {
            const int_lanes weight = load(w);
            INLAY_UNROLL for (int p = 0; p < Pixels; ++p) sum[p] =
                sum[p] + products(pair_at<Two>(x + p * step, lower), weight);
        }
    }
}
// x: what the strip's first window sees; pixel: the strip's first one, of all of the output.
template <int Pixels, int Columns, int Stride>
[[gnu::noinline]] INLAY_LOCAL void strip(const depthwise_u8_call& d, const std::uint8_t* x,
                                         std::int64_t pixel) noexcept {
    const std::int64_t channels = d.channels, w_step = depthwise_u8_channels(channels) * d.kernel_w,
                       two_rows = 2 * d.dilation_h * d.line;
    const sum_codes::scaling scaled(d.codes);
    along(channels, [&](std::int64_t c, std::int64_t n) INLAY_INLINED {
        int_lanes sum[Pixels];
        const int_lanes start = load(d.start + c);
        INLAY_UNROLL for (int p = 0; p < Pixels; ++p) sum[p] = start;
        const std::uint8_t* from = x + c;
        const std::int32_t* w = d.weights + c;
        std::int64_t left = d.kernel_h;
        for (; left > 1; left -= 2, from += two_rows, w += w_step)
            add_rows<Pixels, Columns, Stride, true>(d, from, w, sum);
        if (left) add_rows<Pixels, Columns, Stride, false>(d, from, w, sum);
        if (d.y) {
            INLAY_UNROLL for (int p = 0; p < Pixels; ++p) store_some(
                reinterpret_cast<float*>(d.y + (pixel + p) * channels + c), n, xsimd::bitwise_cast<lanes>(sum[p]));
            return;
        }
        const lanes scale = lanes::load_unaligned(d.codes.scales + c);
        INLAY_UNROLL for (int p = 0; p < Pixels; ++p)
            scaled.store(d.codes.y + (pixel + p) * d.codes.y_row + c, n, sum[p], scale);
    });
}
using strip_function = void(const depthwise_u8_call&, const std::uint8_t*, std::int64_t) noexcept;
constexpr int five = most_pixels < 5 ? most_pixels : 5, six = most_pixels < 6 ? most_pixels : 6;
template <int Columns, int Stride>
INLAY_LOCAL constexpr strip_function* strips[7] = {strip<1, Columns, Stride>,          strip<2, Columns, Stride>,
                                                   strip<3, Columns, Stride>,          strip<4, Columns, Stride>,
                                                   strip<five, Columns, Stride>,       strip<six, Columns, Stride>,
                                                   strip<most_pixels, Columns, Stride>};

INLAY_LOCAL void run(const depthwise_u8_call& d) noexcept {
    const bool three = d.kernel_w == 3 && d.dilation_w == 1;
    strip_function* const* const set = three && d.stride_w == 1   ? strips<3, 1>
                                       : three && d.stride_w == 2 ? strips<3, 2>
                                                                  : strips<0, 0>;
    const std::int64_t turns = (d.width + most_pixels - 1) / most_pixels;
    for (std::int64_t row = 0; row < d.rows; ++row)
        for (std::int64_t i = 0; i < turns; ++i) {
            const std::int64_t first = d.width * i / turns, count = d.width * (i + 1) / turns - first;
            set[count - 1](d, d.x + row * d.stride_h * d.line + first * d.stride_w * d.channels, row * d.width + first);
        }
}
#if defined(__AVX512VNNI__)
// Four vectors as four others: part l of the i-th is part i of the l-th, of 16 bytes each.
INLAY_INLINE void exchange_parts(__m512i* x) {
    const __m512i a = _mm512_shuffle_i32x4(x[0], x[1], 0x44), b = _mm512_shuffle_i32x4(x[0], x[1], 0xee),
                  c = _mm512_shuffle_i32x4(x[2], x[3], 0x44), d = _mm512_shuffle_i32x4(x[2], x[3], 0xee);
    x[0] = _mm512_shuffle_i32x4(a, c, 0x88);
    x[1] = _mm512_shuffle_i32x4(a, c, 0xdd);
    x[2] = _mm512_shuffle_i32x4(b, d, 0x88);
    x[3] = _mm512_shuffle_i32x4(b, d, 0xdd);
}
INLAY_INLINE __mmask16 mask_of(std::int64_t count) {  // of as many of 16, or of all
    return static_cast<__mmask16>((1u << larger(0, smaller(count, 16))) - 1);
}
struct wide_block {  // at most 64 neighbouring channels
    std::int64_t channel, count;
    __mmask64 mask;
    __m512i start[4];
    lanes scales[4];
    [[gnu::always_inline]] wide_block(const depthwise_u8_call& d, std::int64_t first)
        : channel(first), count(smaller(64, d.channels - first)), mask(~0ull >> (64 - count)) {
        __m512i factors[4];
        for (std::int64_t l = 0; l < 4; ++l) {
            const __mmask16 mask = mask_of(count - 16 * l);
            start[l] = _mm512_maskz_loadu_epi32(mask, d.start + first + 16 * l);
            factors[l] = d.y ? _mm512_setzero_si512() : _mm512_maskz_loadu_epi32(mask, d.codes.scales + first + 16 * l);
        }
        exchange_parts(start);
        exchange_parts(factors);
        for (int i = 0; i < 4; ++i) scales[i] = lanes(_mm512_castsi512_ps(factors[i]));
    }
};
// The words of a pixel and those below it: its bytes of `rows` <= 4 rows; others are multiplied by weights of 0.
INLAY_INLINE void words_of_rows(const std::uint8_t* x, std::int64_t row, std::int64_t rows, __mmask64 mask,
                                __m512i* words) {
    const auto at = [&](std::int64_t r)
                        INLAY_INLINED { return _mm512_maskz_loadu_epi8(mask, x + (r < rows ? r : 0) * row); };
    const __m512i a = at(0), b = at(1), c = at(2), d = at(3);
    const __m512i ab = _mm512_unpacklo_epi8(a, b), cd = _mm512_unpacklo_epi8(c, d),
                  ab_high = _mm512_unpackhi_epi8(a, b), cd_high = _mm512_unpackhi_epi8(c, d);
    words[0] = _mm512_unpacklo_epi16(ab, cd);
    words[1] = _mm512_unpackhi_epi16(ab, cd);
    words[2] = _mm512_unpacklo_epi16(ab_high, cd_high);
    words[3] = _mm512_unpackhi_epi16(ab_high, cd_high);
}
// As strip(), of a block of channels.
template <int Pixels, int Columns, int Stride>
[[gnu::noinline]] INLAY_LOCAL void wide_strip(const depthwise_u8_call& d, const wide_block& block,
                                              const std::uint8_t* x, std::int64_t pixel) noexcept {
    const std::int64_t row = d.dilation_h * d.line, padded_channels = depthwise_u8_wide_channels(d.channels);
    const std::int32_t* w = d.weights + block.channel;
    x += block.channel;
    __m512i sum[Pixels][4];
    INLAY_UNROLL for (int p = 0; p < Pixels; ++p) INLAY_UNROLL for (int i = 0; i < 4; ++i) sum[p][i] = block.start[i];
    for (std::int64_t left = d.kernel_h; left > 0; left -= 4, x += 4 * row, w += Columns * padded_channels)
        INLAY_UNROLL for (int c = 0; c < (Pixels - 1) * Stride + Columns; ++c) {
            __m512i words[4];
            words_of_rows(x + c * d.channels, row, left, block.mask, words);
            INLAY_UNROLL for (int p = 0; p < Pixels; ++p) {
                const int k = c - p * Stride;
                if (k < 0 || k >= Columns) continue;
                INLAY_UNROLL for (int i = 0; i < 4; ++i) sum[p][i] =
                    _mm512_dpbusd_epi32(sum[p][i], words[i], _mm512_loadu_si512(w + k * padded_channels + 16 * i));
            }
        }
    if (d.y) {
        INLAY_UNROLL for (int p = 0; p < Pixels; ++p) {
            exchange_parts(sum[p]);
            INLAY_UNROLL for (int l = 0; l < 4; ++l) _mm512_mask_storeu_epi32(
                d.y + (pixel + p) * d.channels + block.channel + 16 * l, mask_of(block.count - 16 * l), sum[p][l]);
        }
        return;
    }
    const sum_codes::packed_scaling scaled(d.codes);
    INLAY_UNROLL for (int p = 0; p < Pixels; ++p) _mm512_mask_storeu_epi8(
        d.codes.y + (pixel + p) * d.codes.y_row + block.channel, block.mask, scaled.interleaved(sum[p], block.scales));
}
using wide_function = void(const depthwise_u8_call&, const wide_block&, const std::uint8_t*, std::int64_t) noexcept;
template <int Columns, int Stride>
INLAY_LOCAL constexpr wide_function* wide_strips[4] = {wide_strip<1, Columns, Stride>, wide_strip<2, Columns, Stride>,
                                                       wide_strip<3, Columns, Stride>, wide_strip<4, Columns, Stride>};
INLAY_LOCAL void run_fours(const depthwise_u8_call& d) noexcept {
    wide_function* const* const set = d.kernel_w == 3   ? d.stride_w == 1 ? wide_strips<3, 1> : wide_strips<3, 2>
                                        : d.stride_w == 1 ? wide_strips<5, 1>
                                                        : wide_strips<5, 2>;
    const std::int64_t turns = (d.width + 3) / 4;
    for (std::int64_t channel = 0; channel < d.channels; channel += 64) {
        const wide_block block(d, channel);
        for (std::int64_t row = 0; row < d.rows; ++row)
            for (std::int64_t i = 0; i < turns; ++i) {
                const std::int64_t first = d.width * i / turns, count = d.width * (i + 1) / turns - first;
                set[count - 1](d, block, d.x + row * d.stride_h * d.line + first * d.stride_w * d.channels,
                               row * d.width + first);
            }
    }
}
#else
constexpr decltype(depthwise_u8_table::run_fours) run_fours = nullptr;
#endif
}  // namespace INLAY_LEVEL::depthwise_u8
}  // namespace v1
}  // namespace inlay
INLAY_TABLE_OF_ALL(depthwise_u8, run, run_fours)

// An element of B is a word: four int8 values, or two that are widened to 16 bits while they are read. Exact: no
// intermediate result saturates.
#include "amx_tiles.hpp"
#include "gemm_loops.hpp"
#include "gemm_u8s8.hpp"
#include "gemm_u8s8_tiles.hpp"
#include "sum_codes.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::gemm_u8s8 {
constexpr std::int64_t group = gemm_u8s8_group(gemm::this_level);
INLAY_INLINE int_lanes integers(lanes x) { return xsimd::bitwise_cast<int_lanes>(x); }
#if defined(__AMX_INT8__)
struct amx_products : amx_tiles {
    using amx_tiles::amx_tiles;
    template <int T> INLAY_STATIC void multiply_add() {
        asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(T), "i"(4 + T / 2), "i"(6 + T % 2));
    }
};
#endif
struct format {
    static constexpr std::int64_t group = 1;
#if defined(__AVX512BF16__)  // then AVX512-VNNI too
    using number = std::uint8_t;
    using element = std::uint32_t;
    INLAY_STATIC lanes load(const element* p) { return _mm512_loadu_ps(p); }
    INLAY_STATIC lanes multiply_add(lanes a, lanes b, lanes sum) {
        return _mm512_castsi512_ps(
            _mm512_dpbusd_epi32(_mm512_castps_si512(sum), _mm512_castps_si512(a), _mm512_castps_si512(b)));
    }
#else
    using number = std::uint16_t;
    using element = std::uint16_t;
#if defined(__AVX512F__)
    INLAY_STATIC lanes load(const element* p) {
        return _mm512_castsi512_ps(_mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
    }
    INLAY_STATIC lanes products(lanes a, lanes b) {
        return _mm512_castsi512_ps(_mm512_madd_epi16(_mm512_castps_si512(a), _mm512_castps_si512(b)));
    }
#elif defined(__AVX2__)
    INLAY_STATIC lanes load(const element* p) {
        return _mm256_castsi256_ps(_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
    }
    INLAY_STATIC lanes products(lanes a, lanes b) {
        return _mm256_castsi256_ps(_mm256_madd_epi16(_mm256_castps_si256(a), _mm256_castps_si256(b)));
    }
#elif defined(__aarch64__)
    INLAY_STATIC lanes load(const element* p) {
        return vreinterpretq_f32_s16(vmovl_s8(vld1_s8(reinterpret_cast<const std::int8_t*>(p))));
    }
    INLAY_STATIC lanes products(lanes a, lanes b) {
        const int16x8_t x = vreinterpretq_s16_f32(a), y = vreinterpretq_s16_f32(b);
        return vreinterpretq_f32_s32(vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)), vmull_high_s16(x, y)));
    }
#else
    INLAY_STATIC lanes load(const element* p) {
        const __m128i numbers = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
        return _mm_castsi128_ps(_mm_srai_epi16(_mm_unpacklo_epi8(numbers, numbers), 8));
    }
    INLAY_STATIC lanes products(lanes a, lanes b) {
        return _mm_castsi128_ps(_mm_madd_epi16(_mm_castps_si128(a), _mm_castps_si128(b)));
    }
#endif
    INLAY_STATIC lanes multiply_add(lanes a, lanes b, lanes sum) { return plus(sum, products(a, b)); }
#endif
    INLAY_STATIC lanes plus(lanes a, lanes b) { return xsimd::bitwise_cast<lanes>(integers(a) + integers(b)); }
    INLAY_STATIC lanes clip(lanes x, lanes, lanes) { return x; }
    INLAY_STATIC void finish(const epilogue&, float*, std::int64_t, std::int64_t, std::int64_t) {}
    INLAY_STATIC void copy_rows(float* to, std::int64_t to_row, const float* from, std::int64_t from_row,
                                std::int64_t rows, std::int64_t columns) {
        gemm::copy_rows(to, to_row, from, from_row, rows, columns);
    }
#if defined(__AMX_INT8__)
    using matrix_unit = amx_products;
    static constexpr std::int64_t least_words = 5;  // fewer words of K are faster in registers: the epilogue dominates
    INLAY_STATIC void multiply_panels(const gemm::slab<format>& t, gemm::slab_call& s, std::int64_t panel) {
        integer_tiles::slab_product<format>(t, s).run(panel);
    }
#endif
    // Of rows of accumulators, `from_row` apart.
    INLAY_STATIC void store_codes(const gemm::slab_call& s, const float* scales, const float* from,
                                  std::int64_t from_row, std::int64_t rows, std::int64_t columns, std::uint8_t* y) {
        const std::int64_t y_row = s.codes->y_row;
        std::int64_t r = 0;
#if defined(__AVX512F__)
        const sum_codes::packed_scaling packed(*s.codes);
        if (columns == 2 * lane_count) {
            const lanes scale_pair[2] = {lanes::load_unaligned(scales), lanes::load_unaligned(scales + lane_count)};
            for (; r + 2 <= rows; r += 2) {
                const float* const sums = from + r * from_row;
                const lanes row[4] = {lanes::load_unaligned(sums), lanes::load_unaligned(sums + lane_count),
                                      lanes::load_unaligned(sums + from_row),
                                      lanes::load_unaligned(sums + from_row + lane_count)};
                packed.store(y + r * y_row, y + (r + 1) * y_row, row, row + 2, scale_pair);
            }
        } else {
            for (; r + 4 <= rows; r += 4)
                along(columns, [&](std::int64_t j, std::int64_t n) INLAY_INLINED {
                    const float* const sums = from + r * from_row + j;
                    const lanes column[4] = {lanes::load_unaligned(sums), lanes::load_unaligned(sums + from_row),
                                             lanes::load_unaligned(sums + 2 * from_row),
                                             lanes::load_unaligned(sums + 3 * from_row)};
                    packed.store(y + r * y_row + j, y_row, n, column, load_some(scales + j, n));
                });
        }
#endif
        const sum_codes::scaling scaled(*s.codes);
        for (; r < rows; ++r)
            along(columns, [&](std::int64_t j, std::int64_t n) INLAY_INLINED {
                scaled.store(y + r * y_row + j, n, integers(lanes::load_unaligned(from + r * from_row + j)),
                             load_some(scales + j, n));
            });
    }
    // Of a tile that is not cut.
    template <int Rows, int Lanes>
    INLAY_STATIC void store_tile(const gemm::slab_call& s, const lanes (&sums)[Rows][Lanes], std::uint8_t* y) {
        const std::int64_t y_row = s.codes->y_row;
        lanes scales[Lanes];
        INLAY_UNROLL for (int v = 0; v < Lanes; ++v) scales[v] = lanes::load_unaligned(s.scales + v * lane_count);
#if defined(__AVX512F__)
        constexpr int paired = Lanes == 2 ? Rows / 2 * 2 : 0;
        if constexpr (paired > 0) {
            const sum_codes::packed_scaling scaled(*s.codes);
            INLAY_UNROLL for (int r = 0; r < paired; r += 2)
                scaled.store(y + r * y_row, y + (r + 1) * y_row, sums[r], sums[r + 1], scales);
        }
#else
        constexpr int paired = 0;
#endif
        const sum_codes::scaling scaled(*s.codes);
        INLAY_UNROLL for (int r = paired; r < Rows; ++r) INLAY_UNROLL for (int v = 0; v < Lanes; ++v)
            scaled.store(y + r * y_row + v * lane_count, lane_count, integers(sums[r][v]), scales[v]);
    }
};
using element = format::element;
static_assert(sizeof(element) == group && sizeof(format::number) * group == sizeof(float));

INLAY_INLINE std::uint8_t flipped(std::uint8_t x, std::uint8_t flip) { return static_cast<std::uint8_t>(x ^ flip); }
// The word whose first number is at b; only at the end of a run of K it has fewer numbers than others.
INLAY_INLINE element word_at(const std::uint8_t* b, std::int64_t step, std::int64_t numbers) {
    element word = 0;
    for (std::int64_t i = 0; i < numbers; ++i)
        word = static_cast<element>(word | static_cast<element>(b[i * step]) << 8 * i);
    return word;
}
INLAY_INLINE element whole_word_at(const std::uint8_t* b, std::int64_t step) {
    if constexpr (group == 4)
        return static_cast<element>(b[0] | b[step] << 8 | b[2 * step] << 16 |
                                    static_cast<std::uint32_t>(b[3 * step]) << 24);
    else
        return static_cast<element>(b[0] | b[step] << 8);
}
INLAY_INLINE element flips(std::uint8_t flip, std::int64_t numbers) {
    const std::uint8_t bytes[4] = {flip, flip, flip, flip};
    return word_at(bytes, 1, numbers);
}
// A word of columns whose numbers lie side by side.
INLAY_INLINE void pack_row(const gemm_u8s8_source& s, const std::uint8_t* b, std::int64_t numbers, std::int64_t columns,
                           element* to) {
    constexpr std::int64_t block = 16;  // of constant count, so that g++ vectorizes it at -O2
    const element flip = flips(s.flip, numbers);
    std::int64_t j = 0;
    for (; numbers == group && j + block <= columns; j += block) {
        std::uint8_t rows[group * block];
        element words[block];
        for (std::int64_t i = 0; i < group; ++i) __builtin_memcpy(rows + i * block, b + i * s.element + j, block);
        for (std::int64_t e = 0; e < block; ++e) words[e] = static_cast<element>(whole_word_at(rows + e, block) ^ flip);
        __builtin_memcpy(to + j, words, sizeof words);
    }
    for (; j < columns; ++j) to[j] = static_cast<element>(word_at(b + j, s.element, numbers) ^ flip);
}
// A word of all taps of each column.
INLAY_INLINE void pack_columns(const gemm_u8s8_source& s, const std::uint8_t* b, std::int64_t taps,
                               std::int64_t numbers, std::int64_t columns, element* to, std::int64_t to_tap) {
    const element flip = flips(s.flip, numbers);
    for (std::int64_t j = 0; j < columns; ++j, b += s.column, ++to)
        for (std::int64_t t = 0; t < taps; ++t)
            to[t * to_tap] = static_cast<element>((numbers == group ? whole_word_at(b + t * s.tap, s.element)
                                                                    : word_at(b + t * s.tap, s.element, numbers)) ^
                                                  flip);
}
// Adds the values of `rows` packed words of each column to its accumulator.
INLAY_INLINE void add_columns(const element* words, std::int64_t rows, std::int64_t columns, std::int32_t* sums) {
    const lanes ones = xsimd::bitwise_cast<lanes>(int_lanes(group == 4 ? 0x01010101 : 0x00010001));
    const std::int64_t padded_columns = gemm::padded(columns);
    for (std::int64_t j = 0; j < columns; j += lane_count) {
        lanes sum(0.f);
        for (std::int64_t r = 0; r < rows; ++r)
            sum = format::multiply_add(ones, format::load(words + r * padded_columns + j), sum);
        alignas(64) float values[lane_count];
        sum.store_aligned(values);
        for (std::int64_t e = 0; e < smaller(lane_count, columns - j); ++e)
            sums[j + e] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[j + e]) +
                                                    __builtin_bit_cast(std::uint32_t, values[e]));
    }
}
INLAY_LOCAL void pack_taps(const gemm_u8s8_source& s, const gemm_f32_depth& numbers, std::int64_t panel,
                           std::int64_t panel_end, float* panels, std::int32_t* sums) noexcept {
    const auto depth = numbers.in_groups(group);
    const auto cut = depth.cuts(gemm::this_level);
    for (std::int64_t j = panel * gemm::width; j < smaller(s.n, panel_end * gemm::width); ++j) sums[j] = 0;
    for (std::int64_t c = 0; c < cut.y1 * cut.x1 * cut.i1; ++c) {
        const auto box = depth.part(cut, c);
        const std::int64_t first = depth.first(box), count = depth.size(box), length = box.i1 - box.i0,
                           taps = (box.y1 - box.y0) * (box.x1 - box.x0), tap = box.y0 * depth.taps_x + box.x0;
        for (std::int64_t p = panel; p < panel_end; ++p) {
            const std::int64_t j = p * gemm::width, columns = smaller(gemm::width, s.n - j),
                               padded_columns = gemm::padded(columns);
            auto* const to = reinterpret_cast<element*>(panels) + first * gemm::padded(s.n) + j * count;
            if (columns < padded_columns)
                __builtin_memset(to, 0, static_cast<std::size_t>(count * padded_columns) * sizeof(element));
            for (std::int64_t i = 0; i < length; ++i) {
                const std::int64_t number = (box.i0 + i) * group, bytes = smaller(group, numbers.length - number);
                const std::uint8_t* const b = s.b + tap * s.tap + number * s.element + j * s.column;
                element* const row = to + i * padded_columns;
                if (s.column != 1)
                    pack_columns(s, b, taps, bytes, columns, row, length * padded_columns);
                else
                    for (std::int64_t t = 0; t < taps; ++t)
                        pack_row(s, b + t * s.tap, bytes, columns, row + t * length * padded_columns);
            }
            add_columns(to, count, columns, sums + j);
        }
    }
}
INLAY_LOCAL void make_words(const std::uint8_t* a, std::int64_t rows, std::int64_t k, std::uint8_t flip, float* words,
                            std::int32_t* sums) noexcept {
    const std::int64_t whole = gemm_u8s8_depth(gemm::this_level, k).total() * group;
    auto* to = reinterpret_cast<format::number*>(words);
    for (std::int64_t r = 0; r < rows; ++r, a += k, to += whole) {
        std::uint32_t sum = 0;
        for (std::int64_t i = 0; i < k; ++i) {
            const std::uint8_t x = flipped(a[i], flip);
            to[i] = x;
            sum += x;
        }
        for (std::int64_t i = k; i < whole; ++i) to[i] = 0;
        sums[r] = static_cast<std::int32_t>(sum);
    }
}
using number = format::number;
INLAY_INLINE void copy_run(const std::uint8_t* x, std::int64_t n, std::uint8_t flip, number* to) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = flipped(x[i], flip);
}
// Planes of at most four channels, whose values follow each other in one word or two. Weights of missing channels are
// 0, so that those may repeat the first.
INLAY_INLINE void join_planes(const gemm_u8s8_pixels& p, std::int64_t pixel, std::uint32_t* to) {
    const std::uint8_t* plane[4];
    for (std::int64_t i = 0; i < 4; ++i) plane[i] = p.x + (i < p.channels ? i * p.channel : 0);
    const std::int64_t words = (p.channels + group - 1) / group;
    const std::uint32_t flip = p.flip * (group == 4 ? 0x01010101u : 0x00010001u);
    for (std::int64_t w = 0; w < words; ++w)
        for (std::int64_t j = 0; j < p.count; ++j) {
            std::uint32_t word = plane[w * group][j * pixel];
            for (std::int64_t i = 1; i < group; ++i)
                word |= static_cast<std::uint32_t>(plane[w * group + i][j * pixel]) << 32 / group * i;
            to[j * p.to_pixel + w] = word ^ flip;
        }
}
INLAY_LOCAL void copy_pixels(const gemm_u8s8_pixels& p, float* words) noexcept {
    auto* to = reinterpret_cast<number*>(words);
    const std::int64_t whole = (p.channels + group - 1) / group * group;
    if (p.channel != 1) {
        auto* const joined = reinterpret_cast<std::uint32_t*>(words);
        return p.pixel == 1 ? join_planes(p, 1, joined) : join_planes(p, p.pixel, joined);
    }
    if (p.pixel == whole && p.channels == whole && p.to_pixel * group == whole)
        return copy_run(p.x, p.count * whole, p.flip, to);
    for (std::int64_t j = 0; j < p.count; ++j, to += p.to_pixel * group) {
        copy_run(p.x + j * p.pixel, p.channels, p.flip, to);
        for (std::int64_t i = p.channels; i < whole; ++i) to[i] = 0;
    }
}
INLAY_LOCAL void correct(std::int64_t n, std::int32_t a, const std::int32_t* x, std::int32_t b, const std::int32_t* y,
                         std::int32_t* to) noexcept {
    const auto p = static_cast<std::uint32_t>(a), q = static_cast<std::uint32_t>(b);
    for (std::int64_t j = 0; j < n; ++j)
        to[j] =
            static_cast<std::int32_t>(0 - p * static_cast<std::uint32_t>(x[j]) - q * static_cast<std::uint32_t>(y[j]));
}
template <class F> INLAY_INLINE void scale_rows(std::int64_t rows, std::int64_t n, float* y, F scaled) {
    for (std::int64_t r = 0; r < rows; ++r, y += n)
        for (std::int64_t j = 0; j < n; ++j)
            y[j] = scaled(static_cast<float>(__builtin_bit_cast(std::int32_t, y[j])), j);
}
INLAY_LOCAL void scale(std::int64_t rows, std::int64_t n, const float* by, bool per_column, const float* addend,
                       float* y) noexcept {
    const float factor = *by;
    if (per_column && addend)
        scale_rows(rows, n, y, [=](float x, std::int64_t j) { return x * by[j] + addend[j]; });
    else if (per_column)
        scale_rows(rows, n, y, [=](float x, std::int64_t j) { return x * by[j]; });
    else if (addend)
        scale_rows(rows, n, y, [=](float x, std::int64_t j) { return x * factor + addend[j]; });
    else
        scale_rows(rows, n, y, [=](float x, std::int64_t) { return x * factor; });
}
}  // namespace INLAY_LEVEL::gemm_u8s8
}  // namespace v1
}  // namespace inlay
INLAY_TABLE_OF_ALL(gemm_u8s8, {nullptr, nullptr, gemm::run<format>}, pack_taps, make_words, copy_pixels, correct, scale)

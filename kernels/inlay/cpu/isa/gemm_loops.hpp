// The packed GEMM, for every format of its operands: register tiles of 4x8 (sse2), 6x16 (avx2) and 14x32 (avx512),
// accumulating in the order of K whatever the tile. A format F defines how B's elements lie and how they are
// multiplied:
//   element, group                    of B in panels; so many elements of K lie side by side there, and in a word of A,
//                                     its 4 bytes
//   load(p), multiply_add(a, b, sum)  of a vector of columns; sum + a b, with a word of A in every lane of a
//   pack_row(...), pack_column(...)   packs B's words from float32: one of each column, padded to whole vectors; up to
//                                     eight of one column
//   pack_columns(...)                 if it has a faster way for eight words of each of four columns, whose elements
//                                     lie side by side
//   copy_rows(...)                    packs A's words from rows of float32
//   finish(...)                       the activation, but for clip
//   store_codes(...), store_tile(...) if it requantizes: accumulators in memory, or in registers
//   plus(a, b), clip(x, low, high)    of accumulators: float32 (float_sums) or the type of a lane
//   multiply_panels(slab, call, p)    if it has an implementation that multiplies all rows by the packed panels from p
//   on, least_words                       where there are so many words of K
#pragma once
#include "gemm_f32.hpp"
#include "lanes.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::gemm {
constexpr isa::level this_level = isa::level::INLAY_LEVEL;
constexpr std::int64_t width = gemm_f32_width(this_level), tile_rows = gemm_f32_rows(this_level), wide_rows = 4;
static_assert(gemm_f32_lanes(this_level) == lane_count);

struct float_sums {
    INLAY_STATIC lanes plus(lanes a, lanes b) { return a + b; }
    INLAY_STATIC lanes clip(lanes x, lanes low, lanes high) { return clipped(x, low, high); }
};
struct slab_call {  // common to all tiles of one slab: of B in elements, else in words
    std::int64_t a_row, b_row, length, taps_x, taps_y, jump_x, jump_y, add_row, y_row;
    float low, high;
    const gemm_codes* codes = nullptr;  // the output, where accumulators are requantized
    const float* scales = nullptr;      // then: of the panel's columns
};
template <class F>
using tile_function = void(const slab_call&, const float* a, const typename F::element* b, const float* bias,
                           const float* add, float* y, const typename F::element* ahead,
                           std::int64_t ahead_step) noexcept;

// Rows x (Lanes vectors) of Y. A function of its own: inlined into its caller, g++ 12 spills the accumulators.
// Rows are addressed from every third one, so that 14 of them fit the registers. `ahead` walks through what the next
// panel reads from memory.
template <class F, int Rows, int Lanes>
[[gnu::noinline]] INLAY_LOCAL void tile(const slab_call& s, const float* a, const typename F::element* b,
                                        const float* bias, const float* add, float* y, const typename F::element* ahead,
                                        std::int64_t ahead_step) noexcept {
    constexpr int bases = (Rows + 2) / 3;
    const std::int64_t a_row = s.a_row, b_row = s.b_row;
    lanes sum[Rows][Lanes];
    INLAY_UNROLL for (int v = 0; v < Lanes; ++v) {
        const lanes start = lanes::load_unaligned(bias + v * lane_count);
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) sum[r][v] = start;
    }
    if (add) {
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int v = 0; v < Lanes; ++v) sum[r][v] =
            F::plus(sum[r][v], lanes::load_unaligned(add + r * s.add_row + v * lane_count));
    } else {
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int v = 0; v < Lanes; ++v)
            __builtin_prefetch(y + r * s.y_row + v * lane_count, 1);
    }
    const float* base[bases];
    INLAY_UNROLL for (int g = 0; g < bases; ++g) base[g] = a + 3 * g * a_row;
    for (std::int64_t ty = s.taps_y;;) {
        for (std::int64_t tx = s.taps_x;;) {
            for (std::int64_t k = s.length; k > 0; --k) {
                lanes column[Lanes];
                INLAY_UNROLL for (int v = 0; v < Lanes; ++v) column[v] = F::load(b + v * lane_count * F::group);
                __builtin_prefetch(ahead, 0, 2);
                ahead += ahead_step;
                INLAY_UNROLL for (int r = 0; r < Rows; ++r) {
                    const lanes x(base[r / 3][(r % 3) * a_row]);
                    INLAY_UNROLL for (int v = 0; v < Lanes; ++v) sum[r][v] = F::multiply_add(x, column[v], sum[r][v]);
                }
                INLAY_UNROLL for (int g = 0; g < bases; ++g)++ base[g];
                b += b_row;
            }
            INLAY_UNROLL for (int g = 0; g < bases; ++g) base[g] += s.jump_x;
            if (--tx <= 0) break;
        }
        if (--ty <= 0) break;
        INLAY_UNROLL for (int g = 0; g < bases; ++g) base[g] += s.jump_y;
    }
    if constexpr (requires { F::store_codes; })
        if (s.codes) return F::store_tile(s, sum, reinterpret_cast<std::uint8_t*>(y));
    const lanes low(s.low), high(s.high);
    INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int v = 0; v < Lanes; ++v)
        F::clip(sum[r][v], low, high)
            .store_unaligned(y + r * s.y_row + v * lane_count);
}

// Few rows: bound by reading B, so several whole panels together, one stream of memory each.
template <class F, int Rows, int Panels>
[[gnu::noinline]] INLAY_LOCAL void wide(const slab_call& s, const float* a, const typename F::element* b,
                                        std::int64_t panel_step, const float* bias, const float* add,
                                        float* y) noexcept {
    constexpr std::int64_t row_bytes = width * F::group * std::int64_t(sizeof(typename F::element));
    lanes sum[Rows][Panels][2];
    INLAY_UNROLL for (int p = 0; p < Panels; ++p) INLAY_UNROLL for (int v = 0; v < 2; ++v) {
        const lanes start = lanes::load_unaligned(bias + p * width + v * lane_count);
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) sum[r][p][v] = start;
    }
    if (add)
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int p = 0; p < Panels; ++p)
            INLAY_UNROLL for (int v = 0; v < 2; ++v) sum[r][p][v] =
                F::plus(sum[r][p][v], lanes::load_unaligned(add + r * s.add_row + p * width + v * lane_count));
    for (std::int64_t ty = s.taps_y;;) {
        for (std::int64_t tx = s.taps_x;;) {
            for (std::int64_t k = s.length; k > 0; --k) {
                INLAY_UNROLL for (int p = 0; p < Panels; ++p) {
                    const auto* from = b + p * panel_step;
                    INLAY_UNROLL for (std::int64_t line = 0; line < row_bytes; line += 64)
                        __builtin_prefetch(reinterpret_cast<const char*>(from) + 2048 + line);
                    const lanes first = F::load(from), second = F::load(from + lane_count * F::group);
                    INLAY_UNROLL for (int r = 0; r < Rows; ++r) {
                        const lanes x(a[r * s.a_row]);
                        sum[r][p][0] = F::multiply_add(x, first, sum[r][p][0]);
                        sum[r][p][1] = F::multiply_add(x, second, sum[r][p][1]);
                    }
                }
                ++a;
                b += s.b_row;
            }
            a += s.jump_x;
            if (--tx <= 0) break;
        }
        if (--ty <= 0) break;
        a += s.jump_y;
    }
    const lanes low(s.low), high(s.high);
    INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int p = 0; p < Panels; ++p)
        INLAY_UNROLL for (int v = 0; v < 2; ++v) F::clip(sum[r][p][v], low, high)
            .store_unaligned(y + r * s.y_row + p * width + v * lane_count);
}
template <class F> struct wide_choice {
    void (*function)(const slab_call&, const float*, const typename F::element*, std::int64_t, const float*,
                     const float*, float*) noexcept;
    int panels;
};
#if defined(__AVX512F__)
template <class F>
INLAY_LOCAL constexpr wide_choice<F> wides[wide_rows] = {
    {wide<F, 1, 4>, 4}, {wide<F, 2, 4>, 4}, {wide<F, 3, 4>, 4}, {wide<F, 4, 3>, 3}};
template <class F, int Lanes>
INLAY_LOCAL constexpr tile_function<F>* tiles[] = {
    tile<F, 1, Lanes>,  tile<F, 2, Lanes>,  tile<F, 3, Lanes>,  tile<F, 4, Lanes>, tile<F, 5, Lanes>,
    tile<F, 6, Lanes>,  tile<F, 7, Lanes>,  tile<F, 8, Lanes>,  tile<F, 9, Lanes>, tile<F, 10, Lanes>,
    tile<F, 11, Lanes>, tile<F, 12, Lanes>, tile<F, 13, Lanes>, tile<F, 14, Lanes>};
#elif defined(__AVX2__)
template <class F>
INLAY_LOCAL constexpr wide_choice<F> wides[wide_rows] = {
    {wide<F, 1, 4>, 4}, {wide<F, 2, 2>, 2}, {wide<F, 3, 2>, 2}, {nullptr, 0}};
template <class F, int Lanes>
INLAY_LOCAL constexpr tile_function<F>* tiles[] = {tile<F, 1, Lanes>, tile<F, 2, Lanes>, tile<F, 3, Lanes>,
                                                   tile<F, 4, Lanes>, tile<F, 5, Lanes>, tile<F, 6, Lanes>};
#else
template <class F>
INLAY_LOCAL constexpr wide_choice<F> wides[wide_rows] = {
    {wide<F, 1, 4>, 4}, {wide<F, 2, 2>, 2}, {nullptr, 0}, {nullptr, 0}};
template <class F, int Lanes>
INLAY_LOCAL constexpr tile_function<F>* tiles[] = {tile<F, 1, Lanes>, tile<F, 2, Lanes>, tile<F, 3, Lanes>,
                                                   tile<F, 4, Lanes>};
#endif

// How a format's tiles are computed: in vector registers, unless gemm_tiles.hpp has another implementation.
template <class F> struct computed {
    static constexpr std::int64_t rows = tile_rows;
    static constexpr bool wide = true;  // few rows are computed by wide(), which accumulates in the same order
    struct scope {};                    // exists while tiles are computed
    INLAY_STATIC void multiply(const slab_call& s, std::int64_t rows, std::int64_t vectors, const float* a,
                               const typename F::element* b, const float* bias, const float* add, float* y,
                               const typename F::element* ahead, std::int64_t ahead_step) {
        (vectors == 2 ? tiles<F, 2> : tiles<F, 1>)[rows - 1](s, a, b, bias, add, y, ahead, ahead_step);
    }
};

INLAY_INLINE std::int64_t padded(std::int64_t n) { return gemm_f32_padded(this_level, n); }

// One panel, words [first, first + count) of K, for columns j < columns. A run of K that ends within a word is filled
// up with zeros.
template <class F>
INLAY_LOCAL void pack_panel(const gemm_f32_source& s, std::int64_t length, std::int64_t first, std::int64_t count,
                            std::int64_t j0, std::int64_t columns, typename F::element* to) noexcept {
    constexpr std::int64_t group = F::group;
    const std::int64_t padded_columns = padded(columns);
    if (group == 1 && s.tap == length * s.element) length = first + count;  // taps follow each other as elements do
    const std::int64_t words = (length + group - 1) / group;
    std::int64_t tap = first / words, i = first % words;
    if (s.column == 1) {
        for (std::int64_t k = 0; k < count; ++k, to += padded_columns * group) {
            F::pack_row(s.b + j0 + tap * s.tap + i * group * s.element, s.element, length - i * group, columns, s.scale,
                        to);
            if (++i == words) {
                i = 0;
                ++tap;
            }
        }
        return;
    }
    constexpr std::int64_t together = 8, ahead = 64;
    for (std::int64_t k = 0; k < count;) {  // a line of every column at a time, as far as the columns have lines
        const std::int64_t left = smaller(count - k, words - i),
                           lines = left >= 2 * together ? 2 * together : smaller(together, left),
                           whole = smaller(lines * group, length - i * group);
        const float* from = s.b + j0 * s.column + tap * s.tap + i * group * s.element;
        std::int64_t j = 0;
        if constexpr (requires { F::pack_columns(s, from, to, padded_columns); })
            for (; s.element == 1 && lines % together == 0 && j + 4 <= columns; j += 4) {
                for (std::int64_t c = j; c < j + 4; ++c) __builtin_prefetch(from + c * s.column + ahead, 0, 2);
                for (std::int64_t w = 0; w < lines; w += together)
                    F::pack_columns(s, from + j * s.column + w, to + j + w * padded_columns, padded_columns);
            }
        for (; j < columns; ++j)
            for (std::int64_t w = 0; w < lines; w += together)
                F::pack_column(from + j * s.column + w * group * s.element, s.element,
                               smaller(together * group, whole - w * group), s.scale,
                               to + (j + w * padded_columns) * group, padded_columns * group);
        for (std::int64_t w = 0; w < lines; ++w)
            for (std::int64_t j = columns * group; j < padded_columns * group; ++j)
                to[w * padded_columns * group + j] = 0;
        to += lines * group * padded_columns;
        k += lines;
        if ((i += lines) == words) {
            i = 0;
            ++tap;
        }
    }
}
template <class F>
INLAY_LOCAL void pack(const gemm_f32_source& s, const gemm_f32_depth& d, std::int64_t panel, std::int64_t panel_end,
                      float* panels) noexcept {
    auto* const to = reinterpret_cast<typename F::element*>(panels);
    const auto words = d.in_groups(F::group);
    const auto cut = words.cuts(this_level);
    for (std::int64_t c = 0; c < cut.y1 * cut.x1 * cut.i1; ++c) {
        const auto box = words.part(cut, c);
        const std::int64_t first = words.first(box), count = words.size(box);
        if (count == 0) continue;
        for (std::int64_t p = panel; p < panel_end; ++p)
            pack_panel<F>(s, d.length, first, count, p * width, smaller(width, s.n - p * width),
                          to + (first * padded(s.n) + p * width * count) * F::group);
    }
}

INLAY_LOCAL void copy_rows(float* to, std::int64_t to_row, const float* from, std::int64_t from_row, std::int64_t rows,
                           std::int64_t columns) noexcept {
    for (std::int64_t i = 0; i < rows; ++i, to += to_row, from += from_row) {
        std::int64_t j = 0;
        for (; j + lane_count <= columns; j += lane_count) lanes::load_unaligned(from + j).store_unaligned(to + j);
        if (j == columns) continue;
        if (j > 0)
            lanes::load_unaligned(from + columns - lane_count).store_unaligned(to + columns - lane_count);
        else
            for (; j < columns; ++j) to[j] = from[j];
    }
}

// A slab of K for one part of the result: its words, what it reads and writes. Rows are the part's from its first one.
template <class F> struct slab {
    const gemm_f32_call& call;
    const gemm_f32_part& part;
    const float *zeros, *last_bias;            // biases: of columns that have none, of the last panel where it is cut
    std::int64_t first = 0, count = 0;         // words of K
    bool begins = true, ends = true;           // it is the first one of K, the last one
    const float *a = nullptr, *add = nullptr;  // add: the addend, or the accumulators of the slabs before
    float* y = nullptr;
    const typename F::element* panels = nullptr;  // of B
    std::int64_t panel_step = 0;
    std::uint8_t* codes = nullptr;  // of the first row, where the slab creates them
    [[gnu::always_inline]] std::int64_t rows() const { return part.inner_end - part.inner; }
    [[gnu::always_inline]] bool clips() const { return ends && call.post_op.kind == activation::clip; }  // in its tiles
    [[gnu::always_inline]] bool finishes() const { return ends && call.post_op.kind != activation::clip; }
};

// Common to the tiles of a slab; the address of B's rows is added with its panels.
INLAY_INLINE slab_call tile_strides(const gemm_f32_call& c, const gemm_f32_depth::slab& box, std::int64_t count,
                                    std::int64_t group, bool begins, bool clipped) {
    slab_call s{c.a_row / group,
                0,
                box.i1 - box.i0,
                box.x1 - box.x0,
                box.y1 - box.y0,
                0,
                0,
                begins ? c.add_row : c.y_row,
                c.y_row,
                clipped ? c.post_op.low : -__builtin_inff(),
                clipped ? c.post_op.high : __builtin_inff()};
    if (count == 0) s.length = 0, s.taps_x = s.taps_y = 1;
    std::int64_t step_x = c.step_x / group;
    if (step_x == s.length || s.taps_x == 1) {  // neighbouring taps lie side by side
        s.length *= s.taps_x;
        s.taps_x = 1;
        step_x = s.length;
    }
    s.jump_x = step_x - s.length;
    s.jump_y = c.step_y / group - s.taps_x * step_x;
    return s;
}

// The slab's words of A: where they lie, or in the caller's copy.
template <class F>
INLAY_INLINE const float* slab_rows(const slab<F>& t, const gemm_f32_depth::slab& box, slab_call& s) {
    constexpr std::int64_t group = F::group;
    const gemm_f32_call& c = t.call;
    const std::int64_t start =
        t.part.outer * c.a_outer + t.part.inner * c.a_row + box.y0 * c.step_y + box.x0 * c.step_x + box.i0 * group;
    if (!c.copy) return c.a + start / group;
    const std::int64_t elements = group > 1 ? smaller(t.count * group, c.depth.length - box.i0 * group) : t.count;
    const bool together = c.a_row == elements && elements % group == 0 && t.count <= 192;  // all rows are one run
    const std::int64_t row = together ? t.count : (t.count + 15) / 16 * 16 + 16;
    if (together)
        F::copy_rows(c.copy, 0, c.a + start, 0, 1, t.rows() * elements);
    else
        F::copy_rows(c.copy, row, c.a + start, c.a_row, t.rows(), elements);
    s.a_row = row;
    return c.copy;
}

// Full panels from `p` on by a few rows, several panels together. Returns the first panel that is left.
template <class F> INLAY_INLINE std::int64_t multiply_wide(const slab<F>& t, const slab_call& s, std::int64_t p) {
    const auto choice = wides<F>[t.rows() - 1];
    const gemm_f32_call& c = t.call;
    const std::int64_t end = smaller(c.n / width, t.part.panel_end);
    for (; p + choice.panels <= end; p += choice.panels) {
        const std::int64_t j = p * width;
        choice.function(s, t.a, t.panels + p * t.panel_step, t.panel_step, !t.begins || !c.bias ? t.zeros : c.bias + j,
                        t.add ? t.add + j : nullptr, t.y + j);
        if (t.finishes()) F::finish(c.post_op, t.y + j, t.rows(), choice.panels * width, c.y_row);
    }
    return p;
}

// A strip of the last panel, cut: through a tile of whole vectors, `padded_columns` of which `columns` are the
// result's.
template <class F>
INLAY_INLINE void multiply_cut(const slab<F>& t, const slab_call& s, std::int64_t rows, std::int64_t columns,
                               std::int64_t padded_columns, const float* a, const typename F::element* b,
                               const float* bias, const float* add, float* y, const typename F::element* ahead,
                               std::int64_t ahead_step) {
    const gemm_f32_call& c = t.call;
    alignas(64) float whole[computed<F>::rows * width];
    slab_call cut_call = s;
    cut_call.add_row = cut_call.y_row = padded_columns;
    cut_call.codes = nullptr;
    if (add) {
        for (std::int64_t i = 1; i <= rows; ++i)  // the lanes after the columns: added too, then discarded
            lanes(0.f).store_aligned(whole + i * padded_columns - lane_count);
        copy_rows(whole, padded_columns, add, s.add_row, rows, columns);
    }
    computed<F>::multiply(cut_call, rows, padded_columns / lane_count, a, b, bias, add ? whole : nullptr, whole, ahead,
                          ahead_step);
    if constexpr (requires { F::store_codes; })
        if (s.codes)
            return F::store_codes(s, s.scales, whole, padded_columns, rows, columns,
                                  reinterpret_cast<std::uint8_t*>(y));
    if (t.finishes()) F::finish(c.post_op, whole, rows, padded_columns, padded_columns);
    copy_rows(y, c.y_row, whole, padded_columns, rows, columns);
}

// All rows by panel p whose words begin at b, one strip after another.
template <class F>
INLAY_INLINE void multiply_panel(const slab<F>& t, const slab_call& s, std::int64_t p, const typename F::element* b) {
    const gemm_f32_call& c = t.call;
    const std::int64_t rows = t.rows(), outers = t.part.outer_end - t.part.outer, j = p * width,
                       columns = smaller(width, c.n - j), padded_columns = padded(columns);
    const float* const bias = !t.begins || !c.bias ? t.zeros : p < c.n / width ? c.bias + j : t.last_bias;
    const std::int64_t strips = (rows + computed<F>::rows - 1) / computed<F>::rows, turns = strips * outers;
    const bool next =
        c.b.row == 0 && (p + 1 < t.part.panel_end || c.goes_on);  // each strip fetches its share of the next panel
    const std::int64_t ahead_step = next ? (width * F::group + turns - 1) / turns : 0;
    for (std::int64_t o = 0; o < outers; ++o)
        for (std::int64_t strip = 0; strip < strips; ++strip) {
            const std::int64_t i = rows * strip / strips, n = rows * (strip + 1) / strips - i, row = o * c.inner + i;
            const float* const from = t.a + o * (c.a_outer / F::group) + i * s.a_row;
            const auto* const ahead = next ? b + padded_columns * t.count * F::group +
                                                 (o * strips + strip) * t.count * width * F::group / turns
                                           : b;
            const float* const addend = t.add ? t.add + row * s.add_row + j : nullptr;
            float* const to =
                t.codes ? reinterpret_cast<float*>(t.codes + row * c.codes->y_row + j) : t.y + row * c.y_row + j;
            if (columns < padded_columns) {
                multiply_cut(t, s, n, columns, padded_columns, from, b, bias, addend, to, ahead, ahead_step);
                continue;
            }
            computed<F>::multiply(s, n, padded_columns / lane_count, from, b, bias, addend, to, ahead, ahead_step);
            if (t.finishes() && !t.codes) F::finish(c.post_op, to, n, columns, c.y_row);
        }
}

// All rows by all panels of the part.
template <class F> INLAY_INLINE void multiply_slab(const slab<F>& t, slab_call& s) {
    const gemm_f32_call& c = t.call;
    const std::int64_t full = c.n / width;
    const bool packed = c.b.row == 0;
    s.b_row = packed ? width * F::group : c.b.row;
    std::int64_t p = t.part.panel;
    if constexpr (computed<F>::wide)
        if (!t.codes && !c.add_pairs && !c.y_pairs && t.part.outer_end - t.part.outer == 1 && t.rows() <= wide_rows &&
            wides<F>[t.rows() - 1].function)
            p = multiply_wide(t, s, p);
    if (p == t.part.panel_end) return;
    if constexpr (requires { F::multiply_panels(t, s, p); })
        if (t.count >= F::least_words) return F::multiply_panels(t, s, p);
    [[maybe_unused]] const typename computed<F>::scope scope;
    for (; p < t.part.panel_end; ++p) {
        const std::int64_t padded_columns = padded(smaller(width, c.n - p * width));  // columns of the last panel
        const auto* b = t.panels + p * t.panel_step;
        if (t.codes) s.scales = c.codes->scales + p * width;
        if (p == full) {
            s.b_row = padded_columns * F::group;
            if (!packed) b = reinterpret_cast<const typename F::element*>(c.b.tail) + t.first * padded_columns;
        }
        multiply_panel(t, s, p, b);
    }
}

template <class F> INLAY_LOCAL void run(const gemm_f32_call& c, const gemm_f32_part& part) noexcept {
    const auto depth = c.depth.in_groups(F::group);
    const auto cut = depth.cuts(this_level);
    const std::int64_t slabs = cut.y1 * cut.x1 * cut.i1, full = c.n / width;
    if (part.inner >= part.inner_end || part.outer >= part.outer_end) return;
    alignas(64) float zeros[width * 4] = {}, last_bias[width] = {};
    for (std::int64_t j = full * width; c.bias && j < c.n; ++j) last_bias[j - full * width] = c.bias[j];
    for (std::int64_t index = 0; index < slabs; ++index) {
        const auto box = depth.part(cut, index);
        slab<F> t{c, part, zeros, last_bias, depth.first(box), depth.size(box), index == 0, index + 1 == slabs};
        slab_call s = tile_strides(c, box, t.count, F::group, t.begins, t.clips());
        const std::int64_t row = part.outer * c.inner + part.inner;
        t.a = slab_rows(t, box, s);
        t.add = t.begins ? c.add : c.y;
        if (t.add) t.add += row * s.add_row;
        t.y = c.y + row * c.y_row;
        if (t.ends && c.codes) {
            t.codes = c.codes->y + row * c.codes->y_row;
            s.codes = c.codes;
            s.y_row = 0;
        }
        t.panels = reinterpret_cast<const typename F::element*>(c.b.b) +
                   t.first * (c.b.row == 0 ? padded(c.n) * F::group : c.b.row);
        const std::int64_t packed = c.b.depth > 0 ? (c.b.depth + F::group - 1) / F::group : t.count;
        t.panel_step = c.b.row == 0 ? width * packed * F::group : width;
        multiply_slab(t, s);
    }
}
}  // namespace INLAY_LEVEL::gemm
}  // namespace v1
}  // namespace inlay

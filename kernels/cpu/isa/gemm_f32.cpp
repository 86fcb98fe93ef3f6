// The packed product: tiles of 4x8 (sse2), 6x16 (avx2) and 14x32 (avx512) in registers, sums in the order of K whatever the tile.
#include "gemm_f32.hpp"
#include "lanes.hpp"

namespace inlay::inline v1::INLAY_LEVEL::gemm_f32 {
constexpr isa::level here = isa::level::INLAY_LEVEL;
constexpr std::int64_t width = gemm_f32_width(here), tile_rows = gemm_f32_rows(here), wide_rows = 4;
static_assert(gemm_f32_lanes(here) == lane_count);

struct slab_call {  // what all tiles of one slab share, in floats
    std::int64_t a_row, b_row, length, taps_x, taps_y, jump_x, jump_y, add_row, y_row;
    float low, high;
};
using tile_function = void(const slab_call&, const float* a, const float* b, const float* bias, const float* add, float* y, const float* ahead, std::int64_t ahead_step) noexcept;

// Rows x (Lanes vectors) of Y. A function of its own: inlined into its caller, g++ 12 spills the sums.
// Rows are addressed from every third one, so that 14 of them fit the registers. `ahead` walks through what the next panel reads from memory.
template <int Rows, int Lanes> [[gnu::noinline]] INLAY_LOCAL void tile(const slab_call& s, const float* a, const float* b, const float* bias, const float* add, float* y,
                                                                   const float* ahead, std::int64_t ahead_step) noexcept {
    constexpr int bases = (Rows + 2) / 3;
    const std::int64_t a_row = s.a_row, b_row = s.b_row;
    lanes sum[Rows][Lanes];
    INLAY_UNROLL for (int v = 0; v < Lanes; ++v) {
        const lanes start = lanes::load_unaligned(bias + v * lane_count);
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) sum[r][v] = start;
    }
    if (add) {
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int v = 0; v < Lanes; ++v) sum[r][v] += lanes::load_unaligned(add + r * s.add_row + v * lane_count);
    } else {
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int v = 0; v < Lanes; ++v) __builtin_prefetch(y + r * s.y_row + v * lane_count, 1);
    }
    const float* base[bases];
    INLAY_UNROLL for (int g = 0; g < bases; ++g) base[g] = a + 3 * g * a_row;
    for (std::int64_t ty = s.taps_y;;) {
        for (std::int64_t tx = s.taps_x;;) {
            for (std::int64_t k = s.length; k > 0; --k) {
                lanes column[Lanes];
                INLAY_UNROLL for (int v = 0; v < Lanes; ++v) column[v] = lanes::load_unaligned(b + v * lane_count);
                __builtin_prefetch(ahead, 0, 2);
                ahead += ahead_step;
                INLAY_UNROLL for (int r = 0; r < Rows; ++r) {
                    const lanes x(base[r / 3][(r % 3) * a_row]);
                    INLAY_UNROLL for (int v = 0; v < Lanes; ++v) sum[r][v] = fma(x, column[v], sum[r][v]);
                }
                INLAY_UNROLL for (int g = 0; g < bases; ++g) ++base[g];
                b += b_row;
            }
            INLAY_UNROLL for (int g = 0; g < bases; ++g) base[g] += s.jump_x;
            if (--tx <= 0) break;
        }
        if (--ty <= 0) break;
        INLAY_UNROLL for (int g = 0; g < bases; ++g) base[g] += s.jump_y;
    }
    const lanes low(s.low), high(s.high);
    INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int v = 0; v < Lanes; ++v) clipped(sum[r][v], low, high).store_unaligned(y + r * s.y_row + v * lane_count);
}

// Few rows: bound by reading B, so several whole panels side by side, one stream of memory each.
template <int Rows, int Panels> [[gnu::noinline]] INLAY_LOCAL void wide(const slab_call& s, const float* a, const float* b, std::int64_t panel_step, const float* bias, const float* add,
                                                                    float* y) noexcept {
    lanes sum[Rows][Panels][2];
    INLAY_UNROLL for (int p = 0; p < Panels; ++p) INLAY_UNROLL for (int v = 0; v < 2; ++v) {
        const lanes start = lanes::load_unaligned(bias + p * width + v * lane_count);
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) sum[r][p][v] = start;
    }
    if (add) INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int p = 0; p < Panels; ++p) INLAY_UNROLL for (int v = 0; v < 2; ++v)
        sum[r][p][v] += lanes::load_unaligned(add + r * s.add_row + p * width + v * lane_count);
    for (std::int64_t ty = s.taps_y;;) {
        for (std::int64_t tx = s.taps_x;;) {
            for (std::int64_t k = s.length; k > 0; --k) {
                INLAY_UNROLL for (int p = 0; p < Panels; ++p) {
                    const float* from = b + p * panel_step;
                    INLAY_UNROLL for (std::int64_t line = 0; line < width; line += 16) __builtin_prefetch(from + 512 + line);
                    const lanes first = lanes::load_unaligned(from), second = lanes::load_unaligned(from + lane_count);
                    INLAY_UNROLL for (int r = 0; r < Rows; ++r) {
                        const lanes x(a[r * s.a_row]);
                        sum[r][p][0] = fma(x, first, sum[r][p][0]);
                        sum[r][p][1] = fma(x, second, sum[r][p][1]);
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
    INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int p = 0; p < Panels; ++p) INLAY_UNROLL for (int v = 0; v < 2; ++v)
        clipped(sum[r][p][v], low, high).store_unaligned(y + r * s.y_row + p * width + v * lane_count);
}
using wide_function = void(const slab_call&, const float*, const float*, std::int64_t, const float*, const float*, float*) noexcept;
struct wide_choice { wide_function* function; int panels; };
#if defined(__AVX512F__)
INLAY_LOCAL constexpr wide_choice wides[wide_rows] = {{wide<1, 4>, 4}, {wide<2, 4>, 4}, {wide<3, 4>, 4}, {wide<4, 3>, 3}};
template <int Lanes> INLAY_LOCAL constexpr tile_function* tiles[] = {tile<1, Lanes>, tile<2, Lanes>, tile<3, Lanes>, tile<4, Lanes>, tile<5, Lanes>, tile<6, Lanes>, tile<7, Lanes>,
                                                         tile<8, Lanes>, tile<9, Lanes>, tile<10, Lanes>, tile<11, Lanes>, tile<12, Lanes>, tile<13, Lanes>, tile<14, Lanes>};
#elif defined(__AVX2__)
INLAY_LOCAL constexpr wide_choice wides[wide_rows] = {{wide<1, 4>, 4}, {wide<2, 2>, 2}, {wide<3, 2>, 2}, {nullptr, 0}};
template <int Lanes> INLAY_LOCAL constexpr tile_function* tiles[] = {tile<1, Lanes>, tile<2, Lanes>, tile<3, Lanes>, tile<4, Lanes>, tile<5, Lanes>, tile<6, Lanes>};
#else
INLAY_LOCAL constexpr wide_choice wides[wide_rows] = {{wide<1, 4>, 4}, {wide<2, 2>, 2}, {nullptr, 0}, {nullptr, 0}};
template <int Lanes> INLAY_LOCAL constexpr tile_function* tiles[] = {tile<1, Lanes>, tile<2, Lanes>, tile<3, Lanes>, tile<4, Lanes>};
#endif

INLAY_INLINE std::int64_t padded(std::int64_t n) { return gemm_f32_padded(here, n); }

// One panel, elements [first, first + count) of K, for columns j < columns.
INLAY_LOCAL void pack_panel(const gemm_f32_source& s, const gemm_f32_depth& d, std::int64_t first, std::int64_t count, std::int64_t j0, std::int64_t columns, float* to) noexcept {
    const std::int64_t all = padded(columns);
    const lanes scale(s.scale);
    std::int64_t tap = first / d.length, i = first % d.length;
    if (s.column == 1) {
        for (std::int64_t k = 0; k < count; ++k, to += all) {
            const float* from = s.b + j0 + tap * s.tap + i * s.element;
            std::int64_t j = 0;
            for (; j + lane_count <= columns; j += lane_count) (lanes::load_unaligned(from + j) * scale).store_unaligned(to + j);
            if (j < columns) (load_tail(from + j, columns - j) * scale).store_unaligned(to + j);
            if (++i == d.length) { i = 0; ++tap; }
        }
        return;
    }
    for (std::int64_t k = 0; k < count;) {  // eight elements of every column at a time: the lines that they share are read once
        const std::int64_t some = smaller(smaller(8, count - k), d.length - i);
        const float* from = s.b + j0 * s.column + tap * s.tap + i * s.element;
        for (std::int64_t j = 0; j < columns; ++j) for (std::int64_t e = 0; e < some; ++e) to[e * all + j] = from[j * s.column + e * s.element] * s.scale;
        for (std::int64_t e = 0; e < some; ++e) for (std::int64_t j = columns; j < all; ++j) to[e * all + j] = 0;
        to += some * all;
        k += some;
        if ((i += some) == d.length) { i = 0; ++tap; }
    }
}
INLAY_LOCAL void pack(const gemm_f32_source& s, const gemm_f32_depth& d, std::int64_t panel, std::int64_t panel_end, float* panels) noexcept {
    const auto cut = d.cuts(here);
    for (std::int64_t c = 0; c < cut.y1 * cut.x1 * cut.i1; ++c) {
        const auto box = d.part(cut, c);
        const std::int64_t first = d.first(box), count = d.size(box);
        if (count == 0) continue;
        for (std::int64_t p = panel; p < panel_end; ++p)
            pack_panel(s, d, first, count, p * width, smaller(width, s.n - p * width), panels + first * padded(s.n) + p * width * count);
    }
}
INLAY_LOCAL void pack_tail(const gemm_f32_source& s, const gemm_f32_depth& d, float* tail) noexcept {
    const std::int64_t full = s.n / width * width;
    if (full < s.n && d.total() > 0) pack_panel(s, d, 0, d.total(), full, s.n - full, tail);
}

INLAY_LOCAL void copy_rows(float* to, std::int64_t to_row, const float* from, std::int64_t from_row, std::int64_t rows, std::int64_t columns) noexcept {
    for (std::int64_t i = 0; i < rows; ++i, to += to_row, from += from_row) {
        std::int64_t j = 0;
        for (; j + lane_count <= columns; j += lane_count) lanes::load_unaligned(from + j).store_unaligned(to + j);
        if (j == columns) continue;
        if (j > 0) lanes::load_unaligned(from + columns - lane_count).store_unaligned(to + columns - lane_count);
        else for (; j < columns; ++j) to[j] = from[j];
    }
}

INLAY_LOCAL void run(const gemm_f32_call& c, const gemm_f32_part& part) noexcept {
    const auto cut = c.depth.cuts(here);
    const std::int64_t slabs = cut.y1 * cut.x1 * cut.i1, rows = part.inner_end - part.inner, outers = part.outer_end - part.outer, full = c.n / width;
    if (rows <= 0 || outers <= 0) return;
    alignas(64) float zeros[width * 4] = {}, last_bias[width] = {};
    for (std::int64_t j = full * width; c.bias && j < c.n; ++j) last_bias[j - full * width] = c.bias[j];
    for (std::int64_t index = 0; index < slabs; ++index) {
        const auto box = c.depth.part(cut, index);
        const std::int64_t first = c.depth.first(box), count = c.depth.size(box);
        const bool ends = index + 1 == slabs, clips = ends && c.last.kind == activation::clip;
        slab_call s{c.a_row, 0, box.i1 - box.i0, box.x1 - box.x0, box.y1 - box.y0, 0, 0, index ? c.y_row : c.add_row, c.y_row,
                    clips ? c.last.low : -__builtin_inff(), clips ? c.last.high : __builtin_inff()};
        if (count == 0) s.length = 0, s.taps_x = s.taps_y = 1;
        std::int64_t step_x = c.step_x;
        if (step_x == s.length || s.taps_x == 1) { s.length *= s.taps_x; s.taps_x = 1; step_x = s.length; }  // neighbouring taps lie side by side
        s.jump_x = step_x - s.length;
        s.jump_y = c.step_y - s.taps_x * step_x;
        const float* a = c.a + part.outer * c.a_outer + part.inner * c.a_row + box.y0 * c.step_y + box.x0 * c.step_x + box.i0;
        if (c.copy) {
            const std::int64_t row = (count + 15) / 16 * 16 + 16;
            copy_rows(c.copy, row, a, c.a_row, rows, count);
            a = c.copy;
            s.a_row = row;
        }
        const float* add = index ? c.y : c.add;
        float* const y = c.y + (part.outer * c.inner + part.inner) * c.y_row;
        if (add) add += (part.outer * c.inner + part.inner) * s.add_row;
        const bool packed = c.b.row == 0;
        const float* const panels = packed ? c.b.b + first * padded(c.n) : c.b.b + first * c.b.row;
        const std::int64_t panel_step = packed ? width * count : width;
        s.b_row = packed ? width : c.b.row;
        std::int64_t p = part.panel;
        if (outers == 1 && rows <= wide_rows && wides[rows - 1].function) {
            const auto choice = wides[rows - 1];
            for (; p + choice.panels <= smaller(full, part.panel_end); p += choice.panels) {
                const std::int64_t j = p * width;
                choice.function(s, a, panels + p * panel_step, panel_step, index || !c.bias ? zeros : c.bias + j, add ? add + j : nullptr, y + j);
                if (ends && !clips) activate(c.last, y + j, rows, choice.panels * width, c.y_row);
            }
        }
        for (; p < part.panel_end; ++p) {
            const std::int64_t j = p * width, columns = smaller(width, c.n - j), all = padded(columns);
            const float* const b = p < full || packed ? panels + p * panel_step : c.b.tail + first * all;
            const float* const bias = index || !c.bias ? zeros : p < full ? c.bias + j : last_bias;
            if (p == full) s.b_row = all;
            const auto& functions = all == width ? tiles<2> : tiles<1>;
            const std::int64_t strips = (rows + tile_rows - 1) / tile_rows, turns = strips * outers;
            const bool next = packed && p + 1 < part.panel_end;  // each strip fetches its share of the next panel
            const std::int64_t ahead_step = next ? (width + turns - 1) / turns : 0;
            for (std::int64_t o = 0; o < outers; ++o) for (std::int64_t t = 0; t < strips; ++t) {
                const std::int64_t i = rows * t / strips, n = rows * (t + 1) / strips - i, row = o * c.inner + i;
                const float* const from = a + o * c.a_outer + i * s.a_row;
                const float* const ahead = next ? b + all * count + (o * strips + t) * count * width / turns : b;
                const float* const addend = add ? add + row * s.add_row + j : nullptr;
                float* const to = y + row * c.y_row + j;
                if (columns == all) {
                    functions[n - 1](s, from, b, bias, addend, to, ahead, ahead_step);
                    if (ends && !clips) activate(c.last, to, n, columns, c.y_row);
                } else {  // the last panel, cut: through a tile of whole vectors
                    alignas(64) float whole[tile_rows * width];
                    slab_call cut_call = s;
                    cut_call.add_row = cut_call.y_row = all;
                    if (addend) copy_rows(whole, all, addend, s.add_row, n, columns);
                    functions[n - 1](cut_call, from, b, bias, addend ? whole : nullptr, whole, ahead, ahead_step);
                    if (ends && !clips) activate(c.last, whole, n, all, all);
                    copy_rows(to, c.y_row, whole, all, n, columns);
                }
            }
        }
    }
}
}  // namespace inlay::inline v1::INLAY_LEVEL::gemm_f32
INLAY_TABLE(gemm_f32, pack, pack_tail, run)

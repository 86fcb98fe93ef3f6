// Transforms work on a vector of channels, without shuffles; the matmul of one point is [tiles x channels] by [channels
// x panel], a slab of channels at a time.
#include "lanes.hpp"
#include "winograd_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::winograd_f32 {
constexpr isa::level this_level = isa::level::INLAY_LEVEL;
constexpr std::int64_t width = gemm_f32_width(this_level), strip_rows = gemm_f32_rows(this_level),
                       row_start = winograd_f32_row - winograd_f32_slab;

// The transforms of one line, `In` and `Out` apart: of the input, of the window and of the output. Of two points: 0,
// 1, -1 and infinity; of four: 0, a, -a, b, -b and infinity, where a and b are exact and far better conditioned than 1
// and 2.
template <int Side> struct algorithm;
template <> struct algorithm<2> {
    template <int In, int Out> INLAY_STATIC void input(const lanes* d, lanes* v) {
        v[0] = d[0] - d[2 * In];
        v[Out] = d[In] + d[2 * In];
        v[2 * Out] = d[2 * In] - d[In];
        v[3 * Out] = d[In] - d[3 * In];
    }
    template <int In, int Out> INLAY_STATIC void window(const lanes* g, lanes* u) {
        const lanes half(.5f), ends = half * (g[0] + g[2 * In]);
        u[0] = g[0];
        u[Out] = fma(half, g[In], ends);
        u[2 * Out] = fma(-half, g[In], ends);
        u[3 * Out] = g[2 * In];
    }
    template <int In, int Out> INLAY_STATIC void sums(const lanes* m, lanes* y) {
        y[0] = m[0] + (m[In] + m[2 * In]);
        y[Out] = (m[In] - m[2 * In]) - m[3 * In];
    }
};
template <> struct algorithm<4> {
    static constexpr float a = .625f, b = 1.5f, a2 = a * a, b2 = b * b, at_zero = 1 / (a2 * b2),
                           at_a = 1 / (2 * a2 * (a2 - b2)), at_b = 1 / (2 * b2 * (b2 - a2));
    template <int In, int Out> INLAY_STATIC void input(const lanes* d, lanes* v) {
        const lanes product(a2 * b2), sum(-a2 - b2), even_a = fma(lanes(-b2), d[2 * In], d[4 * In]),
                                                     odd_a = fma(lanes(-b2), d[In], d[3 * In]);
        const lanes even_b = fma(lanes(-a2), d[2 * In], d[4 * In]), odd_b = fma(lanes(-a2), d[In], d[3 * In]);
        v[0] = fma(product, d[0], fma(sum, d[2 * In], d[4 * In]));
        v[Out] = fma(lanes(a), odd_a, even_a);
        v[2 * Out] = fma(lanes(-a), odd_a, even_a);
        v[3 * Out] = fma(lanes(b), odd_b, even_b);
        v[4 * Out] = fma(lanes(-b), odd_b, even_b);
        v[5 * Out] = fma(product, d[In], fma(sum, d[3 * In], d[5 * In]));
    }
    template <int In, int Out> INLAY_STATIC void window(const lanes* g, lanes* u) {
        const lanes even_a = lanes(at_a) * fma(lanes(a2), g[2 * In], g[0]),
                    even_b = lanes(at_b) * fma(lanes(b2), g[2 * In], g[0]);
        u[0] = lanes(at_zero) * g[0];
        u[Out] = fma(lanes(at_a * a), g[In], even_a);
        u[2 * Out] = fma(lanes(-at_a * a), g[In], even_a);
        u[3 * Out] = fma(lanes(at_b * b), g[In], even_b);
        u[4 * Out] = fma(lanes(-at_b * b), g[In], even_b);
        u[5 * Out] = g[2 * In];
    }
    template <int In, int Out> INLAY_STATIC void sums(const lanes* m, lanes* y) {
        const lanes even_a = m[In] + m[2 * In], odd_a = m[In] - m[2 * In], even_b = m[3 * In] + m[4 * In],
                    odd_b = m[3 * In] - m[4 * In];
        const lanes first = lanes(a) * odd_a, second = lanes(a2) * even_a;
        y[0] = m[0] + (even_a + even_b);
        y[Out] = fma(lanes(b), odd_b, first);
        y[2 * Out] = fma(lanes(b2), even_b, second);
        y[3 * Out] = fma(lanes(b2 * b), odd_b, fma(lanes(a2 * a), odd_a, m[5 * In]));
    }
};

struct place {  // of a tile's first pixel of the output
    std::int64_t image, y, x;
};
INLAY_INLINE place place_of(const winograd_f32_call& c, std::int64_t tile) {
    const std::int64_t side = c.form.side, across = (c.out_width + side - 1) / side,
                       down = (c.out_height + side - 1) / side;
    return {tile / (across * down), tile / across % down * side, tile % across * side};
}

template <int Side, bool Inside>
[[gnu::noinline]] INLAY_LOCAL void transform_tile(const winograd_f32_call& c, const place& at, float* to) noexcept {
    constexpr int edge = Side + 2;
    const std::int64_t channels = c.form.channels, step = c.form.inputs_step(), top = at.y - c.pad_top,
                       left = at.x - c.pad_left;
    const float* const x = c.x + ((at.image * c.height + top) * c.width + left) * c.x_pixel;
    for (std::int64_t i = 0; i < channels; i += lane_count) {
        const std::int64_t
            slab = i / winograd_f32_slab,
            k = smaller(
                i, channels - lane_count);  // the last vector ends with the last channel: it may begin before its slab
        float* const target = to + slab * edge * edge * step + k - slab * winograd_f32_slab;
        lanes d[edge * edge], v[edge * edge];
        INLAY_UNROLL for (int p = 0; p < edge * edge; ++p) {
            const bool inside = Inside || (top + p / edge >= 0 && top + p / edge < c.height && left + p % edge >= 0 &&
                                           left + p % edge < c.width);
            if (inside)
                d[p] = lanes::load_unaligned(x + (p / edge * c.width + p % edge) * c.x_pixel + k);
            else
                d[p] = lanes(0.f);
        }
        INLAY_UNROLL for (int j = 0; j < edge; ++j) algorithm<Side>::template input<edge, edge>(d + j, v + j);
        INLAY_UNROLL for (int j = 0; j < edge; ++j) algorithm<Side>::template input<1, 1>(v + j * edge, d + j * edge);
        INLAY_UNROLL for (int p = 0; p < edge * edge; ++p) d[p].store_unaligned(target + p * step);
    }
}
template <int Side>
INLAY_LOCAL void transform_tiles(const winograd_f32_call& c, std::int64_t tile, std::int64_t tile_end) noexcept {
    for (std::int64_t t = tile; t < tile_end; ++t) {
        const place at = place_of(c, t);
        const std::int64_t top = at.y - c.pad_top, left = at.x - c.pad_left;
        const bool inside = top >= 0 && left >= 0 && top + Side + 2 <= c.height && left + Side + 2 <= c.width;
        (inside ? transform_tile<Side, true>
                : transform_tile<Side, false>)(c, at, c.room + (t - tile) * winograd_f32_row + row_start);
    }
}
INLAY_LOCAL void transform(const winograd_f32_call& c, std::int64_t tile, std::int64_t tile_end) noexcept {
    (c.form.side == 4 ? transform_tiles<4> : transform_tiles<2>)(c, tile, tile_end);
}

// The windows of `count` channels and one panel.
template <int Side, int Lanes>
INLAY_LOCAL void transform_windows(const float* from, std::int64_t count, float* to, std::int64_t step) noexcept {
    constexpr int edge = Side + 2, columns = Lanes * lane_count;
    for (std::int64_t i = 0; i < count; ++i, from += 9 * columns, to += step)
        for (int j = 0; j < columns; j += lane_count) {
            lanes g[9], half[3 * edge], u[edge * edge];
            INLAY_UNROLL for (int p = 0; p < 9; ++p) g[p] = lanes::load_unaligned(from + p * columns + j);
            INLAY_UNROLL for (int p = 0; p < 3; ++p) algorithm<Side>::template window<3, 3>(g + p, half + p);
            INLAY_UNROLL for (int p = 0; p < edge; ++p)
                algorithm<Side>::template window<1, 1>(half + p * 3, u + p * edge);
            INLAY_UNROLL for (int p = 0; p < edge * edge; ++p) u[p].store_unaligned(to + p * columns + j);
        }
}

// Rows x (Lanes vectors) of one point's accumulators, added to the results of the slabs before. A function of its own,
// as gemm_f32's tiles are. `next` walks through the inputs of the next call, `ahead` through weights that are still in
// memory.
struct product_call {
    const float *a, *b;
    std::int64_t b_row, depth;
    bool adds;
    float* y;
    const float *next, *ahead;
    std::int64_t ahead_step;
};
using product_function = void(const product_call&) noexcept;
template <int Rows, int Lanes> [[gnu::noinline]] INLAY_LOCAL void product(const product_call& c) noexcept {
    constexpr int columns = Lanes * lane_count, next_step = Rows * winograd_f32_row / winograd_f32_slab + 1;
    const float *a = c.a, *b = c.b, *next = c.next, *ahead = c.ahead;
    const std::int64_t b_row = c.b_row, ahead_step = c.ahead_step;
    float* const y = c.y;
    lanes sum[Rows][Lanes];
    INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int v = 0; v < Lanes; ++v) sum[r][v] = lanes(0.f);
    for (std::int64_t k = c.depth; k > 0; --k) {
        lanes column[Lanes];
        INLAY_UNROLL for (int v = 0; v < Lanes; ++v) column[v] = lanes::load_unaligned(b + v * lane_count);
        __builtin_prefetch(next);
        __builtin_prefetch(ahead, 0, 2);
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) {
            const lanes x(a[r * winograd_f32_row]);
            INLAY_UNROLL for (int v = 0; v < Lanes; ++v) sum[r][v] = fma(x, column[v], sum[r][v]);
        }
        ++a;
        b += b_row;
        next += next_step;
        ahead += ahead_step;
    }
    if (c.adds)
        INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int v = 0; v < Lanes; ++v) sum[r][v] +=
            lanes::load_unaligned(y + r * columns + v * lane_count);
    INLAY_UNROLL for (int r = 0; r < Rows; ++r) INLAY_UNROLL for (int v = 0; v < Lanes; ++v) sum[r][v].store_unaligned(
        y + r * columns + v * lane_count);
}
#if defined(__AVX512F__)
template <int Lanes>
constexpr product_function* products[] = {
    product<1, Lanes>,  product<2, Lanes>,  product<3, Lanes>,  product<4, Lanes>, product<5, Lanes>,
    product<6, Lanes>,  product<7, Lanes>,  product<8, Lanes>,  product<9, Lanes>, product<10, Lanes>,
    product<11, Lanes>, product<12, Lanes>, product<13, Lanes>, product<14, Lanes>};
#elif defined(__AVX2__)
template <int Lanes>
constexpr product_function* products[] = {product<1, Lanes>, product<2, Lanes>, product<3, Lanes>,
                                          product<4, Lanes>, product<5, Lanes>, product<6, Lanes>};
#else
template <int Lanes>
constexpr product_function* products[] = {product<1, Lanes>, product<2, Lanes>, product<3, Lanes>, product<4, Lanes>};
#endif

// A vector of columns of one tile: from its accumulators to the output.
template <int Side, class Load, class Store>
INLAY_INLINE void finish(const winograd_f32_call& c, const float* from, std::int64_t step, std::int64_t at,
                         std::int64_t j, std::int64_t rows, std::int64_t columns, Load load, Store store) {
    constexpr int edge = Side + 2;
    const bool clips = c.post_op.kind == activation::clip;
    const lanes low(clips ? c.post_op.low : -__builtin_inff()), high(clips ? c.post_op.high : __builtin_inff()),
        bias = c.bias ? load(c.bias + j) : lanes(0.f);
    lanes m[edge * edge], half[Side * edge], sums[Side * Side];
    INLAY_UNROLL for (int p = 0; p < edge * edge; ++p) m[p] = lanes::load_unaligned(from + p * step);
    INLAY_UNROLL for (int p = 0; p < edge; ++p) algorithm<Side>::template sums<edge, edge>(m + p, half + p);
    INLAY_UNROLL for (int p = 0; p < Side; ++p) algorithm<Side>::template sums<1, 1>(half + p * edge, sums + p * Side);
    INLAY_UNROLL for (int p = 0; p < Side * Side; ++p) if (p / Side < rows && p % Side < columns) {
        const std::int64_t pixel = at + p / Side * c.out_width + p % Side;
        lanes y = sums[p] + bias;
        if (c.add) y += load(c.add + pixel * c.add_pixel + j);
        store(c.y + pixel * c.y_pixel + j, clipped(y, low, high));
    }
}
template <int Side>
INLAY_LOCAL void finish_tile(const winograd_f32_call& c, const float* from, std::int64_t step, const place& at,
                             std::int64_t first, std::int64_t end) noexcept {
    const std::int64_t rows = smaller(Side, c.out_height - at.y), columns = smaller(Side, c.out_width - at.x),
                       start = (at.image * c.out_height + at.y) * c.out_width + at.x;
    for (std::int64_t j = first; j < end; j += lane_count, from += lane_count) {
        if (const std::int64_t rest = end - j; rest < lane_count)
            finish<Side>(
                c, from, step, start, j, rows,
                columns, [rest](const float* p) __attribute__((always_inline)) { return load_tail(p, rest); },
                [rest](float* p, lanes y) __attribute__((always_inline)) { store_tail(p, rest, y); });
        else
            finish<Side>(
                c, from, step, start, j, rows, columns,
                [](const float* p) __attribute__((always_inline)) { return lanes::load_unaligned(p); },
                [](float* p, lanes y) __attribute__((always_inline)) { y.store_unaligned(p); });
    }
    if (c.post_op.kind != activation::clip)
        for (std::int64_t i = 0; i < rows; ++i)
            activate(c.post_op, c.y + (start + i * c.out_width) * c.y_pixel + first, columns, end - first, c.y_pixel);
}

template <int Side, int Lanes>
INLAY_LOCAL void multiply_panel(const winograd_f32_call& c, std::int64_t tile, std::int64_t tile_end,
                                std::int64_t panel) noexcept {
    constexpr int points = (Side + 2) * (Side + 2), columns = Lanes * lane_count;
    const std::int64_t tiles = tile_end - tile, strips = (tiles + strip_rows - 1) / strip_rows, calls = points * strips,
                       slabs = c.form.slabs();
    const std::int64_t inputs_step = c.form.inputs_step(), sums_step = c.form.sums_step(this_level),
                       window_step = c.form.window_step(this_level);
    const float* inputs = c.room + row_start;
    float *const sums = c.room + points * slabs * inputs_step, *const windows = sums + points * sums_step;
    const auto weights = [&](std::int64_t slab, std::int64_t of_panel) {
        return c.weights + slab * winograd_f32_slab * 9 * gemm_f32_padded(this_level, c.n) +
               of_panel * width * c.form.depth(slab).total();
    };
    for (std::int64_t s = 0; s < slabs; ++s) {
        const std::int64_t count = c.form.depth(s).taps_x,
                           share = 9 * count * columns / calls;  // of the next weights, for each call to fetch
        const float* const from = weights(s, panel);
        transform_windows<Side, Lanes>(from, count, windows, window_step);
        const bool ends = s + 1 == slabs, is_last = ends && (panel + 1) * width >= c.n;
        const float* const ahead = is_last ? from : weights(ends ? 0 : s + 1, ends ? panel + 1 : panel);
        for (int p = 0; p < points; ++p, inputs += inputs_step)
            for (std::int64_t t = 0; t < strips; ++t) {
                const std::int64_t i = tiles * t / strips, end = tiles * (t + 1) / strips, call = p * strips + t;
                products<Lanes>[end - i - 1]({inputs + i * winograd_f32_row, windows + p * columns, window_step, count,
                                              s > 0, sums + p * sums_step + i * columns,
                                              inputs + (t + 1 < strips ? end * winograd_f32_row : inputs_step),
                                              is_last ? from : ahead + call * share, is_last ? 0 : share / count + 1});
            }
    }
    for (std::int64_t t = 0; t < tiles; ++t)
        finish_tile<Side>(c, sums + t * columns, sums_step, place_of(c, tile + t), panel * width,
                          smaller(c.n, (panel + 1) * width));
}
INLAY_LOCAL void multiply(const winograd_f32_call& c, std::int64_t tile, std::int64_t tile_end,
                          std::int64_t panel) noexcept {
    const bool whole = c.n - panel * width > lane_count;
    if (c.form.side == 4)
        (whole ? multiply_panel<4, 2> : multiply_panel<4, 1>)(c, tile, tile_end, panel);
    else
        (whole ? multiply_panel<2, 2> : multiply_panel<2, 1>)(c, tile, tile_end, panel);
}
}  // namespace INLAY_LEVEL::winograd_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(winograd_f32, transform, multiply)

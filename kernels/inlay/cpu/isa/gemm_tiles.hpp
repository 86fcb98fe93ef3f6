// Products of pairs of bfloat16 in tiles of a matrix unit: 2x2 of them, two of rows by two vectors of columns. A format
// has them as F::tiles; while one of these stands there are tiles 0 to 3 of sums, 4 and 5 of A, 6 and 7 of B:
//   tiles(rows, words)                    of A's tiles, at most tile_side each; B's have `words` rows of a vector
//   load<T>(from, row_bytes), store<T>(to, row_bytes)
//   multiply_add<T>()                     adds to sums T the product of A's tile 4 + T / 2 and B's tile 6 + T % 2
// and F::widened(p, v, n), store_pairs(x, to), round_row(from, n, to): vector v of the bfloat16 at p, of which it may
// read n; and the ways back, from vectors and from memory.
#pragma once
#include "along.hpp"
#include "gemm_loops.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::gemm {
template <class F>
requires requires { typename F::tiles; }
struct computed<F> {  // F::multiply_panels() is there instead, for few rows too: no sum depends on how they are shared
                      // out
    static constexpr std::int64_t rows = gemm_f32_rows(here);
    static constexpr bool wide = false;
    struct scope {};
    INLAY_STATIC void multiply(const auto&...) {}
};
}  // namespace INLAY_LEVEL::gemm
namespace INLAY_LEVEL::float_tiles {
constexpr std::int64_t tile_side = 16;  // rows of a tile at most, and words of K that a step multiplies

// A run of words of K: so many tiles of as many words each, and what is left then.
struct run_cut {
    std::int64_t tiles, words, rest;
};
INLAY_INLINE run_cut cut_run(std::int64_t length) {
    const std::int64_t least = (length + tile_side - 1) / tile_side;
    for (std::int64_t n = least; n > 0 && n <= least + 2; ++n)  // a rest costs as much as some two tiles
        if (length % n == 0) return {n, length / n, 0};
    return {length / tile_side, tile_side, length % tile_side};
}
// Rows in tiles of as many rows each: lines of neighbouring rows, each cut evenly. The last tile of a line may begin
// within the one before.
struct row_cut {
    std::int64_t line, tiles, rows;  // rows of a line, its tiles, rows of a tile
    [[gnu::always_inline]] explicit row_cut(std::int64_t rows_of_line)
        : line(rows_of_line), tiles((line + tile_side - 1) / tile_side), rows((line + tiles - 1) / tiles) {}
};
struct row_tile {
    std::int64_t outer, inner, skip;  // the first row; rows from there that the tile before has
    [[gnu::always_inline]] row_tile(const row_cut& c, std::int64_t i)
        : outer(i / c.tiles),
          inner(smaller(i % c.tiles * c.rows, c.line - c.rows)),
          skip(i % c.tiles * c.rows - inner) {}
};
struct prefetches {  // of what comes next, some lines of memory with each step of the product
    const char *at, *end;
    std::int64_t lines;
    [[gnu::always_inline]] void step() {
        if (at >= end) return;
        for (std::int64_t i = 0; i < lines; ++i) __builtin_prefetch(at + 64 * i, 0, 2);
        at += 64 * lines;
    }
};

template <class F> struct slab_product {
    using tiles = typename F::tiles;
    using element = typename F::element;
    static constexpr std::int64_t row_bytes = gemm::width * F::group * std::int64_t(sizeof(element));
    const gemm::slab<F>& t;
    gemm::slab_call& s;
    const run_cut k;
    const row_cut rows;
    const float* bias = nullptr;  // of the panel's columns
    prefetches ahead{};

    [[gnu::always_inline]] slab_product(const gemm::slab<F>& slab, gemm::slab_call& call)
        : t(slab), s(call), k(cut_run(s.length)), rows(t.rows()) {}

    // All rows by panels [panel, t.part.panel_end).
    [[gnu::always_inline]] void run(std::int64_t panel) {
        const gemm_f32_call& c = t.call;
        const std::int64_t end = t.part.panel_end, count = rows.tiles * (t.part.outer_end - t.part.outer),
                           steps = larger(1, (count + 1) / 2 * s.taps_y * s.taps_x * k.tiles),
                           panel_bytes = t.count * row_bytes;
        // What few rows read over and over, as each step of a recurrent network does, lies in the second-level cache.
        const bool fetches = count > 1 || (end - panel) * panel_bytes > 1 << 19;
        [[maybe_unused]] const tiles scope(rows.rows, k.words);
        for (std::int64_t p = panel; p < end; ++p) {
            const std::int64_t j = p * gemm::width, columns = smaller(gemm::width, c.n - j);
            const auto* const b = t.panels + p * t.panel_step;
            s.b_row = gemm::padded(columns) * F::group;
            bias = !t.begins || !c.bias ? t.zeros : p < c.n / gemm::width ? c.bias + j : t.last_bias;
            const char* const next = reinterpret_cast<const char*>(b) + panel_bytes;
            ahead = {next, fetches && (p + 1 < end || c.goes_on) ? next + panel_bytes : next,
                     (panel_bytes / 64 + steps - 1) / steps};
            for (std::int64_t i = 0; i < count; i += 2) {
                const row_tile first(rows, i), second(rows, smaller(i + 1, count - 1));
                if (i + 1 < count)
                    columns > lane_count ? block<2, 2>(b, j, columns, first, second)
                                         : block<2, 1>(b, j, columns, first, second);
                else
                    columns > lane_count ? block<1, 2>(b, j, columns, first, second)
                                         : block<1, 1>(b, j, columns, first, second);
            }
        }
    }

  private:
    template <int Rows, int Vectors>
    [[gnu::noinline]] void block(const element* b, std::int64_t j, std::int64_t columns, const row_tile& first,
                                 const row_tile& second) noexcept {
        tiles::template load<0>(bias, 0);
        if constexpr (Vectors > 1) tiles::template load<1>(bias + lane_count, 0);
        if constexpr (Rows > 1) tiles::template load<2>(bias, 0);
        if constexpr (Rows * Vectors > 2) tiles::template load<3>(bias + lane_count, 0);
        if (t.add && t.begins) {
            fetch_addend<Vectors>(first, j);
            if constexpr (Rows > 1) fetch_addend<Vectors>(second, j);
        }
        const float *a = at(first), *lower = at(second);
        for (std::int64_t ty = s.taps_y;;) {
            for (std::int64_t tx = s.taps_x;;) {
                for (std::int64_t n = k.tiles; n > 0; --n, a += k.words, lower += k.words, b += k.words * s.b_row) {
                    ahead.step();
                    multiply<Rows, Vectors>(a, lower, s.a_row * 4, b, s.b_row * std::int64_t(sizeof(element)));
                }
                if (k.rest > 0) {
                    multiply_rest<Rows, Vectors>(a, lower, b);
                    a += k.rest, lower += k.rest, b += k.rest * s.b_row;
                }
                a += s.jump_x, lower += s.jump_x;
                if (--tx <= 0) break;
            }
            if (--ty <= 0) break;
            a += s.jump_y, lower += s.jump_y;
        }
        store<Vectors, 0>(first, j, columns);
        if constexpr (Rows > 1) store<Vectors, 1>(second, j, columns);
    }
    [[gnu::always_inline]] const float* at(const row_tile& r) const {
        return t.a + r.outer * (t.call.a_outer / F::group) + r.inner * s.a_row;
    }
    template <int Vectors> [[gnu::always_inline]] void fetch_addend(const row_tile& r, std::int64_t j) const {
        const std::int64_t row = r.outer * t.call.inner + r.inner;
        const float* const add = t.add + row * s.add_row + (t.call.add_pairs ? j / 2 : j);
        for (std::int64_t i = 0; i < rows.rows; ++i)
            for (int v = 0; v < (t.call.add_pairs ? 1 : Vectors); ++v)
                __builtin_prefetch(add + i * s.add_row + v * lane_count);
    }
    template <int Rows, int Vectors>
    INLAY_STATIC void multiply(const float* a, const float* lower, std::int64_t a_bytes, const element* b,
                               std::int64_t b_bytes) {
        tiles::template load<4>(a, a_bytes);
        tiles::template load<6>(b, b_bytes);
        tiles::template multiply_add<0>();
        if constexpr (Vectors > 1) {
            tiles::template load<7>(b + lane_count * F::group, b_bytes);
            tiles::template multiply_add<1>();
        }
        if constexpr (Rows > 1) {
            tiles::template load<5>(lower, a_bytes);
            tiles::template multiply_add<2>();
            if constexpr (Vectors > 1) tiles::template multiply_add<3>();
        }
    }
    // Through copies that zeros fill up.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] void multiply_rest(const float* a, const float* lower, const element* b) const {
        alignas(64) float whole[2][tile_side][tile_side] = {};
        alignas(64) element whole_b[tile_side][gemm::width * F::group] = {};
        for (std::int64_t r = 0; r < rows.rows; ++r)
            along(k.rest, [&](std::int64_t i, std::int64_t n) INLAY_INLINED {
                store_some(whole[0][r] + i, n, load_some(a + r * s.a_row + i, n));
                if constexpr (Rows > 1) store_some(whole[1][r] + i, n, load_some(lower + r * s.a_row + i, n));
            });
        for (std::int64_t i = 0; i < k.rest; ++i)
            __builtin_memcpy(whole_b[i], b + i * s.b_row, std::size_t(s.b_row) * sizeof(element));
        multiply<Rows, Vectors>(whole[0][0], whole[1][0], sizeof whole[0][0], whole_b[0], sizeof whole_b[0]);
    }
    // The sums of an upper or lower tile of rows, into Y.
    template <int Vectors, int Lower>
    [[gnu::always_inline]] void store(const row_tile& r, std::int64_t j, std::int64_t columns) const {
        constexpr std::int64_t all = Vectors * lane_count;
        const gemm_f32_call& c = t.call;
        const std::int64_t first = r.outer * c.inner + r.inner + r.skip, count = rows.rows - r.skip;
        float* const y = t.y + first * s.y_row + (c.y_pairs ? j / 2 : j);
        const float* const add = t.add ? t.add + first * s.add_row + (c.add_pairs ? j / 2 : j) : nullptr;
        if (!add && columns == all && !t.clips() && !t.finishes() && !c.y_pairs)
            return store_tiles<Vectors, Lower>(y - r.skip * s.y_row, s.y_row);
        alignas(64) float sums[tile_side][all];
        store_tiles<Vectors, Lower>(sums[0], all);
        if (columns == all && !t.finishes())
            return c.y_pairs ? store_rows<Vectors>(sums[r.skip], count, add, reinterpret_cast<std::uint16_t*>(y))
                             : store_rows<Vectors>(sums[r.skip], count, add, y);
        store_some_rows(sums[r.skip], all, count, add, y, columns);
    }
    // Whole rows, whose activation is done in passing.
    template <int Vectors, class To>
    [[gnu::always_inline]] void store_rows(const float* sums, std::int64_t count, const float* add, To* y) const {
        const lanes low(s.low), high(s.high);
        const std::int64_t row = s.y_row * std::int64_t(sizeof(float) / sizeof(To));
        for (std::int64_t i = 0; i < count; ++i, sums += Vectors * lane_count, y += row) {
            lanes x[Vectors];
            INLAY_UNROLL for (int v = 0; v < Vectors; ++v) x[v] = lanes::load_aligned(sums + v * lane_count);
            if (add) {
                INLAY_UNROLL for (int v = 0; v < Vectors; ++v) x[v] +=
                    t.call.add_pairs ? F::widened(add + i * s.add_row, v, lane_count)
                                     : lanes::load_unaligned(add + i * s.add_row + v * lane_count);
            }
            INLAY_UNROLL for (int v = 0; v < Vectors; ++v) x[v] = clipped(x[v], low, high);
            if constexpr (sizeof(To) == 2)
                F::store_pairs(x, y);
            else
                INLAY_UNROLL for (int v = 0; v < Vectors; ++v) x[v].store_unaligned(y + v * lane_count);
        }
    }
    // Other rows, of `all` sums each, which are changed where they lie.
    [[gnu::noinline]] void store_some_rows(float* sums, std::int64_t all, std::int64_t count, const float* add,
                                           float* y, std::int64_t columns) const noexcept {
        const lanes low(s.low), high(s.high);
        for (std::int64_t i = 0; i < count; ++i)
            along(columns, [&](std::int64_t j, std::int64_t n) INLAY_INLINED {
                lanes x = lanes::load_aligned(sums + i * all + j);
                if (add)
                    x += t.call.add_pairs ? F::widened(add + i * s.add_row, j / lane_count, n)
                                          : load_some(add + i * s.add_row + j, n);
                clipped(x, low, high).store_aligned(sums + i * all + j);
            });
        if (t.finishes()) F::finish(t.call.last, sums, count, all, all);
        if (t.call.y_pairs)
            for (std::int64_t i = 0; i < count; ++i)
                F::round_row(sums + i * all, columns, reinterpret_cast<std::uint16_t*>(y + i * s.y_row));
        else
            gemm::copy_rows(y, s.y_row, sums, all, count, columns);
    }
    template <int Vectors, int Lower> INLAY_STATIC void store_tiles(float* to, std::int64_t row) {
        tiles::template store<2 * Lower>(to, row * 4);
        if constexpr (Vectors > 1) tiles::template store<2 * Lower + 1>(to + lane_count, row * 4);
    }
};
}  // namespace INLAY_LEVEL::float_tiles
}  // namespace v1
}  // namespace inlay

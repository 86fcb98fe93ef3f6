// Products of words of four 8-bit integers in tiles of a matrix unit: 2x2 of them, two of rows by two vectors of
// columns. A format has them as F::matrix_unit, and A's words are B's elements; while one of these stands there are
// tiles 0 to 3 of sums, 4 and 5 of A, 6 and 7 of B:
//   matrix_unit(rows, words)  of A's tiles, at most tile_side each; B's have `words` rows of a vector
//   load<T>(from, row_bytes), store<T>(to, row_bytes)
//   multiply_add<T>()         adds to sums T the product of A's tile 4 + T / 2 and B's tile 6 + T % 2
// Sums of integers do not depend on their order, so that rows are cut as it suits the tiles.
#pragma once
#include "along.hpp"
#include "gemm_loops.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::integer_tiles {
constexpr std::int64_t tile_side = 16;

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
// The rows of a slab in tiles of as many rows each: lines of neighbouring rows, each cut evenly. The last tile of a
// line may begin within the one before.
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

// Sums of a block, two tiles one under the other, that become codes while the next block is multiplied: a few rows with
// each of its steps, for the vector units are idle then.
template <class F> struct pending_codes {
    alignas(64) float sums[2][tile_side][gemm::width];
    std::uint8_t* y[2];  // codes of the tiles' first rows
    const float* scales = nullptr;
    std::int64_t columns = 0, rows = 0, row = 0,
                 first_below = 0;  // rows of a tile; the next one; where the lower begins
    int tile = 2;                  // the one that is next; 2: all is done

    [[gnu::always_inline]] void finish(const gemm::slab_call& s) {
        while (tile < 2) step(s, rows);
    }
    [[gnu::always_inline]] void step(const gemm::slab_call& s, std::int64_t most) {  // rows
        if (tile == 2) return;
        const std::int64_t n = smaller(most, rows - row), y_row = s.codes->y_row;
        F::store_codes(s, scales, sums[tile][row], gemm::width, n, columns, y[tile] + row * y_row);
        row += n;
        if (row < rows) return;
        tile = tile == 0 && y[1] ? 1 : 2;
        row = first_below;
    }
};

template <class F> struct slab_product {
    using tiles = typename F::matrix_unit;
    using element = typename F::element;
    static constexpr std::int64_t row_bytes = gemm::width * std::int64_t(sizeof(float));
    static constexpr bool has_codes = requires { F::store_codes; };
    const gemm::slab<F>& t;
    gemm::slab_call& s;
    const run_cut k;
    const row_cut rows;
    const std::int64_t steps, rows_of_step;  // of a block; whose sums become codes with a step of the next
    const float* bias = nullptr;             // of the panel's columns
    prefetches ahead{};
    pending_codes<F> pending;

    [[gnu::always_inline]] slab_product(const gemm::slab<F>& slab, gemm::slab_call& call)
        : t(slab),
          s(call),
          k(cut_run(s.length)),
          rows(t.rows()),
          steps(larger(1, s.taps_y * s.taps_x * k.tiles)),
          rows_of_step((2 * tile_side + 4 * steps - 1) / (4 * steps) * 4) {}

    // All rows by panels [panel, t.part.panel_end), which are packed. As many panels as the first-level cache holds
    // meet the rows of a block one after another, so that what they write side by side is in the cache too.
    [[gnu::always_inline]] void run(std::int64_t panel) {
        const std::int64_t end = t.part.panel_end, panel_bytes = t.count * row_bytes,
                           group = larger(1, 16384 / larger(1, panel_bytes)),
                           count = rows.tiles * (t.part.outer_end - t.part.outer);
        [[maybe_unused]] const tiles scope(rows.rows, k.words);
        for (std::int64_t p = panel, next; p < end; p = next) {
            next = smaller(p + group, end);
            const char* const following = reinterpret_cast<const char*>(t.panels + next * t.panel_step);
            const std::int64_t following_bytes = (smaller(next + group, end) - next) * panel_bytes,
                               all_steps = (count + 1) / 2 * (next - p) * steps;
            ahead = {following, following + following_bytes, (following_bytes / 64 + all_steps - 1) / all_steps};
            for (std::int64_t i = 0; i < count; i += 2) {
                const row_tile first(rows, i), second(rows, smaller(i + 1, count - 1));
                for (std::int64_t of_group = p; of_group < next; ++of_group)
                    multiply_pair(of_group, first, second, i + 1 < count);
            }
        }
        if constexpr (has_codes) pending.finish(s);
    }

  private:
    [[gnu::always_inline]] void multiply_pair(std::int64_t p, const row_tile& first, const row_tile& second,
                                              bool both) {
        const gemm_f32_call& c = t.call;
        const std::int64_t j = p * gemm::width, columns = smaller(gemm::width, c.n - j);
        const auto* const b = t.panels + p * t.panel_step;
        bias = !t.begins || !c.bias ? t.zeros : columns == gemm::width ? c.bias + j : t.last_bias;
        s.b_row = gemm::padded(columns);
        if (both)
            columns > lane_count ? block<2, 2>(b, j, columns, first, second)
                                 : block<2, 1>(b, j, columns, first, second);
        else
            columns > lane_count ? block<1, 2>(b, j, columns, first, second)
                                 : block<1, 1>(b, j, columns, first, second);
    }
    template <int Rows, int Vectors>
    [[gnu::noinline]] void block(const element* b, std::int64_t j, std::int64_t columns, const row_tile& first,
                                 const row_tile& second) noexcept {
        tiles::template load<0>(bias, 0);
        if constexpr (Vectors > 1) tiles::template load<1>(bias + lane_count, 0);
        if constexpr (Rows > 1) tiles::template load<2>(bias, 0);
        if constexpr (Rows * Vectors > 2) tiles::template load<3>(bias + lane_count, 0);
        const float *a = at(first), *lower = at(second);
        const std::int64_t a_bytes = s.a_row * 4, b_row = s.b_row;
        for (std::int64_t ty = s.taps_y;;) {
            for (std::int64_t tx = s.taps_x;;) {
                for (std::int64_t n = k.tiles; n > 0; --n, a += k.words, lower += k.words, b += k.words * b_row) {
                    multiply<Rows, Vectors>(a, lower, a_bytes, b, b_row * 4);
                    ahead.step();
                    if constexpr (has_codes) pending.step(s, rows_of_step);
                }
                if (k.rest > 0) {
                    multiply_rest<Rows, Vectors>(a, lower, b);
                    a += k.rest, lower += k.rest, b += k.rest * b_row;
                }
                a += s.jump_x, lower += s.jump_x;
                if (--tx <= 0) break;
            }
            if (--ty <= 0) break;
            a += s.jump_y, lower += s.jump_y;
        }
        if constexpr (has_codes)
            if (t.codes) return keep<Rows, Vectors>(j, columns, first, second);
        store<Vectors, 0>(first, j, columns);
        if constexpr (Rows > 1) store<Vectors, 1>(second, j, columns);
    }
    [[gnu::always_inline]] std::int64_t row_of_y(const row_tile& r) const { return r.outer * t.call.inner + r.inner; }
    [[gnu::always_inline]] const float* at(const row_tile& r) const {
        return t.a + r.outer * t.call.a_outer + r.inner * s.a_row;
    }
    template <int Rows, int Vectors>
    INLAY_STATIC void multiply(const float* a, const float* lower, std::int64_t a_bytes, const element* b,
                               std::int64_t b_bytes) {
        tiles::template load<4>(a, a_bytes);
        tiles::template load<6>(b, b_bytes);
        tiles::template multiply_add<0>();
        if constexpr (Vectors > 1) {
            tiles::template load<7>(b + lane_count, b_bytes);
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
        alignas(64) element whole_b[tile_side][gemm::width] = {};
        for (std::int64_t r = 0; r < rows.rows; ++r)
            along(k.rest, [&](std::int64_t i, std::int64_t n) INLAY_INLINED {
                store_some(whole[0][r] + i, n, load_some(a + r * s.a_row + i, n));
                if constexpr (Rows > 1) store_some(whole[1][r] + i, n, load_some(lower + r * s.a_row + i, n));
            });
        for (std::int64_t i = 0; i < k.rest; ++i)
            __builtin_memcpy(whole_b[i], b + i * s.b_row, std::size_t(s.b_row) * sizeof(element));
        multiply<Rows, Vectors>(whole[0][0], whole[1][0], sizeof whole[0][0], whole_b[0], sizeof whole_b[0]);
    }
    // The block's sums, until the next one's steps.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] void keep(std::int64_t j, std::int64_t columns, const row_tile& first,
                                     const row_tile& second) {
        pending.finish(s);
        store_tiles<Vectors, 0>(pending.sums[0][0], gemm::width);
        if constexpr (Rows > 1) store_tiles<Vectors, 1>(pending.sums[1][0], gemm::width);
        const gemm_codes& codes = *t.call.codes;
        pending.y[0] = t.codes + row_of_y(first) * codes.y_row + j;
        pending.y[1] = Rows > 1 ? t.codes + row_of_y(second) * codes.y_row + j : nullptr;
        pending.scales = codes.scales + j;
        pending.columns = columns;
        pending.rows = rows.rows;
        pending.row = first.skip;
        pending.first_below = second.skip;
        pending.tile = 0;
        if (!t.add) return;
        plus(pending.sums[0][0], gemm::width, first, j, columns);
        if constexpr (Rows > 1) plus(pending.sums[1][0], gemm::width, second, j, columns);
    }
    // The sums of the upper or the lower tile of rows.
    template <int Vectors, int Lower>
    [[gnu::always_inline]] void store(const row_tile& r, std::int64_t j, std::int64_t columns) const {
        const std::int64_t all = Vectors * lane_count;
        float* const y = t.y + row_of_y(r) * s.y_row + j;
        if (!t.add && columns == all) return store_tiles<Vectors, Lower>(y, s.y_row);
        alignas(64) float sums[tile_side][all];
        store_tiles<Vectors, Lower>(sums[0], all);
        if (t.add) plus(sums[0], all, r, j, columns);
        gemm::copy_rows(y + r.skip * s.y_row, s.y_row, sums[r.skip], all, rows.rows - r.skip, columns);
    }
    template <int Vectors, int Lower> INLAY_STATIC void store_tiles(float* to, std::int64_t row) {
        tiles::template store<2 * Lower>(to, row * 4);
        if constexpr (Vectors > 1) tiles::template store<2 * Lower + 1>(to + lane_count, row * 4);
    }
    [[gnu::always_inline]] void plus(float* sums, std::int64_t sums_row, const row_tile& tile, std::int64_t j,
                                     std::int64_t columns) const {
        const float* const add = t.add + row_of_y(tile) * s.add_row + j;
        for (std::int64_t r = tile.skip; r < rows.rows; ++r)
            along(columns, [&](std::int64_t i, std::int64_t n) INLAY_INLINED {
                float* const to = sums + r * sums_row + i;
                store_some(to, n, F::plus(load_some(to, n), load_some(add + r * s.add_row + i, n)));
            });
    }
};
}  // namespace INLAY_LEVEL::integer_tiles
}  // namespace v1
}  // namespace inlay

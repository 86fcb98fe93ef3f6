// Matmul of packed panels in tiles of a matrix unit: 2x2 of them, two of rows by two vectors of columns. While a Tiles
// object exists, tiles 0 to 3 are accumulators, 4 and 5 hold A, 6 and 7 B; A's words are of 4 bytes, of as many
// elements of B's columns as F::group says:
//   Tiles(rows, words)                    of A's tiles, at most tile_side each; B's have `words` rows of a vector
//   load<T>(from, row_bytes), store<T>(to, row_bytes)
//   multiply_add<T>()                     adds to tile T the product of A's tile 4 + T / 2 and B's tile 6 + T % 2
#pragma once
#include "along.hpp"
#include "gemm_loops.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::tile_products {
constexpr std::int64_t tile_side = 16;  // rows of a tile at most, and words of K that a step multiplies

// A run of words of K: so many tiles of as many words each, and what is left then.
struct run_cut {
    std::int64_t tiles, words, rest;
};
INLAY_INLINE run_cut cut_run(std::int64_t length) {
    const std::int64_t least = (length + tile_side - 1) / tile_side;
    for (std::int64_t n = least; n > 0 && n <= least + 2; ++n)  // a remainder costs as much as some two tiles
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
    std::int64_t outer, inner, skip;  // the first row; rows from there that the previous tile covers
    [[gnu::always_inline]] row_tile(const row_cut& c, std::int64_t i)
        : outer(i / c.tiles),
          inner(smaller(i % c.tiles * c.rows, c.line - c.rows)),
          skip(i % c.tiles * c.rows - inner) {}
};
struct prefetches {  // prefetches some lines of memory of the next tiles with each step
    const char *at, *end;
    std::int64_t lines;
    [[gnu::always_inline]] void step() {
        if (at >= end) return;
        for (std::int64_t i = 0; i < lines; ++i) __builtin_prefetch(at + 64 * i, 0, 2);
        at += 64 * lines;
    }
};

// The arguments of a slab's matmul. Own has block<Rows, Vectors>(panel, first, second): so many tiles of rows by so
// many vectors of a panel's columns.
template <class Own, class F, class Tiles> struct product {
    using element = typename F::element;
    static constexpr std::int64_t row_bytes = gemm::width * F::group * std::int64_t(sizeof(element));
    struct panel {
        const element* b;
        const float* bias;
        std::int64_t j, columns;
    };
    const gemm::slab<F>& t;
    gemm::slab_call& s;
    const run_cut k;
    const row_cut rows;
    prefetches ahead{};

    [[gnu::always_inline]] product(const gemm::slab<F>& slab, gemm::slab_call& call)
        : t(slab), s(call), k(cut_run(s.length)), rows(t.rows()) {}

    [[gnu::always_inline]] panel begin(std::int64_t p) {
        const gemm_f32_call& c = t.call;
        const std::int64_t j = p * gemm::width, columns = smaller(gemm::width, c.n - j);
        s.b_row = gemm::padded(columns) * F::group;
        return {t.panels + p * t.panel_step,
                !t.begins || !c.bias     ? t.zeros
                : columns == gemm::width ? c.bias + j
                                         : t.last_bias,
                j, columns};
    }
    [[gnu::always_inline]] void multiply_rows(const panel& p, const row_tile& first, const row_tile& second,
                                              bool with_second) {
        Own& self = static_cast<Own&>(*this);
        if (with_second)
            p.columns > lane_count ? self.template block<2, 2>(p, first, second)
                                   : self.template block<2, 1>(p, first, second);
        else
            p.columns > lane_count ? self.template block<1, 2>(p, first, second)
                                   : self.template block<1, 1>(p, first, second);
    }
    template <int Rows, int Vectors> INLAY_STATIC void load_bias(const float* bias) {
        Tiles::template load<0>(bias, 0);
        if constexpr (Vectors > 1) Tiles::template load<1>(bias + lane_count, 0);
        if constexpr (Rows > 1) Tiles::template load<2>(bias, 0);
        if constexpr (Rows * Vectors > 2) Tiles::template load<3>(bias + lane_count, 0);
    }
    // Accumulates over all of the slab's K; step(multiply) has to call multiply once.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] void add_product(const panel& p, const row_tile& first, const row_tile& second, auto step) {
        const float *a = at(first), *lower = at(second);
        const element* b = p.b;
        const std::int64_t a_bytes = s.a_row * 4, b_row = s.b_row, b_bytes = b_row * std::int64_t(sizeof(element));
        for (std::int64_t ty = s.taps_y;;) {
            for (std::int64_t tx = s.taps_x;;) {
                for (std::int64_t n = k.tiles; n > 0; --n, a += k.words, lower += k.words, b += k.words * b_row)
                    step([&]() INLAY_INLINED { multiply<Rows, Vectors>(a, lower, a_bytes, b, b_bytes); });
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
    }
    template <int Vectors, int Lower> INLAY_STATIC void store_tiles(float* to, std::int64_t row) {
        Tiles::template store<2 * Lower>(to, row * 4);
        if constexpr (Vectors > 1) Tiles::template store<2 * Lower + 1>(to + lane_count, row * 4);
    }
    [[gnu::always_inline]] std::int64_t row_of_y(const row_tile& r) const { return r.outer * t.call.inner + r.inner; }

  private:
    [[gnu::always_inline]] const float* at(const row_tile& r) const {
        return t.a + r.outer * (t.call.a_outer / F::group) + r.inner * s.a_row;
    }
    template <int Rows, int Vectors>
    INLAY_STATIC void multiply(const float* a, const float* lower, std::int64_t a_bytes, const element* b,
                               std::int64_t b_bytes) {
        Tiles::template load<4>(a, a_bytes);
        Tiles::template load<6>(b, b_bytes);
        Tiles::template multiply_add<0>();
        if constexpr (Vectors > 1) {
            Tiles::template load<7>(b + lane_count * F::group, b_bytes);
            Tiles::template multiply_add<1>();
        }
        if constexpr (Rows > 1) {
            Tiles::template load<5>(lower, a_bytes);
            Tiles::template multiply_add<2>();
            if constexpr (Vectors > 1) Tiles::template multiply_add<3>();
        }
    }
    // Through copies padded with zeros.
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
};
}  // namespace INLAY_LEVEL::tile_products
}  // namespace v1
}  // namespace inlay

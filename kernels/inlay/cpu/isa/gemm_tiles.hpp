// Products of pairs of bfloat16 in tiles of a matrix unit: 2x2 of them hold 32 rows by two vectors of columns. A format
// has them as F::tiles; while one of these stands there are tiles 0 to 3 of sums, 4 and 5 of A, 6 and 7 of B, each with
// 16 rows of words:
//   zero<T>(), load<T>(from, row_bytes), store<T>(to, row_bytes)
//   multiply_add<T>()   adds to sums T the product of A's tile 4 + T / 2 and B's tile 6 + T % 2
// Tiles are always whole: what does not fill one goes through a copy that zeros fill up.
#pragma once
#include "along.hpp"
#include "gemm_loops.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::gemm {
constexpr std::int64_t tile_side = 16;  // rows of a tile, and words of K that a step multiplies

template <class F>
requires requires { typename F::tiles; }
struct computed<F> {
    static constexpr std::int64_t rows = 2 * tile_side;
    static constexpr bool wide = false;
    using scope = typename F::tiles;
    using element = typename F::element;
    INLAY_STATIC void multiply(const slab_call& s, std::int64_t rows, std::int64_t vectors, const float* a,
                               const element* b, const float* bias, const float* add, float* y, const element*,
                               std::int64_t) {
        block(s, rows, vectors, a, b, bias, add, y);
    }

  private:
    [[gnu::noinline]] static void block(const slab_call& s, std::int64_t rows, std::int64_t vectors, const float* a,
                                        const element* b, const float* bias, const float* add, float* y) noexcept {
        using tiles = typename F::tiles;
        tiles::template zero<0>();
        tiles::template zero<1>();
        tiles::template zero<2>();
        tiles::template zero<3>();
        for (std::int64_t ty = s.taps_y;;) {
            for (std::int64_t tx = s.taps_x;;) {
                for (std::int64_t k = 0; k < s.length; k += tile_side) {
                    const std::int64_t words = smaller(tile_side, s.length - k);
                    load_a<0>(a + k, s.a_row, smaller(rows, tile_side), words);
                    load_b<0>(b + k * s.b_row, s.b_row, words);
                    tiles::template multiply_add<0>();
                    if (vectors > 1) {
                        load_b<1>(b + k * s.b_row + lane_count * F::group, s.b_row, words);
                        tiles::template multiply_add<1>();
                    }
                    if (rows <= tile_side) continue;
                    load_a<1>(a + k + tile_side * s.a_row, s.a_row, rows - tile_side, words);
                    tiles::template multiply_add<2>();
                    if (vectors > 1) tiles::template multiply_add<3>();
                }
                a += s.length + s.jump_x;
                b += s.length * s.b_row;
                if (--tx <= 0) break;
            }
            if (--ty <= 0) break;
            a += s.jump_y;
        }
        alignas(64) float sums[2 * tile_side][width];
        tiles::template store<0>(sums[0], sizeof sums[0]);
        tiles::template store<1>(sums[0] + lane_count, sizeof sums[0]);
        tiles::template store<2>(sums[tile_side], sizeof sums[0]);
        tiles::template store<3>(sums[tile_side] + lane_count, sizeof sums[0]);
        const lanes low(s.low), high(s.high);
        for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t j = 0; j < vectors * lane_count; j += lane_count) {
                lanes sum = lanes::load_unaligned(sums[r] + j) + lanes::load_unaligned(bias + j);
                if (add) sum += lanes::load_unaligned(add + r * s.add_row + j);
                clipped(sum, low, high).store_unaligned(y + r * s.y_row + j);
            }
    }
    template <int Half>
    INLAY_STATIC void load_a(const float* from, std::int64_t row, std::int64_t rows, std::int64_t words) {
        if (rows == tile_side && words == tile_side) return F::tiles::template load<4 + Half>(from, row * 4);
        alignas(64) float whole[tile_side][tile_side] = {};
        for (std::int64_t r = 0; r < rows; ++r)
            along(words, [&](std::int64_t i, std::int64_t n)
                             INLAY_INLINED { store_some(whole[r] + i, n, load_some(from + r * row + i, n)); });
        F::tiles::template load<4 + Half>(whole, sizeof whole[0]);
    }
    template <int Half> INLAY_STATIC void load_b(const element* from, std::int64_t row, std::int64_t words) {
        if (words == tile_side) return F::tiles::template load<6 + Half>(from, row * std::int64_t(sizeof(element)));
        alignas(64) element whole[tile_side][lane_count * F::group] = {};
        for (std::int64_t k = 0; k < words; ++k) __builtin_memcpy(whole[k], from + k * row, sizeof whole[0]);
        F::tiles::template load<6 + Half>(whole, sizeof whole[0]);
    }
};
}  // namespace INLAY_LEVEL::gemm
}  // namespace v1
}  // namespace inlay

// Matmul of words of four int8 in tiles of a matrix unit, which a format has as F::matrix_unit (tile_products.hpp); A's
// words are B's elements. Integer accumulation does not depend on the order, so that rows are cut as it suits the
// tiles.
#pragma once
#include "tile_products.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::integer_tiles {
using tile_products::row_tile;
using tile_products::tile_side;

// Accumulators of a block, two tiles one under the other, that are requantized while the next block is multiplied: a
// few rows with each of its steps, because the vector units are idle then.
template <class F> struct pending_codes {
    alignas(64) float sums[2][tile_side][gemm::width];
    std::uint8_t* y[2];  // quantized values of the tiles' first rows
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

template <class F> struct slab_product : tile_products::product<slab_product<F>, F, typename F::matrix_unit> {
    using base = tile_products::product<slab_product, F, typename F::matrix_unit>;
    using base::ahead, base::begin, base::k, base::multiply_rows, base::row_bytes, base::row_of_y, base::rows, base::s,
        base::t;
    using typename base::panel;
    static constexpr bool has_codes = requires { F::store_codes; };
    const std::int64_t steps, rows_of_step;  // of a block; requantized during the next block's steps
    pending_codes<F> pending;

    [[gnu::always_inline]] slab_product(const gemm::slab<F>& slab, gemm::slab_call& call)
        : base(slab, call),
          steps(larger(1, s.taps_y * s.taps_x * k.tiles)),
          rows_of_step((2 * tile_side + 4 * steps - 1) / (4 * steps) * 4) {}

    // All rows by panels [first_panel, t.part.panel_end), which are packed. As many panels as the first-level cache
    // holds are multiplied by a block's rows one after another, so that neighbouring outputs are in the cache too.
    [[gnu::always_inline]] void run(std::int64_t first_panel) {
        const std::int64_t end = t.part.panel_end, panel_bytes = t.count * row_bytes,
                           group = larger(1, 16384 / larger(1, panel_bytes)),
                           count = rows.tiles * (t.part.outer_end - t.part.outer);
        [[maybe_unused]] const typename F::matrix_unit scope(rows.rows, k.words);
        for (std::int64_t p = first_panel, next; p < end; p = next) {
            next = smaller(p + group, end);
            const char* const following = reinterpret_cast<const char*>(t.panels + next * t.panel_step);
            const std::int64_t following_bytes = (smaller(next + group, end) - next) * panel_bytes,
                               all_steps = (count + 1) / 2 * (next - p) * steps;
            ahead = {following, following + following_bytes, (following_bytes / 64 + all_steps - 1) / all_steps};
            for (std::int64_t i = 0; i < count; i += 2) {
                const row_tile first(rows, i), second(rows, smaller(i + 1, count - 1));
                for (std::int64_t of_group = p; of_group < next; ++of_group)
                    multiply_rows(begin(of_group), first, second, i + 1 < count);
            }
        }
        if constexpr (has_codes) pending.finish(s);
    }

    template <int Rows, int Vectors>
    [[gnu::noinline]] void block(const panel& p, const row_tile& first, const row_tile& second) noexcept {
        base::template load_bias<Rows, Vectors>(p.bias);
        base::template add_product<Rows, Vectors>(p, first, second, [this](auto multiply) INLAY_INLINED {
            multiply();
            ahead.step();
            if constexpr (has_codes) pending.step(s, rows_of_step);
        });
        if constexpr (has_codes)
            if (t.codes) return keep<Rows, Vectors>(p.j, p.columns, first, second);
        store<Vectors, 0>(first, p.j, p.columns);
        if constexpr (Rows > 1) store<Vectors, 1>(second, p.j, p.columns);
    }

  private:
    // The block's accumulators, until the next one's steps.
    template <int Rows, int Vectors>
    [[gnu::always_inline]] void keep(std::int64_t j, std::int64_t columns, const row_tile& first,
                                     const row_tile& second) {
        pending.finish(s);
        base::template store_tiles<Vectors, 0>(pending.sums[0][0], gemm::width);
        if constexpr (Rows > 1) base::template store_tiles<Vectors, 1>(pending.sums[1][0], gemm::width);
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
    // The accumulators of the upper or the lower tile of rows.
    template <int Vectors, int Lower>
    [[gnu::always_inline]] void store(const row_tile& r, std::int64_t j, std::int64_t columns) const {
        const std::int64_t row_width = Vectors * lane_count;
        float* const y = t.y + row_of_y(r) * s.y_row + j;
        if (!t.add && columns == row_width) return base::template store_tiles<Vectors, Lower>(y, s.y_row);
        alignas(64) float sums[tile_side][row_width];
        base::template store_tiles<Vectors, Lower>(sums[0], row_width);
        if (t.add) plus(sums[0], row_width, r, j, columns);
        gemm::copy_rows(y + r.skip * s.y_row, s.y_row, sums[r.skip], row_width, rows.rows - r.skip, columns);
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

// Matmul of packed bf16 pairs in tiles of a matrix unit, which a format has as F::tiles (tile_products.hpp), with
// F::widened(p, v, n), store_pairs(x, to), round_row(from, n, to): vector v of the bf16 at p, of which it may read n;
// and the inverses, from vectors and from memory.
#pragma once
#include "tile_products.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::gemm {
template <class F>
requires requires { typename F::tiles; }
struct computed<F> {  // F::multiply_panels() is there instead, for few rows too: no result depends on how they are
                      // shared out
    static constexpr std::int64_t rows = gemm_f32_rows(this_level);
    static constexpr bool wide = false;
    struct scope {};
    INLAY_STATIC void multiply(const auto&...) {}
};
}  // namespace INLAY_LEVEL::gemm
namespace INLAY_LEVEL::float_tiles {
using tile_products::row_tile;
using tile_products::tile_side;

template <class F> struct slab_product : tile_products::product<slab_product<F>, F, typename F::tiles> {
    using base = tile_products::product<slab_product, F, typename F::tiles>;
    using base::ahead, base::begin, base::k, base::multiply_rows, base::row_bytes, base::row_of_y, base::rows, base::s,
        base::t;
    using base::base;
    using typename base::panel;

    // All rows by panels [first_panel, t.part.panel_end).
    [[gnu::always_inline]] void run(std::int64_t first_panel) {
        const gemm_f32_call& c = t.call;
        const std::int64_t end = t.part.panel_end, count = rows.tiles * (t.part.outer_end - t.part.outer),
                           steps = larger(1, (count + 1) / 2 * s.taps_y * s.taps_x * k.tiles),
                           panel_bytes = t.count * row_bytes;
        // What few rows read repeatedly, as each step of a recurrent network does, lies in the second-level cache.
        const bool fetches = count > 1 || (end - first_panel) * panel_bytes > 1 << 19;
        [[maybe_unused]] const typename F::tiles scope(rows.rows, k.words);
        for (std::int64_t p = first_panel; p < end; ++p) {
            const panel of_b = begin(p);
            const char* const next = reinterpret_cast<const char*>(of_b.b) + panel_bytes;
            ahead = {next, fetches && (p + 1 < end || c.goes_on) ? next + panel_bytes : next,
                     (panel_bytes / 64 + steps - 1) / steps};
            for (std::int64_t i = 0; i < count; i += 2)
                multiply_rows(of_b, row_tile(rows, i), row_tile(rows, smaller(i + 1, count - 1)), i + 1 < count);
        }
    }
    template <int Rows, int Vectors>
    [[gnu::noinline]] void block(const panel& p, const row_tile& first, const row_tile& second) noexcept {
        base::template load_bias<Rows, Vectors>(p.bias);
        if (t.add && t.begins) {
            fetch_addend<Vectors>(first, p.j);
            if constexpr (Rows > 1) fetch_addend<Vectors>(second, p.j);
        }
        base::template add_product<Rows, Vectors>(p, first, second, [this](auto multiply) INLAY_INLINED {
            ahead.step();
            multiply();
        });
        store<Vectors, 0>(first, p.j, p.columns);
        if constexpr (Rows > 1) store<Vectors, 1>(second, p.j, p.columns);
    }

  private:
    template <int Vectors> [[gnu::always_inline]] void fetch_addend(const row_tile& r, std::int64_t j) const {
        const std::int64_t row = row_of_y(r);
        const float* const add = t.add + row * s.add_row + (t.call.add_pairs ? j / 2 : j);
        for (std::int64_t i = 0; i < rows.rows; ++i)
            for (int v = 0; v < (t.call.add_pairs ? 1 : Vectors); ++v)
                __builtin_prefetch(add + i * s.add_row + v * lane_count);
    }
    // Stores the accumulators of an upper or lower tile of rows into Y.
    template <int Vectors, int Lower>
    [[gnu::always_inline]] void store(const row_tile& r, std::int64_t j, std::int64_t columns) const {
        constexpr std::int64_t row_width = Vectors * lane_count;
        const gemm_f32_call& c = t.call;
        const std::int64_t first = row_of_y(r) + r.skip, count = rows.rows - r.skip;
        float* const y = t.y + first * s.y_row + (c.y_pairs ? j / 2 : j);
        const float* const add = t.add ? t.add + first * s.add_row + (c.add_pairs ? j / 2 : j) : nullptr;
        if (!add && columns == row_width && !t.clips() && !t.finishes() && !c.y_pairs)
            return base::template store_tiles<Vectors, Lower>(y - r.skip * s.y_row, s.y_row);
        alignas(64) float sums[tile_side][row_width];
        base::template store_tiles<Vectors, Lower>(sums[0], row_width);
        if (columns == row_width && !t.finishes())
            return c.y_pairs ? store_rows<Vectors>(sums[r.skip], count, add, reinterpret_cast<std::uint16_t*>(y))
                             : store_rows<Vectors>(sums[r.skip], count, add, y);
        store_some_rows(sums[r.skip], row_width, count, add, y, columns);
    }
    // Whole rows, with their activation applied in the same pass.
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
    // Other rows, of `row_width` accumulators each, which are changed in place.
    [[gnu::noinline]] void store_some_rows(float* sums, std::int64_t row_width, std::int64_t count, const float* add,
                                           float* y, std::int64_t columns) const noexcept {
        const lanes low(s.low), high(s.high);
        for (std::int64_t i = 0; i < count; ++i)
            along(columns, [&](std::int64_t j, std::int64_t n) INLAY_INLINED {
                lanes x = lanes::load_aligned(sums + i * row_width + j);
                if (add)
                    x += t.call.add_pairs ? F::widened(add + i * s.add_row, j / lane_count, n)
                                          : load_some(add + i * s.add_row + j, n);
                clipped(x, low, high).store_aligned(sums + i * row_width + j);
            });
        if (t.finishes()) F::finish(t.call.post_op, sums, count, row_width, row_width);
        if (t.call.y_pairs)
            for (std::int64_t i = 0; i < count; ++i)
                F::round_row(sums + i * row_width, columns, reinterpret_cast<std::uint16_t*>(y + i * s.y_row));
        else
            gemm::copy_rows(y, s.y_row, sums, row_width, count, columns);
    }
};
}  // namespace INLAY_LEVEL::float_tiles
}  // namespace v1
}  // namespace inlay

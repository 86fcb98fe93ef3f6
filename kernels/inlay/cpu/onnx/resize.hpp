// Resize of images on the CPU: nearest and linear along height and width, float, in either layout. Nearest copies rows
// and pixels; linear blends two input rows, then the neighbours in that row. The tables of positions and weights are
// those of the reference kernel.
#pragma once
#include <inlay/cpu/support/kept_pairs.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/resize.hpp>

namespace inlay {
inline namespace v1 {
namespace resizing {
struct image {  // a row holds `width` pixels of `depth` float32; plain: one, and every channel is an image of its own
    std::int64_t rows, columns, out_rows, out_columns, depth, images,
        pixel;  // pixel: float32 from one to the next of the output
    bool dense() const { return pixel == depth; }
};
inline void widen_row(const float* x, float* y, const image& m, const std::int64_t* column,
                      std::int64_t factor) noexcept {
    if (factor == 1 && m.dense())
        std::copy_n(x, m.columns * m.depth, y);
    else if (m.depth == 1 && factor == 2)
        for (std::int64_t i = 0; i < m.columns; ++i) y[2 * i] = y[2 * i + 1] = x[i];
    else if (m.depth == 1)
        for (std::int64_t o = 0; o < m.out_columns; ++o) y[o] = x[column[o]];
    else
        for (std::int64_t o = 0; o < m.out_columns; ++o) std::copy_n(x + column[o] * m.depth, m.depth, y + o * m.pixel);
}
struct neighbours {  // of one output position: a * left + b * right
    std::int32_t left, right;
    float a, b;
};
inline void fill_neighbours(const axis_table& t, std::int64_t length, std::int64_t resized, neighbours* n) noexcept {
    for (std::int64_t o = 0; o < resized; ++o) {
        const auto near = [&](std::int64_t i) {
            return std::int32_t(std::min(std::max(i, std::int64_t(0)), length - 1));
        };
        n[o] = t.taps == 1 ? neighbours{near(t.first[o]), near(t.first[o]), 1, 0}
                           : neighbours{near(t.first[o]), near(t.first[o] + 1), float(t.weights[2 * o]),
                                        float(t.weights[2 * o + 1])};
    }
}
inline void blend(const float* x0, const float* x1, float a, float b, float* y, std::int64_t n) noexcept {
    for (std::int64_t i = 0; i < n; ++i) y[i] = a * x0[i] + b * x1[i];
}
inline void blend_columns(const float* x, const neighbours* n, float* y, const image& m) noexcept {
    if (m.depth == 1)
        for (std::int64_t o = 0; o < m.out_columns; ++o) y[o] = n[o].a * x[n[o].left] + n[o].b * x[n[o].right];
    else
        for (std::int64_t o = 0; o < m.out_columns; ++o)
            blend(x + n[o].left * m.depth, x + n[o].right * m.depth, n[o].a, n[o].b, y + o * m.depth, m.depth);
}

struct image_kernel : simple_kernel {
    struct params {
        geometry p;
        image m;
        bool widens = false, narrows = false;  // X is kept as bf16 and Y is not, or the other way round
    };
    struct state {
        kept_pairs pairs{};
    };
    static constexpr layout_rule layouts(const node_view& n) { return order_of_input(n); }
    static constexpr bool spaced(const node_view& n, int argument) {
        geometry p;
        read(n, p);
        return (argument == input(0) || argument == output(0)) && p.mode == interpolation::nearest;
    }
    static constexpr bool strided(const node_view& n, int argument) {
        geometry p;
        read(n, p);
        return argument == output(0) && p.mode == interpolation::nearest;
    }
    static constexpr verdict supports(const node_view& n) {
        geometry p;
        read(n, p);
        if (p.x.rank != 4) return no("the fast kernel resizes images: four dimensions");
        if (p.mode == interpolation::cubic || p.antialias || p.exclude_outside || p.transformation == coordinates::crop)
            return no("the fast kernel has no cubic, antialias, exclude_outside or region");
        const auto scales = known_scales(n, p);
        const auto sizes = known_sizes(n, p);
        for (int i = 0; i < p.axes.rank; ++i) {
            const int axis = int(p.axes[i]);
            if (axis >= 2) continue;
            const bool same_size =
                !scales.empty() ? scales[std::size_t(i)] == 1
                                : !sizes.empty() && p.keep == policy::stretch && sizes[std::size_t(i)] == p.x[axis];
            if (!same_size) return no("the fast kernel resizes height and width only, by values known before the run");
        }
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        geometry p;
        read(n, p);
        p.y = n.output(0).dims;
        const bool is_channels_last = n.input_layout(0) == layout::channels_last;
        const bool x_pairs = n.input_pitch(0) < 0, y_pairs = n.output_pitch(0) < 0;
        const std::int64_t part = x_pairs && y_pairs ? 2 : 1, depth = is_channels_last ? p.x[1] : 1,
                           pixel = n.output_pitch(0);  // bf16 pairs are moved as float32
        return {p,
                {p.x[2], p.x[3], p.y[2], p.y[3], depth / part, is_channels_last ? p.x[0] : p.x[0] * p.x[1],
                 (pixel < 0 ? -pixel
                  : pixel   ? pixel
                            : depth) /
                     part},
                x_pairs && !y_pairs,
                y_pairs && !x_pairs};
    }
    static constexpr bool needs(const params& q) { return q.widens || q.narrows; }
    template <bool Converts = true> static status bind(const params&, constants, const setup& u, state& s) noexcept {
        if constexpr (Converts) s.pairs = kept_pairs::of(u.level);
        return status::ok;
    }
    static constexpr std::int64_t rounded(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }
    static constexpr bytes_needed footprint(const params& q, isa::level, int threads) {
        if (q.p.y.elements() == 0) return {};
        const auto& m = q.m;
        std::int64_t bytes = rounded(table_bytes(q.p));
        if (q.p.mode == interpolation::linear)
            bytes += rounded(16 * (m.out_rows + m.out_columns)) + threads * rounded(m.columns * m.depth * 4);
        return {0, bytes};
    }
    template <bool Converts = true>
    static status run(const params& q, const state& s, const arguments& a, context& c) noexcept {
        const geometry& p = q.p;
        const image& m = q.m;
        if (p.y.elements() == 0) return status::ok;
        axis_table t[max_rank];
        if (p.x.elements() == 0 || !fill_tables(p, a, c.scratch, t))
            return c.fail("a scale does not fit the output's shape");
        const float* x = a.in<float>(0);
        float* y = a.out<float>(0);
        const std::int64_t in_row = m.columns * m.depth, out_row = m.out_columns * m.pixel,
                           grain = std::max<std::int64_t>(1, 8192 / out_row);
        if (p.mode == interpolation::nearest) {
            const std::int64_t *row = t[2].first, *column = t[3].first;
            if (Converts && needs(q)) {
                convert_pixels(q, s, a, row, column, c);
                return status::ok;
            }
            std::int64_t factor = m.out_columns % m.columns == 0 ? m.out_columns / m.columns : 0;
            for (std::int64_t o = 0; o < m.out_columns && factor; ++o)
                if (column[o] != o / factor) factor = 0;
            c.split(m.images * m.out_rows, grain, [&](std::int64_t first, std::int64_t end, int) noexcept {
                std::int64_t before = -1;  // the input row that the output row above came from
                for (std::int64_t r = first; r < end; ++r) {
                    const std::int64_t from = r / m.out_rows * m.rows + row[r % m.out_rows];
                    if (from == before && m.dense())
                        std::copy_n(y + (r - 1) * out_row, out_row, y + r * out_row);
                    else
                        widen_row(x + from * in_row, y + r * out_row, m, column, factor);
                    before = from;
                }
            });
            return status::ok;
        }
        std::byte* rest = c.scratch + rounded(table_bytes(p));
        auto* rows = reinterpret_cast<neighbours*>(rest);
        auto* columns = rows + m.out_rows;
        fill_neighbours(t[2], m.rows, m.out_rows, rows);
        fill_neighbours(t[3], m.columns, m.out_columns, columns);
        rest += rounded(16 * (m.out_rows + m.out_columns));
        c.split(m.images * m.out_rows, grain, [&](std::int64_t first, std::int64_t end, int part) noexcept {
            auto* middle = reinterpret_cast<float*>(rest + part * rounded(in_row * 4));
            for (std::int64_t r = first; r < end; ++r) {
                const neighbours& n = rows[r % m.out_rows];
                const float* image = x + r / m.out_rows * m.rows * in_row;
                const float* blended = image + n.left * in_row;
                float* to = y + r * out_row;
                if (t[2].taps > 1) {
                    float* into = t[3].taps > 1 ? middle : to;
                    blend(blended, image + n.right * in_row, n.a, n.b, into, in_row);
                    blended = into;
                }
                if (t[3].taps > 1)
                    blend_columns(blended, columns, to, m);
                else if (t[2].taps == 1)
                    std::copy_n(blended, in_row, to);
            }
        });
        return status::ok;
    }

  private:
    static void convert_pixels(const params& q, const state& s, const arguments& a, const std::int64_t* row,
                               const std::int64_t* column, context& c) noexcept {
        const image& m = q.m;
        c.split(m.images * m.out_rows, std::max<std::int64_t>(1, 8192 / (m.out_columns * m.pixel)),
                [&](std::int64_t first, std::int64_t end, int) noexcept {
                    for (std::int64_t r = first; r < end; ++r)
                        for (std::int64_t o = 0; o < m.out_columns; ++o) {
                            const std::int64_t line = r / m.out_rows * m.rows + row[r % m.out_rows],
                                               from = (line * m.columns + column[o]) * m.depth,
                                               to = (r * m.out_columns + o) * m.pixel;
                            if (q.widens)
                                s.pairs.widen(a.in<std::uint16_t>(0) + from, a.out<float>(0) + to, m.depth);
                            else
                                s.pairs.round(a.in<float>(0) + from, m.depth, a.out<std::uint16_t>(0) + to);
                        }
                });
    }
};
}  // namespace resizing

template <> struct kernel<op::resize, device::cpu, types<float>> : resizing::image_kernel {};
template <> struct kernel<op::upsample, device::cpu, types<float>> : resizing::image_kernel {};
}  // namespace v1
}  // namespace inlay

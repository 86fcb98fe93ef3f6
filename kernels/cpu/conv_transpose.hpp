// ConvTranspose on the CPU, channels last. For each tap of the window a row of pixels is multiplied by the tap's weights, and the product is
// added to the pixels of Y that it reaches, `stride` apart. A product per row and tap: each weight is read once per row of X.
#pragma once
#include "../conv_transpose.hpp"
#include "dense.hpp"

namespace inlay::inline v1 {
template <> struct kernel<op::conv_transpose, device::cpu, types<float>> : simple_kernel {
    struct params {
        std::int64_t batch = 1, channels = 1, height = 1, width = 1, out_channels = 1, group = 1, out_height = 1, out_width = 1;
        std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1, pad_top = 0, pad_left = 0;
        bool has_bias = false, plain_input = false, plain_output = false;

        constexpr std::int64_t taps() const { return kernel_h * kernel_w; }
        constexpr std::int64_t depth() const { return channels / group; }
        constexpr std::int64_t columns() const { return out_channels / group; }
        constexpr std::int64_t packed(isa::level l) const { return align_floats(gemm_f32_padded(l, columns()) * depth()); }  // of a tap of a group
        constexpr std::int64_t input_room() const { return plain_input ? align_floats(height * width * channels) : 0; }
        constexpr std::int64_t output_room() const { return plain_output ? align_floats(out_height * out_width * out_channels) : 0; }
    };
    struct state { const gemm_f32_table* table = nullptr; isa::level level{}; const float* weights = nullptr; };
    static constexpr unsigned packs = 1 << 1;

    static constexpr verdict supports(const node_view& n) {
        const int rank = n.input(0).dims.rank;
        if (rank != 3 && rank != 4) return no("written for one or two spatial axes");
        if (!n.is_constant(1)) return no("W is no constant, so it cannot be packed");
        return n.is_constant(0) ? no("X is a constant, which is never channels last") : yes();
    }
    static constexpr layout_rule layouts(const node_view& n) { return n.input(0).dims.rank == 4 ? layout_rule{layout::channels_last, layout::channels_last} : layout_rule{}; }
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        transposed_convolution c;
        shape y;
        transposed_convolution::read(n, c, y);
        const int v = x.rank - 3, h = x.rank - 4;  // the axes of width and height; one spatial axis is a width
        const auto at = [](const shape& s, int i) { return i < 0 ? 1 : s[i]; };
        params p{x[0], x[1], at(c.input, h), c.input[v], y[1], c.group, at(c.output, h), c.output[v], at(c.kernel, h), c.kernel[v], at(c.strides, h), c.strides[v],
                 at(c.dilations, h), c.dilations[v], h < 0 ? 0 : c.pads[h], c.pads[v], n.has_input(2), false, false};
        p.plain_input = n.input_layout(0) == layout::plain && p.channels > 1;
        p.plain_output = n.output_layout(0) == layout::plain && p.out_channels > 1;
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int) { return {4 * p.group * p.taps() * p.packed(l), 4 * (p.input_room() + p.output_room())}; }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        float* to = reinterpret_cast<float*>(u.storage);
        s = {&gemm_f32(u.level), u.level, to};
        for (std::int64_t g = 0; g < p.group; ++g) for (std::int64_t t = 0; t < p.taps(); ++t, to += p.packed(u.level))
            s.table->pack({w.in<float>(1) + g * p.depth() * p.columns() * p.taps() + t, p.columns(), p.taps(), 1, p.columns() * p.taps()}, {1, 1, p.depth()}, 0, gemm_f32_panels(u.level, p.columns()), to);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        float *const own_x = reinterpret_cast<float*>(c.scratch), *const own_y = own_x + p.input_room();
        const std::int64_t area = p.height * p.width, out_area = p.out_height * p.out_width, panels = gemm_f32_panels(s.level, p.columns());
        for (std::int64_t image = 0; image < p.batch; ++image) {
            const float* x = a.in<float>(0) + image * area * p.channels;
            float* y = a.out<float>(0) + image * out_area * p.out_channels;
            if (p.plain_input) x = (c.split(area, 64, [&, from = x](std::int64_t first, std::int64_t last, int) { exchange(from, own_x, p.channels, area, first, last); }), own_x);
            float* const target = p.plain_output ? own_y : y;
            // By rows of Y; where there are few, by panels of its channels. Either way an element's sum has one order.
            const double work = double(area) * double(p.channels) * double(p.columns()) * double(p.taps());
            const work_grid grid = share(c.threads, p.out_height, panels, work, p.out_height < 4 * c.threads);
            const auto part = [&](int k) { const auto b = grid.part(k); run_part(p, s, x, p.has_bias ? a.in<float>(2) : nullptr, target, b.row, b.row_end, b.column, b.column_end, c); };
            if (grid.parts == 1) part(0);
            else c.for_each(grid.parts, part);
            if (c.stopped()) return c.end_of_run();
            if (p.plain_output) c.split(p.out_channels, 1 + 4096 / std::max<std::int64_t>(1, out_area), [&](std::int64_t first, std::int64_t last, int) { exchange(target, y, out_area, p.out_channels, first, last); });
        }
        return status::ok;
    }
private:
    // Rows [first, last) of `to`, rows x columns, from the columns of `from`.
    static void exchange(const float* from, float* to, std::int64_t columns, std::int64_t rows, std::int64_t first, std::int64_t last) noexcept {
        for (std::int64_t i = first; i < last; ++i) for (std::int64_t j = 0; j < columns; ++j) to[i * columns + j] = from[j * rows + i];
    }
    static void run_part(const params& p, const state& s, const float* x, const float* bias, float* y, std::int64_t row, std::int64_t row_end, std::int64_t panel, std::int64_t panel_end, context& c) noexcept {
        const std::int64_t width = gemm_f32_width(s.level), first = panel * width, last = std::min(p.columns(), panel_end * width);
        for (std::int64_t g = 0; g < p.group; ++g) {
            for (std::int64_t pixel = row * p.out_width; pixel < row_end * p.out_width; ++pixel) {
                float* const to = y + pixel * p.out_channels + g * p.columns();
                for (std::int64_t m = first; m < last; ++m) to[m] = bias ? bias[g * p.columns() + m] : 0;
            }
            for (std::int64_t t = 0; t < p.taps() && !c.stopped(); ++t) {
                const std::int64_t down = p.pad_top - t / p.kernel_w * p.dilation_h, right = p.pad_left - t % p.kernel_w * p.dilation_w;
                // X's columns whose pixel of Y, column * stride - right, is inside.
                const std::int64_t from = right > 0 ? (right + p.stride_w - 1) / p.stride_w : 0, end = p.out_width + right > 0 ? std::min(p.width, (p.out_width + right - 1) / p.stride_w + 1) : 0;
                if (from >= end) continue;
                for (std::int64_t o = row; o < row_end; ++o) {
                    if (o + down < 0 || (o + down) % p.stride_h != 0 || (o + down) / p.stride_h >= p.height) continue;
                    const float* const in = x + ((o + down) / p.stride_h * p.width + from) * p.channels + g * p.depth();
                    float* const out = y + (o * p.out_width + from * p.stride_w - right) * p.out_channels + g * p.columns();
                    const std::int64_t step = p.stride_w * p.out_channels;
                    const gemm_f32_call call{in, 0, p.channels, end - from, {1, 1, p.depth()}, 0, 0, {s.weights + (g * p.taps() + t) * p.packed(s.level)}, p.columns(), nullptr, out, step, out, step, {}};
                    s.table->run(call, {0, 1, 0, end - from, panel, panel_end});
                }
            }
        }
    }
};
}  // namespace inlay::inline v1

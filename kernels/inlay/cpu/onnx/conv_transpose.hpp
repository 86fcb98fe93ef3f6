// ConvTranspose on the CPU, over one to three axes, channels last. For each tap of the window a row of pixels is
// multiplied by the tap's weights, and the product is added to the pixels of Y that it reaches, `stride` apart. A
// product per row and tap: each weight is read once per row of X.
#pragma once
#include <inlay/cpu/support/dense.hpp>
#include <inlay/onnx/conv_transpose.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::conv_transpose, device::cpu, types<float>> : simple_kernel {
    struct axis {
        std::int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, pad = 0;
        constexpr std::int64_t seen(std::int64_t o, std::int64_t tap)
            const {  // the position of X whose product with the tap is added to position o of Y; -1: none
            const std::int64_t at = o + pad - tap * dilation;
            return at < 0 || at % stride != 0 || at / stride >= in ? -1 : at / stride;
        }
    };
    struct params {
        std::int64_t batch = 1, channels = 1, out_channels = 1, group = 1;
        axis frames{}, rows{}, columns{};
        bool has_bias = false;

        constexpr std::int64_t taps() const { return frames.kernel * rows.kernel * columns.kernel; }
        constexpr std::int64_t lines() const { return frames.out * rows.out; }
        constexpr std::int64_t depth() const { return channels / group; }
        constexpr std::int64_t width() const { return out_channels / group; }  // of the product
        constexpr std::int64_t packed(isa::level l) const {
            return padded_floats(gemm_f32_padded(l, width()) * depth());
        }  // of a tap of a group
    };
    struct state {
        const gemm_f32_table* table = nullptr;
        isa::level level{};
        const float* weights = nullptr;
    };
    static constexpr unsigned packs = 1 << 1;

    static constexpr verdict supports(const node_view& n) {
        if (n.input(0).dims.rank > 5) return no("written for one to three spatial axes");
        if (!n.is_constant(1)) return no("W is no constant, so it cannot be packed");
        return n.is_constant(0) ? no("X is a constant, which is never channels last") : yes();
    }
    static constexpr layout_rule layouts(const node_view&) { return {layout::channels_last, layout::channels_last}; }
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        transposed_convolution c;
        shape y;
        transposed_convolution::read(n, c, y);
        const auto at = [&](int i) {
            return i < 0 ? axis{} : axis{c.input[i], c.output[i], c.kernel[i], c.strides[i], c.dilations[i], c.pads[i]};
        };
        return {x[0], x[1], y[1], c.group, at(x.rank - 5), at(x.rank - 4), at(x.rank - 3), n.has_input(2)};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int) {
        return {4 * p.group * p.taps() * p.packed(l), 0};
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        float* to = reinterpret_cast<float*>(u.storage);
        s = {&gemm_f32(u.level), u.level, to};
        for (std::int64_t g = 0; g < p.group; ++g)
            for (std::int64_t t = 0; t < p.taps(); ++t, to += p.packed(u.level))
                s.table->pack({w.in<float>(1) + g * p.depth() * p.width() * p.taps() + t, p.width(), p.taps(), 1,
                               p.width() * p.taps()},
                              {1, 1, p.depth()}, 0, gemm_f32_panels(u.level, p.width()), to);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const std::int64_t pixels = p.frames.in * p.rows.in * p.columns.in,
                           panels = gemm_f32_panels(s.level, p.width());
        for (std::int64_t image = 0; image < p.batch; ++image) {
            const float* const x = a.in<float>(0) + image * pixels * p.channels;
            float* const y = a.out<float>(0) + image * p.lines() * p.columns.out * p.out_channels;
            // By rows of Y; where there are few, by panels of its channels. Either way an element's sum has one order.
            const double work = double(pixels) * double(p.channels) * double(p.width()) * double(p.taps());
            const work_grid grid = share(c.threads, p.lines(), panels, work, p.lines() < 4 * c.threads);
            const auto part = [&](int k) {
                const auto b = grid.part(k);
                run_part(p, s, x, p.has_bias ? a.in<float>(2) : nullptr, y, b.row, b.row_end, b.column, b.column_end,
                         c);
            };
            if (grid.parts == 1)
                part(0);
            else
                c.for_each(grid.parts, part);
            if (c.stopped()) return c.end_of_run();
        }
        return status::ok;
    }

  private:
    static void run_part(const params& p, const state& s, const float* x, const float* bias, float* y,
                         std::int64_t line, std::int64_t line_end, std::int64_t panel, std::int64_t panel_end,
                         context& c) noexcept {
        const std::int64_t panel_width = gemm_f32_width(s.level), first = panel * panel_width,
                           last = std::min(p.width(), panel_end * panel_width);
        const axis& w = p.columns;
        for (std::int64_t g = 0; g < p.group; ++g) {
            for (std::int64_t pixel = line * w.out; pixel < line_end * w.out; ++pixel) {
                float* const to = y + pixel * p.out_channels + g * p.width();
                for (std::int64_t m = first; m < last; ++m) to[m] = bias ? bias[g * p.width() + m] : 0;
            }
            for (std::int64_t t = 0; t < p.taps() && !c.stopped(); ++t) {
                const std::int64_t right = w.pad - t % w.kernel * w.dilation;
                // X's columns whose pixel of Y, column * stride - right, is inside.
                const std::int64_t from = right > 0 ? (right + w.stride - 1) / w.stride : 0,
                                   end = w.out + right > 0 ? std::min(w.in, (w.out + right - 1) / w.stride + 1) : 0;
                if (from >= end) continue;
                for (std::int64_t o = line; o < line_end; ++o) {
                    const std::int64_t frame = p.frames.seen(o / p.rows.out, t / (p.rows.kernel * w.kernel)),
                                       row = p.rows.seen(o % p.rows.out, t / w.kernel % p.rows.kernel);
                    if (frame < 0 || row < 0) continue;
                    const float* const in = x + ((frame * p.rows.in + row) * w.in + from) * p.channels + g * p.depth();
                    float* const out = y + (o * w.out + from * w.stride - right) * p.out_channels + g * p.width();
                    const std::int64_t step = w.stride * p.out_channels;
                    const gemm_f32_call call{in,
                                             0,
                                             p.channels,
                                             end - from,
                                             {1, 1, p.depth()},
                                             0,
                                             0,
                                             {s.weights + (g * p.taps() + t) * p.packed(s.level)},
                                             p.width(),
                                             nullptr,
                                             out,
                                             step,
                                             out,
                                             step,
                                             {}};
                    s.table->run(call, {0, 1, 0, end - from, panel, panel_end});
                }
            }
        }
    }
};
}  // namespace v1
}  // namespace inlay

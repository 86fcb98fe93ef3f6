// ConvTranspose on the CPU, over one to three axes, channels last. For each tap of the
// window a row of pixels is multiplied by the tap's weights, and the result is added to the
// pixels of Y that it reaches, `stride` apart. One matmul per row and tap: each weight is
// read once per row of X. Where Y has few channels in a group, a row is multiplied by all
// taps at once, and the result is added to Y. Where it is depthwise, there is no matmul.
#pragma once
#include <inlay/cpu/support/dense.hpp>
#include <inlay/cpu/support/packs_at_run.hpp>
#include <inlay/onnx/conv_transpose.hpp>

namespace inlay {
inline namespace v1 {
struct conv_transpose_f32 {
    struct axis {
        std::int64_t in = 1, out = 1, kernel = 1, stride = 1, dilation = 1, pad = 0;
        constexpr std::int64_t seen(std::int64_t o, std::int64_t tap)
            const {  // the position of X whose multiplication with the tap is added to position o of Y; -1: none
            const std::int64_t at = o + pad - tap * dilation;
            return at < 0 || at % stride != 0 || at / stride >= in ? -1 : at / stride;
        }
        constexpr std::int64_t reached(std::int64_t i, std::int64_t tap) const {  // the other way; -1: outside
            const std::int64_t at = i * stride + tap * dilation - pad;
            return at < 0 || at >= out ? -1 : at;
        }
        // Each position of Y is of one position of X and one tap.
        constexpr bool tiles() const {
            return pad == 0 && kernel == stride && (dilation == 1 || kernel == 1) && out == in * stride;
        }
    };
    std::int64_t batch = 1, channels = 1, out_channels = 1, group = 1;
    axis frames{}, rows{}, columns{};
    bool has_bias = false;

    constexpr std::int64_t taps() const { return frames.kernel * rows.kernel * columns.kernel; }
    constexpr std::int64_t lines() const { return frames.out * rows.out; }
    constexpr std::int64_t pixels() const { return frames.in * rows.in * columns.in; }
    constexpr std::int64_t depth() const { return channels / group; }
    constexpr std::int64_t width() const { return out_channels / group; }
    constexpr bool by_channel() const { return depth() == 1 && width() == 1; }
    constexpr bool all_taps() const {
        constexpr std::int64_t most = 1 << 24;  // float32 elements of a row of X's results
        return !by_channel() && width() < 16 && taps() > 1 &&
               taps() * width() <= most / std::max<std::int64_t>(columns.in, 1);
    }
    constexpr bool tiles() const { return frames.tiles() && rows.tiles() && columns.tiles(); }

    // Weights, in float32 elements: [group][tap] matrices of depth x width in panels, or [group] of depth x taps *
    // width, then space for one that is not in panels; or [tap][channel].
    constexpr std::int64_t product_width() const { return all_taps() ? taps() * width() : width(); }
    constexpr std::int64_t packed(isa::level l) const {
        return padded_floats(gemm_f32_padded(l, product_width()) * depth());
    }
    constexpr std::int64_t matrices() const { return all_taps() ? group : group * taps(); }
    constexpr std::int64_t weights(isa::level l) const {
        if (by_channel()) return padded_floats(taps() * channels);
        return matrices() * packed(l) + (all_taps() ? padded_floats(product_width() * depth()) : 0);
    }
    // Scratch of a part: a row of X multiplied by all taps.
    constexpr std::int64_t room() const { return all_taps() ? padded_floats(columns.in * product_width()) : 0; }

    void pack(const gemm_f32_table& table, const float* w, float* to, const setup& u) const noexcept {
        const std::int64_t tap_count = taps();
        if (by_channel()) {
            for (std::int64_t m = 0; m < channels; ++m)
                for (std::int64_t t = 0; t < tap_count; ++t) to[t * channels + m] = w[m * tap_count + t];
        } else if (all_taps()) {
            float* const matrix = to + group * packed(u.level);
            for (std::int64_t g = 0; g < group; ++g, w += depth() * product_width()) {
                for (std::int64_t k = 0; k < depth(); ++k)
                    for (std::int64_t m = 0; m < width(); ++m)
                        for (std::int64_t t = 0; t < tap_count; ++t)
                            matrix[(k * tap_count + t) * width() + m] = w[k * product_width() + m * tap_count + t];
                table.pack({matrix, product_width(), 1, 1, product_width()}, {1, 1, depth()}, 0,
                           gemm_f32_panels(u.level, product_width()), to + g * packed(u.level));
            }
        } else
            u.split(group * tap_count, 1 + 32768 / std::max<std::int64_t>(1, depth() * width()),
                    [&](std::int64_t first, std::int64_t end, int) {
                        for (std::int64_t i = first; i < end; ++i)
                            table.pack({w + i / tap_count * depth() * width() * tap_count + i % tap_count, width(),
                                        tap_count, 1, width() * tap_count},
                                       {1, 1, depth()}, 0, gemm_f32_panels(u.level, width()), to + i * packed(u.level));
                    });
    }
};

// Lines of one image of Y. Whichever thread computes them, an element is accumulated in one order.
struct conv_transpose_run {
    const conv_transpose_f32& p;
    const gemm_f32_table& table;
    isa::level level;
    const float *weights, *x, *bias;
    float* y;
    context& c;

    // Panels [panel, panel_end) of each group's channels, too.
    void by_taps(std::int64_t line, std::int64_t line_end, std::int64_t panel, std::int64_t panel_end) const noexcept {
        const std::int64_t panel_width = gemm_f32_width(level), first = panel * panel_width,
                           end = std::min(p.width(), panel_end * panel_width);
        const bool adds = !p.tiles();
        for (std::int64_t g = 0; g < p.group; ++g) {
            if (adds) fill(line, line_end, g * p.width() + first, g * p.width() + end);
            for (std::int64_t t = 0; t < p.taps() && !c.stopped(); ++t)
                multiply(g, t, line, line_end, panel, panel_end, adds);
        }
    }
    void by_rows(std::int64_t line, std::int64_t line_end, float* room) const noexcept {
        const std::int64_t n = p.product_width();
        fill(line, line_end, 0, p.out_channels);
        for (std::int64_t g = 0; g < p.group; ++g)
            for (std::int64_t i = 0; i < p.frames.in * p.rows.in && !c.stopped(); ++i) {
                bool multiplied = false;
                for (std::int64_t t = 0; t < p.frames.kernel * p.rows.kernel; ++t) {
                    const std::int64_t frame = p.frames.reached(i / p.rows.in, t / p.rows.kernel),
                                       row = p.rows.reached(i % p.rows.in, t % p.rows.kernel),
                                       o = frame * p.rows.out + row;
                    if (frame < 0 || row < 0 || o < line || o >= line_end) continue;
                    if (!multiplied)
                        table.run(
                            plain_product(x + i * p.columns.in * p.channels + g * p.depth(), p.channels, p.columns.in,
                                          {1, 1, p.depth()}, {weights + g * p.packed(level)}, n, room, n),
                            {0, 1, 0, p.columns.in, 0, gemm_f32_panels(level, n)});
                    multiplied = true;
                    add_row(room + t * p.columns.kernel * p.width(),
                            y + o * p.columns.out * p.out_channels + g * p.width());
                }
            }
    }
    void by_channels(std::int64_t line, std::int64_t line_end) const noexcept {
        fill(line, line_end, 0, p.channels);
        for (std::int64_t t = 0; t < p.taps() && !c.stopped(); ++t)
            each_row(t, line, line_end, [&](const float* in, float* out, std::int64_t pixels) {
                const float* const w = weights + t * p.channels;
                for (std::int64_t i = 0; i < pixels; ++i, in += p.channels, out += p.columns.stride * p.channels)
                    for (std::int64_t m = 0; m < p.channels; ++m) out[m] += in[m] * w[m];
            });
    }

  private:
    void fill_pixel(float* to, std::int64_t first, std::int64_t end) const noexcept {
        for (std::int64_t m = first; m < end; ++m) to[m] = bias ? bias[m] : 0;
    }
    void fill(std::int64_t line, std::int64_t line_end, std::int64_t first, std::int64_t end) const noexcept {
        for (std::int64_t pixel = line * p.columns.out; pixel < line_end * p.columns.out; ++pixel)
            fill_pixel(y + pixel * p.out_channels, first, end);
    }
    // f(the first pixel of X, the first of Y, so many pixels) for each line of Y and the row of X that tap t adds to
    // it.
    template <class F> void each_row(std::int64_t t, std::int64_t line, std::int64_t line_end, F f) const noexcept {
        const auto& w = p.columns;
        const std::int64_t right = w.pad - t % w.kernel * w.dilation;
        // X's columns whose pixel of Y, column * stride - right, is inside.
        const std::int64_t from = right > 0 ? (right + w.stride - 1) / w.stride : 0,
                           end = w.out + right > 0 ? std::min(w.in, (w.out + right - 1) / w.stride + 1) : 0;
        if (from >= end) return;
        for (std::int64_t o = line; o < line_end; ++o) {
            const std::int64_t frame = p.frames.seen(o / p.rows.out, t / (p.rows.kernel * w.kernel)),
                               row = p.rows.seen(o % p.rows.out, t / w.kernel % p.rows.kernel);
            if (frame < 0 || row < 0) continue;
            f(x + ((frame * p.rows.in + row) * w.in + from) * p.channels,
              y + (o * w.out + from * w.stride - right) * p.out_channels, end - from);
        }
    }
    // Rows of X times tap t of group g, into Y or added to it.
    void multiply(std::int64_t g, std::int64_t t, std::int64_t line, std::int64_t line_end, std::int64_t panel,
                  std::int64_t panel_end, bool adds) const noexcept {
        const std::int64_t step = p.columns.stride * p.out_channels;
        each_row(t, line, line_end, [&](const float* in, float* out, std::int64_t pixels) {
            out += g * p.width();
            gemm_f32_call call = plain_product(in + g * p.depth(), p.channels, pixels, {1, 1, p.depth()},
                                               {weights + (g * p.taps() + t) * p.packed(level)}, p.width(), out, step);
            if (adds) {
                call.add = out;
                call.add_row = step;
            } else if (bias)
                call.bias = bias + g * p.width();
            table.run(call, {0, 1, 0, pixels, panel, panel_end});
        });
    }
    // Results of a row of X with the taps of a row of the window, added to a row of Y.
    void add_row(const float* product, float* to) const noexcept {
        const auto& w = p.columns;
        const bool joined = w.dilation == 1 && p.group == 1;  // then the pixels that X's reaches follow each other
        for (std::int64_t i = 0; i < w.in; ++i, product += p.product_width()) {
            const std::int64_t first = i * w.stride - w.pad;
            if (joined) {
                const std::int64_t from = std::max<std::int64_t>(0, -first), end = std::min(w.kernel, w.out - first);
                for (std::int64_t e = from * p.width(); e < end * p.width(); ++e)
                    to[first * p.out_channels + e] += product[e];
            } else
                for (std::int64_t t = 0; t < w.kernel; ++t)
                    if (const std::int64_t at = w.reached(i, t); at >= 0)
                        for (std::int64_t m = 0; m < p.width(); ++m)
                            to[at * p.out_channels + m] += product[t * p.width() + m];
        }
    }
};

struct conv_transpose_f32_kernel : simple_kernel {
    using params = conv_transpose_f32;
    struct state {
        const gemm_f32_table* table = nullptr;
        isa::level level{};
        const float* weights = nullptr;
    };
    static constexpr unsigned packs = 1 << 1;

    static constexpr verdict supports(const node_view& n) {
        if (n.input(0).dims.rank > 5) return no("written for one to three spatial axes");
        return n.is_constant(0) ? no("X is a constant, which is never channels last") : yes();
    }
    static constexpr layout_rule layouts(const node_view&) { return {layout::channels_last, layout::channels_last}; }
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        transposed_convolution c;
        shape y;
        transposed_convolution::read(n, c, y);
        const auto at = [&](int i) {
            return i < 0 ? params::axis{}
                         : params::axis{c.input[i], c.output[i], c.kernel[i], c.strides[i], c.dilations[i], c.pads[i]};
        };
        return {x[0], x[1], y[1], c.group, at(x.rank - 5), at(x.rank - 4), at(x.rank - 3), n.has_input(2)};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {4 * p.weights(l), 4 * threads * p.room()};
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        float* const to = reinterpret_cast<float*>(u.storage);
        s = {&gemm_f32(u.level), u.level, to};
        p.pack(*s.table, w.in<float>(1), to, u);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const std::int64_t panels = gemm_f32_panels(s.level, p.width());
        float* const room = reinterpret_cast<float*>(c.scratch);
        for (std::int64_t image = 0; image < p.batch; ++image) {
            const conv_transpose_run run{p,
                                         *s.table,
                                         s.level,
                                         s.weights,
                                         a.in<float>(0) + image * p.pixels() * p.channels,
                                         p.has_bias ? a.in<float>(2) : nullptr,
                                         a.out<float>(0) + image * p.lines() * p.columns.out * p.out_channels,
                                         c};
            const double work = double(p.pixels()) * double(p.channels) * double(p.width()) * double(p.taps());
            if (p.by_channel() || p.all_taps()) {
                const work_grid grid = share(c.threads, p.lines(), 1, work, false);
                each_part(c, grid, [&](int k) {
                    const auto b = grid.part(k);
                    p.by_channel() ? run.by_channels(b.row, b.row_end)
                                   : run.by_rows(b.row, b.row_end, room + k * p.room());
                });
            } else {  // by rows of Y; where there are few, by panels of its channels
                const work_grid grid = share(c.threads, p.lines(), panels, work, p.lines() < 4 * c.threads);
                each_part(c, grid, [&](int k) {
                    const auto b = grid.part(k);
                    run.by_taps(b.row, b.row_end, b.column, b.column_end);
                });
            }
            if (c.stopped()) return c.end_of_run();
        }
        return status::ok;
    }

  private:
    template <class F> static void each_part(context& c, const work_grid& grid, F part) noexcept {
        if (grid.parts == 1)
            part(0);
        else
            c.for_each(grid.parts, part);
    }
};
template <> struct kernel<op::conv_transpose, device::cpu, types<float>> : packs_at_run<conv_transpose_f32_kernel> {};
}  // namespace v1
}  // namespace inlay

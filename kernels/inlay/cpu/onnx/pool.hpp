// MaxPool, AveragePool, GlobalAveragePool and GlobalMaxPool of float32 on the CPU, and MaxPool of 8-bit integers:
// vectors of channels, which are last.
#pragma once
#include <inlay/cpu/isa/pool_f32.hpp>
#include <inlay/cpu/isa/pool_u8.hpp>
#include <inlay/cpu/isa/reduce_f32.hpp>
#include <inlay/cpu/support/kept_pairs.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/onnx/pool.hpp>

namespace inlay {
inline namespace v1 {
struct channels_last_windows : simple_kernel {
    struct params {
        window_axis frames, rows, columns;
        std::int64_t batch, channels, x_pixel, y_pixel;
        bool include_padding;
    };
    static constexpr verdict supports(const node_view& n) {
        if (n.has_output(1)) return no("Indices are found by the reference kernel only");
        return n.is_constant(0) ? no("X is a constant, which is never channels last") : yes();
    }
    static constexpr layout_rule layouts(const node_view&) { return {layout::channels_last, layout::channels_last}; }
    static constexpr bool strided(const node_view&, int) { return true; }
    static constexpr params prepare(const node_view& n) { return windows_of(n, n.input(0).dims); }
    static constexpr params windows_of(const node_view& n, const shape& x) {  // x: with the channels before the others
        pool_windows w;
        (void)w.read(n, x);
        const std::int64_t channels = x[1], x_pixel = n.input_pitch(0), y_pixel = n.output_pitch(0);
        const auto pixel = [&](std::int64_t pitch) { return pitch < 0 ? -pitch : pitch ? pitch : channels; };
        return {w.axes[0], w.axes[1], w.axes[2], x[0], channels, pixel(x_pixel), pixel(y_pixel), w.include_padding};
    }
    // f(call, first row, last row) for all rows.
    template <class T, class F> static status over_rows(const params& p, const arguments& a, context& c, F f) noexcept {
        const pool_call<T> call{a.in<T>(0), a.out<T>(0), p.frames,  p.rows,           p.columns,
                                p.channels, p.x_pixel,   p.y_pixel, p.include_padding};
        const auto taps = [](const window_axis& a) { return std::min(a.kernel, a.in); };
        const std::int64_t row =
            p.columns.out * p.channels * taps(p.frames) * taps(p.rows) * taps(p.columns);  // elements read for one
        c.split(p.batch * p.frames.out * p.rows.out, 1 + (1 << 14) / std::max<std::int64_t>(row, 1),
                [&](std::int64_t first, std::int64_t end, int) {
                    const std::int64_t step = 1 + (1 << 20) / std::max<std::int64_t>(row, 1);
                    for (std::int64_t r = first; r < end && !c.stopped(); r += step)
                        f(call, r, std::min(r + step, end));
                });
        return c.stopped() ? status::stopped : status::ok;
    }
};
struct windows_f32 : channels_last_windows {
    struct params : channels_last_windows::params {
        bool x_pairs = false, y_pairs = false;  // they are kept as bf16: bands of rows are widened in scratch
        constexpr std::int64_t band() const {   // rows of Y
            return 1 + 32768 / std::max<std::int64_t>(1, rows.stride * columns.in * channels);
        }
        constexpr std::int64_t widened() const {  // float32 elements of a band of X, and of Y
            const std::int64_t reach = (rows.kernel - 1) * rows.dilation + 1;
            return x_pairs ? std::min(rows.in, band() * rows.stride + reach) * columns.in * channels : 0;
        }
        constexpr std::int64_t finished() const { return y_pairs ? band() * columns.out * channels : 0; }
    };
    struct state {
        pool_f32_table::pool function;
        kept_pairs pairs;
    };
    static constexpr bool spaced(const node_view& n, int argument) {
        const auto p = channels_last_windows::prepare(n);
        return p.frames.in * p.frames.out * p.frames.kernel == 1 && (argument == input(0) || argument == output(0));
    }
    static constexpr params prepare(const node_view& n) {
        return {channels_last_windows::prepare(n), n.input_pitch(0) < 0, n.output_pitch(0) < 0};
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, 4 * threads * (p.widened() + p.finished())};
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        if (!p.x_pairs && !p.y_pairs) return over_rows<float>(p, a, c, s.function);
        const std::int64_t lines = p.batch * p.rows.out, bands = (lines + p.band() - 1) / p.band();
        if (lines == 0) return status::ok;
        c.split(bands, 1, [&](std::int64_t first, std::int64_t end, int part) {
            float* const scratch = reinterpret_cast<float*>(c.scratch) + part * (p.widened() + p.finished());
            for (std::int64_t row = lines * first / bands; row < lines * end / bands && !c.stopped();) {
                const std::int64_t oy = row % p.rows.out,
                                   count = std::min({p.band(), p.rows.out - oy, lines * end / bands - row});
                run_band(p, s, a, row / p.rows.out, oy, count, scratch);
                row += count;
            }
        });
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    // f(pixels from, float32 from, elements) for `pixels` of rows, together where nothing lies between them.
    template <class F>
    static void each_run(std::int64_t pixels, std::int64_t channels, std::int64_t pitch, F f) noexcept {
        if (pitch == channels) return f(0, 0, pixels * channels);
        for (std::int64_t i = 0; i < pixels; ++i) f(i * pitch, i * channels, channels);
    }
    static void run_band(const params& p, const state& s, const arguments& a, std::int64_t image, std::int64_t oy,
                         std::int64_t count, float* scratch) noexcept {
        const std::int64_t first = oy * p.rows.stride - p.rows.before,
                           top = std::clamp<std::int64_t>(first, 0, p.rows.in),
                           bottom = std::clamp<std::int64_t>(
                               first + (count - 1) * p.rows.stride + (p.rows.kernel - 1) * p.rows.dilation + 1, top,
                               p.rows.in),
                           line = p.columns.in * p.channels, out_line = p.columns.out * p.channels;
        pool_call<float> call{nullptr,    nullptr,   p.frames,  p.rows,           p.columns,
                              p.channels, p.x_pixel, p.y_pixel, p.include_padding};
        const std::int64_t x_at = image * p.rows.in * p.columns.in * p.x_pixel,
                           y_at = image * p.rows.out * p.columns.out * p.y_pixel;
        if (p.x_pairs) {
            const auto* const x = a.in<std::uint16_t>(0) + x_at + top * p.columns.in * p.x_pixel;
            each_run(
                (bottom - top) * p.columns.in, p.channels, p.x_pixel,
                [&](std::int64_t from, std::int64_t to, std::int64_t n) { s.pairs.widen(x + from, scratch + to, n); });
            call.x = scratch - top * line;
            call.x_pixel = p.channels;
        } else
            call.x = a.in<float>(0) + x_at;
        float* const output = scratch + p.widened();
        if (p.y_pairs) {
            call.y = output - oy * out_line;
            call.y_pixel = p.channels;
        } else
            call.y = a.out<float>(0) + y_at;
        s.function(call, oy, oy + count);
        if (!p.y_pairs) return;
        auto* const y = a.out<std::uint16_t>(0) + y_at + oy * p.columns.out * p.y_pixel;
        each_run(count * p.columns.out, p.channels, p.y_pixel,
                 [&](std::int64_t to, std::int64_t from, std::int64_t n) { s.pairs.round(output + from, n, y + to); });
    }
};
template <pool_f32_table::pool pool_f32_table::*Function> struct pool_f32_kernel : windows_f32 {
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s = {pool_f32(u.level).*Function, kept_pairs::of(u.level)};
        return status::ok;
    }
};
template <> struct kernel<op::max_pool, device::cpu, types<float>> : pool_f32_kernel<&pool_f32_table::maximum> {};
template <> struct kernel<op::average_pool, device::cpu, types<float>> : pool_f32_kernel<&pool_f32_table::average> {};
template <class T>
requires(sizeof(T) == 1) struct kernel<op::max_pool, device::cpu, types<T>> : channels_last_windows {
    struct state {
        const pool_u8_table* functions;
    };
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &pool_u8(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        constexpr std::uint8_t flip = std::is_signed_v<T> ? 128 : 0;
        return over_rows<std::uint8_t>(p, a, c,
                                       [&](const pool_u8_table::call& call, std::int64_t first, std::int64_t end) {
                                           s.functions->maximum(call, flip, first, end);
                                       });
    }
};

struct global_pool_f32 : simple_kernel {
    struct params {
        std::int64_t samples, channels, inner;
        bool channels_last, pairs = false;  // pairs: X is kept as bf16
    };
    struct state {
        const reduce_f32_table* functions;
        kept_pairs pairs{};
    };
    static constexpr bool spaced(const node_view&, int argument) { return argument == input(0); }
    static constexpr layout_rule layouts(const node_view&) {
        return {layout::any, layout::plain};
    }  // one pixel has the same bytes in both
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        return {x[0], x[1], x.elements(2), n.input_layout(0) == layout::channels_last, n.input_pitch(0) < 0};
    }
    static constexpr bool needs(const params& p) { return p.pairs; }
    template <bool Pairs = true> static status bind(const auto&, constants, const setup& u, state& s) noexcept {
        s.functions = &reduce_f32(u.level);
        if constexpr (Pairs) s.pairs = kept_pairs::of(u.level);
        return status::ok;
    }
    static constexpr std::int64_t block = 64;  // channels, so that parts begin with a whole cache line
    // Channels of all pixels, as float32: of a few channels some pixels at a time.
    static void fold_pairs(const params& p, const state& s, const reduce_f32_table::fold& fold, const std::uint16_t* x,
                           std::int64_t channels, float* y) noexcept {
        constexpr std::int64_t most = 16;
        alignas(64) float buffer[most * block];
        for (std::int64_t from = 0; from < channels; from += block)
            for (std::int64_t i = 0; i < p.inner; i += most) {
                const std::int64_t count = std::min(most, p.inner - i), width = std::min(block, channels - from);
                for (std::int64_t k = 0; k < count; ++k)
                    s.pairs.widen(x + (i + k) * p.channels + from, buffer + k * width, width);
                fold.columns(buffer, width, count, width, y + from);
            }
    }
    // finish(y, count): turns sums, or other results of `fold` from `identity` on, into the output.
    template <class F>
    static void pool(const params& p, const state& s, const reduce_f32_table::fold& fold, float identity,
                     const arguments& a, context& c, F finish) noexcept {
        const float* x = a.in<float>(0);
        float* y = a.out<float>(0);
        const auto pool = [&](float* to, std::int64_t count, auto take_in) {
            std::fill_n(to, count, identity);
            take_in();
            finish(to, count);
        };
        const std::int64_t grain = 1 + (1 << 14) / std::max<std::int64_t>(p.inner, 1);
        if (!p.channels_last) {
            c.split(p.samples * p.channels, grain, [&](std::int64_t first, std::int64_t end, int) {
                pool(y + first, end - first,
                     [&] { fold.rows(x + first * p.inner, p.inner, end - first, p.inner, y + first); });
            });
            return;
        }
        const std::int64_t blocks = (p.channels + block - 1) / block;
        c.split(p.samples * blocks, 1 + grain / block, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end;) {
                const std::int64_t n = i / blocks, from = i % blocks * block,
                                   to = std::min(p.channels, (i % blocks + end - i) * block);
                float* const row = y + n * p.channels + from;
                pool(row, to - from, [&] {
                    const std::int64_t at = n * p.inner * p.channels + from;
                    if (p.pairs)
                        fold_pairs(p, s, fold, a.in<std::uint16_t>(0) + at, to - from, row);
                    else
                        fold.columns(x + at, p.channels, p.inner, to - from, row);
                });
                i += (to - from + block - 1) / block;
            }
        });
    }
};
template <bool Maximum> struct global_pool_f32_kernel : global_pool_f32 {
    template <bool Pairs = true>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        if (Maximum)
            pool(p, s, s.functions->largest, -std::numeric_limits<float>::infinity(), a, c,
                 [](float*, std::int64_t) {});
        else
            pool(p, s, s.functions->sum, 0, a, c,
                 [&](float* y, std::int64_t count) { s.functions->divide(y, count, static_cast<float>(p.inner)); });
        return status::ok;
    }
};
template <> struct kernel<op::global_average_pool, device::cpu, types<float>> : global_pool_f32_kernel<false> {};
template <> struct kernel<op::global_max_pool, device::cpu, types<float>> : global_pool_f32_kernel<true> {};
}  // namespace v1
}  // namespace inlay

// MaxPool, AveragePool, GlobalAveragePool and GlobalMaxPool of float on the CPU, and MaxPool of 8-bit integers: vectors
// of channels, which are last.
#pragma once
#include <inlay/cpu/isa/pool_f32.hpp>
#include <inlay/cpu/isa/pool_u8.hpp>
#include <inlay/cpu/isa/reduce_f32.hpp>
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
        if (n.has_output(1)) return no("Indices are found by the plain loop only");
        return n.is_constant(0) ? no("X is a constant, which is never channels last") : yes();
    }
    static constexpr layout_rule layouts(const node_view&) { return {layout::channels_last, layout::channels_last}; }
    static constexpr bool strided(const node_view&, int) { return true; }
    static constexpr params prepare(const node_view& n) { return windows_of(n, n.input(0).dims); }
    static constexpr params windows_of(const node_view& n, const shape& x) {  // x: with the channels before the others
        pool_windows w;
        (void)w.read(n, x);
        const std::int64_t channels = x[1], x_pixel = n.input_pitch(0), y_pixel = n.output_pitch(0);
        return {w.axes[0],
                w.axes[1],
                w.axes[2],
                x[0],
                channels,
                x_pixel ? x_pixel : channels,
                y_pixel ? y_pixel : channels,
                w.include_padding};
    }
    // f(call, first row, last row) for all rows.
    template <class T, class F> static status over_rows(const params& p, const arguments& a, context& c, F f) noexcept {
        const pool_call<T> call{a.in<T>(0), a.out<T>(0), p.frames,  p.rows,           p.columns,
                                p.channels, p.x_pixel,   p.y_pixel, p.include_padding};
        const auto seen = [](const window_axis& a) { return std::min(a.kernel, a.in); };
        const std::int64_t row =
            p.columns.out * p.channels * seen(p.frames) * seen(p.rows) * seen(p.columns);  // elements read for one
        c.split(p.batch * p.frames.out * p.rows.out, 1 + (1 << 14) / std::max<std::int64_t>(row, 1),
                [&](std::int64_t first, std::int64_t last, int) {
                    const std::int64_t some = 1 + (1 << 20) / std::max<std::int64_t>(row, 1);
                    for (std::int64_t r = first; r < last && !c.stopped(); r += some)
                        f(call, r, std::min(r + some, last));
                });
        return c.stopped() ? status::stopped : status::ok;
    }
};
struct windows_f32 : channels_last_windows {
    struct state {
        pool_f32_table::pool function;
    };
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        return over_rows<float>(p, a, c, s.function);
    }
};
template <pool_f32_table::pool pool_f32_table::*Function> struct pool_f32_kernel : windows_f32 {
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.function = pool_f32(u.level).*Function;
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
                                       [&](const pool_u8_table::call& call, std::int64_t first, std::int64_t last) {
                                           s.functions->maximum(call, flip, first, last);
                                       });
    }
};

struct global_pool_f32 : simple_kernel {
    struct params {
        std::int64_t samples, channels, inner;
        bool channels_last;
    };
    struct state {
        const reduce_f32_table* functions;
    };
    static constexpr layout_rule layouts(const node_view&) {
        return {layout::any, layout::plain};
    }  // one pixel has the same bytes in both
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        return {x[0], x[1], x.elements(2), n.input_layout(0) == layout::channels_last};
    }
    static status bind(const auto&, constants, const setup& u, state& s) noexcept {
        s.functions = &reduce_f32(u.level);
        return status::ok;
    }
    // finish(y, count): what is made of sums, or of what else `fold` makes beginning with `none`.
    template <class F>
    static void pool(const params& p, const reduce_f32_table::fold& fold, float none, const arguments& a, context& c,
                     F finish) noexcept {
        const float* x = a.in<float>(0);
        float* y = a.out<float>(0);
        const auto pool = [&](float* to, std::int64_t count, auto take_in) {
            std::fill_n(to, count, none);
            take_in();
            finish(to, count);
        };
        const std::int64_t grain = 1 + (1 << 14) / std::max<std::int64_t>(p.inner, 1);
        if (!p.channels_last) {
            c.split(p.samples * p.channels, grain, [&](std::int64_t first, std::int64_t last, int) {
                pool(y + first, last - first,
                     [&] { fold.rows(x + first * p.inner, p.inner, last - first, p.inner, y + first); });
            });
            return;
        }
        constexpr std::int64_t block = 64;  // channels, so that parts begin with a whole cache line
        const std::int64_t blocks = (p.channels + block - 1) / block;
        c.split(p.samples * blocks, 1 + grain / block, [&](std::int64_t first, std::int64_t last, int) {
            for (std::int64_t i = first; i < last;) {
                const std::int64_t n = i / blocks, from = i % blocks * block,
                                   to = std::min(p.channels, (i % blocks + last - i) * block);
                float* const row = y + n * p.channels + from;
                pool(row, to - from,
                     [&] { fold.columns(x + n * p.inner * p.channels + from, p.channels, p.inner, to - from, row); });
                i += (to - from + block - 1) / block;
            }
        });
    }
};
template <bool Maximum> struct global_pool_f32_kernel : global_pool_f32 {
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        if (Maximum)
            pool(p, s.functions->largest, -std::numeric_limits<float>::infinity(), a, c, [](float*, std::int64_t) {});
        else
            pool(p, s.functions->sum, 0, a, c,
                 [&](float* y, std::int64_t count) { s.functions->divide(y, count, static_cast<float>(p.inner)); });
        return status::ok;
    }
};
template <> struct kernel<op::global_average_pool, device::cpu, types<float>> : global_pool_f32_kernel<false> {};
template <> struct kernel<op::global_max_pool, device::cpu, types<float>> : global_pool_f32_kernel<true> {};
}  // namespace v1
}  // namespace inlay

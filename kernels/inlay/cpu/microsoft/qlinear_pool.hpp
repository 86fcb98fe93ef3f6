// QLinearAveragePool and QLinearGlobalAveragePool on the CPU: vectors of channels where these are last, in the node's
// sense or by the layout, else rows of a plane.
#pragma once
#include <inlay/cpu/isa/pool_u8.hpp>
#include <inlay/cpu/onnx/pool.hpp>
#include <inlay/cpu/support/code_scaling.hpp>
#include <inlay/microsoft/qlinear_pool.hpp>

namespace inlay {
inline namespace v1 {
struct mean_of_codes {  // shared by kernels of means
    element type{};
    presence has{};
    struct state {
        pool_u8_table::functions functions;
    };
    static constexpr std::int64_t most = std::int64_t(1) << 23;  // elements of a window: their sum is an int32
    static constexpr verdict fits(std::int64_t elements) {
        return elements <= most ? yes() : no("the fast kernel takes means of 2^23 elements at most");
    }
    static constexpr mean_of_codes of(const node_view& n) { return {n.input(0).type, presence(n)}; }
    void bind(isa::level l, state& s) const noexcept {
        s.functions = type == element::i8 ? pool_u8(l).i8 : pool_u8(l).u8;
    }
    pool_u8_means scalings(const arguments& a) const noexcept {
        return {scaling_of(type, a, 1, has), scaling_of(type, a, 3, has)};
    }
    // Samples of `inner` pixels each.
    void pool(const state& s, const arguments& a, context& c, std::int64_t samples, std::int64_t inner,
              std::int64_t channels) const noexcept {
        const auto means = scalings(a);
        const auto* const x = a.in<std::uint8_t>(0);
        auto* const y = a.out<std::uint8_t>(0);
        const std::int64_t grain = 1 + (1 << 15) / std::max<std::int64_t>(inner, 1);
        if (channels == 1) {
            c.split(samples, grain, [&](std::int64_t first, std::int64_t end, int) {
                s.functions.rows(x + first * inner, end - first, inner, means, y + first);
            });
            return;
        }
        constexpr std::int64_t block = 64;  // channels, so that parts begin with a whole cache line
        const std::int64_t blocks = (channels + block - 1) / block;
        const window_axis unit, whole{.in = inner, .out = 1, .kernel = inner};
        c.split(samples * blocks, 1 + grain / block, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end;) {
                const std::int64_t sample = i / blocks, from = i % blocks * block,
                                   to = std::min(channels, (i % blocks + end - i) * block);
                s.functions.average({x + sample * inner * channels + from, y + sample * channels + from, unit, unit,
                                     whole, to - from, channels, channels, false},
                                    means, 0, 1);
                i += (to - from + block - 1) / block;
            }
        });
    }
};
template <> struct kernel<op::qlinear_average_pool, device::cpu, types<quantized::byte>> : channels_last_windows {
    struct params {
        channels_last_windows::params windows;
        mean_of_codes codes;
    };
    using state = mean_of_codes::state;
    static constexpr bool is_last(const node_view& n) { return n.integer("channels_last", 0) != 0; }
    static constexpr verdict supports(const node_view& n) {
        if (!is_last(n))
            if (const verdict v = channels_last_windows::supports(n); !v) return v;
        std::int64_t elements = 1;
        for (const std::int64_t k : n.integers("kernel_shape"))
            elements = std::min(elements * std::min(k, mean_of_codes::most + 1), mean_of_codes::most + 1);
        return mean_of_codes::fits(elements);
    }
    static constexpr layout_rule layouts(const node_view& n) {
        return is_last(n) ? layout_rule{} : channels_last_windows::layouts(n);
    }
    static constexpr bool strided(const node_view& n, int) { return !is_last(n); }
    static constexpr params prepare(const node_view& n) {
        return {channels_last_windows::windows_of(n, op::qlinear_average_pool::channels_first(n)),
                mean_of_codes::of(n)};
    }
    static status bind(const params& p, constants, const setup& u, state& s) noexcept {
        p.codes.bind(u.level, s);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        return over_rows<std::uint8_t>(
            p.windows, a, c,
            [&, means = p.codes.scalings(a)](const pool_u8_table::call& call, std::int64_t first, std::int64_t end) {
                s.functions.average(call, means, first, end);
            });
    }
};
struct whole_means : simple_kernel {  // of the pixels of each sample, whatever these are in the node
    struct params {
        mean_of_codes codes;
        std::int64_t samples = 1, inner = 1, channels = 1;  // 1 channel where each is a plane: then planes are samples
    };
    using state = mean_of_codes::state;
    static status bind(const params& p, constants, const setup& u, state& s) noexcept {
        p.codes.bind(u.level, s);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        p.codes.pool(s, a, c, p.samples, p.inner, p.channels);
        return status::ok;
    }
};
template <> struct kernel<op::qlinear_global_average_pool, device::cpu, types<quantized::byte>> : whole_means {
    static constexpr verdict supports(const node_view& n) {
        return mean_of_codes::fits(op::qlinear_average_pool::channels_first(n).elements(2));
    }
    static constexpr layout_rule layouts(const node_view& n) {  // one pixel has the same bytes in both
        return {n.integer("channels_last", 0) != 0 ? layout::plain : layout::any, layout::plain};
    }
    static constexpr params prepare(const node_view& n) {
        const shape x = op::qlinear_average_pool::channels_first(n);
        const bool is_channels_last = n.integer("channels_last", 0) != 0 || n.input_layout(0) == layout::channels_last;
        return {mean_of_codes::of(n), is_channels_last ? x[0] : x[0] * x[1], x.elements(2),
                is_channels_last ? x[1] : 1};
    }
};
}  // namespace v1
}  // namespace inlay

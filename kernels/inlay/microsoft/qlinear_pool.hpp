// Of com.microsoft, since 1: QLinearAveragePool, QLinearGlobalAveragePool: ONNX's pools of 8-bit quantized values,
// (value - zero point) * scale, quantized as y. Inputs: X, its scale and zero point, those of y. `channels_last`: the
// channels are the last axis.
#pragma once
#include <inlay/onnx/pool.hpp>
#include <inlay/support/linear_code.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct qlinear_average_pool : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "QLinearAveragePool";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = hana::tuple_t<types<quantized::byte>>;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr bool global = false;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return shapes_of(n, false, y); }
    static constexpr verdict shapes_of(const node_view& n, bool global, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        if (n.input_count() > 5) return no("there are too many inputs");
        for (int k : {1, 3})
            if (const verdict v = quantized::scalar_scaling(n, k, k + 1, n.input(0).type); !v) return v;
        shape x = channels_first(n);
        if (x.rank < 0) return yes();
        if (x.rank < 3) return no("the input needs a batch, a channel and a spatial axis");
        pool_windows w;
        if (!global)
            if (const verdict v = w.read(n, x); !v) return v;
        for (int i = 2; i < x.rank; ++i) x[i] = global ? 1 : w.axes[std::size_t(5 - x.rank + i - 2)].out;
        y[0] = n.integer("channels_last", 0) != 0 ? moved(x, 1, x.rank - 1) : x;
        return countable(x) ? yes() : no("the output is too large");
    }
    static constexpr shape channels_first(const node_view& n) {
        const shape& x = n.input(0).dims;
        return n.integer("channels_last", 0) != 0 && x.rank > 2 ? moved(x, x.rank - 1, 1) : x;
    }

  private:
    static constexpr shape moved(shape x, int from, int to) {  // one axis
        const std::int64_t d = x[from];
        for (; from > to; --from) x[from] = x[from - 1];
        for (; from < to; ++from) x[from] = x[from + 1];
        x[to] = d;
        return x;
    }
};
struct qlinear_global_average_pool : qlinear_average_pool {
    static constexpr std::string_view onnx_name = "QLinearGlobalAveragePool";
    static constexpr bool global = true;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return shapes_of(n, true, y); }
};
}  // namespace op

template <std::derived_from<op::qlinear_average_pool> Op>
struct kernel<Op, device::reference, types<quantized::byte>> : simple_kernel {
    struct params {
        pool_windows windows;
        std::int64_t channels;  // 1 where they come before the spatial axes: a plane is then a batch
        element type;
    };
    static constexpr params prepare(const node_view& n) {
        const shape x = op::qlinear_average_pool::channels_first(n);
        params p{{}, n.integer("channels_last", 0) != 0 ? x[1] : 1, n.input(0).type};
        if (!Op::global) {
            (void)p.windows.read(n, x);
            return p;
        }
        window_axis axis;
        axis.in = axis.kernel = x.elements(2);
        p.windows.axes[2] = axis;
        p.windows.planes = x[0] * x[1];
        p.windows.has = presence(n);
        return p;
    }
    static status run(const params& p, const simple_kernel::state&, const arguments& args, context& c) noexcept {
        const pool_windows& w = p.windows;
        const quantized::linear_code x(p.type, args, 1, 2, w.has), y(p.type, args, 3, 4, w.has);
        const std::int64_t size = w.axes[0].in * w.axes[1].in * w.axes[2].in,
                           outputs = w.axes[0].out * w.axes[1].out * w.axes[2].out;
        stop_check ends(c);
        pool_kernel::over_windows(
            w, [&, work = pool_kernel::window_work(w)](std::int64_t output, std::int64_t, const auto& o, auto window) {
                if (ends(work)) return false;
                const std::int64_t plane = output / outputs, channel = plane % p.channels, batch = plane - channel;
                const std::uint8_t* from = args.in<std::uint8_t>(0) + batch * size + channel;
                std::int64_t sum = 0, count = 1;
                window([&](std::int64_t i, std::int64_t j, std::int64_t k) {
                    sum += x.integer(from[((i * w.axes[1].in + j) * w.axes[2].in + k) * p.channels]);
                });
                for (std::size_t k = 0; k < 3; ++k) count *= w.axes[k].counted(o[k], w.include_padding);
                const float mean = count > 0 ? x.scale * (float(sum) / float(count)) : 0;
                args.out<std::uint8_t>(0)[batch * outputs + channel + output % outputs * p.channels] = y(mean);
                return true;
            });
        return c.stopped() ? status::stopped : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

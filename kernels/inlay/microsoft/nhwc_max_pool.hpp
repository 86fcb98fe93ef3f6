// NhwcMaxPool (com.microsoft, since 1): ONNX's MaxPool of 8-bit integers whose channels are the last axis.
#pragma once
#include <inlay/onnx/pool.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct nhwc_max_pool : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "NhwcMaxPool";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<std::int8_t, std::uint8_t>;
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr shape channels_first(const shape& x) {
        shape s = x;
        for (int i = 2; i < x.rank; ++i) s[i] = x[i - 1];
        if (x.rank > 1) s[1] = x[x.rank - 1];
        return s;
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        const shape& x = n.input(0).dims;
        if (x.rank < 0) return yes();
        pool_windows w;
        if (const verdict v = w.read(n, channels_first(x)); !v) return v;
        shape s = x;
        for (int i = 1; i < x.rank - 1; ++i) s[i] = w.axes[std::size_t(5 - x.rank + i - 1)].out;
        y[0] = s;
        return countable(s) ? yes() : no("the output is too large");
    }
};
}  // namespace op

template <class T> struct kernel<op::nhwc_max_pool, device::reference, types<T>> : simple_kernel {
    struct params {
        pool_windows windows;  // whose planes are batches
        std::int64_t channels;
    };
    static constexpr params prepare(const node_view& n) {
        const shape x = op::nhwc_max_pool::channels_first(n.input(0).dims);
        params p{{}, x[1]};
        (void)p.windows.read(n, x);
        p.windows.planes = x[0];
        return p;
    }
    static status run(const params& p, const state&, const arguments& args, context& c) noexcept {
        const pool_windows& w = p.windows;
        const std::int64_t channels = p.channels, height = w.axes[1].in, width = w.axes[2].in;
        const T* const x = args.in<T>(0);
        T* const y = args.out<T>(0);
        if (channels == 0) return status::ok;
        stop_check ends(c);
        // Captured by value: what is written, bytes, might be any of it otherwise.
        pool_kernel::over_windows(w, [=, &ends, work = pool_kernel::window_work(w) * channels](
                                         std::int64_t output, std::int64_t plane, const auto&, auto window) {
            if (ends(work)) return false;
            T* const to = y + output * channels;
            std::fill_n(to, channels, std::numeric_limits<T>::lowest());
            window([=](std::int64_t i, std::int64_t j, std::int64_t k) {
                const T* const from = x + (plane + (i * height + j) * width + k) * channels;
                for (std::int64_t q = 0; q < channels; ++q) to[q] = std::max(to[q], from[q]);
            });
            return true;
        });
        return c.stopped() ? c.end_of_run() : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

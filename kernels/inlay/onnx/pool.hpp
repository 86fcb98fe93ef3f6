// MaxPool (since 1), AveragePool (1): the maximum or the mean of a window that moves over 1 to 3 spatial axes;
// GlobalAveragePool (1), GlobalMaxPool (1): the mean or the maximum over all of them, however many. Padding never is a
// maximum, and is counted by a mean only where count_include_pad says so. NaN passes through.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <inlay/support/stop_check.hpp>
#include <inlay/support/window_axis.hpp>
#include <limits>

namespace inlay {
inline namespace v1 {
struct pool_windows {
    std::array<window_axis, 3> axes{};  // those that a node lacks come first and have one element
    std::int64_t planes = 0;            // batch * channels
    bool include_padding = false, column_major = false;
    presence has{};

    // From the attributes and the input's shape; an axis of unknown length has an unknown output.
    constexpr verdict read(const node_view& n) { return read(n, n.input(0).dims); }
    constexpr verdict read(const node_view& n, const shape& x) {  // x: with the channels before the spatial axes
        constexpr std::int64_t most = std::int64_t(1) << 30;      // of every attribute, so that nothing here overflows
        if (x.rank < 3 || x.rank > 5) return no("pools take an input of 3 to 5 dimensions");
        const int spatial = x.rank - 2;
        const auto kernel = n.integers("kernel_shape"), strides = n.integers("strides"),
                   dilations = n.integers("dilations"), pads = n.integers("pads");
        const std::string_view padding = n.text("auto_pad", "NOTSET");
        const bool same = padding == "SAME_UPPER" || padding == "SAME_LOWER", ceil = n.integer("ceil_mode", 0) != 0;
        if (!same && padding != "NOTSET" && padding != "VALID")
            return no("auto_pad must be NOTSET, SAME_UPPER, SAME_LOWER or VALID");
        if (int(kernel.size()) != spatial) return no("kernel_shape needs one number per spatial axis");
        if (!strides.empty() && int(strides.size()) != spatial) return no("strides needs one number per spatial axis");
        if (!dilations.empty() && int(dilations.size()) != spatial)
            return no("dilations needs one number per spatial axis");
        if (!pads.empty() && int(pads.size()) != 2 * spatial) return no("pads needs two numbers per spatial axis");
        for (int i = 0; i < spatial; ++i) {
            window_axis a;  // a reference into axes makes g++ 12 lose members in constant evaluation
            a.in = x[2 + i];
            a.kernel = kernel[i];
            if (!strides.empty()) a.stride = strides[i];
            if (!dilations.empty()) a.dilation = dilations[i];
            if (!pads.empty() && padding == "NOTSET") {
                a.before = pads[i];
                a.after = pads[spatial + i];
            }
            if (a.kernel < 1 || a.stride < 1 || a.dilation < 1 || a.before < 0 || a.after < 0)
                return no("kernel_shape, strides and dilations must be positive, pads not negative");
            if (a.kernel > most || a.stride > most || a.dilation > most || a.before > most || a.after > most ||
                a.in > most * most)
                return no("a window attribute is too large");
            if (a.in < 0) {
                a.out = -1;
                axes[3 - spatial + i] = a;
                continue;
            }
            const std::int64_t extent = (a.kernel - 1) * a.dilation + 1;
            if (same) {
                a.out = (a.in + a.stride - 1) / a.stride;
                const std::int64_t total =
                    a.out == 0 ? 0 : std::max<std::int64_t>((a.out - 1) * a.stride + extent - a.in, 0);
                a.before = padding == "SAME_UPPER" ? total / 2 : total - total / 2;
                a.after = total - a.before;
                axes[3 - spatial + i] = a;
                continue;
            }
            // As ONNX Runtime counts: a window that is larger by less than a stride has no place, and no output.
            const std::int64_t room = a.in + a.before + a.after - extent + a.stride;
            if (room < 0) return no("the window is larger than the padded input and a stride");
            a.out = room / a.stride + (ceil && room % a.stride > 0);
            if (ceil && (a.out - 1) * a.stride >= a.in + a.before)
                --a.out;  // a window that would start in the padding after the input
            axes[3 - spatial + i] = a;
        }
        planes = x[0] < 0 || x[1] < 0 ? -1 : x[0] * x[1];
        include_padding = n.integer("count_include_pad", 0) != 0;
        column_major = n.integer("storage_order", 0) != 0;
        has = presence(n);
        return yes();
    }
};
constexpr verdict pool_shapes(const node_view& n, std::span<shape> y) noexcept {
    if (!n.has_input(0)) return no("the input is missing");
    const shape& x = n.input(0).dims;
    if (x.rank < 0) return yes();
    pool_windows w;
    if (const verdict v = w.read(n); !v) return v;
    shape s = x;
    for (int i = 2; i < x.rank; ++i) s[i] = w.axes[5 - x.rank + i - 2].out;
    if (!countable(s)) return no("the output is too large");
    for (shape& output : y) output = s;
    return yes();
}

namespace op {
struct max_pool : standard {
    static constexpr std::string_view onnx_name = "MaxPool";
    static constexpr version_range versions{1, 22};
    static constexpr auto elements = each_type<float, double, float16, bfloat16, std::int8_t, std::uint8_t>;
    static constexpr operator_facts facts{.folding = fold_cost::windowed, .required_outputs = 1};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return pool_shapes(n, y); }
    static constexpr element output_type(const node_view& n, int k) { return k == 0 ? n.input_type(0) : element::i64; }
};
struct average_pool : standard {
    static constexpr std::string_view onnx_name = "AveragePool";
    static constexpr version_range versions{1, 22};
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return pool_shapes(n, y); }
};
struct global_pool : standard {
    static constexpr version_range versions{1, 22};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        const shape& x = n.input(0).dims;
        if (x.rank < 0) return yes();
        if (x.rank < 2) return no("the input needs a batch and a channel axis");
        y[0] = x;
        for (int i = 2; i < x.rank; ++i) y[0][i] = 1;
        return yes();
    }
};
struct global_average_pool : global_pool {
    static constexpr std::string_view onnx_name = "GlobalAveragePool";
};
struct global_max_pool : global_pool {
    static constexpr std::string_view onnx_name = "GlobalMaxPool";
};
}  // namespace op

struct pool_kernel : simple_kernel {
    using params = pool_windows;
    static constexpr params prepare(const node_view& n) {
        pool_windows w;
        (void)w.read(n);
        return w;
    }
    // f(output, first element of its plane, its window) for every output; until f says no; the window calls its
    // argument with every position inside the input.
    template <class F> static void over_windows(const params& p, F f) {
        const window_axis &a = p.axes[0], &b = p.axes[1], &c = p.axes[2];
        std::int64_t output = 0;
        for (std::int64_t plane = 0; plane < p.planes; ++plane)
            for (std::int64_t z = 0; z < a.out; ++z)
                for (std::int64_t y = 0; y < b.out; ++y)
                    for (std::int64_t x = 0; x < c.out; ++x) {
                        // Computed once for all taps.
                        const std::int64_t i_end = a.taps(z, a.in), j_begin = b.taps(y, 0), j_end = b.taps(y, b.in),
                                           k_begin = c.taps(x, 0), k_end = c.taps(x, c.in);
                        const bool more = f(output++, plane * a.in * b.in * c.in, std::array<std::int64_t, 3>{z, y, x},
                                            [&](auto visit) {
                                                for (std::int64_t i = a.taps(z, 0); i < i_end; ++i)
                                                    for (std::int64_t j = j_begin; j < j_end; ++j)
                                                        for (std::int64_t k = k_begin; k < k_end; ++k)
                                                            visit(a.position(z, i), b.position(y, j), c.position(x, k));
                                            });
                        if (!more) return;
                    }
    }
    static std::int64_t window_work(const params& p) {
        std::int64_t work = 1;
        for (const auto& axis : p.axes) work *= std::min(axis.kernel, axis.in);
        return work;
    }
};
template <class T> struct kernel<op::max_pool, device::reference, types<T>> : pool_kernel {
    static status run(const params& p, const state&, const arguments& args, context& c) noexcept {
        using A = std::conditional_t<floating<T>, accumulator<T>, T>;
        const T* x = args.in<T>(0);
        T* y = args.out<T>(0);
        std::int64_t* indices = p.has.out<std::int64_t>(args, 1);
        const std::int64_t depth = p.axes[0].in, height = p.axes[1].in, width = p.axes[2].in;
        stop_check ends(c);
        over_windows(p, [&, work = window_work(p)](std::int64_t output, std::int64_t plane, const auto&, auto window) {
            if (ends(work)) return false;
            A most = floating<T> ? -std::numeric_limits<A>::infinity() : std::numeric_limits<A>::lowest();
            std::array<std::int64_t, 3> at{};
            bool is_first = true;
            window([&](std::int64_t i, std::int64_t j, std::int64_t k) {
                const A value = static_cast<A>(x[plane + (i * height + j) * width + k]);
                if (is_first || (!(value <= most) && most == most)) {
                    most = value;
                    at = {i, j, k};
                }  // the first NaN stays
                is_first = false;
            });
            y[output] = static_cast<T>(most);
            if (indices)
                indices[output] = plane + (p.column_major ? at[0] + (at[1] + at[2] * height) * depth
                                                          : (at[0] * height + at[1]) * width + at[2]);
            return true;
        });
        return c.stopped() ? status::stopped : status::ok;
    }
};
template <class T> struct kernel<op::average_pool, device::reference, types<T>> : pool_kernel {
    static status run(const params& p, const state&, const arguments& args, context& c) noexcept {
        using A = accumulator<T>;
        const T* x = args.in<T>(0);
        T* y = args.out<T>(0);
        stop_check ends(c);
        over_windows(p,
                     [&, work = window_work(p)](std::int64_t output, std::int64_t plane, const auto& o, auto window) {
                         if (ends(work)) return false;
                         A sum = 0;
                         window([&](std::int64_t i, std::int64_t j, std::int64_t k) {
                             sum += static_cast<A>(x[plane + (i * p.axes[1].in + j) * p.axes[2].in + k]);
                         });
                         A count = 1;
                         for (std::size_t k = 0; k < 3; ++k)
                             count *= static_cast<A>(p.axes[k].counted(o[k], p.include_padding));
                         y[output] = static_cast<T>(count > 0 ? sum / count : A(0));
                         return true;
                     });
        return c.stopped() ? status::stopped : status::ok;
    }
};
struct global_pool_kernel : simple_kernel {
    struct params {
        std::int64_t planes, count;
    };
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        return {x.elements(0, 2), x.elements(2)};
    }
};
template <class T> struct kernel<op::global_average_pool, device::reference, types<T>> : global_pool_kernel {
    static status run(const params& p, const state&, const arguments& args, context&) noexcept {
        const T* x = args.in<T>(0);
        T* y = args.out<T>(0);
        for (std::int64_t plane = 0; plane < p.planes; ++plane, x += p.count) {
            double sum = 0;
            for (std::int64_t i = 0; i < p.count; ++i) sum += static_cast<double>(static_cast<accumulator<T>>(x[i]));
            y[plane] = static_cast<T>(static_cast<accumulator<T>>(sum / static_cast<double>(p.count)));
        }
        return status::ok;
    }
};
template <class T> struct kernel<op::global_max_pool, device::reference, types<T>> : global_pool_kernel {
    static status run(const params& p, const state&, const arguments& args, context&) noexcept {
        using A = accumulator<T>;
        const T* x = args.in<T>(0);
        for (std::int64_t plane = 0; plane < p.planes; ++plane, x += p.count) {
            A most = -std::numeric_limits<A>::infinity();
            for (std::int64_t i = 0; i < p.count; ++i)
                if (const A value = static_cast<A>(x[i]); value > most || value != value)
                    most = value;  // and NaN stays
            args.out<T>(0)[plane] = static_cast<T>(most);
        }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

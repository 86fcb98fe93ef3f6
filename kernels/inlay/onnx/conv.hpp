// Conv (since 1): Y[n, m, o] = B[m] + sum over c, k of X[n, c, o * stride + k * dilation - pad] W[m, c, k], in groups
// of channels, over any number of spatial axes.
#pragma once
#include <inlay/support/convolution_axes.hpp>
#include <inlay/support/stop_check.hpp>

namespace inlay {
inline namespace v1 {
struct convolution : convolution_axes {
    // Reads attributes and shapes; y is the output's shape, as far as it is known. weight, bias: the inputs that they
    // are; no bias: 0.
    static constexpr verdict read(const node_view& n, convolution& c, shape& y, int weight = 1, int bias = 2) {
        const shape &x = n.input(0).dims, &w = n.input(weight).dims;
        if (x.rank < 0 || w.rank < 0) return yes();
        const int axes = x.rank - 2;
        if (axes < 1) return no("X has no spatial axis");
        if (w.rank != x.rank) return no("X and W differ in rank");
        c.group = n.integer("group", 1);
        if (const verdict fits = check_channels(x, w, c.group); !fits) return fits;
        if (const verdict fits = bias ? check_bias(n, bias, w[0]) : yes(); !fits) return fits;
        const convolution_attributes a(n);
        if (!a.fit(axes)) return no("strides, dilations, pads or kernel_shape do not fit the spatial axes");
        if (!a.mode_known()) return no("auto_pad is unknown");
        y = shape::of_rank(x.rank, -1);
        y[0] = x[0];
        y[1] = w[0];
        c.set_rank(axes);
        for (int i = 0; i < axes; ++i) {
            const std::int64_t size = x[i + 2], k = w[i + 2];
            if (const verdict v = c.read_axis(a, i, size, k); !v) return v;
            if (size < 0 || k < 0) continue;
            if (k < 1 || k > a.most || size > most_elements) return no("a kernel is empty or too large");
            const std::int64_t stride = c.strides[i], reach = (k - 1) * c.dilations[i] + 1;
            std::int64_t begin = 0, end = 0;
            if (a.same_size()) {
                const std::int64_t count = size / stride + (size % stride != 0),
                                   missing = (count - 1) * stride + reach - size,
                                   total = missing > 0 && size > 0 ? missing : 0;
                begin = a.mode == "SAME_UPPER" ? total / 2 : total - total / 2;
                end = total - begin;
            } else if (!a.read_pads(i, axes, begin, end))
                return no("a pad is out of range");
            if (size + begin + end < reach) return no("the kernel is larger than the padded input");
            c.pads[i] = begin;
            c.output[i] = y[i + 2] = (size + begin + end - reach) / stride + 1;
        }
        return countable(y) ? yes() : no("the output is too large");
    }

  private:
    static constexpr verdict check_channels(const shape& x, const shape& w, std::int64_t group) {
        if (group < 1) return no("group must be positive");
        if (w[0] >= 0 && w[0] % group != 0) return no("the groups do not divide the output channels");
        if (x[1] >= 0 && w[1] >= 0 && (x[1] % group != 0 || x[1] / group != w[1]))
            return no("W does not fit X's channels and the groups");
        return yes();
    }
};

namespace op {
struct conv : standard {
    static constexpr std::string_view onnx_name = "Conv";
    static constexpr version_range versions{1, 22};
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0) || !n.has_input(1)) return no("X or W is missing");
        convolution c;
        return convolution::read(n, c, y[0]);
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) {
        return flop_of_windows(s.output(0), s.input(1));  // [outputs, inputs / group, kernel...]
    }
};
struct fused_conv
    : conv {  // Conv's inputs and attributes; input 3 is added before `activation` with `activation_params`
    static constexpr std::string_view onnx_name = "FusedConv", domain = "inlay";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const verdict v = conv::shapes(n, y);
        return !v || !n.has_input(3) || !y[0].known() || !n.input(3).dims.known() || n.input(3).dims == y[0]
                   ? v
                   : no("the addend has another shape than the result");
    }
};
}  // namespace op

// The reference convolution over elements of any types.
struct plain_convolution {
    std::int64_t batch = 0, channels = 0, out_channels = 0;  // channels: of one group
    convolution c{};
    shape x_step{}, w_step{};  // of the channel axis, then the spatial ones

    static constexpr plain_convolution of(const node_view& n, int weight = 1, int bias = 2) {
        const shape &x = n.input(0).dims, &w = n.input(weight).dims;
        plain_convolution p{x[0], w[1], w[0], {}, {}, {}};
        shape y;
        convolution::read(n, p.c, y, weight, bias);
        p.x_step = p.c.steps_of(x);
        p.w_step = p.c.steps_of(w);
        return p;
    }
    // product_of(m) is the accumulation of output channel m: it begins with `.start` and adds (x, w) of every tap.
    // put(element of the result, m, sum).
    template <class X, class W, class F, class G>
    status run(const X* images, const W* filters, context& run, F product_of, G put) const noexcept {
        const std::int64_t per_group = out_channels / c.group, positions = c.output.elements();
        const std::int64_t image = channels * c.group * x_step[0], filter = channels * w_step[0];
        run.split(batch * out_channels, 1, [&](std::int64_t first, std::int64_t end, int) {
            stop_check ends(run);
            for (std::int64_t plane = first; plane < end; ++plane) {
                const std::int64_t m = plane % out_channels;
                const X* const x = images + plane / out_channels * image + m / per_group * channels * x_step[0];
                const W* const w = filters + m * filter;
                const auto product = product_of(m);
                shape start = shape::of_rank(c.input.rank, 0);  // of the window; may lie in the padding
                for (int i = 0; i < start.rank; ++i) start[i] = -c.pads[i];
                for (std::int64_t o = 0; o < positions; ++o) {
                    if (ends(filter)) return;
                    auto accumulator = product.start;
                    for (std::int64_t k = 0; k < channels; ++k)
                        accumulator += taps(0, x + k * x_step[0], w + k * w_step[0], start, product);
                    put(plane * positions + o, m, accumulator);
                    for (int i = start.rank - 1; i >= 0; --i) {
                        start[i] += c.strides[i];
                        if (start[i] < c.output[i] * c.strides[i] - c.pads[i]) break;
                        start[i] = -c.pads[i];
                    }
                }
            }
        });
        return run.stopped() ? status::stopped : status::ok;
    }

  private:
    template <class X, class W, class F>
    auto taps(int axis, const X* x, const W* w, const shape& start, const F& product) const noexcept
        -> decltype(product.start) {
        if (axis == start.rank) return product(*x, *w);
        decltype(product.start) accumulator = 0;
        for (std::int64_t k = 0; k < c.kernel[axis]; ++k) {
            const std::int64_t at = start[axis] + k * c.dilations[axis];
            if (at >= 0 && at < c.input[axis])
                accumulator += taps(axis + 1, x + at * x_step[axis + 1], w + k * w_step[axis + 1], start, product);
        }
        return accumulator;
    }
};
template <class T> struct kernel<op::conv, device::reference, types<T>> : simple_kernel {
    using sum = accumulator<T>;
    struct params {
        plain_convolution conv;
        bool has_bias;
    };
    struct product {
        sum start;
        sum operator()(T x, T w) const noexcept { return static_cast<sum>(x) * static_cast<sum>(w); }
    };
    static constexpr params prepare(const node_view& n) { return {plain_convolution::of(n), n.has_input(2)}; }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        return p.conv.run(
            a.in<T>(0), a.in<T>(1), c,
            [&](std::int64_t m) { return product{p.has_bias ? static_cast<sum>(a.in<T>(2)[m]) : sum(0)}; },
            [&](std::int64_t at, std::int64_t, sum accumulator) { a.out<T>(0)[at] = static_cast<T>(accumulator); });
    }
};
}  // namespace v1
}  // namespace inlay

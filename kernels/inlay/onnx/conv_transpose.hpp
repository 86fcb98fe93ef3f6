// ConvTranspose (since 1): Y[n, m, i * stride + k * dilation - pad] accumulates X[n, c, i] W[c, m, k] over all c, i and
// k, starting from B[m]; in groups of channels, over any number of spatial axes.
#pragma once
#include <inlay/support/convolution_axes.hpp>
#include <inlay/support/stop_check.hpp>

namespace inlay {
inline namespace v1 {
struct transposed_convolution : convolution_axes {
    // Reads attributes and shapes; y is the output's shape, as far as it is known.
    static constexpr verdict read(const node_view& n, transposed_convolution& c, shape& y) {
        constexpr std::int64_t most = convolution_attributes::most;  // of sizes too
        const shape &x = n.input(0).dims, &w = n.input(1).dims;
        if (x.rank < 0 || w.rank < 0) return yes();
        const int axes = x.rank - 2;
        if (axes < 1) return no("X has no spatial axis");
        if (w.rank != x.rank) return no("X and W differ in rank");
        y = shape::of_rank(x.rank, -1);
        y[0] = x[0];
        if (const verdict fits = read_channels(n, c, y); !fits) return fits;
        const convolution_attributes a(n);
        const auto more = n.integers("output_padding"), sizes = n.integers("output_shape");
        // output_shape may name the batch and the channels too.
        if (!a.fit(axes) || !a.fits(more, axes) || (!a.fits(sizes, axes) && !a.fits(sizes, x.rank)))
            return no(
                "strides, dilations, pads, kernel_shape, output_padding or output_shape do not fit the spatial axes");
        if (!a.mode_known()) return no("auto_pad is unknown");
        c.set_rank(axes);
        for (int i = 0; i < axes; ++i) {
            const std::int64_t size = x[i + 2], k = w[i + 2], extra = more.empty() ? 0 : more[i];
            if (const verdict v = c.read_axis(a, i, size, k); !v) return v;
            if (extra < 0 || extra > most) return no("output_padding is out of range");
            if (size < 0 || k < 0) continue;
            if (k < 1 || k > most || size > most) return no("a kernel is empty or a side is too large");
            // All are below 2^30, so their products fit. An empty axis may have outputs too: the formula counts one
            // stride less than none, and nothing but B is in them.
            const std::int64_t stride = c.strides[i],
                               full_size = stride * (size - 1) + extra + (k - 1) * c.dilations[i] + 1;
            std::int64_t result = 0, begin = 0, end = 0;
            if (!sizes.empty() || a.same_size()) {  // the pads follow from the output's size
                result = !sizes.empty() ? sizes[i + int(sizes.size()) - axes] : size * stride;
                if (result < 0 || result > 4 * most * most - 1) return no("output_shape is out of range");
                const std::int64_t cut =
                    full_size > result ? full_size - result : 0;  // the rest of a larger output is zeros
                begin = a.mode == "SAME_UPPER" ? cut / 2 : cut - cut / 2;
            } else {
                if (!a.read_pads(i, axes, begin, end)) return no("a pad is out of range");
                if (size && full_size < begin + end) return no("the pads are larger than the output");
                result = std::max<std::int64_t>(full_size - begin - end, 0);
            }
            c.pads[i] = begin;
            c.output[i] = y[i + 2] = result;
        }
        return countable(y) ? yes() : no("the output is too large");
    }

  private:
    static constexpr verdict read_channels(const node_view& n, transposed_convolution& c, shape& y) {
        const shape &x = n.input(0).dims, &w = n.input(1).dims;
        c.group = n.integer("group", 1);
        if (c.group < 1) return no("group must be positive");
        if (x[1] >= 0 && w[0] >= 0 && (x[1] != w[0] || x[1] % c.group != 0))
            return no("W does not fit X's channels and the groups");
        if (w[1] >= 0) {
            std::int64_t channels = w[1];
            if (!multiplied(channels, c.group) || channels > most_elements) return no("the output is too large");
            y[1] = channels;
        }
        return check_bias(n, 2, y[1]);
    }
};

namespace op {
struct conv_transpose : standard {
    static constexpr std::string_view onnx_name = "ConvTranspose";
    static constexpr version_range versions{1, 22};
    static constexpr operator_facts facts{.folding = fold_cost::windowed};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0) || !n.has_input(1)) return no("X or W is missing");
        transposed_convolution c;
        return transposed_convolution::read(n, c, y[0]);
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) {
        return flop_of_windows(s.input(0), s.input(1));  // [inputs, outputs / group, kernel...]
    }
};
}  // namespace op

template <class T> struct kernel<op::conv_transpose, device::reference, types<T>> : simple_kernel {
    using sum = accumulator<T>;
    struct params {
        std::int64_t batch, channels, out_channels;  // of one group
        bool has_bias;
        transposed_convolution c;
        shape x_step, w_step;  // of the channel axis, then the spatial ones
    };
    static constexpr params prepare(const node_view& n) {
        const shape &x = n.input(0).dims, &w = n.input(1).dims;
        params p{x[0], 0, w[1], n.has_input(2), {}, {}, {}};
        shape y;
        transposed_convolution::read(n, p.c, y);
        p.channels = x[1] / p.c.group;
        p.x_step = p.c.steps_of(x);
        p.w_step = p.c.steps_of(w);
        return p;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t positions = p.c.output.elements(), planes = p.out_channels * p.c.group,
                           filter = p.out_channels * p.w_step[0];  // a filter: of an input channel
        c.split(p.batch * planes, 1, [&](std::int64_t first, std::int64_t end, int) {
            stop_check ends(c);
            for (std::int64_t plane = first; plane < end; ++plane) {
                const std::int64_t m = plane % planes, channel = m / p.out_channels * p.channels;
                const T* const x = a.in<T>(0) + (plane / planes * p.channels * p.c.group + channel) * p.x_step[0];
                const T* const w = a.in<T>(1) + channel * filter + m % p.out_channels * p.w_step[0];
                const sum bias = p.has_bias ? static_cast<sum>(a.in<T>(2)[m]) : sum(0);
                shape at = shape::of_rank(p.c.output.rank, 0);
                for (std::int64_t o = 0; o < positions; ++o) {
                    if (ends(p.channels * p.w_step[0])) return;
                    sum accumulator = bias;
                    for (std::int64_t k = 0; k < p.channels; ++k)
                        accumulator += taps(p, 0, x + k * p.x_step[0], w + k * filter, at);
                    a.out<T>(0)[plane * positions + o] = static_cast<T>(accumulator);
                    for (int i = at.rank - 1; i >= 0; --i) {
                        if (++at[i] < p.c.output[i]) break;
                        at[i] = 0;
                    }
                }
            }
        });
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    static sum taps(const params& p, int axis, const T* x, const T* w, const shape& at) noexcept {
        if (axis == at.rank) return static_cast<sum>(*x) * static_cast<sum>(*w);
        sum accumulator = 0;
        for (std::int64_t k = 0; k < p.c.kernel[axis]; ++k) {
            const std::int64_t from = at[axis] + p.c.pads[axis] - k * p.c.dilations[axis];
            if (from >= 0 && from % p.c.strides[axis] == 0 && from / p.c.strides[axis] < p.c.input[axis])
                accumulator += taps(p, axis + 1, x + from / p.c.strides[axis] * p.x_step[axis + 1],
                                    w + k * p.w_step[axis + 1], at);
        }
        return accumulator;
    }
};
}  // namespace v1
}  // namespace inlay

// MaxUnpool (since 9): Y is zero but Y[I[i]] = X[i]: MaxPool reversed, by its indices. They count through the
// shape that kernel_shape, strides and pads give; where output_shape is larger, that part of Y has its place at the
// start of each axis, as in ONNX's test cases. Of several values for one place the last counts.
#pragma once
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct max_unpool : standard {
    static constexpr std::string_view onnx_name = "MaxUnpool";
    static constexpr version_range versions{9, 22};
    static constexpr int required_inputs = 2;
    // The shape that indices count through, with -1 for what is not known.
    static constexpr verdict indexed_shape(const node_view& n, shape& y) {
        constexpr std::int64_t most = std::int64_t(1) << 30;  // of each attribute
        y = n.input(0).dims;
        if (y.rank < 0) return yes();
        if (y.rank < 3) return no("X has no spatial axis");
        const std::size_t axes = std::size_t(y.rank - 2);
        const auto kernel = n.integers("kernel_shape"), strides = n.integers("strides"), pads = n.integers("pads");
        if (kernel.size() != axes) return no("kernel_shape needs one number per spatial axis");
        if (!strides.empty() && strides.size() != axes) return no("strides needs one number per spatial axis");
        if (!pads.empty() && pads.size() != 2 * axes) return no("pads needs two numbers per spatial axis");
        for (std::size_t i = 0; i < axes; ++i) {
            const std::int64_t stride = strides.empty() ? 1 : strides[i], before = pads.empty() ? 0 : pads[i],
                               after = pads.empty() ? 0 : pads[i + axes];
            if (kernel[i] < 1 || stride < 1 || before < 0 || after < 0)
                return no("kernel_shape and strides must be positive, pads not negative");
            if (kernel[i] > most || stride > most || before > most || after > most)
                return no("a window attribute is too large");
            std::int64_t& d = y[int(i) + 2];
            if (d < 0) continue;
            if (d > most) return no("X is too large");
            d = (d - 1) * stride - before - after + kernel[i];
            if (d < 0) return no("the pads are larger than the output");
        }
        return countable(y) ? yes() : no("the output is too large");
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0) || !n.has_input(1)) return no("X or I is missing");
        const shape &x = n.input(0).dims, &indices = n.input(1).dims;
        if (n.input(1).type != element::i64) return no("I is not int64");
        if (x.rank >= 0 && indices.rank >= 0 && x.rank != indices.rank) return no("X and I differ in shape");
        for (int i = 0; i < x.rank && i < indices.rank; ++i)
            if (x[i] >= 0 && indices[i] >= 0 && x[i] != indices[i]) return no("X and I differ in shape");
        shape indexed;
        if (const verdict v = indexed_shape(n, indexed); !v) return v;
        if (!n.has_input(2)) {
            y[0] = indexed;
            return yes();
        }
        if (n.input(2).type != element::i64) return no("output_shape is not int64");
        const auto requested = n.input_integers(2);
        if (!requested) return yes();
        if (requested->size() > max_rank || (x.rank >= 0 && int(requested->size()) != x.rank))
            return no("output_shape needs one number per axis of X");
        for (int i = 0; i < int(requested->size()); ++i) {
            const std::int64_t d = (*requested)[std::size_t(i)];
            if (d < 0 || (i < indexed.rank && d < indexed[i]))
                return no("output_shape is smaller than what indices count through");
            if (i < 2 && i < indexed.rank && indexed[i] >= 0 && d != indexed[i])
                return no("output_shape has another batch or other channels than X");
        }
        y[0] = shape{};
        for (std::int64_t d : *requested) y[0].push_back(d);
        return countable(y[0]) ? yes() : no("the output is too large");
    }
};
}  // namespace op

template <class T> struct kernel<op::max_unpool, device::reference, types<T>> : simple_kernel {
    struct params {
        shape indexed, y;
        std::int64_t count;
    };
    static constexpr params prepare(const node_view& n) {
        params p{{}, n.output(0).dims, n.input(0).dims.elements()};
        (void)op::max_unpool::indexed_shape(n, p.indexed);
        return p;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        T* y = a.out<T>(0);
        std::fill_n(y, p.y.elements(), T(0.f));
        const std::int64_t elements = p.indexed.elements();
        const bool same = p.indexed == p.y;
        for (std::int64_t i = 0; i < p.count; ++i) {
            std::int64_t rest = a.in<std::int64_t>(1)[i];
            if (rest < 0 || rest >= elements) return c.fail("an index is out of range");
            if (!same) {
                std::int64_t to = 0, step = 1;
                for (int k = p.y.rank - 1; k >= 0; --k) {
                    to += rest % p.indexed[k] * step;
                    rest /= p.indexed[k];
                    step *= p.y[k];
                }
                rest = to;
            }
            y[rest] = a.in<T>(0)[i];
        }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

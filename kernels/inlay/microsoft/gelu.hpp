// Of com.microsoft, since 1: Gelu, as ONNX's; QuickGelu: x / (1 + e^(-alpha x)); BiasGelu: Gelu(x + bias), FastGelu:
// its form by tanh, of x or x + bias, the bias along the last axis; BiasSplitGelu: x + bias in two halves of the last
// axis, the first times Gelu of the second; BiasAdd: x + bias + skip.
#pragma once
#include <inlay/onnx/unary.hpp>
#include <inlay/support/presence.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct microsoft_gelu : gelu {
    static constexpr std::string_view domain = "com.microsoft";
    static constexpr version_range versions{1, 1};
};
struct quick_gelu : element_wise {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "QuickGelu";
    static constexpr version_range versions{1, 1};
    static constexpr std::array<double, 2> numbers(const node_view& n) { return {n.real("alpha", 1.702f), 0}; }
    template <class T> INLAY_ON_DEVICE static T apply(T x, T alpha, T) {
        return x * sigmoid::apply(alpha * x, T(0), T(0));
    }
};
struct biased : standard {  // y = apply(x + bias): bias belongs to the last axis
    static constexpr std::string_view domain = "com.microsoft";
    static constexpr version_range versions{1, 1};
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .keeps_names = true};
    static constexpr verdict bias_fits(const node_view& n, bool needed) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        if (!n.has_input(1)) return needed ? no("the bias is missing") : yes();
        const shape &x = n.input(0).dims, &b = n.input(1).dims;
        if (x.rank == 0) return no("the input has no axis");
        if (b.rank >= 0 && b.rank != 1) return no("the bias must have one axis");
        if (x.rank > 0 && b.rank == 1 && x[x.rank - 1] >= 0 && b[0] >= 0 && x[x.rank - 1] != b[0])
            return no("the bias has another length than the last axis");
        if (n.input(1).type != element::undefined && n.input(1).type != n.input(0).type)
            return no("input and bias must have one type");
        return yes();
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const verdict v = bias_fits(n, true); !v) return v;
        return same_shape(n, y);
    }
};
struct bias_gelu : biased {
    static constexpr std::string_view onnx_name = "BiasGelu";
    static constexpr plain_activation activation{plain_activation::gelu};
};
struct fast_gelu : biased {
    static constexpr std::string_view onnx_name = "FastGelu";
    static constexpr plain_activation activation{plain_activation::gelu_tanh};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const verdict v = bias_fits(n, false); !v) return v;
        return same_shape(n, y);
    }
};
struct bias_split_gelu : biased {
    static constexpr std::string_view onnx_name = "BiasSplitGelu";
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const verdict v = bias_fits(n, true); !v) return v;
        shape half = n.input(0).dims;
        if (half.rank < 0) return yes();
        std::int64_t& last_size = half[half.rank - 1];
        if (last_size >= 0 && last_size % 2 != 0) return no("the last axis must be even");
        if (last_size >= 0) last_size /= 2;
        y[0] = half;
        return yes();
    }
};
struct bias_add : biased {
    static constexpr std::string_view onnx_name = "BiasAdd";
    static constexpr int required_inputs = 3;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const verdict v = bias_fits(n, true); !v) return v;
        if (!n.has_input(2)) return no("skip is missing");
        if (n.input(2).type != n.input(0).type) return no("input and skip must have one type");
        const shape &x = n.input(0).dims, &skip = n.input(2).dims;
        if (x.known() && skip.known() && x != skip) return no("input and skip differ in shape");
        return same_shape(n, y);
    }
};
}  // namespace op

struct biased_rows_kernel : simple_kernel {
    struct params {
        std::int64_t rows, length;
        bool has_bias;
    };
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        if (x.rank == 0) return {1, 1, false};  // a number has no axis for a bias
        return {x.elements(0, x.rank - 1), x[x.rank - 1], n.has_input(1)};
    }
    template <class F> static status each_row(const params& p, context& c, F f) noexcept {
        c.split(p.rows, 16384 / (p.length + 1) + 1, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t row = first; row < end; ++row) f(row);
        });
        return status::ok;
    }
};
template <class Op, class T> struct bias_activation_kernel : biased_rows_kernel {
    static constexpr reuse shares = reuse::in_place;
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        using A = accumulator<T>;
        const T *x = a.in<T>(0), *bias = p.has_bias ? a.in<T>(1) : nullptr;
        return each_row(p, c, [&](std::int64_t row) {
            for (std::int64_t i = 0, at = row * p.length; i < p.length; ++i, ++at)
                a.out<T>(0)[at] =
                    static_cast<T>(Op::activation(static_cast<A>(x[at]) + (bias ? static_cast<A>(bias[i]) : A(0))));
        });
    }
};
template <class T>
struct kernel<op::bias_gelu, device::reference, types<T>> : bias_activation_kernel<op::bias_gelu, T> {};
template <class T>
struct kernel<op::fast_gelu, device::reference, types<T>> : bias_activation_kernel<op::fast_gelu, T> {};
template <class T> struct kernel<op::bias_split_gelu, device::reference, types<T>> : biased_rows_kernel {
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        using A = accumulator<T>;
        const std::int64_t half = p.length / 2;
        const T *x = a.in<T>(0), *bias = a.in<T>(1);
        return each_row(p, c, [&](std::int64_t row) {
            const auto biased = [&](std::int64_t i) {
                return static_cast<A>(x[row * p.length + i]) + static_cast<A>(bias[i]);
            };
            for (std::int64_t i = 0; i < half; ++i)
                a.out<T>(0)[row * half + i] =
                    static_cast<T>(biased(i) * plain_activation{plain_activation::gelu}(biased(half + i)));
        });
    }
};
template <class T> struct kernel<op::bias_add, device::reference, types<T>> : biased_rows_kernel {
    static constexpr reuse shares = reuse::in_place;
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        using A = accumulator<T>;
        return each_row(p, c, [&](std::int64_t row) {
            for (std::int64_t i = 0, at = row * p.length; i < p.length; ++i, ++at)
                a.out<T>(0)[at] = static_cast<T>(static_cast<A>(a.in<T>(0)[at]) + static_cast<A>(a.in<T>(1)[i]) +
                                                 static_cast<A>(a.in<T>(2)[at]));
        });
    }
};
}  // namespace v1
}  // namespace inlay

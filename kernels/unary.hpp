// Relu (since 1): x, but 0 where x < 0; Sigmoid (1): 1 / (1 + e^-x); Tanh (1); Erf (9); Sqrt (1);
// HardSigmoid (1): alpha x + beta, within [0, 1]; HardSwish (14): x HardSigmoid(x) with alpha 1/6, beta 1/2. NaN passes through all.
#pragma once
#include "on_device.hpp"
#include <inlay/operator.hpp>
#include <cmath>

namespace inlay::inline v1::op {
struct element_wise : standard {  // y = apply(x, a, b), a and b from the attributes
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return same_shape(n, y); }
    static constexpr std::array<double, 2> numbers(const node_view&) { return {}; }
};
struct relu : element_wise {
    static constexpr std::string_view onnx_name = "Relu";
    static constexpr version_range versions{1, 14};
    static constexpr auto elements = each_type<float, double, float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) { return x < T(0) ? T(0) : x; }
};
struct sigmoid : element_wise {
    static constexpr std::string_view onnx_name = "Sigmoid";
    static constexpr version_range versions{1, 13};
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) {
        const T e = std::exp(-std::abs(x));  // never overflows
        return (x < T(0) ? e : T(1)) / (T(1) + e);
    }
};
struct tanh : element_wise {
    static constexpr std::string_view onnx_name = "Tanh";
    static constexpr version_range versions{1, 13};
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) { return std::tanh(x); }
};
struct erf : element_wise {
    static constexpr std::string_view onnx_name = "Erf";
    static constexpr version_range versions{9, 13};
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) { return std::erf(x); }
};
struct sqrt : element_wise {
    static constexpr std::string_view onnx_name = "Sqrt";
    static constexpr version_range versions{1, 13};
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) { return std::sqrt(x); }
};
struct hard_sigmoid : element_wise {
    static constexpr std::string_view onnx_name = "HardSigmoid";
    static constexpr version_range versions{1, 22};
    static constexpr std::array<double, 2> numbers(const node_view& n) { return {n.real("alpha", 0.2f), n.real("beta", 0.5)}; }
    template <class T> INLAY_ON_DEVICE static T apply(T x, T alpha, T beta) {
        const T y = alpha * x + beta;
        return y < T(0) ? T(0) : y > T(1) ? T(1) : y;
    }
};
struct hard_swish : element_wise {
    static constexpr std::string_view onnx_name = "HardSwish";
    static constexpr version_range versions{14, 22};
    static constexpr std::array<double, 2> numbers(const node_view&) { return {1. / 6, 0.5}; }
    template <class T> INLAY_ON_DEVICE static T apply(T x, T alpha, T beta) { return x * hard_sigmoid::apply(x, alpha, beta); }
};
}  // namespace inlay::inline v1::op

namespace inlay::inline v1 {
template <class Op, class T> struct map_kernel : simple_kernel {
    struct params { std::int64_t count; std::array<double, 2> numbers; };
    static constexpr reuse shares = reuse::in_place;
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements(), Op::numbers(n)}; }
    static status run(const params& p, const state&, const arguments& args, context&) noexcept {
        using A = accumulator<T>;
        const T* x = args.in<T>(0);
        T* y = args.out<T>(0);
        const A a = static_cast<A>(p.numbers[0]), b = static_cast<A>(p.numbers[1]);
        for (std::int64_t i = 0; i < p.count; ++i) y[i] = static_cast<T>(Op::template apply<A>(x[i], a, b));
        return status::ok;
    }
};
template <class T> struct kernel<op::relu, device::reference, types<T>> : map_kernel<op::relu, T> {};
template <class T> struct kernel<op::sigmoid, device::reference, types<T>> : map_kernel<op::sigmoid, T> {};
template <class T> struct kernel<op::tanh, device::reference, types<T>> : map_kernel<op::tanh, T> {};
template <class T> struct kernel<op::erf, device::reference, types<T>> : map_kernel<op::erf, T> {};
template <class T> struct kernel<op::sqrt, device::reference, types<T>> : map_kernel<op::sqrt, T> {};
template <class T> struct kernel<op::hard_sigmoid, device::reference, types<T>> : map_kernel<op::hard_sigmoid, T> {};
template <class T> struct kernel<op::hard_swish, device::reference, types<T>> : map_kernel<op::hard_swish, T> {};
}  // namespace inlay::inline v1

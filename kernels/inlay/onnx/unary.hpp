// Relu (since 1): x, but 0 where x < 0; Sigmoid (1): 1 / (1 + e^-x); Tanh (1); Erf (9), of integers truncated; Sqrt
// (1); HardSigmoid (1): alpha x + beta, within [0, 1]; HardSwish (14): x HardSigmoid(x) with alpha 1/6, beta 1/2;
// LeakyRelu (1): x, but alpha x where x < 0; Elu (1): x, but alpha (e^x - 1) where x < 0; Selu (1): gamma Elu(x);
// Softplus (1): log(1 + e^x); Gelu (20): x/2 (1 + erf(x / sqrt 2)), or x/2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)));
// Mish (18): x tanh(Softplus(x)); Swish (24): x Sigmoid(alpha x); Softsign (1): x / (1 + |x|); Celu (12): x, but alpha
// (e^(x / alpha) - 1) where x < 0, which is 0 where alpha is; ThresholdedRelu (10): x where x > alpha, else 0; Shrink
// (9): x + bias where x < -lambd, x - bias where x > lambd, else 0; of integers calculated in double, then truncated,
// and what the type cannot hold saturates; Neg, Abs, Sign (9), Reciprocal, Exp, Log, Sin, Cos, Tan, Asin, Acos, Atan
// (7), Sinh, Cosh, Asinh, Acosh, Atanh (9), Floor, Ceil; Round (11): to nearest even; Not (1). NaN passes
// through all but ThresholdedRelu and Shrink, where it is neither above nor below. The minimum of the signed integers
// is its own negative.
#pragma once
#include <inlay/support/activation.hpp>
#include <inlay/support/truncate.hpp>
#include <cmath>
#include <concepts>

namespace inlay {
inline namespace v1 {
namespace op {
struct element_wise : standard {  // y = apply(x, a, b), a and b from the attributes
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .keeps_names = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return same_shape(n, y); }
    static constexpr std::array<double, 2> numbers(const node_view&) { return {}; }
};
struct relu : element_wise {
    static constexpr std::string_view onnx_name = "Relu";
    static constexpr version_range versions{1, 14};
    static constexpr auto elements =
        each_type<float, double, float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
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
struct hard_sigmoid : element_wise {
    static constexpr std::string_view onnx_name = "HardSigmoid";
    static constexpr version_range versions{1, 22};
    static constexpr std::array<double, 2> numbers(const node_view& n) {
        return {n.real("alpha", 0.2f), n.real("beta", 0.5)};
    }
    template <class T> INLAY_ON_DEVICE static T apply(T x, T alpha, T beta) {
        const T y = alpha * x + beta;
        return y < T(0) ? T(0) : y > T(1) ? T(1) : y;
    }
};
struct hard_swish : element_wise {
    static constexpr std::string_view onnx_name = "HardSwish";
    static constexpr version_range versions{14, 22};
    static constexpr std::array<double, 2> numbers(const node_view&) { return {1. / 6, 0.5}; }
    template <class T> INLAY_ON_DEVICE static T apply(T x, T alpha, T beta) {
        return x * hard_sigmoid::apply(x, alpha, beta);
    }
};
struct leaky_relu : element_wise {
    static constexpr std::string_view onnx_name = "LeakyRelu";
    static constexpr version_range versions{1, 16};
    static constexpr std::array<double, 2> numbers(const node_view& n) { return {n.real("alpha", 0.01f), 0}; }
    template <class T> INLAY_ON_DEVICE static T apply(T x, T alpha, T) { return x < T(0) ? alpha * x : x; }
};
struct elu : element_wise {
    static constexpr std::string_view onnx_name = "Elu";
    static constexpr version_range versions{1, 22};
    static constexpr std::array<double, 2> numbers(const node_view& n) { return {n.real("alpha", 1), 1}; }
    template <class T> INLAY_ON_DEVICE static T apply(T x, T alpha, T gamma) {
        return gamma * (x < T(0) ? alpha * std::expm1(x) : x);
    }
};
struct selu : element_wise {
    static constexpr std::string_view onnx_name = "Selu";
    static constexpr version_range versions{1, 22};
    static constexpr std::array<double, 2> numbers(const node_view& n) {
        return {n.real("alpha", n.version() < 6 ? 1.6732f : 1.67326319217681884765625),
                n.real("gamma", n.version() < 6 ? 1.0507f : 1.05070102214813232421875)};
    }
    template <class T> INLAY_ON_DEVICE static T apply(T x, T alpha, T gamma) { return elu::apply(x, alpha, gamma); }
};
struct softplus : element_wise {
    static constexpr std::string_view onnx_name = "Softplus";
    static constexpr version_range versions{1, 22};
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) {
        return (x < T(0) ? T(0) : x) + std::log1p(std::exp(-std::abs(x)));
    }
};
struct gelu : element_wise {
    static constexpr std::string_view onnx_name = "Gelu";
    static constexpr version_range versions{20, 20};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const std::string_view approximate = n.text("approximate", "none");
        return approximate == "none" || approximate == "tanh" ? same_shape(n, y)
                                                              : no("approximate must be none or tanh");
    }
    static constexpr std::array<double, 2> numbers(const node_view& n) {
        return {n.text("approximate", "none") == "tanh" ? 1. : 0., 0};
    }
    template <class T> INLAY_ON_DEVICE static T apply(T x, T by_tanh, T) {
        return plain_activation{by_tanh != T(0) ? plain_activation::gelu_tanh : plain_activation::gelu}(x);
    }
};
struct mish : element_wise {
    static constexpr std::string_view onnx_name = "Mish";
    static constexpr version_range versions{18, 22};
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) {
        return x * std::tanh(softplus::apply(x, T(0), T(0)));
    }
};
struct swish : element_wise {
    static constexpr std::string_view onnx_name = "Swish";
    static constexpr version_range versions{24, 24};
    static constexpr std::array<double, 2> numbers(const node_view& n) { return {n.real("alpha", 1), 0}; }
    template <class T> INLAY_ON_DEVICE static T apply(T x, T alpha, T) {
        return x * sigmoid::apply(alpha * x, T(0), T(0));
    }
};
struct softsign : element_wise {
    static constexpr std::string_view onnx_name = "Softsign";
    static constexpr version_range versions{1, 22};
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) { return x / (T(1) + std::abs(x)); }
};
struct celu : element_wise {
    static constexpr std::string_view onnx_name = "Celu";
    static constexpr version_range versions{12, 28};
    static constexpr std::array<double, 2> numbers(const node_view& n) { return {n.real("alpha", 1), 0}; }
    template <class T> INLAY_ON_DEVICE static T apply(T x, T alpha, T) {
        return x < T(0) ? alpha * std::expm1(x / alpha) : x;
    }
};
struct thresholded_relu : element_wise {
    static constexpr std::string_view onnx_name = "ThresholdedRelu";
    static constexpr version_range versions{10, 22};
    static constexpr std::array<double, 2> numbers(const node_view& n) { return {n.real("alpha", 1), 0}; }
    template <class T> INLAY_ON_DEVICE static T apply(T x, T alpha, T) { return x > alpha ? x : T(0); }
};
struct shrink : element_wise {
    static constexpr std::string_view onnx_name = "Shrink";
    static constexpr version_range versions{9, 9};
    static constexpr auto elements = number_types;
    static constexpr std::array<double, 2> numbers(const node_view& n) {
        return {n.real("lambd", 0.5), n.real("bias", 0)};
    }
    template <class T> INLAY_ON_DEVICE static T apply(T x, T lambd, T bias) {
        return x < -lambd ? x + bias : x > lambd ? x - bias : T(0);
    }
};
struct neg : element_wise {
    static constexpr std::string_view onnx_name = "Neg";
    static constexpr version_range versions{1, 13};
    static constexpr auto elements = relu::elements;
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(std::make_unsigned_t<T>(0) - static_cast<std::make_unsigned_t<T>>(x));
        else
            return -x;
    }
};
struct abs : element_wise {
    static constexpr std::string_view onnx_name = "Abs";
    static constexpr version_range versions{1, 13};
    static constexpr auto elements = number_types;
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) {
        if constexpr (std::is_integral_v<T>)
            return x < T(0) ? neg::apply(x, T(0), T(0)) : x;
        else
            return std::abs(x);
    }
};
struct sign : element_wise {
    static constexpr std::string_view onnx_name = "Sign";
    static constexpr version_range versions{9, 13};
    static constexpr auto elements = number_types;
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) {
        return x > T(0) ? T(1) : x < T(0) ? static_cast<T>(-1) : x == T(0) ? T(0) : x;
    }
};
struct reciprocal : element_wise {
    static constexpr std::string_view onnx_name = "Reciprocal";
    static constexpr version_range versions{1, 13};
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) { return T(1) / x; }
};
#define INLAY_FUNCTION(name, in_onnx, since, through) \
    struct name : element_wise { \
        static constexpr std::string_view onnx_name = in_onnx; \
        static constexpr version_range versions{since, through}; \
        template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) { return std::name(x); } \
    };
INLAY_FUNCTION(tanh, "Tanh", 1, 13)
INLAY_FUNCTION(sqrt, "Sqrt", 1, 13)
INLAY_FUNCTION(exp, "Exp", 1, 13)
INLAY_FUNCTION(log, "Log", 1, 13)
INLAY_FUNCTION(sin, "Sin", 7, 22)
INLAY_FUNCTION(cos, "Cos", 7, 22)
INLAY_FUNCTION(tan, "Tan", 7, 22)
INLAY_FUNCTION(asin, "Asin", 7, 22)
INLAY_FUNCTION(acos, "Acos", 7, 22)
INLAY_FUNCTION(atan, "Atan", 7, 22)
INLAY_FUNCTION(sinh, "Sinh", 9, 22)
INLAY_FUNCTION(cosh, "Cosh", 9, 22)
INLAY_FUNCTION(asinh, "Asinh", 9, 22)
INLAY_FUNCTION(acosh, "Acosh", 9, 22)
INLAY_FUNCTION(atanh, "Atanh", 9, 22)
INLAY_FUNCTION(floor, "Floor", 1, 13)
INLAY_FUNCTION(ceil, "Ceil", 1, 13)
#undef INLAY_FUNCTION
struct erf : element_wise {
    static constexpr std::string_view onnx_name = "Erf";
    static constexpr version_range versions{9, 13};
    static constexpr auto elements = number_types;
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(std::erf(static_cast<double>(x)));  // 1 from 6 on
        else
            return std::erf(x);
    }
};
struct round : element_wise {
    static constexpr std::string_view onnx_name = "Round";
    static constexpr version_range versions{11, 22};
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) { return std::nearbyint(x); }
};
struct logical_not : element_wise {
    static constexpr std::string_view onnx_name = "Not";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<bool>;
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) { return x == T(0); }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class Op, class T> struct map_kernel : simple_kernel {
    struct params {
        std::int64_t count;
        std::array<double, 2> numbers;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements(), Op::numbers(n)}; }
    static status run(const params& p, const state&, const arguments& args, context&) noexcept {
        using A = accumulator<T>;
        const auto* x = args.in<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>(
            0);  // bytes: a caller's true may be any nonzero value
        T* y = args.out<T>(0);
        const A a = static_cast<A>(p.numbers[0]), b = static_cast<A>(p.numbers[1]);
        for (std::int64_t i = 0; i < p.count; ++i) y[i] = static_cast<T>(Op::template apply<A>(x[i], a, b));
        return status::ok;
    }
};
template <std::derived_from<op::element_wise> Op, class T>
struct kernel<Op, device::reference, types<T>> : map_kernel<Op, T> {};
template <class T> struct shrink_kernel : map_kernel<op::shrink, T> {
    using typename map_kernel<op::shrink, T>::params;
    static status run(const params& p, const simple_kernel::state&, const arguments& args, context&) noexcept {
        for (std::int64_t i = 0; i < p.count; ++i)
            args.out<T>(0)[i] =
                truncate<T>(op::shrink::apply(static_cast<double>(args.in<T>(0)[i]), p.numbers[0], p.numbers[1]));
        return status::ok;
    }
};
template <class T>
struct kernel<op::shrink, device::reference, types<T>>
    : std::conditional_t<std::is_integral_v<T>, shrink_kernel<T>, map_kernel<op::shrink, T>> {};
}  // namespace v1
}  // namespace inlay

// IsNaN (since 9); IsInf (10): of the signs that detect_positive and detect_negative name. Of floating-point types.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/on_device.hpp>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace op {
struct is_nan : standard {
    static constexpr std::string_view onnx_name = "IsNaN";
    static constexpr version_range versions{9, 20};
    static constexpr std::array constraints{v1::input(0), v1::output(0)};
    static constexpr auto elements =
        hana::tuple_t<types<float, bool>, types<double, bool>, types<float16, bool>, types<bfloat16, bool>,
                      types<float8e4m3fn, bool>, types<float8e4m3fnuz, bool>, types<float8e5m2, bool>,
                      types<float8e5m2fnuz, bool>>;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return same_shape(n, y); }
};
struct is_inf : is_nan {
    static constexpr std::string_view onnx_name = "IsInf";
    static constexpr version_range versions{10, 20};
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct element_of_is_nan {
    static constexpr element_of_is_nan of(const node_view&) { return {}; }
    template <std::floating_point A> INLAY_ON_DEVICE bool operator()(A x) const { return x != x; }
};
struct element_of_is_inf {
    bool positive, negative;
    static constexpr element_of_is_inf of(const node_view& n) {
        return {n.integer("detect_positive", 1) != 0, n.integer("detect_negative", 1) != 0};
    }
    template <std::floating_point A> INLAY_ON_DEVICE bool operator()(A x) const {
        constexpr A infinity = std::numeric_limits<A>::infinity();
        return (positive && x == infinity) || (negative && x == -infinity);
    }
};
template <class F, class T> struct test_kernel : simple_kernel {
    struct params {
        std::int64_t count;
        F f;
    };
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements(), F::of(n)}; }
    static status run(const params& p, const state&, const arguments& args, context&) noexcept {
        for (std::int64_t i = 0; i < p.count; ++i)
            args.out<bool>(0)[i] = p.f(static_cast<accumulator<T>>(args.in<T>(0)[i]));
        return status::ok;
    }
};
template <class T> struct kernel<op::is_nan, device::reference, types<T, bool>> : test_kernel<element_of_is_nan, T> {};
template <class T> struct kernel<op::is_inf, device::reference, types<T, bool>> : test_kernel<element_of_is_inf, T> {};
}  // namespace v1
}  // namespace inlay

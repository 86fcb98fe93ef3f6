// Clip (since 1): min(max(x, low), high); low and high are attributes before version 11, then optional inputs, and by
// default the lowest and the highest finite number of the type. NaN passes, and a bound that is NaN makes every element
// NaN.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/input_order.hpp>
#include <inlay/support/on_device.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
struct clip : standard {
    static constexpr std::string_view onnx_name = "Clip";
    static constexpr version_range versions{1, 13};
    static constexpr auto elements = number_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_result, .keeps_names = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 1; k < 3; ++k)
            if (n.has_input(k) && n.input(k).dims.known() && n.input(k).dims.elements() != 1)
                return no("min and max must be scalars");
        return same_shape(n, y);
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> constexpr T greatest() {
    if constexpr (is_small_float<T>)
        return T::of_bits(typename T::storage(T::largest));
    else
        return std::numeric_limits<T>::max();
}
template <class T> constexpr T least() {
    if constexpr (is_small_float<T>)
        return T::of_bits(typename T::storage(T::largest | T::sign_bit));
    else
        return std::numeric_limits<T>::lowest();
}
template <class T> struct clip_bounds {  // the attributes, in versions that have them
    T low, high;
    static constexpr clip_bounds of(const node_view& n) {
        clip_bounds b{least<T>(), greatest<T>()};
        if constexpr (floating<T>)
            if (n.version() < 11) {
                if (n.has("min")) b.low = static_cast<T>(n.real("min", 0));
                if (n.has("max")) b.high = static_cast<T>(n.real("max", 0));
            }
        return b;
    }
    clip_bounds with_inputs(const arguments& a, int inputs) const {
        return {inputs > 1 && a.inputs[1] ? *a.in<T>(1) : low, inputs > 2 && a.inputs[2] ? *a.in<T>(2) : high};
    }
};

template <class A> struct element_of_clip {
    A low, high;
    INLAY_ON_DEVICE A operator()(A x) const {
        const A raised = x < low || low != low ? low : x;
        return raised > high || high != high ? high : raised;
    }
};

template <class T> struct kernel<op::clip, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t count;
        int inputs;
        clip_bounds<T> bounds;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr params prepare(const node_view& n) {
        return {n.input(0).dims.elements(), n.input_count(), clip_bounds<T>::of(n)};
    }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        using A = accumulator<T>;
        const T* x = a.in<T>(0);
        T* y = a.out<T>(0);
        const clip_bounds<T> b = p.bounds.with_inputs(a, p.inputs);
        const element_of_clip<A> clipped{b.low, b.high};
        for (std::int64_t i = 0; i < p.count; ++i) y[i] = static_cast<T>(clipped(x[i]));
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

// ArgMax, ArgMin (since 1): the index of the largest or the smallest element along an axis; of equal ones the first, or
// since 12 the last where select_last_index says so. NaN is larger than the largest and smaller than the smallest.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/on_device.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct arg : standard {
    static constexpr version_range versions{1, 13};
    static constexpr auto elements = number_types;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        const shape& x = n.input(0).dims;
        if (x.rank < 0) return yes();
        const int axis = normal_axis(n.integer("axis", 0), x.rank);
        if (axis < 0) return no("axis is out of range");
        if (x[axis] == 0) return no("the axis has no elements");
        const bool keep = n.integer("keepdims", 1) != 0;
        y[0] = shape::of_rank(0);
        for (int i = 0; i < x.rank; ++i)
            if (i != axis || keep) y[0].push_back(i == axis ? 1 : x[i]);
        return yes();
    }
    static constexpr element output_type(const node_view&, int) { return element::i64; }
};
struct arg_max : arg {
    static constexpr std::string_view onnx_name = "ArgMax";
    static constexpr bool largest = true;
};
struct arg_min : arg {
    static constexpr std::string_view onnx_name = "ArgMin";
    static constexpr bool largest = false;
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct arg_params {
    std::int64_t outer, length, inner;  // element (o, k, i) at (o * length + k) * inner + i
    bool select_last;
    static constexpr arg_params of(const node_view& n) {
        const shape& x = n.input(0).dims;
        const int axis = normal_axis(n.integer("axis", 0), x.rank);
        return {x.elements(0, axis), x[axis], x.elements(axis + 1), n.integer("select_last_index", 0) != 0};
    }
};
// Whether x, which comes after `best`, is to replace it.
template <bool Largest, class A> INLAY_ON_DEVICE constexpr bool takes_over(A x, A best, bool select_last) {
    if constexpr (std::is_floating_point_v<A>)
        if (x != x || best != best) return x != x && (select_last || best == best);
    return select_last ? (Largest ? x >= best : x <= best) : (Largest ? x > best : x < best);
}
template <class Op, class T> struct arg_kernel : simple_kernel {
    using params = arg_params;
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        using A = accumulator<T>;
        c.split(p.outer * p.inner, 1 + (1 << 14) / p.length, [&](std::int64_t first, std::int64_t end, int) noexcept {
            for (std::int64_t row = first; row < end; ++row) {
                const T* x = a.in<T>(0) + row / p.inner * p.length * p.inner + row % p.inner;
                std::int64_t index = 0;
                A best = static_cast<A>(*x);
                for (std::int64_t k = 1; k < p.length; ++k)
                    if (const A v = static_cast<A>(x[k * p.inner]); takes_over<Op::largest>(v, best, p.select_last)) {
                        best = v;
                        index = k;
                    }
                a.out<std::int64_t>(0)[row] = index;
            }
        });
        return status::ok;
    }
};
template <class T> struct kernel<op::arg_max, device::reference, types<T>> : arg_kernel<op::arg_max, T> {};
template <class T> struct kernel<op::arg_min, device::reference, types<T>> : arg_kernel<op::arg_min, T> {};
}  // namespace v1
}  // namespace inlay

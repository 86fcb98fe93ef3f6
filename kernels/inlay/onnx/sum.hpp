// Sum, Mean, Min, Max (since 1): of all inputs, in their order, with broadcasting from version 8 on. NaN is below
// and above all.
#pragma once
#include <inlay/support/broadcast.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct sum : standard {
    static constexpr std::string_view onnx_name = "Sum";
    static constexpr version_range versions{1, 13};
    static constexpr operator_facts facts{.folding = fold_cost::of_result, .keeps_names = true};
    template <class A> static constexpr A join(A a, A b) { return a + b; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const verdict v = broadcast_shape_of(1, n, y);
        for (int k = 1; k < n.input_count() && v && n.version() < 8; ++k) {
            const shape &a = n.input(0).dims, &b = n.input(k).dims;
            if (a.known() && b.known() && !(a == b)) return no("the inputs' shapes differ");
        }
        return v;
    }
    static constexpr bool passes_through(const node_view& n) { return n.input_count() == 1; }
};
struct mean : sum {
    static constexpr std::string_view onnx_name = "Mean";
};
struct max : sum {
    static constexpr std::string_view onnx_name = "Max";
    static constexpr auto elements = number_types;
    template <class A> static constexpr A join(A a, A b) { return a < b || (a == a) > (b == b) ? b : a; }
};
struct min : sum {
    static constexpr std::string_view onnx_name = "Min";
    static constexpr auto elements = number_types;
    template <class A> static constexpr A join(A a, A b) { return b < a || (a == a) > (b == b) ? b : a; }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct sum_params {
    static constexpr int most = 32;  // operands that can be distinguished
    broadcast_loops<most> loops;
    int inputs;
    bool same;  // all have one shape: the loops describe input 0 only
    constexpr int operand(int k) const { return same ? 0 : k; }
    static constexpr bool all_same(const node_view& n) {
        for (int k = 1; k < n.input_count(); ++k)
            if (!(n.input(k).dims == n.input(0).dims) || n.input_layout(k) != n.input_layout(0)) return false;
        return true;
    }
    static constexpr sum_params of(const node_view& n) {
        return {make_loops<most>(n, all_same(n) ? 1 : n.input_count()), n.input_count(), all_same(n)};
    }
};
struct sum_kernel : simple_kernel {
    using params = sum_params;
    static constexpr reuse shares = reuse::in_place;
    static constexpr verdict supports(const node_view& n) {
        return n.input_count() <= params::most || params::all_same(n)
                   ? yes()
                   : no("more than 32 inputs that are not all of one shape");
    }
    static constexpr params prepare(const node_view& n) { return params::of(n); }
};
template <class Op, class T> struct joining_kernel : sum_kernel {
    static status run(const params& p, const state&, const arguments& args, context&) noexcept {
        T* y = args.out<T>(0);
        over_rows(p.loops, 0, p.loops.elements(), [&](std::int64_t at, const auto& x, std::int64_t n) {
            for (std::int64_t i = 0; i < n; ++i) {
                accumulator<T> total = args.in<T>(0)[x[0] + i * p.loops.along(0)];
                for (int k = 1; k < p.inputs; ++k)
                    total = Op::template join<accumulator<T>>(
                        total, args.in<T>(k)[x[p.operand(k)] + i * p.loops.along(p.operand(k))]);
                if constexpr (std::is_same_v<Op, op::mean>) total /= static_cast<accumulator<T>>(p.inputs);
                y[at + i] = static_cast<T>(total);
            }
        });
        return status::ok;
    }
};
template <class T> struct kernel<op::sum, device::reference, types<T>> : joining_kernel<op::sum, T> {};
template <class T> struct kernel<op::mean, device::reference, types<T>> : joining_kernel<op::mean, T> {};
template <class T> struct kernel<op::max, device::reference, types<T>> : joining_kernel<op::max, T> {};
template <class T> struct kernel<op::min, device::reference, types<T>> : joining_kernel<op::min, T> {};
}  // namespace v1
}  // namespace inlay

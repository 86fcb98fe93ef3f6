// ReduceMean, ReduceSum, ReduceProd, ReduceMax, ReduceMin, ReduceL1 (sum of |x|), ReduceL2 (its root of x^2),
// ReduceSumSquare, ReduceLogSum and ReduceLogSumExp (log of the sum, and of that of e^x, which does not overflow), all
// since 1. Over `axes`, an attribute and since 18 an input (of ReduceSum since 13); over all axes where none is named,
// unless noop_with_empty_axes. Integers wrap around, roots and logarithms of them truncate; NaN is above and below all.
// Another reduction is its operator with its own `fold`: the accumulator, how to add an element, how to combine two
// accumulators, and how to finish.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/truncate.hpp>
#include <cmath>
#include <concepts>

namespace inlay {
inline namespace v1 {
// Which axes of input 0 a node reduces: bit i stands for axis i.
struct reduced_axes {
    bool is_known = false;
    unsigned bits = 0;
    constexpr bool has(int i) const { return bits >> i & 1; }
    constexpr verdict read(const node_view& n) {
        const int rank = n.input(0).dims.rank;
        const auto axes = integers_of(n, "axes", 1);
        if (rank < 0 || (axes.present && !axes.is_known)) return yes();
        for (std::int64_t value : axes.values) {
            const int axis = normal_axis(value, rank);
            if (axis < 0) return no("an axis is out of range");
            bits |= 1u << axis;
        }
        if (axes.values.empty() && n.integer("noop_with_empty_axes", 0) == 0) bits = (1u << rank) - 1;
        is_known = true;
        return yes();
    }
};

// Loops over a tensor in the order of its memory, each kept or reduced; axes of length 1 dropped, neighbours of one
// kind merged.
struct reduction_loops {
    struct loop {
        std::int64_t count = 1, step = 1;
        bool reduced = false;
    };
    std::array<loop, max_rank> loops{};
    int rank = 0;
    constexpr reduction_loops() = default;
    constexpr reduction_loops(const shape& dims, const reduced_axes& axes, layout l) {
        const shape steps = strides_of(dims, l);
        const bool channels_last = l == layout::channels_last && dims.rank >= 3;
        for (int i = 0; i < dims.rank; ++i) {
            const int axis = !channels_last || i == 0 ? i : i == dims.rank - 1 ? 1 : i + 1;
            if (dims[axis] == 1) continue;
            const bool merges = rank > 0 && loops[rank - 1].reduced == axes.has(axis);
            if (!merges) ++rank;
            loops[rank - 1] = {merges ? loops[rank - 1].count * dims[axis] : dims[axis], steps[axis], axes.has(axis)};
        }
    }
    constexpr std::int64_t elements(bool reduced) const {
        std::int64_t n = 1;
        for (int i = 0; i < rank; ++i)
            if (loops[i].reduced == reduced) n *= loops[i].count;
        return n;
    }
    // f(offset) for every position of the kept or the reduced loops among the first `most`, in order.
    template <class F> constexpr void walk(bool reduced, int most, F f) const {
        std::array<std::int64_t, max_rank> at{};
        for (int i = 0; i < most; ++i)
            if (loops[i].reduced == reduced && loops[i].count == 0) return;
        for (std::int64_t offset = 0;;) {
            f(offset);
            int i = most - 1;
            for (; i >= 0; --i) {
                if (loops[i].reduced != reduced) continue;
                offset += loops[i].step;
                if (++at[i] < loops[i].count) break;
                offset -= loops[i].step * loops[i].count;
                at[i] = 0;
            }
            if (i < 0) return;
        }
    }
};

namespace op {
struct reduction : standard {
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .keeps_names = true};
    template <class T>
    using sum_type =
        std::conditional_t<floating<T>, double,
                           std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;  // the accumulator
    static constexpr auto elements =
        each_type<float, double, float16, bfloat16, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        const shape& x = n.input(0).dims;
        reduced_axes axes;
        if (const verdict v = axes.read(n); !v || !axes.is_known) return v;
        const bool keep = n.integer("keepdims", 1) != 0;
        y[0] = shape::of_rank(0);
        for (int i = 0; i < x.rank; ++i) {
            if (!axes.has(i))
                y[0].push_back(x[i]);
            else if (keep)
                y[0].push_back(1);
        }
        return yes();
    }
};
template <class A> struct sum_of {
    A sum = 0;
    constexpr void add(A x) {
        if constexpr (std::is_integral_v<A>)
            sum = static_cast<A>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(x));  // wraps
        else
            sum += x;
    }
    constexpr void join(const sum_of& b) { add(b.sum); }
    constexpr A result(std::int64_t) const { return sum; }
};
template <class A, bool Largest> struct extreme_of {
    using limits = std::numeric_limits<A>;
    A sum = std::is_integral_v<A> ? (Largest ? limits::lowest() : limits::max())
                                  : (Largest ? -limits::infinity() : limits::infinity());
    constexpr void add(A x) {
        if ((Largest ? x > sum : x < sum) || is_nan(x)) sum = x;
    }
    constexpr void join(const extreme_of& b) { add(b.sum); }
    constexpr A result(std::int64_t) const { return sum; }

  private:
    static constexpr bool is_nan([[maybe_unused]] A x) {
        if constexpr (std::is_integral_v<A>)
            return false;
        else
            return x != x;
    }
};
struct reduce_mean : reduction {
    static constexpr std::string_view onnx_name = "ReduceMean";
    static constexpr version_range versions{1, 18};
    template <class A> struct fold : sum_of<A> {
        constexpr A result(std::int64_t count) const {
            if constexpr (std::is_integral_v<A>)
                return count == 0 ? A(0) : this->sum / static_cast<A>(count);
            else
                return this->sum / static_cast<A>(count);
        }
    };
};
struct reduce_sum : reduction {
    static constexpr std::string_view onnx_name = "ReduceSum";
    static constexpr version_range versions{1, 13};
    template <class A> using fold = sum_of<A>;
};
struct reduce_prod : reduction {
    static constexpr std::string_view onnx_name = "ReduceProd";
    static constexpr version_range versions{1, 18};
    template <class A> struct fold {
        A sum = 1;
        constexpr void add(A x) {
            if constexpr (std::is_integral_v<A>)
                sum = static_cast<A>(static_cast<std::uint64_t>(sum) * static_cast<std::uint64_t>(x));  // wraps
            else
                sum *= x;
        }
        constexpr void join(const fold& b) { add(b.sum); }
        constexpr A result(std::int64_t) const { return sum; }
    };
};
struct reduce_l1 : reduction {
    static constexpr std::string_view onnx_name = "ReduceL1";
    static constexpr version_range versions{1, 18};
    template <class A> struct fold : sum_of<A> {
        constexpr void add(A x) {
            if constexpr (std::is_unsigned_v<A>)
                sum_of<A>::add(x);
            else if constexpr (std::is_integral_v<A>)
                sum_of<A>::add(x < 0 ? static_cast<A>(std::uint64_t(0) - static_cast<std::uint64_t>(x)) : x);
            else
                sum_of<A>::add(x < 0 ? -x : x);
        }
    };
};
struct reduce_sum_square : reduction {
    static constexpr std::string_view onnx_name = "ReduceSumSquare";
    static constexpr version_range versions{1, 18};
    template <class A> struct fold : sum_of<A> {
        constexpr void add(A x) {
            if constexpr (std::is_integral_v<A>)
                sum_of<A>::add(static_cast<A>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(x)));
            else
                sum_of<A>::add(x * x);
        }
    };
};
struct reduce_l2 : reduction {
    template <class T> using sum_type = double;
    static constexpr std::string_view onnx_name = "ReduceL2";
    static constexpr version_range versions{1, 18};
    template <class A> struct fold : reduce_sum_square::fold<A> {
        INLAY_ON_DEVICE A result(std::int64_t) const { return std::sqrt(this->sum); }
    };
};
struct reduce_log_sum : reduction {
    template <class T> using sum_type = double;
    static constexpr std::string_view onnx_name = "ReduceLogSum";
    static constexpr version_range versions{1, 28};
    template <class A> struct fold : sum_of<A> {
        INLAY_ON_DEVICE A result(std::int64_t) const { return std::log(this->sum); }
    };
};
struct reduce_log_sum_exp : reduction {
    template <class T> using sum_type = double;
    static constexpr std::string_view onnx_name = "ReduceLogSumExp";
    static constexpr version_range versions{1, 28};
    template <class A> struct fold {  // sum: of e^(x - most)
        A most = -std::numeric_limits<A>::infinity(), sum = 0;
        INLAY_ON_DEVICE void add(A x) { join({x, 1}); }
        INLAY_ON_DEVICE void join(const fold& b) {
            if (b.most > most) {
                sum = sum * std::exp(most - b.most) + b.sum;
                most = b.most;
            } else
                sum += b.most == most ? b.sum
                                      : b.sum * std::exp(b.most - most);  // the difference of two infinities is none
        }
        INLAY_ON_DEVICE A result(std::int64_t) const { return most + std::log(sum); }
    };
};
struct extreme : reduction {
    template <class T>
    using sum_type = std::conditional_t<floating<T>, double, T>;  // of nothing: the minimum or the maximum of T
    static constexpr version_range versions{1, 20};
    static constexpr auto elements = each_type<float, double, float16, bfloat16, std::int32_t, std::int64_t,
                                               std::uint32_t, std::uint64_t, std::int8_t, std::uint8_t, bool>;
};
struct reduce_max : extreme {
    static constexpr std::string_view onnx_name = "ReduceMax";
    template <class A> using fold = extreme_of<A, true>;
};
struct reduce_min : extreme {
    static constexpr std::string_view onnx_name = "ReduceMin";
    template <class A> using fold = extreme_of<A, false>;
};
}  // namespace op

// For kernels that support any layout: as long as the kept axes are in the same order in the output's memory.
constexpr layout_rule reduction_layouts(const node_view& n) {
    reduced_axes axes;
    (void)axes.read(n);
    if (n.integer("keepdims", 1) != 0) return {layout::any, layout::any};
    bool none_spatial = true;  // is kept
    for (int i = 2; i < n.input(0).dims.rank; ++i) none_spatial &= axes.has(i);
    return axes.has(1) || none_spatial ? layout_rule{layout::any, layout::plain} : layout_rule{};
}
// The result of a fold as T.
template <class T, class A> INLAY_ON_DEVICE T reduced_to(A result) {
    if constexpr (is_small_float<T>)
        return static_cast<T>(static_cast<float>(result));
    else if constexpr (std::is_integral_v<T> && std::is_same_v<A, double>)
        return truncate<T>(result);
    else
        return static_cast<T>(result);
}
template <class Op, class T> struct reduction_kernel : simple_kernel {
    struct params {
        reduction_loops loops;
    };
    using sum = typename Op::template sum_type<T>;
    static constexpr verdict supports(const node_view& n) {
        reduced_axes axes;
        const verdict v = axes.read(n);
        return v && !axes.is_known ? no("the axes are not known") : v;
    }
    static constexpr params prepare(const node_view& n) {
        reduced_axes axes;
        (void)axes.read(n);
        return {reduction_loops(n.input(0).dims, axes, n.input_layout(0))};
    }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        const auto* x = a.in<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>(
            0);  // bytes: a caller's true may be any nonzero value
        T* y = a.out<T>(0);
        const std::int64_t count = p.loops.elements(true);
        p.loops.walk(false, p.loops.rank, [&](std::int64_t first) {
            typename Op::template fold<sum> reduction;
            p.loops.walk(true, p.loops.rank, [&](std::int64_t step) {
                reduction.add(static_cast<sum>(static_cast<accumulator<T>>(x[first + step])));
            });
            *y++ = reduced_to<T>(reduction.result(count));
        });
        return status::ok;
    }
};
template <std::derived_from<op::reduction> Op, class T>
struct kernel<Op, device::reference, types<T>> : reduction_kernel<Op, T> {};
}  // namespace v1
}  // namespace inlay

// Add, Sub, Mul, Div, And, Or, Xor (since 1), Mod (10): a op b with broadcasting; before version 7 b follows a from
// `axis` on, and only where `broadcast` says so. Integers wrap around; division of integers truncates and refuses zero.
// Mod has the sign of b, or that of a if `fmod`, which floating-point types require before version 28. PRelu (1): a,
// but b a where a < 0; b broadcasts to a, before version 7 along the channels.
#pragma once
#include <inlay/support/broadcast.hpp>
#include <inlay/support/on_device.hpp>
#include <cmath>
#include <concepts>

namespace inlay {
inline namespace v1 {
// Broadcasting before version 7: b is one element, or its dims are those of a from `axis` on (by default its last
// ones).
constexpr int legacy_axis(const node_view& n) {
    return n.version() < 7 && n.integer("broadcast", 0) != 0 && n.has("axis") && n.input(0).dims.rank >= 0
               ? normal_axis(n.integer("axis", 0), n.input(0).dims.rank)
               : -1;
}
constexpr verdict legacy_broadcast_shape(const node_view& n, std::span<shape> y) noexcept {
    if (!n.has_input(0) || !n.has_input(1)) return no("an input is missing");
    const shape &a = n.input(0).dims, &b = n.input(1).dims;
    if (a.rank >= 0 && b.rank >= 0) {
        const bool broadcasts = n.integer("broadcast", 0) != 0;
        if (b.rank > a.rank || (!broadcasts && b.rank != a.rank)) return no("the inputs' shapes differ");
        bool is_scalar = broadcasts;  // element, as far as is known
        for (int i = 0; i < b.rank; ++i) is_scalar &= b[i] < 0 || b[i] == 1;
        const int axis = broadcasts && n.has("axis") ? legacy_axis(n) : a.rank - b.rank;
        if (!is_scalar && (axis < 0 || axis + b.rank > a.rank)) return no("axis is out of range");
        for (int i = 0; i < b.rank && !is_scalar; ++i)
            if (a[axis + i] >= 0 && b[i] >= 0 && a[axis + i] != b[i] && !(broadcasts && b[i] == 1))
                return no("the inputs' shapes differ");
    }
    y[0] = a;
    return yes();
}
// What integers are calculated in, so that they wrap around.
template <std::integral T> using wrapping = std::conditional_t<(sizeof(T) < 8), std::uint32_t, std::uint64_t>;
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
namespace op {
struct arithmetic : standard {
    static constexpr auto elements = number_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_result, .keeps_names = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        return n.version() < 7 ? legacy_broadcast_shape(n, y) : broadcast_shape_of(2, n, y);
    }
};
struct add : arithmetic {
    static constexpr std::string_view onnx_name = "Add";
    static constexpr version_range versions{1, 14};
    template <class A> static constexpr A apply(A a, A b) { return a + b; }
};
struct sub : arithmetic {
    static constexpr std::string_view onnx_name = "Sub";
    static constexpr version_range versions{1, 14};
    template <class A> static constexpr A apply(A a, A b) { return a - b; }
};
struct mul : arithmetic {
    static constexpr std::string_view onnx_name = "Mul";
    static constexpr version_range versions{1, 14};
    template <class A> static constexpr A apply(A a, A b) { return a * b; }
};
struct div : arithmetic {
    static constexpr std::string_view onnx_name = "Div";
    static constexpr version_range versions{1, 14};
};
struct logical_and : arithmetic {
    static constexpr std::string_view onnx_name = "And";
    static constexpr version_range versions{1, 7};
    static constexpr auto elements = each_type<bool>;
};
struct logical_or : logical_and {
    static constexpr std::string_view onnx_name = "Or";
};
struct logical_xor : logical_and {
    static constexpr std::string_view onnx_name = "Xor";
};
struct mod : arithmetic {
    static constexpr std::string_view onnx_name = "Mod";
    static constexpr version_range versions{10, 28};
};
struct prelu : arithmetic {
    static constexpr std::string_view onnx_name = "PRelu";
    static constexpr version_range versions{1, 16};
    static constexpr auto elements =
        each_type<float, double, float16, bfloat16, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>;
    static constexpr int slope_axis(const node_view& n) {
        return n.version() < 7 && n.input(1).dims.rank == 1 && n.input(0).dims.rank > 1 ? 1 : -1;
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0) || !n.has_input(1)) return no("an input is missing");
        const shape &x = n.input(0).dims, &slope = n.input(1).dims;
        y[0] = x;
        if (!x.known() || !slope.known()) return yes();
        shape common;
        if (slope_axis(n) == 1 ? slope[0] != 1 && slope[0] != x[1] : !broadcast(x, slope, common) || !(common == x))
            return no("the slope does not broadcast to the input");
        return yes();
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class Op> struct binary_kernel : simple_kernel {
    struct params {
        broadcast_loops<2> loops;
        std::int64_t second;  // elements of input 1
        constexpr std::int64_t divisors() const { return loops.elements() > 0 ? second : 0; }
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr params prepare(const node_view& n) {
        return {make_loops<2>(n, 2, legacy_axis(n)), n.input(1).dims.elements()};
    }
    template <class T, class F> static status each(const params& p, const T* a, const T* b, auto* y, F f) noexcept {
        const std::int64_t i = p.loops.along(0), j = p.loops.along(1);
        over_rows(p.loops, 0, p.loops.elements(), [&](std::int64_t at, const auto& x, std::int64_t n) {
            for (std::int64_t e = 0; e < n; ++e) y[at + e] = f(a[x[0] + e * i], b[x[1] + e * j]);
        });
        return status::ok;
    }
};
// One element of each operator: of T, or of what T is calculated in.
template <class Op> struct element_of_arithmetic {
    template <class T> INLAY_ON_DEVICE T operator()(T a, T b) const {
        if constexpr (std::integral<T>)
            return static_cast<T>(
                Op::template apply<wrapping<T>>(static_cast<wrapping<T>>(a), static_cast<wrapping<T>>(b)));
        else
            return static_cast<T>(Op::template apply<accumulator<T>>(a, b));
    }
};
struct element_of_div {  // the divisor of integers is not 0
    template <class T> INLAY_ON_DEVICE T operator()(T a, T b) const {
        if constexpr (!std::integral<T>)
            return static_cast<T>(static_cast<accumulator<T>>(a) / static_cast<accumulator<T>>(b));
        else if constexpr (std::is_signed_v<T>)
            return b == T(-1) ? static_cast<T>(wrapping<T>(0) - static_cast<wrapping<T>>(a)) : static_cast<T>(a / b);
        else
            return static_cast<T>(a / b);
    }
};
struct element_of_and {  // bytes: a caller's true may be any nonzero value
    INLAY_ON_DEVICE bool operator()(std::uint8_t a, std::uint8_t b) const { return a && b; }
};
struct element_of_or {
    INLAY_ON_DEVICE bool operator()(std::uint8_t a, std::uint8_t b) const { return a || b; }
};
struct element_of_xor {
    INLAY_ON_DEVICE bool operator()(std::uint8_t a, std::uint8_t b) const { return !a != !b; }
};
struct element_of_mod {  // the divisor of integers is not 0
    bool as_in_c;
    template <class T> INLAY_ON_DEVICE T operator()(T a, T b) const {
        if constexpr (!std::integral<T>) {
            using A = accumulator<T>;
            const A by = static_cast<A>(b), r = std::fmod(static_cast<A>(a), by);
            return static_cast<T>(as_in_c                     ? r
                                  : r == A(0)                 ? std::copysign(r, by)
                                  : (r < A(0)) != (by < A(0)) ? r + by
                                                              : r);
        } else if constexpr (std::is_signed_v<T>) {
            const T r = b == T(-1) ? T(0) : static_cast<T>(a % b);
            return as_in_c || r == 0 || (r < 0) == (b < 0) ? r : static_cast<T>(r + b);
        } else
            return static_cast<T>(a % b);
    }
};
struct element_of_prelu {
    template <class T> INLAY_ON_DEVICE T operator()(T a, T b) const {
        if constexpr (std::integral<T>)
            return a < T(0) ? static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b)) : a;
        else
            return static_cast<accumulator<T>>(a) < 0
                       ? static_cast<T>(static_cast<accumulator<T>>(a) * static_cast<accumulator<T>>(b))
                       : a;
    }
};
template <class Op, class T> struct arithmetic_kernel : binary_kernel<Op> {
    static status run(const typename binary_kernel<Op>::params& p, const simple_kernel::state&, const arguments& args,
                      context&) noexcept {
        return binary_kernel<Op>::each(p, args.in<T>(0), args.in<T>(1), args.out<T>(0), element_of_arithmetic<Op>{});
    }
};
template <class T> struct kernel<op::add, device::reference, types<T>> : arithmetic_kernel<op::add, T> {};
template <class T> struct kernel<op::sub, device::reference, types<T>> : arithmetic_kernel<op::sub, T> {};
template <class T> struct kernel<op::mul, device::reference, types<T>> : arithmetic_kernel<op::mul, T> {};

// Where the divisors are integers, none is 0.
template <class T> status check_divisors(const T* divisors, std::int64_t count, context& c) noexcept {
    if constexpr (std::integral<T>)
        if (std::find(divisors, divisors + count, T(0)) != divisors + count)
            return c.fail("division of integers by zero");
    return status::ok;
}
template <class T> struct kernel<op::div, device::reference, types<T>> : binary_kernel<op::div> {
    static status run(const params& p, const state&, const arguments& args, context& c) noexcept {
        if (const status s = check_divisors(args.in<T>(1), p.divisors(), c); s != status::ok) return s;
        return each(p, args.in<T>(0), args.in<T>(1), args.out<T>(0), element_of_div{});
    }
};
struct mod_kernel : binary_kernel<op::mod> {
    struct params : binary_kernel::params {
        bool as_in_c;
    };
    static constexpr verdict supports(const node_view& n) {
        const std::int64_t fmod = n.integer("fmod", 0);
        if (fmod != 0 && fmod != 1) return no("fmod is neither 0 nor 1");
        return fmod == 1 || n.version() >= 28 || is_integer(n.input(0).type)
                   ? yes()
                   : no("floats need fmod = 1 before version 28");
    }
    static constexpr params prepare(const node_view& n) {
        return {binary_kernel::prepare(n), n.integer("fmod", 0) == 1};
    }
};
template <class T> struct kernel<op::mod, device::reference, types<T>> : mod_kernel {
    static status run(const params& p, const state&, const arguments& args, context& c) noexcept {
        if (const status s = check_divisors(args.in<T>(1), p.divisors(), c); s != status::ok) return s;
        return each(p, args.in<T>(0), args.in<T>(1), args.out<T>(0), element_of_mod{p.as_in_c});
    }
};
struct prelu_kernel : binary_kernel<op::prelu> {
    static constexpr params prepare(const node_view& n) {
        return {make_loops<2>(n, 2, op::prelu::slope_axis(n)), n.input(1).dims.elements()};
    }
};
template <class T> struct kernel<op::prelu, device::reference, types<T>> : prelu_kernel {
    static status run(const params& p, const state&, const arguments& args, context&) noexcept {
        return each(p, args.in<T>(0), args.in<T>(1), args.out<T>(0), element_of_prelu{});
    }
};
template <class Op, class F> struct logical_kernel : binary_kernel<Op> {
    static status run(const typename binary_kernel<Op>::params& p, const simple_kernel::state&, const arguments& args,
                      context&) noexcept {
        return binary_kernel<Op>::each(p, args.in<std::uint8_t>(0), args.in<std::uint8_t>(1), args.out<bool>(0), F{});
    }
};
template <>
struct kernel<op::logical_and, device::reference, types<bool>> : logical_kernel<op::logical_and, element_of_and> {};
template <>
struct kernel<op::logical_or, device::reference, types<bool>> : logical_kernel<op::logical_or, element_of_or> {};
template <>
struct kernel<op::logical_xor, device::reference, types<bool>> : logical_kernel<op::logical_xor, element_of_xor> {};
}  // namespace v1
}  // namespace inlay

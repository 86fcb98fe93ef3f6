// Equal, Less, Greater (since 1), LessOrEqual, GreaterOrEqual (since 12): a op b with broadcasting, as bool; before
// version 7 b follows a from `axis` on, and only where `broadcast` says so. NaN compares with nothing.
#pragma once
#include "binary.hpp"
#include <concepts>

namespace inlay {
inline namespace v1 {
namespace op {
template <class... T> inline constexpr auto compared_types = hana::tuple_t<types<T, bool>...>;
struct comparison : arithmetic {
    static constexpr std::array constraints{v1::input(0), v1::output(0)};
    static constexpr auto elements =
        compared_types<float, double, float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                       std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
};
struct less : comparison {
    static constexpr std::string_view onnx_name = "Less";
    static constexpr version_range versions{1, 13};
};
struct greater : comparison {
    static constexpr std::string_view onnx_name = "Greater";
    static constexpr version_range versions{1, 13};
};
struct less_or_equal : comparison {
    static constexpr std::string_view onnx_name = "LessOrEqual";
    static constexpr version_range versions{12, 16};
};
struct greater_or_equal : comparison {
    static constexpr std::string_view onnx_name = "GreaterOrEqual";
    static constexpr version_range versions{12, 16};
};
struct equal : comparison {
    static constexpr std::string_view onnx_name = "Equal";
    static constexpr version_range versions{1, 19};
    static constexpr auto elements =
        compared_types<float, double, float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                       std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, bool, std::string>;
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct element_of_less {
    template <class T> INLAY_ON_DEVICE bool operator()(T a, T b) const {
        return static_cast<accumulator<T>>(a) < static_cast<accumulator<T>>(b);
    }
};
struct element_of_less_or_equal {
    template <class T> INLAY_ON_DEVICE bool operator()(T a, T b) const {
        return static_cast<accumulator<T>>(a) <= static_cast<accumulator<T>>(b);
    }
};
struct element_of_equal {
    template <class T> INLAY_ON_DEVICE bool operator()(const T& a, const T& b) const {
        if constexpr (std::is_same_v<T, std::string>)
            return a == b;
        else
            return static_cast<accumulator<T>>(a) == static_cast<accumulator<T>>(b);
    }
};
struct element_of_equality {  // of truth: bytes, as a caller's true may be any nonzero value
    INLAY_ON_DEVICE bool operator()(std::uint8_t a, std::uint8_t b) const { return !a == !b; }
};
// Greater is Less with its operands exchanged.
template <class Op>
inline constexpr bool exchanges = std::is_same_v<Op, op::greater> || std::is_same_v<Op, op::greater_or_equal>;
template <class Op, class T> struct comparison_of { using type = element_of_less; };
template <class T> struct comparison_of<op::less_or_equal, T> { using type = element_of_less_or_equal; };
template <class T> struct comparison_of<op::greater_or_equal, T> { using type = element_of_less_or_equal; };
template <class T> struct comparison_of<op::equal, T> { using type = element_of_equal; };
template <> struct comparison_of<op::equal, bool> { using type = element_of_equality; };

struct comparison_kernel : binary_kernel<op::comparison> {
    static constexpr reuse shares = reuse::none;
};
template <class Op, class T> struct compare_kernel : comparison_kernel {
    using stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    static constexpr params prepare(const node_view& n) {
        params p = comparison_kernel::prepare(n);
        if (exchanges<Op>) std::swap(p.loops.step[0], p.loops.step[1]);
        return p;
    }
    static status run(const params& p, const state&, const arguments& args, context&) noexcept {
        return each(p, args.in<stored>(exchanges<Op>), args.in<stored>(!exchanges<Op>), args.out<bool>(0),
                    typename comparison_of<Op, T>::type{});
    }
};
template <std::derived_from<op::comparison> Op, class T>
struct kernel<Op, device::reference, types<T, bool>> : compare_kernel<Op, T> {};
}  // namespace v1
}  // namespace inlay

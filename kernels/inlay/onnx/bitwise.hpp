// BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot (since 18), and BitShift (11): by b bits to the `direction` LEFT or
// RIGHT, the latter with the sign; as if bit by bit where b is negative or as large as the type. With broadcasting.
#pragma once
#include "binary.hpp"
#include "unary.hpp"

namespace inlay {
inline namespace v1 {
namespace op {
struct bitwise : arithmetic {
    static constexpr version_range versions{18, 18};
    static constexpr auto elements = each_type<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                               std::uint16_t, std::uint32_t, std::uint64_t>;
};
struct bitwise_and : bitwise {
    static constexpr std::string_view onnx_name = "BitwiseAnd";
    template <class A> static constexpr A apply(A a, A b) { return a & b; }
};
struct bitwise_or : bitwise {
    static constexpr std::string_view onnx_name = "BitwiseOr";
    template <class A> static constexpr A apply(A a, A b) { return a | b; }
};
struct bitwise_xor : bitwise {
    static constexpr std::string_view onnx_name = "BitwiseXor";
    template <class A> static constexpr A apply(A a, A b) { return a ^ b; }
};
struct bitwise_not : element_wise {
    static constexpr std::string_view onnx_name = "BitwiseNot";
    static constexpr version_range versions{18, 18};
    static constexpr auto elements = bitwise::elements;
    template <class T> INLAY_ON_DEVICE static T apply(T x, T, T) { return static_cast<T>(~x); }
};
struct bit_shift : bitwise {
    static constexpr std::string_view onnx_name = "BitShift";
    static constexpr version_range versions{11, 28};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const std::string_view direction = n.text("direction", "");
        return direction == "LEFT" || direction == "RIGHT" ? arithmetic::shapes(n, y)
                                                           : no("direction must be LEFT or RIGHT");
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct element_of_shift {
    bool left;
    template <class T> INLAY_ON_DEVICE T operator()(T a, T b) const {
        using U = std::make_unsigned_t<T>;
        constexpr U bits = std::numeric_limits<U>::digits;
        if (static_cast<U>(b) >= bits)
            return left ? T(0)
                        : static_cast<T>(a >> (bits - 1) >> 1);  // negative ones too: what then remains is the sign
        return static_cast<T>(left ? static_cast<T>(static_cast<wrapping<T>>(a) << b) : a >> b);
    }
};
template <class T>
struct kernel<op::bitwise_and, device::reference, types<T>> : arithmetic_kernel<op::bitwise_and, T> {};
template <class T> struct kernel<op::bitwise_or, device::reference, types<T>> : arithmetic_kernel<op::bitwise_or, T> {};
template <class T>
struct kernel<op::bitwise_xor, device::reference, types<T>> : arithmetic_kernel<op::bitwise_xor, T> {};
struct shift_kernel : binary_kernel<op::bit_shift> {
    struct params : binary_kernel::params {
        bool left;
    };
    static constexpr params prepare(const node_view& n) {
        return {binary_kernel::prepare(n), n.text("direction", "") == "LEFT"};
    }
};
template <class T> struct kernel<op::bit_shift, device::reference, types<T>> : shift_kernel {
    static status run(const params& p, const state&, const arguments& args, context&) noexcept {
        return each(p, args.in<T>(0), args.in<T>(1), args.out<T>(0), element_of_shift{p.left});
    }
};
}  // namespace v1
}  // namespace inlay

// Pow (since 1): base to the power of exponent, each of its own type, with broadcasting; the result has the type of the
// base. Integers to integers wrap around; a negative exponent gives 1 / base^-exponent truncated, and 0 is refused
// there. Integers to other numbers are calculated in double and clamped to what the type holds, NaN becoming 0.
#pragma once
#include "binary.hpp"

namespace inlay {
inline namespace v1 {
struct any_number {};  // in a kernel's types: every number type, resolved at run time
template <>
inline constexpr element_set elements_of<any_number> = element_set::of({element::f32, element::f64, element::f16,
                                                                        element::bf16, element::i8, element::i16,
                                                                        element::i32, element::i64, element::u8,
                                                                        element::u16, element::u32, element::u64});
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
namespace op {
struct pow : arithmetic {
    static constexpr std::string_view onnx_name = "Pow";
    static constexpr version_range versions{1, 15};
    static constexpr std::array constraints{v1::input(0), v1::input(1)};
    static constexpr auto elements =
        hana::tuple_t<types<float, float>, types<float16, float16>, types<bfloat16, bfloat16>, types<float, any_number>,
                      types<double, any_number>, types<float16, any_number>, types<bfloat16, any_number>,
                      types<std::int32_t, any_number>, types<std::int64_t, any_number>>;
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
// Exponents as To: of any type as double, of integer types as the int64 that gives the same power modulo 2^64.
template <class To, class From>
void read_exponents(const void* from, std::int64_t step, std::int64_t count, To* to) noexcept {
    for (std::int64_t i = 0; i < count; ++i) {
        const From e = static_cast<const From*>(from)[i * step];
        if constexpr (std::is_same_v<From, std::uint64_t> && std::is_same_v<To, std::int64_t>)
            to[i] = std::int64_t(e >> 62 ? (e & ~(std::uint64_t(3) << 62)) | std::uint64_t(1) << 62 : e);
        else
            to[i] = static_cast<To>(e);
    }
}
template <class To>
void read_exponents(element type, const void* data, std::int64_t first, std::int64_t step, std::int64_t count,
                    To* to) noexcept {
    const auto convert = [&]<class From>(From) {
        read_exponents<To, From>(static_cast<const From*>(data) + first, step, count, to);
    };
    switch (type) {
        case element::f32: return convert(float{});
        case element::f64: return convert(double{});
        case element::f16: return convert(float16(0.f));
        case element::bf16: return convert(bfloat16(0.f));
        case element::i8: return convert(std::int8_t{});
        case element::i16: return convert(std::int16_t{});
        case element::i32: return convert(std::int32_t{});
        case element::i64: return convert(std::int64_t{});
        case element::u8: return convert(std::uint8_t{});
        case element::u16: return convert(std::uint16_t{});
        case element::u32: return convert(std::uint32_t{});
        default: return convert(std::uint64_t{});
    }
}
template <std::integral T> T integer_power(T base, std::int64_t exponent, bool& division_by_zero) noexcept {
    if (exponent < 0) {
        division_by_zero |= base == 0;
        return base == 1 || (base == -1 && exponent % 2 == 0) ? T(1) : base == -1 ? T(-1) : T(0);
    }
    wrapping<T> y = 1, square = static_cast<wrapping<T>>(base);
    for (; exponent; exponent >>= 1, square *= square)
        if (exponent & 1) y *= square;
    return static_cast<T>(y);
}
template <std::integral T> T clamped(double x) noexcept {
    constexpr double limit = -static_cast<double>(std::numeric_limits<T>::min());  // exact, unlike max()
    return x != x       ? T(0)
           : x >= limit ? std::numeric_limits<T>::max()
           : x < -limit ? std::numeric_limits<T>::min()
                        : static_cast<T>(x);
}

template <class T> struct kernel<op::pow, device::reference, types<T, any_number>> : simple_kernel {
    struct params {
        broadcast_loops<2> loops;
        element exponents;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr params prepare(const node_view& n) {
        return {make_loops<2>(n, 2, legacy_axis(n)), n.input(1).type};
    }
    template <class E, class F> static void each(const params& p, const arguments& args, F f) noexcept {
        const T* base = args.in<T>(0);
        T* y = args.out<T>(0);
        over_rows(p.loops, 0, p.loops.elements(), [&](std::int64_t at, const auto& x, std::int64_t n) {
            constexpr std::int64_t most = 128;
            E exponents[most];
            for (std::int64_t offset = 0; offset < n; offset += most) {
                const std::int64_t count = std::min(most, n - offset);
                read_exponents<E>(p.exponents, args.inputs[1], x[1] + offset * p.loops.along(1), p.loops.along(1),
                                  count, exponents);
                for (std::int64_t i = 0; i < count; ++i)
                    y[at + offset + i] = f(base[x[0] + (offset + i) * p.loops.along(0)], exponents[i]);
            }
        });
    }
    static status run(const params& p, const state&, const arguments& args, context& c) noexcept {
        [[maybe_unused]] bool division_by_zero = false;
        if constexpr (!std::integral<T>)
            each<double>(p, args, [](T base, double e) {
                return static_cast<T>(std::pow(static_cast<double>(static_cast<accumulator<T>>(base)), e));
            });
        else if (is_integer(p.exponents))
            each<std::int64_t>(p, args,
                               [&](T base, std::int64_t e) { return integer_power<T>(base, e, division_by_zero); });
        else
            each<double>(p, args, [](T base, double e) { return clamped<T>(std::pow(static_cast<double>(base), e)); });
        return division_by_zero ? c.fail("0 to a negative power") : status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

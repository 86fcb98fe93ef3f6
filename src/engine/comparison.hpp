// Whether a result is the expected one, by the rules of the runner of ONNX's backend tests.
#pragma once
#include "support/text.hpp"
#include <inlay/sdk/kernel.hpp>
#include <inlay/tensor.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <string>

namespace inlay {
inline namespace v1 {
namespace shadows {
// f(std::type_identity<T>{}) for the C++ type of the elements; nothing for element::undefined and object.
using tensor_elements =
    types<float, double, float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
          std::uint16_t, std::uint32_t, std::uint64_t, bool, std::string, std::complex<float>, std::complex<double>,
          float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, float8e8m0, float4e2m1, int4, uint4, int2, uint2>;
template <class F> void with_type(element e, F f) {
    [&]<class... T>(types<T...>) {
        (void)((element_of<T> == e && (f(std::type_identity<T>{}), true)) || ...);
    }(tensor_elements{});
}
// An element as a number that C++ knows: double, std::complex<double>, std::int64_t, std::uint64_t; strings
// stay.
template <class T> auto widened(const T& x) {
    if constexpr (std::is_same_v<T, std::string>)
        return x;
    else if constexpr (std::is_same_v<T, float8e8m0>)
        return x.bits == 255 ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1., int(x.bits) - 127);
    else if constexpr (floating<T>)
        return static_cast<double>(x);
    else if constexpr (requires { x.imag(); })
        return std::complex<double>(x);
    else if constexpr (std::is_unsigned_v<T>)
        return static_cast<std::uint64_t>(x);
    else
        return static_cast<std::int64_t>(x);
}
template <class T> std::string text_of(const T& x) {  // of a widened element
    if constexpr (std::is_same_v<T, std::string>)
        return '"' + printable(x) + '"';
    else if constexpr (requires { x.imag(); })
        return short_text(x.real()) + (std::signbit(x.imag()) ? "" : "+") + short_text(x.imag()) + "i";
    else if constexpr (std::is_same_v<T, double>)
        return short_text(x);
    else
        return std::to_string(x);
}

struct tolerance {
    double relative = 1e-3, absolute = 1e-7;
    double of_largest = 0;  // the part of a tensor's largest |expected| that is added to `absolute`
};
struct mismatch {  // of two tensors: the first element that differs, and how many differ
    std::string index, actual_text, expected_text;
    double absolute = 0, relative = 0, allowed = 0;  // of that element; of non-numbers: 0
    std::int64_t wrong = 0, elements = 0;
};

// Equal structures, shapes and types; floating-point and complex numbers with |actual - expected| <= absolute +
// relative * |expected|, NaN equal to NaN and infinities to themselves; bfloat16 with a relative tolerance of at least
// two units; everything else exactly.
struct comparison {
    tolerance allowed;
    double largest_absolute = 0, largest_relative = 0;  // relative: where |expected| exceeds the absolute tolerance
    std::string difference;                             // the first, in words; empty: there is none
    std::optional<mismatch> first{};                    // as numbers, where it is a difference between elements
    void add(const any_value& actual, const any_value& expected, const std::string& name);

  private:
    void add(const tensor& actual, const tensor& expected, const std::string& name);
    template <class T> void add_elements(const tensor& actual, const tensor& expected, const std::string& name);
    template <class T> bool agree(const T& actual, const T& expected, const tolerance&);
    void differ(std::string text) {
        if (difference.empty()) difference = std::move(text);
    }
};
}  // namespace shadows
}  // namespace v1
}  // namespace inlay

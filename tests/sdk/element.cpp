// Mirrors include/inlay/element.hpp.
#include "../catch.hpp"
#include <inlay/element.hpp>
#include <cmath>
#include <vector>
using namespace inlay;

namespace {
constexpr float inf = std::numeric_limits<float>::infinity(), quiet_nan = std::numeric_limits<float>::quiet_NaN();
template <class T> constexpr unsigned codes = is_small_float<T> ? 2 * T::sign_bit : 0;
// What each bit pattern means, from the format's definition.
double meaning(unsigned code, int exponent_bits, int mantissa_bits, int bias) {
    const unsigned sign = 1u << (exponent_bits + mantissa_bits), exponent = code % sign >> mantissa_bits,
                   mantissa = code & ((1u << mantissa_bits) - 1);
    const double unit = std::ldexp(1., -mantissa_bits), x = exponent
                                                                ? std::ldexp(1 + mantissa * unit, int(exponent) - bias)
                                                                : std::ldexp(mantissa * unit, 1 - bias);
    return code & sign ? -x : x;
}
struct format {
    int exponent, mantissa, bias;
};
template <class T> constexpr format format_of{};
template <> constexpr format format_of<float16>{5, 10, 15};
template <> constexpr format format_of<bfloat16>{8, 7, 127};
template <> constexpr format format_of<float8e4m3fn>{4, 3, 7};
template <> constexpr format format_of<float8e4m3fnuz>{4, 3, 8};
template <> constexpr format format_of<float8e5m2>{5, 2, 15};
template <> constexpr format format_of<float8e5m2fnuz>{5, 2, 16};
template <> constexpr format format_of<float4e2m1>{2, 1, 1};
template <class T> T of(unsigned code) { return T::of_bits(typename T::storage(code)); }
template <class T> bool is_finite(T x) { return std::isfinite(float(x)); }
}  // namespace

#define SMALL_FLOATS float16, bfloat16, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, float4e2m1

TEMPLATE_TEST_CASE("Every code of a small float means what its format says, and comes back", "", SMALL_FLOATS) {
    using T = TestType;
    constexpr format f = format_of<T>;
    for (unsigned code = 0; code < codes<T>; ++code) {
        const T x = of<T>(code);
        const float wide = x;
        if (x.is_nan() != bool(std::isnan(wide))) FAIL("is_nan of code " << code);
        if (x.is_nan()) {
            if (!T(wide).is_nan()) FAIL("NaN, code " << code);
            continue;
        }
        const double expected =
            std::isinf(wide) ? (code & T::sign_bit ? -inf : inf) : meaning(code, f.exponent, f.mantissa, f.bias);
        if (wide != expected || std::signbit(wide) != std::signbit(expected))
            FAIL("code " << code << ": " << wide << ", not " << expected);
        if (T(wide).bits != code) FAIL("code " << code << " comes back as " << unsigned(T(wide).bits));
    }
    SUCCEED();
}
TEMPLATE_TEST_CASE("Small floats round to the nearest, ties to even", "", SMALL_FLOATS) {
    using T = TestType;
    for (unsigned code = 0; code + 1 < T::sign_bit; ++code) {
        const T low = of<T>(code), high = of<T>(code + 1);
        if (!is_finite(low) || !is_finite(high) || low.is_nan() || high.is_nan()) continue;
        const double halfway = (double(float(low)) + double(float(high))) / 2;
        const float middle = float(halfway), below = std::nextafter(middle, 0.f), above = std::nextafter(middle, inf);
        for (bool negative : {false, true}) {  // a middle that is no float is left out
            const auto encode = [&](float x) { return unsigned(T(negative ? -x : x).bits) & (T::sign_bit - 1); };
            if (middle == halfway && encode(middle) != (code & 1 ? code + 1 : code)) FAIL("halfway after " << code);
            if (below > float(low) && encode(below) != code) FAIL("below halfway after " << code);
            if (above < float(high) && encode(above) != code + 1) FAIL("above halfway after " << code);
        }
    }
    SUCCEED();
}
TEST_CASE(
    "Small floats out of range become infinity, NaN or the largest number, as the format and the caller have it") {
    const auto check = [](auto zero, float largest, float first_out, float out, float saturated) {
        using T = decltype(zero);
        CAPTURE(name_of(element_of<T>));
        const auto same = [](float a, float b) { return a == b || (a != a && b != b); };
        CHECK(float(of<T>(T::largest)) == largest);
        CHECK(float(T(std::nextafter(first_out, 0.f))) == largest);  // rounds down to it
        for (float x : {first_out, 3e38f, inf}) {
            CAPTURE(x);
            CHECK(same(T(x), out));
            CHECK(same(T(-x), -out));
            CHECK(T::rounded(x, true) == saturated);
            CHECK(T::rounded(-x, true) == -saturated);
        }
        CHECK(float(T::rounded(1.f, true)) == 1.f);
    };
    check(float16(0), 65504, 65520, inf, 65504);
    check(float8e4m3fn(0), 448, std::nextafter(464.f, inf), quiet_nan, 448);  // 464 is a tie, and 448 is even
    check(float8e4m3fnuz(0), 240, 248, quiet_nan, 240);
    check(float8e5m2(0), 57344, 61440, inf, 57344);
    check(float8e5m2fnuz(0), 57344, 61440, quiet_nan, 57344);
    CHECK(float(bfloat16(std::numeric_limits<float>::max())) == inf);
    CHECK(float(bfloat16::rounded(inf, true)) == 0x1.fep127f);
    CHECK(float(float4e2m1(1e9f)) == 6);
    CHECK(float(float4e2m1(-inf)) == -6);
    CHECK(float(float4e2m1(5.f)) == 4);
}
TEST_CASE("Small floats keep NaN and the signs of NaN and zero where their format has them") {
    CHECK(float16(quiet_nan).bits == 0x7e00);
    CHECK(float16(-quiet_nan).bits == 0xfe00);
    CHECK(bfloat16(quiet_nan).bits == 0x7fc0);
    CHECK(float8e4m3fn(quiet_nan).bits == 0x7f);
    CHECK(float8e4m3fn(-quiet_nan).bits == 0xff);
    CHECK(float8e5m2(quiet_nan).bits == 0x7e);
    CHECK(float8e4m3fnuz(quiet_nan).bits == 0x80);
    CHECK(float8e5m2fnuz(-quiet_nan).bits == 0x80);
    CHECK(float4e2m1(quiet_nan).bits == 8);  // it has none: a zero
    CHECK(float16(-0.f).bits == 0x8000);
    CHECK(float8e5m2(-1e-9f).bits == 0x80);
    CHECK(float8e4m3fnuz(-0.f).bits == 0);  // it has one zero
    CHECK(float8e4m3fnuz(-1e-9f).bits == 0);
    CHECK(std::bit_cast<float>(0x7f800001u) != std::bit_cast<float>(0x7f800001u));
    CHECK(float16(std::bit_cast<float>(0x7f800001u)).is_nan());  // whose mantissa has no high bits
}
TEST_CASE("Small floats work in the compiler") {
    STATIC_REQUIRE(float(float16(1.5f)) == 1.5f);
    STATIC_REQUIRE(float16(1.5f).bits == 0x3e00);
    STATIC_REQUIRE(float(float16(2)) + float(float16(0.25)) == 2.25f);
    STATIC_REQUIRE(bfloat16(1.f).bits == 0x3f80);
    STATIC_REQUIRE(sizeof(float16) == 2);
    STATIC_REQUIRE(sizeof(float8e5m2) == 1);
}

TEMPLATE_TEST_CASE("Packed elements come back from every position, and leave their neighbours alone", "", int4, uint4,
                   int2, uint2, float4e2m1) {
    using T = TestType;
    constexpr int bits = packed_bits<T>, count = 67;
    const auto code = [](T x) {
        if constexpr (is_small_float<T>)
            return int(x.bits);
        else
            return int(x.number);
    };
    const auto make = [](int i) {
        if constexpr (is_small_float<T>)
            return T::of_bits(std::uint8_t(i & 15));
        else if constexpr (std::is_same_v<T, small_int<bits, true>>)
            return T{std::int8_t((i & ((1 << bits) - 1)) - (1 << (bits - 1)))};
        else
            return T{std::int8_t(i & ((1 << bits) - 1))};
    };
    std::vector<std::uint8_t> memory(std::size_t(bytes_of(element_of<T>, count)) + 1, 0xa5);
    for (int i = 0; i < count; ++i) store(memory.data(), i, make(7 * i));
    for (int i = 0; i < count; ++i)
        if (code(load<T>(memory.data(), i)) != code(make(7 * i))) FAIL("element " << i);
    CHECK(memory.back() == 0xa5);
    for (int i = 0; i < count; ++i) {
        const auto before = memory;
        store(memory.data(), i, make(3 * i + 1));
        for (int k = 0; k < count; ++k)
            if (code(load<T>(memory.data(), k)) != code(k == i ? make(3 * i + 1) : load<T>(before.data(), k)))
                FAIL("element " << k << " after element " << i);
    }
}
TEST_CASE("Packed elements have the first in the low bits") {
    const std::uint8_t byte = 0b11'01'10'00;
    CHECK(int(load<uint2>(&byte, 0)) == 0);
    CHECK(int(load<uint2>(&byte, 3)) == 3);
    CHECK(int(load<int2>(&byte, 1)) == -2);
    CHECK(int(load<int2>(&byte, 3)) == -1);
    CHECK(int(load<int4>(&byte, 0)) == -8);
    CHECK(int(load<uint4>(&byte, 1)) == 13);
    std::uint8_t full = 0;
    store(&full, 1, int4{-1});
    CHECK(full == 0xf0);
    store(&full, 0, uint4{19});  // what does not fit is cut off
    CHECK(full == 0xf3);
}
TEST_CASE("Whole elements are loaded and stored as they are") {
    std::vector<float> x = {1, 2, 3};
    store(x.data(), 1, 5.f);
    CHECK(load<float>(x.data(), 1) == 5);
    std::vector<std::string> s(2);
    store(s.data(), 1, std::string("b"));
    CHECK(load<std::string>(s.data(), 1) == "b");
}

TEST_CASE("Every element type has a size, a name and one C++ type") {
    CHECK(bytes_of(element::i4, 0) == 0);
    CHECK(bytes_of(element::i4, 3) == 2);
    CHECK(bytes_of(element::u2, 5) == 2);
    CHECK(bytes_of(element::c128, 2) == 32);
    CHECK(bytes_of(element::string, 2) == std::int64_t(2 * sizeof(std::string)));
    CHECK(name_of(element::f32) == "float");
    CHECK(name_of(element::u2) == "uint2");
    CHECK(name_of(element::object) == "object");
    CHECK(int(element::f32) == 1);  // the numbers of TensorProto.DataType
    CHECK(int(element::f16) == 10);
    CHECK(int(element::f8e4m3fn) == 17);
    CHECK(int(element::f4e2m1) == 23);
    CHECK(int(element::i2) == 26);
    std::vector<std::string_view> names;
    for (int e = 0; e < element_count; ++e) {
        for (auto name : names) CHECK(name != name_of(element(e)));
        names.push_back(name_of(element(e)));
        if (element(e) != element::undefined && element(e) != element::object) CHECK(bits_of(element(e)) > 0);
    }
}
TEMPLATE_TEST_CASE("A C++ type and its element agree about their size", "", float, double, float16, bfloat16,
                   std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t,
                   std::int64_t, bool, std::string, std::complex<float>, std::complex<double>, float8e4m3fn,
                   float8e4m3fnuz, float8e5m2, float8e5m2fnuz, float8e8m0) {
    CHECK(bits_of(element_of<TestType>) == 8 * int(sizeof(TestType)));
    CHECK(packed_bits<TestType> == 0);
}
TEST_CASE("Types for moving cover every tensor element once") {
    std::uint32_t covered_bits = elements_of<std::string>.bits;
    for (auto [set, bits] : {std::pair{elements_of<raw<2>>, 2},
                             {elements_of<raw<4>>, 4},
                             {elements_of<raw<8>>, 8},
                             {elements_of<raw<16>>, 16},
                             {elements_of<raw<32>>, 32},
                             {elements_of<raw<64>>, 64},
                             {elements_of<raw<128>>, 128}}) {
        CHECK((covered_bits & set.bits) == 0);
        covered_bits |= set.bits;
        for (int e = 0; e < element_count; ++e)
            if (set.has(element(e))) CHECK(bits_of(element(e)) == bits);
    }
    CHECK(covered_bits == ((1u << int(element::object)) - 1 - (1u << int(element::undefined))));
}
TEST_CASE("Sets of elements, and what counts as a number") {
    constexpr element_set s = element_set::of({element::f32, element::i64});
    STATIC_REQUIRE(s.has(element::f32));
    STATIC_REQUIRE(!s.has(element::f64));
    STATIC_REQUIRE(!element_set{}.has(element::undefined));
    STATIC_REQUIRE(one_element<float>);
    STATIC_REQUIRE(!one_element<raw<32>>);
    STATIC_REQUIRE(!one_element<char*>);
    CHECK(is_integer(element::boolean));
    CHECK(is_integer(element::u64));
    CHECK(!is_integer(element::f16));
    CHECK(!is_integer(element::string));
}
TEST_CASE("Sums are kept in a type that holds them") {
    STATIC_REQUIRE(std::is_same_v<accumulator<float16>, float>);
    STATIC_REQUIRE(std::is_same_v<accumulator<float4e2m1>, float>);
    STATIC_REQUIRE(std::is_same_v<accumulator<float>, float>);
    STATIC_REQUIRE(std::is_same_v<accumulator<double>, double>);
    STATIC_REQUIRE(std::is_same_v<accumulator<std::int8_t>, std::int32_t>);
    STATIC_REQUIRE(std::is_same_v<accumulator<std::uint32_t>, std::uint32_t>);
    STATIC_REQUIRE(std::is_same_v<accumulator<std::int64_t>, std::int64_t>);
    STATIC_REQUIRE(std::is_same_v<accumulator<std::complex<float>>, std::complex<float>>);
}

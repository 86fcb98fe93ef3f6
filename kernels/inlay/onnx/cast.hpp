// Cast (since 1), CastLike (since 15): y = x in another element type. Rounding is to nearest even, and
// happens once. A real number becomes an integer by truncation; what a 32- or 64-bit integer cannot hold saturates, NaN
// gives 0, and narrower integers keep the low bits (ONNX leaves that undefined). Strings: shortest decimals that
// convert back, "NaN", "INF", "-INF".
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/truncate.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace inlay {
inline namespace v1 {
namespace casting {
struct number {};  // stands for every numeric element type: 23 x 23 pairs are one kernel, which looks the types up
// Version 1 has the type's name, in capitals.
constexpr element named(std::string_view text) {
    const auto same = [](char a, char b) { return a == (b >= 'a' && b <= 'z' ? char(b - 'a' + 'A') : b); };
    for (int k = 0; k < element_count; ++k)
        if (std::ranges::equal(text, name_of(element(k)), same) && element(k) != element::object) return element(k);
    return element::undefined;
}
}  // namespace casting
template <>
inline constexpr element_set elements_of<casting::number> = element_set{
    ((std::uint32_t(1) << element_count) - 1) &
    ~element_set::of({element::undefined, element::string, element::c64, element::c128, element::object}).bits};

namespace op {
struct cast : standard {
    static constexpr std::string_view onnx_name = "Cast";
    static constexpr version_range versions{1, 28};
    static constexpr std::array constraints{v1::input(0), v1::output(0)};
    static constexpr auto elements =
        hana::tuple_t<types<float, std::int64_t>, types<float, std::int32_t>, types<float, std::uint8_t>,
                      types<float, bool>, types<float, float16>, types<float, bfloat16>, types<std::int64_t, float>,
                      types<std::int32_t, float>, types<std::uint8_t, float>, types<bool, float>, types<float16, float>,
                      types<bfloat16, float>, types<std::int64_t, std::int32_t>, types<std::int32_t, std::int64_t>,
                      types<std::int64_t, bool>, types<bool, std::int64_t>, types<std::int32_t, bool>,
                      types<bool, std::int32_t>, types<casting::number, casting::number>,
                      types<casting::number, std::string>, types<std::string, casting::number>,
                      types<std::string, std::string>>;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .keeps_names = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return same_shape(n, y); }
    static constexpr bool passes_through(const node_view& n) { return n.input(0).type != element::object; }
    static constexpr element output_type(const node_view& n, int) {
        return n.version() >= 6 ? element_numbered(n.integer("to", 0)) : casting::named(n.text("to", ""));
    }
};
struct cast_like : cast {
    static constexpr std::string_view onnx_name = "CastLike";
    static constexpr version_range versions{15, 28};
    static constexpr element output_type(const node_view& n, int) { return n.input_type(1); }
};
}  // namespace op

namespace casting {
enum class rounding : std::uint8_t { up, down, nearest };
struct rules {  // the latter for float8e8m0 only
    bool saturate;
    rounding mode;
};
template <class T> inline constexpr bool is_real = floating<T> || std::is_same_v<T, float8e8m0>;
template <class T> inline constexpr bool is_small_int = packed_bits<T> != 0 && !is_real<T>;
template <class T>
using wide =
    std::conditional_t<is_real<T>, double,
                       std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>>;  // holds
                                                                                                            // every T

template <class T> INLAY_ON_DEVICE wide<T> widen(T x) noexcept {
    if constexpr (std::is_same_v<T, float8e8m0>)
        return x.bits == 255 ? std::numeric_limits<double>::quiet_NaN()
                             : std::bit_cast<double>(std::uint64_t(x.bits + 1023 - 127) << 52);
    else if constexpr (is_small_float<T>)
        return static_cast<float>(x);
    else
        return static_cast<wide<T>>(x);
}

template <class T>
T element_at(const void* x, std::int64_t i) noexcept {  // a byte of a bool may be neither 0 nor 1 where a file holds it
    if constexpr (std::is_same_v<T, bool>)
        return load<std::uint8_t>(x, i) != 0;
    else
        return load<T>(x, i);
}

// Rounding to odd: lost bits set the last bit, so that a second
// rounding to fewer bits gives the same as a single one.
INLAY_ON_DEVICE inline float odd_float(double x) noexcept {
    const float f = static_cast<float>(x);
    if (static_cast<double>(f) == x || x != x) return f;
    auto bits = std::bit_cast<std::uint32_t>(f);
    if (std::abs(static_cast<double>(f)) > std::abs(x)) --bits;
    return std::bit_cast<float>(bits | 1);
}
INLAY_ON_DEVICE inline double odd_double(std::uint64_t x) noexcept {
    return static_cast<double>(x >> 52 ? (x & ~std::uint64_t(4095)) | std::uint64_t((x & 4095) != 0) << 12 : x);
}
INLAY_ON_DEVICE inline float8e8m0 power_of_two(double x, const rules& r) noexcept {
    if (x != x) return {255};
    const auto bits = std::bit_cast<std::uint64_t>(std::abs(x));
    const std::uint64_t fraction = bits & ((std::uint64_t(1) << 52) - 1);
    int code = int(bits >> 52) - 1023 + 127;
    code += r.mode == rounding::up ? fraction != 0 : r.mode == rounding::nearest && fraction >> 51;
    if (code < 0 || code > 254) return {std::uint8_t(!r.saturate ? 255 : code < 0 ? 0 : 254)};
    return {std::uint8_t(code)};
}

template <class T> INLAY_ON_DEVICE T narrow(double x, const rules& r) noexcept {
    if constexpr (std::is_same_v<T, bool>)
        return x != 0;
    else if constexpr (std::is_same_v<T, float8e8m0>)
        return power_of_two(x, r);
    else if constexpr (is_small_float<T>)
        return T::rounded(odd_float(x), r.saturate && sizeof(T) == 1);
    else if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(x);
    else if constexpr (is_small_int<T>)
        return T{static_cast<std::int8_t>(truncate<std::int32_t>(x))};
    else
        return static_cast<T>(truncate<std::conditional_t<(sizeof(T) < 4), std::int32_t, T>>(x));
}
template <class T, std::integral W> INLAY_ON_DEVICE T narrow(W x, const rules& r) noexcept {
    if constexpr (std::is_same_v<T, bool>)
        return x != 0;
    else if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(x);
    else if constexpr (is_real<T>)
        return narrow<T>(std::cmp_less(x, 0) ? -odd_double(-std::uint64_t(x)) : odd_double(std::uint64_t(x)), r);
    else if constexpr (is_small_int<T>)
        return T{static_cast<std::int8_t>(x)};
    else
        return static_cast<T>(x);
}

inline constexpr int block = 256;  // elements of one pass through wide numbers; whole bytes of every type
template <class T> void load_block(const void* x, std::int64_t first, int count, void* numbers) noexcept {
    auto* w = static_cast<wide<T>*>(numbers);
    for (int i = 0; i < count; ++i) w[i] = widen(element_at<T>(x, first + i));
}
template <class T, class W>
void store_block(void* y, std::int64_t first, int count, const void* numbers, const rules& r) noexcept {
    auto* w = static_cast<const W*>(numbers);
    for (int i = 0; i < count; ++i) store<T>(y, first + i, narrow<T>(w[i], r));
}
struct codec {
    void (*load)(const void*, std::int64_t, int, void*) noexcept = nullptr;
    void (*store[3])(void*, std::int64_t, int, const void*, const rules&) noexcept = {};  // from double, int64, uint64
    int number = 0;                                                                       // which of these load returns
};
template <class Entry, template <class> class Make, class... T>
constexpr std::array<Entry, element_count> table_of(types<T...>) {
    std::array<Entry, element_count> table{};
    ((table[int(element_of<T>)] = Make<T>::entry()), ...);
    return table;
}
using numbers = types<float, double, float16, bfloat16, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz,
                      float8e8m0, float4e2m1, bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                      std::uint16_t, std::uint32_t, std::uint64_t, int4, uint4, int2, uint2>;
template <class T> struct number_codec {
    static constexpr codec entry() {
        return {&load_block<T>,
                {&store_block<T, double>, &store_block<T, std::int64_t>, &store_block<T, std::uint64_t>},
                is_real<T>                         ? 0
                : std::is_same_v<T, std::uint64_t> ? 2
                                                   : 1};
    }
};
inline constexpr auto codecs = table_of<codec, number_codec>(numbers{});

struct params {
    std::int64_t count;
    element from, to;
    rules conversion;
};
struct any_kernel : simple_kernel {
    using params = casting::params;
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr verdict supports(const node_view& n) {
        const auto mode = n.text("round_mode", "up");
        return mode == "up" || mode == "down" || mode == "nearest" ? yes()
                                                                   : no("round_mode is none of up, down, nearest");
    }
    static constexpr params prepare(const node_view& n) {
        const auto mode = n.text("round_mode", "up");
        return {n.input(0).dims.elements(),
                n.input(0).type,
                n.output(0).type,
                {n.integer("saturate", 1) != 0, mode == "up"     ? rounding::up
                                                : mode == "down" ? rounding::down
                                                                 : rounding::nearest}};
    }
};
inline void clear_padding(const params& p, void* y) noexcept {  // of the last byte of packed elements
    if (const std::int64_t size = bytes_of(p.to, p.count); bits_of(p.to) < 8 && size > 0)
        static_cast<std::byte*>(y)[size - 1] = std::byte(0);
}
struct number_kernel : any_kernel {
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const void* x = a.inputs[0];
        void* y = a.outputs[0];
        if (p.from == p.to) {
            std::memcpy(y, x, std::size_t(bytes_of(p.from, p.count)));
            return status::ok;
        }
        clear_padding(p, y);
        const codec& from = codecs[int(p.from)];
        const auto store = codecs[int(p.to)].store[from.number];
        c.split((p.count + block - 1) / block, 32, [&](std::int64_t first, std::int64_t end, int) noexcept {
            alignas(64) std::uint64_t middle[block];
            for (std::int64_t i = first * block; i < end * block && i < p.count; i += block) {
                const int count = int(std::min<std::int64_t>(block, p.count - i));
                from.load(x, i, count, middle);
                store(y, i, count, middle, p.conversion);
            }
        });
        return status::ok;
    }
};

// Text of one number: `digits` is as std::to_chars writes it in scientific form. Plain between 1e-4 and 1e16.
inline constexpr int longest_text = 40;
inline int write_plain(std::string_view digits, char* text) noexcept {
    char* t = text;
    if (digits[0] == '-') {
        *t++ = '-';
        digits.remove_prefix(1);
    }
    const std::size_t e = digits.find('e');
    int exponent = 0;
    std::from_chars(digits.data() + e + 1 + (digits[e + 1] == '+'), digits.data() + digits.size(), exponent);
    if (exponent < -4 || exponent > 15) return int(std::copy(digits.begin(), digits.end(), t) - text);
    const auto digit = [&](int i) { return i == 0 ? digits[0] : i + 1 < int(e) ? digits[std::size_t(i) + 1] : '0'; };
    const int after = std::max(int(e) - 2, 0);  // digits after the point
    if (exponent < 0) {
        *t++ = '0';
        *t++ = '.';
        t = std::fill_n(t, -1 - exponent, '0');
    }
    for (int i = 0; i <= std::max(after, exponent + (exponent >= 0)); ++i) {
        *t++ = digit(i);
        if (i == exponent) *t++ = '.';
    }
    return int(t - text);
}
template <class T> int write_real(T x, char* text) noexcept {
    const auto f = static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(widen(x));
    if (f != f || std::isinf(f)) {
        const std::string_view s = f != f ? "NaN" : f > 0 ? "INF" : "-INF";
        return int(std::copy(s.begin(), s.end(), text) - text);
    }
    char digits[longest_text];
    char* end = std::to_chars(digits, digits + longest_text, f, std::chars_format::scientific).ptr;
    if constexpr (is_small_float<T>)  // fewer digits are enough to distinguish it from its neighbours
        for (int precision = 0; precision < 9; ++precision) {
            char* shorter =
                std::to_chars(digits, digits + longest_text, f, std::chars_format::scientific, precision).ptr;
            float back = 0;
            std::from_chars(digits, shorter, back);
            end = shorter;
            if (T(back).bits == x.bits) break;
        }
    return write_plain({digits, std::size_t(end - digits)}, text);
}
template <class T> int write_text(const void* x, std::int64_t i, char* text) noexcept {
    const T v = element_at<T>(x, i);
    if constexpr (is_real<T>)
        return write_real(v, text);
    else if constexpr (std::is_same_v<T, bool>) {
        const std::string_view s = v ? "True" : "False";
        return int(std::copy(s.begin(), s.end(), text) - text);
    } else
        return int(std::to_chars(text, text + longest_text, widen(v)).ptr - text);
}

inline std::string_view trimmed(std::string_view s) noexcept {
    constexpr std::string_view blanks = " \t\r\n\v\f";
    while (!s.empty() && blanks.find(s.front()) != s.npos) s.remove_prefix(1);
    while (!s.empty() && blanks.find(s.back()) != s.npos) s.remove_suffix(1);
    return s;
}
inline bool too_large(
    std::string_view s) noexcept {  // of a decimal without sign that is out of range: else it is too small
    const std::size_t e = std::min(s.find_first_of("eE"), s.size()), point = std::min(s.find('.'), e),
                      first = s.find_first_of("123456789");
    std::int64_t exponent = 0;
    if (e < s.size()) {
        const bool negative = s[e + 1] == '-';
        const char* digits = s.data() + e + 1 + (negative || s[e + 1] == '+');
        if (std::from_chars(digits, s.data() + s.size(), exponent).ec != std::errc{}) exponent = std::int64_t(1) << 62;
        if (negative) exponent = -exponent;
    }
    return exponent + std::int64_t(point) - std::int64_t(first) > 0;
}
template <class F> bool parse_real(std::string_view s, F& x) noexcept {
    const bool negative = !s.empty() && s[0] == '-';
    if (negative || (!s.empty() && s[0] == '+')) s.remove_prefix(1);
    if (s.empty() || s[0] == '-') return false;
    const auto [end, problem] = std::from_chars(s.data(), s.data() + s.size(), x);
    if (problem == std::errc::invalid_argument || end != s.data() + s.size()) return false;
    if (problem == std::errc::result_out_of_range) x = too_large(s) ? std::numeric_limits<F>::infinity() : F(0);
    if (negative) x = -x;
    return true;
}
template <class W> bool parse_integer(std::string_view s, W lowest, W highest, W& x) noexcept {  // "100.5" is 100
    if (s.size() > 1 && s[0] == '+' && s[1] != '-') s.remove_prefix(1);
    const auto [end, problem] = std::from_chars(s.data(), s.data() + s.size(), x);
    if (problem == std::errc{} && end == s.data() + s.size()) return x >= lowest && x <= highest;
    double real = 0;
    if (!parse_real(s, real) || !(real > static_cast<double>(lowest) - 1 && real < static_cast<double>(highest) + 1))
        return false;
    x = truncate<W>(real);
    return x >= lowest && x <= highest;
}
inline bool same_word(std::string_view s, std::string_view lower) noexcept {
    if (s.size() != lower.size()) return false;
    for (std::size_t i = 0; i < s.size(); ++i)
        if ((s[i] | 32) != lower[i]) return false;
    return true;
}
template <class T> bool read_text(std::string_view s, void* y, std::int64_t i, const rules& r) noexcept {
    s = trimmed(s);
    if constexpr (is_real<T> || std::is_same_v<T, bool>) {
        if constexpr (std::is_same_v<T, bool>)
            if (same_word(s, "true") || same_word(s, "false")) {
                store<T>(y, i, s.size() == 4);
                return true;
            }
        std::conditional_t<std::is_same_v<T, float>, float, double> x = 0;
        if (!parse_real(s, x)) return false;
        store<T>(y, i, narrow<T>(double(x), r));
    } else {
        using W = wide<T>;
        W lowest, highest, x = 0;
        if constexpr (is_small_int<T>) {
            constexpr bool is_signed = std::is_same_v<T, small_int<packed_bits<T>, true>>;
            lowest = is_signed ? -(W(1) << (packed_bits<T> - 1)) : 0;
            highest = (W(1) << (packed_bits<T> - is_signed)) - 1;
        } else {
            lowest = std::numeric_limits<T>::lowest();
            highest = std::numeric_limits<T>::max();
        }
        if (!parse_integer(s, lowest, highest, x)) return false;
        store<T>(y, i, narrow<T>(x, r));
    }
    return true;
}
struct text_codec {
    int (*write)(const void*, std::int64_t, char*) noexcept = nullptr;
    bool (*read)(std::string_view, void*, std::int64_t, const rules&) noexcept = nullptr;
};
template <class T> struct number_text_codec {
    static constexpr text_codec entry() { return {&write_text<T>, &read_text<T>}; }
};
inline constexpr auto text_codecs = table_of<text_codec, number_text_codec>(numbers{});

struct to_text_kernel : any_kernel {
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        const auto write = text_codecs[int(p.from)].write;
        char text[longest_text];
        for (std::int64_t i = 0; i < p.count; ++i)
            a.out<std::string>(0)[i].assign(text, std::size_t(write(a.inputs[0], i, text)));
        return status::ok;
    }
};
struct from_text_kernel : any_kernel {
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const auto parse = text_codecs[int(p.to)].read;
        clear_padding(p, a.outputs[0]);
        for (std::int64_t i = 0; i < p.count; ++i)
            if (!parse(a.in<std::string>(0)[i], a.outputs[0], i, p.conversion))
                return c.fail("a string is no number of the output type");
        return status::ok;
    }
};
struct text_kernel : any_kernel {
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        std::copy_n(a.in<std::string>(0), p.count, a.out<std::string>(0));
        return status::ok;
    }
};
template <class Op>
concept operation = std::is_same_v<Op, op::cast> || std::is_same_v<Op, op::cast_like>;
}  // namespace casting

template <casting::operation Op>
struct kernel<Op, device::reference, types<casting::number, casting::number>> : casting::number_kernel {};
template <casting::operation Op>
struct kernel<Op, device::reference, types<casting::number, std::string>> : casting::to_text_kernel {};
template <casting::operation Op>
struct kernel<Op, device::reference, types<std::string, casting::number>> : casting::from_text_kernel {};
template <casting::operation Op>
struct kernel<Op, device::reference, types<std::string, std::string>> : casting::text_kernel {};
}  // namespace v1
}  // namespace inlay

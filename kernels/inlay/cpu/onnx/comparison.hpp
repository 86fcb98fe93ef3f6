// Equal, Less, Greater, LessOrEqual and GreaterOrEqual on the CPU, in any layout: of float32, of integers, and of 16
// bits, which are widened piece by piece.
#pragma once
#include <inlay/cpu/isa/compare_f32.hpp>
#include <inlay/cpu/isa/compare_integer.hpp>
#include <inlay/cpu/isa/half_f32.hpp>
#include <inlay/cpu/support/dense_piece.hpp>
#include <inlay/onnx/comparison.hpp>

namespace inlay {
inline namespace v1 {
// F, one of the elements' comparisons, over dense rows of T; `most`: elements of a call.
template <class F, class T> struct compared_rows;
template <class F> struct compared_rows<F, float> {
    static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    compare_f32_table::function function;
    static compared_rows of(isa::level l) noexcept {
        const compare_f32_table& t = compare_f32(l);
        return {std::is_same_v<F, element_of_less>    ? t.less
                : std::is_same_v<F, element_of_equal> ? t.equal
                                                      : t.less_or_equal};
    }
    void operator()(const float* a, const float* b, bool* y, std::int64_t n) const noexcept { function(a, b, y, n); }
};
template <class F, half_float T> struct compared_rows<F, T> {
    static constexpr std::int64_t most = piece_length;
    compared_rows<F, float> wide;
    decltype(half_f32_table::format::widen) widen;
    static compared_rows of(isa::level l) noexcept {
        const half_f32_table& t = half_f32(l);
        return {compared_rows<F, float>::of(l), std::is_same_v<T, float16> ? t.float16.widen : t.bfloat16.widen};
    }
    void operator()(const T* a, const T* b, bool* y, std::int64_t n) const noexcept {
        float room[2][piece_length];
        widen(reinterpret_cast<const std::uint16_t*>(a), room[0], n);
        widen(reinterpret_cast<const std::uint16_t*>(b), room[1], n);
        wide(room[0], room[1], y, n);
    }
};
template <class F, std::integral T> struct compared_rows<F, T> {
    static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    static constexpr bool equality = std::is_same_v<F, element_of_equal>,
                          opposite = std::is_same_v<F, element_of_less_or_equal>;  // a <= b: not b < a
    using stored = std::conditional_t<equality, std::make_unsigned_t<T>, T>;
    using entry = compare_integer_table::comparison<stored>;
    decltype(entry::run) function;
    static compared_rows of(isa::level l) noexcept {
        const compare_integer_table& t = compare_integer(l);
        if constexpr (equality)
            return {static_cast<const entry&>(t.equal).run};
        else
            return {static_cast<const entry&>(t.less).run};
    }
    void operator()(const T* a, const T* b, bool* y, std::int64_t n) const noexcept {
        if (opposite) std::swap(a, b);
        function(reinterpret_cast<const stored*>(a), reinterpret_cast<const stored*>(b), y, n, opposite);
    }
};

template <class Op, class T> struct fast_compare_kernel : compare_kernel<Op, T> {
    using comparison = typename comparison_of<Op, T>::type;
    using rows = compared_rows<comparison, T>;
    using params = comparison_kernel::params;
    struct state {
        rows compare;
    };
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.compare = rows::of(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& args, context& c) noexcept {
        const broadcast_loops<2>& l = p.loops;
        const std::int64_t i = l.along(0), j = l.along(1), most = i == 1 && j == 1 ? rows::most : piece_length;
        c.split(l.elements(), 16 * 1024, [&](std::int64_t first, std::int64_t end, int) noexcept {
            over_rows(l, first, end, [&](std::int64_t at, const auto& x, std::int64_t n) {
                const T *a = args.in<T>(exchanges<Op>) + x[0], *b = args.in<T>(!exchanges<Op>) + x[1];
                bool* y = args.out<bool>(0) + at;
                if (n < short_row) {
                    for (std::int64_t e = 0; e < n; ++e) y[e] = comparison{}(a[e * i], b[e * j]);
                    return;
                }
                T room[2][piece_length];
                for (std::int64_t offset = 0, count; offset < n; offset += count) {
                    count = std::min(most, n - offset);
                    s.compare(dense_piece(a + offset * i, i, count, room[0], offset > 0),
                              dense_piece(b + offset * j, j, count, room[1], offset > 0), y + offset, count);
                }
            });
        });
        return status::ok;
    }
};
template <std::derived_from<op::comparison> Op, class T>
requires(std::same_as<T, float> ||
         (std::integral<T> && !std::same_as<T, bool>)) struct kernel<Op, device::cpu, types<T, bool>>
    : fast_compare_kernel<Op, T> {
};
#define INLAY_COMPARISON(name) \
    template <> \
    struct kernel<op::name, device::cpu, types<float16, bool>> : fast_compare_kernel<op::name, float16> {}; \
    template <> \
    struct kernel<op::name, device::cpu, types<bfloat16, bool>> : fast_compare_kernel<op::name, bfloat16> {};
INLAY_COMPARISON(less)
INLAY_COMPARISON(greater)
INLAY_COMPARISON(less_or_equal)
INLAY_COMPARISON(greater_or_equal)
INLAY_COMPARISON(equal)
#undef INLAY_COMPARISON
}  // namespace v1
}  // namespace inlay

// ConstantOfShape (since 9): one value, 0.f if there is none, in every element of the shape that the input holds.
#pragma once
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct constant_of_shape : standard {
    static constexpr std::string_view onnx_name = "ConstantOfShape";
    static constexpr version_range versions{9, 25};
    static constexpr std::array constraints{v1::output(0)};
    static constexpr auto elements = each_type<any_element>;
    static constexpr operator_facts facts{.folding = fold_cost::of_result};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const value* v = n.tensor("value"); v && v->dims.known() && v->dims.elements() != 1)
            return no("the value is not a single element");
        if (n.input(0).dims.rank > 1) return no("the shape is not a list");
        const auto dims = n.input_integers(0);
        if (!dims) return yes();
        if (dims->size() > max_rank) return no("the output has more than 8 dimensions");
        shape s;
        for (const std::int64_t d : *dims) {
            if (d < 0) return no("a dimension is negative");
            s.push_back(d);
        }
        if (!countable(s)) return no("the output is too large");
        y[0] = s;
        return yes();
    }
    static constexpr element output_type(const node_view& n, int) {
        const value* v = n.tensor("value");
        return v ? v->type : element::f32;
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::constant_of_shape, device::reference, types<any_element>> : simple_kernel {
    struct params {
        std::int64_t bytes;
        std::uint64_t pattern;
    };                                                                        // eight bytes of the output
    static constexpr std::optional<std::uint64_t> code(const node_view& n) {  // of the value, in its type's bits
        const value* v = n.tensor("value");
        if (!v) return 0;
        if (const auto i = n.integers_of(*v)) return std::uint64_t((*i)[0]);
        const auto reals = n.reals_of(*v);
        if (!reals) return std::nullopt;
        const double x = (*reals)[0];
        const float f = static_cast<float>(x);
        switch (v->type) {
            case element::f64: return std::bit_cast<std::uint64_t>(x);
            case element::f32: return std::bit_cast<std::uint32_t>(f);
            case element::f16: return float16(f).bits;
            case element::bf16: return bfloat16(f).bits;
            case element::f8e4m3fn: return float8e4m3fn(f).bits;
            case element::f8e4m3fnuz: return float8e4m3fnuz(f).bits;
            case element::f8e5m2: return float8e5m2(f).bits;
            case element::f8e5m2fnuz: return float8e5m2fnuz(f).bits;
            case element::f4e2m1: return float4e2m1(f).bits;
            default: return std::nullopt;
        }
    }
    static constexpr verdict supports(const node_view& n) {
        if (const value* v = n.tensor("value"); (v ? v->type : element::f32) != n.output(0).type)
            return no("the output's type is not the value's");
        return bits_of(n.output(0).type) <= 64 && code(n) ? yes() : no("a value of this type cannot be read");
    }
    static constexpr params prepare(const node_view& n) {
        const element type = n.output(0).type;
        const int bits = bits_of(type);
        const std::uint64_t element_bits = code(n).value_or(0);
        std::uint64_t pattern = 0;
        for (int at = 0; at < 64; at += bits)
            pattern |= (bits == 64 ? element_bits : element_bits & ((std::uint64_t(1) << bits) - 1)) << at;
        return {bytes_of(type, n.output(0).dims.elements()), pattern};
    }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        auto* y = a.out<std::byte>(0);
        std::int64_t i = 0;
        for (; i + 8 <= p.bytes; i += 8) std::memcpy(y + i, &p.pattern, 8);
        if (i < p.bytes) std::memcpy(y + i, &p.pattern, std::size_t(p.bytes - i));
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

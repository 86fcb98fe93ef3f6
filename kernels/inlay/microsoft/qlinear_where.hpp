// QLinearWhere (com.microsoft, since 1): X where the condition holds, else Y, both 8-bit, (value - zero point) * scale,
// with broadcasting of all three, quantized as Z. Inputs: condition, X, its scale and zero point, Y, likewise,
// scale and zero point of Z.
#pragma once
#include <inlay/support/broadcast.hpp>
#include <inlay/support/linear_code.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct qlinear_where : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "QLinearWhere";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(0), v1::input(1)};
    static constexpr auto elements = hana::tuple_t<types<bool, quantized::byte>>;
    static constexpr int required_inputs = 9;
    static constexpr operator_facts facts{.folding = fold_cost::of_result};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() != 9) return no("QLinearWhere has nine inputs");
        for (int k = 0; k < 9; ++k)
            if (!n.has_input(k)) return no("an input is missing");
        if (n.input(4).type != n.input(1).type) return no("X and Y must have one type");
        for (int k : {2, 5, 7})
            if (const verdict v = quantized::scalar_scaling(n, k, k + 1, n.input(1).type); !v) return v;
        shape s;
        if (!broadcast(n.input(0).dims, n.input(1).dims, s) || !broadcast(s, n.input(4).dims, s))
            return no("the inputs' shapes do not broadcast");
        y[0] = s;
        return countable(s) ? yes() : no("the output is too large");
    }
    static constexpr element output_type(const node_view& n, int) { return n.input_type(1); }
};
}  // namespace op

template <> struct kernel<op::qlinear_where, device::reference, types<bool, quantized::byte>> : simple_kernel {
    struct params {
        broadcast_loops<5> loops;
        element type;
        presence has;
    };
    static constexpr params prepare(const node_view& n) {
        // make_loops numbers operands as inputs are; those between are single numbers.
        return {make_loops<5>(n, 5), n.input(1).type, presence(n)};
    }
    static constexpr bool is_scaling(int input) { return input > 1 && input != 4; }
    static constexpr int tables(const params&) { return 2; }
    static void make_tables(const params& p, const arguments& a, std::uint8_t* codes) noexcept {
        using quantized::linear_code;
        const linear_code x(p.type, a, 2, 3, p.has), y(p.type, a, 5, 6, p.has), z(p.type, a, 7, 8, p.has);
        for (int code = 0; code < 256; ++code) {
            codes[code] = z(x.number(std::uint8_t(code)));
            codes[256 + code] = z(y.number(std::uint8_t(code)));
        }
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        std::uint8_t codes[512];
        make_tables(p, a, codes);
        const std::uint8_t *from_x = codes, *from_y = codes + 256;
        const auto* condition = a.in<std::uint8_t>(0);  // bytes: a caller's true may be any nonzero value
        const std::int64_t step = p.loops.along(0), i = p.loops.along(1), j = p.loops.along(4);
        c.split(p.loops.elements(), 16384, [&](std::int64_t first, std::int64_t end, int) {
            over_rows(p.loops, first, end, [&](std::int64_t at, const auto& from, std::int64_t n) {
                for (std::int64_t e = 0; e < n; ++e)
                    a.out<std::uint8_t>(0)[at + e] = condition[from[0] + e * step]
                                                         ? from_x[a.in<std::uint8_t>(1)[from[1] + e * i]]
                                                         : from_y[a.in<std::uint8_t>(4)[from[4] + e * j]];
            });
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

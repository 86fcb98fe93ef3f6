// Where (since 9): x where the condition holds, else y, with broadcasting of all three.
#pragma once
#include <inlay/support/broadcast.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct where : standard {
    static constexpr std::string_view onnx_name = "Where";
    static constexpr version_range versions{9, 16};
    static constexpr std::array constraints{v1::input(0), v1::input(1)};
    static constexpr auto elements =
        hana::tuple_t<types<bool, raw<8>>, types<bool, raw<16>>, types<bool, raw<32>>, types<bool, raw<64>>,
                      types<bool, raw<128>>, types<bool, std::string>>;
    static constexpr operator_facts facts{.folding = fold_cost::of_result, .keeps_names = true, .moves = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        return broadcast_shape_of(3, n, y);
    }
    static constexpr element output_type(const node_view& n, int) { return n.input_type(1); }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct where_kernel : simple_kernel {
    struct params {
        broadcast_loops<3> loops;
    };
    static constexpr params prepare(const node_view& n) { return {make_loops<3>(n, 3)}; }
};
template <class T> struct kernel<op::where, device::reference, types<bool, T>> : where_kernel {
    static status run(const params& p, const state&, const arguments& args, context&) noexcept {
        const auto* condition = args.in<std::uint8_t>(0);  // bytes: a caller's true may be any nonzero value
        const std::int64_t c = p.loops.along(0), i = p.loops.along(1), j = p.loops.along(2);
        over_rows(p.loops, 0, p.loops.elements(), [&](std::int64_t at, const auto& x, std::int64_t n) {
            for (std::int64_t e = 0; e < n; ++e) {
                const bool holds = condition[x[0] + e * c];
                movable<T>::move(args.outputs[0], at + e, args.inputs[holds ? 1 : 2],
                                 holds ? x[1] + e * i : x[2] + e * j);
            }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

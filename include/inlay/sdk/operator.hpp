// What an operator says of itself: plain data and a shape rule, no device. Kernels are specialised beside it.
#pragma once
#include "kernel.hpp"
#include <inlay/core/pack.hpp>

namespace inlay {
inline namespace v1 {
struct version_range {
    int since, through;
};                                        // schema versions, both included
constexpr int input(int k) { return k; }  // where the type of a constraint is read
constexpr int output(int k) { return ~k; }

// Type lists for operators: one constraint each.
template <class... T> inline constexpr auto each_type = hana::tuple_t<types<T>...>;
inline constexpr auto float_types = each_type<float, double, float16, bfloat16>;
inline constexpr auto number_types =
    each_type<float, double, float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
              std::uint16_t, std::uint32_t, std::uint64_t>;
inline constexpr auto movable_types =
    each_type<raw<8>, raw<16>, raw<32>, raw<64>, raw<128>, raw<4>, raw<2>, std::string>;  // every tensor, by size

namespace op {
struct standard {  // a standard operator with one type constraint, read from input 0
    static constexpr std::string_view domain = "";
    static constexpr std::array constraints{v1::input(0)};
    static constexpr auto elements = float_types;
    static constexpr int required_inputs = 1;      // the first ones must be there; shape rules check what follows
    static constexpr bool data_dependent = false;  // output shapes depend on input values that a shape rule cannot read
};
}  // namespace op

template <class Op>
concept operation = requires(const node_view& n, std::span<shape> y) {
    { Op::onnx_name } -> std::convertible_to<std::string_view>;
    { Op::versions } -> std::convertible_to<version_range>;
    { Op::shapes(n, y) }
    noexcept
        ->std::same_as<verdict>;  // y: one per output, unknown at first; left unknown where an input value is missing
};

constexpr verdict same_shape(const node_view& n,
                             std::span<shape> y) noexcept {  // the shape rule of element-wise operators of one input
    y[0] = n.input(0).dims;
    return yes();
}
constexpr verdict broadcast_shape(const node_view& n,
                                  std::span<shape> y) noexcept {  // of element-wise operators of several inputs
    shape s = n.input(0).dims;
    for (int k = 1; k < n.input_count(); ++k)
        if (n.has_input(k) && !broadcast(s, n.input(k).dims, s)) return no("the inputs' shapes do not broadcast");
    y[0] = s;
    return yes();
}
// An axis attribute in [0, rank), or -1 where it is out of range.
constexpr int normal_axis(std::int64_t axis, int rank) {
    if (axis < 0) axis += rank;
    return axis >= 0 && axis < rank ? int(axis) : -1;
}
}  // namespace v1
}  // namespace inlay

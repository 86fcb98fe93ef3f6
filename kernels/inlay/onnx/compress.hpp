// Compress (since 9): the slices along an axis, or the elements of all where there is none, for which the condition
// holds; what the condition is too short for is left out.
#pragma once
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct compress : standard {
    static constexpr std::string_view onnx_name = "Compress";
    static constexpr version_range versions{9, 28};
    static constexpr auto elements = whole_byte_types;
    static constexpr int required_inputs = 2;
    static constexpr bool data_dependent = true;
    static constexpr operator_facts facts{.moves = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape &x = n.input(0).dims, &condition = n.input(1).dims;
        if (n.input(1).type != element::boolean) return no("the condition is not bool");
        if (condition.rank >= 0 && condition.rank != 1) return no("the condition is not a list");
        if (x.rank >= 0 && !countable(x)) return no("the input is too large");
        const bool flat = !n.has("axis");
        const int axis = flat || x.rank < 0 ? 0 : normal_axis(n.integer("axis", 0), x.rank);
        if (axis < 0) return no("axis is out of range");
        const std::int64_t length = !x.known() ? -1 : flat ? x.elements() : x[axis];
        if (condition.known() && length >= 0 && condition[0] > length)
            return no("the condition is longer than the axis");
        y[0] = flat ? shape{-1} : x;
        if (y[0].rank > 0) y[0][axis] = -1;
        return yes();
    }
    static constexpr void bounds(const node_view& n, std::span<shape> y) {
        const shape& x = n.input(0).dims;
        y[0] = n.has("axis") ? x : shape{x.elements()};
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct kernel<op::compress, device::reference, types<T>> : simple_kernel {
    struct params {  // dims: of the output, but for the axis
        shape dims;
        int axis;
        std::int64_t outer, length, inner, conditions;
    };
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        const std::int64_t conditions = n.input(1).dims[0];
        if (!n.has("axis")) return {{0}, 0, 1, x.elements(), 1, conditions};
        const int axis = normal_axis(n.integer("axis", 0), x.rank);
        return {x, axis, x.elements(0, axis), x[axis], x.elements(axis + 1), conditions};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const auto* holds = a.in<std::uint8_t>(1);  // bytes: a caller's true may be any nonzero value
        shape dims = p.dims;
        dims[p.axis] = p.conditions - std::count(holds, holds + p.conditions, std::uint8_t(0));
        auto* y = c.output<std::byte>(0, dims);
        if (!y && dims.elements() > 0) return c.fail("no memory for the result", status::out_of_memory);
        if (dims.elements() == 0) return status::ok;
        std::int64_t to = 0;
        for (std::int64_t o = 0; o < p.outer; ++o)
            for (std::int64_t i = 0; i < p.conditions; ++i)
                if (holds[i]) {
                    movable<T>::copy(y, to, a.inputs[0], (o * p.length + i) * p.inner, p.inner);
                    to += p.inner;
                }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

// UnfoldTensor (com.microsoft, since 1): all windows of `size` elements along axis dim, `step` apart; what is in a
// window is a last axis of its own.
#pragma once
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct unfold_tensor : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "UnfoldTensor";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = whole_byte_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_result, .moves = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        const shape& x = n.input(0).dims;
        const std::int64_t size = n.integer("size", 0), step = n.integer("step", 1);
        if (step < 1) return no("step must be positive");
        if (x.rank < 0) return yes();
        const int axis = normal_axis(n.integer("dim", -1), x.rank);
        if (axis < 0) return no("dim is out of range");
        if (x.rank == max_rank) return no("the output has too many axes");
        if (size < 1 || (x[axis] >= 0 && size > x[axis]))
            return no("size must be positive, and not more than the axis has");
        y[0] = x;
        if (x[axis] >= 0) y[0][axis] = (x[axis] - size) / step + 1;
        y[0].push_back(size);
        return countable(y[0]) ? yes() : no("the output is too large");
    }
};
}  // namespace op

template <class T> struct kernel<op::unfold_tensor, device::reference, types<T>> : simple_kernel {
    struct params {
        shape dims, steps;  // of the output; in the input from one to the next
    };
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        params p{n.output(0).dims, strides_of(x, layout::plain)};
        const int axis = normal_axis(n.integer("dim", -1), x.rank);
        p.steps.push_back(p.steps[axis]);
        p.steps[axis] *= n.integer("step", 1);
        return p;
    }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        copy_strided<T>(a.outputs[0], a.inputs[0], 0, p.dims, p.steps);
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

// Expand (since 8): the input repeated along axes of length 1, and new ones, to the broadcast of its shape and a given
// one.
#pragma once
#include <inlay/support/strided_copy.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct expand : standard {
    static constexpr std::string_view onnx_name = "Expand";
    static constexpr version_range versions{8, 13};
    static constexpr auto elements = movable_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_result, .moves = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(1)) return no("there is no shape");
        if (n.input(1).dims.rank > 1) return no("the shape is not a list");
        const auto dims = n.input_integers(1);
        if (!dims) return yes();
        if (dims->size() > max_rank) return no("the output has more than 8 dimensions");
        shape target, s;
        for (const std::int64_t d : *dims) {
            if (d < 0) return no("a dimension is negative");
            target.push_back(d);
        }
        if (!broadcast(n.input(0).dims, target, s)) return no("the input's shape does not broadcast to the given one");
        if (!countable(s)) return no("the output is too large");
        y[0] = s;
        return yes();
    }
    // Of the input, for every axis of the output: 0 where it is repeated.
    static constexpr shape strides(const node_view& n) {
        const shape &x = n.input(0).dims, x_strides = strides_of(x, n.input_layout(0));
        const int rank = n.output(0).dims.rank;
        shape s = shape::of_rank(rank, 0);
        for (int i = 0; i < x.rank; ++i)
            if (x[i] != 1) s[rank - x.rank + i] = x_strides[i];
        return s;
    }
    static constexpr bool passes_through(const node_view& n) { return same_dims(n.input(0).dims, n.output(0).dims); }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct kernel<op::expand, device::reference, types<T>> : simple_kernel {
    struct params {
        shape dims, from;
    };
    static constexpr params prepare(const node_view& n) { return {n.output(0).dims, op::expand::strides(n)}; }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        copy_strided<T>(a.outputs[0], a.inputs[0], 0, p.dims, p.from);
        return status::ok;
    }
};
template <class Mover> struct expand_by : Mover {  // on a device that supports a strided_copy, in either layout
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr strided_copy prepare(const node_view& n) {
        const shape& y = n.output(0).dims;
        return make_copy(y, op::expand::strides(n), strides_of(y, n.output_layout(0)));
    }
};
}  // namespace v1
}  // namespace inlay

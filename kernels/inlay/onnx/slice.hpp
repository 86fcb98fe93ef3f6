// Slice (since 1): along each of some axes the elements start, start + step, ... before end; since 10 with steps, which
// may be negative.
#pragma once
#include <inlay/support/strided_copy.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct slice : standard {
    static constexpr std::string_view onnx_name = "Slice";
    static constexpr version_range versions{1, 13};
    static constexpr auto elements = movable_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .moves = true, .reads = reading::selected};
    struct cut {  // for every axis; is_known: the values are, if not all dimensions
        shape start, step, dims;
        bool is_known = false;
    };
    static constexpr verdict read(const node_view& n, cut& c) {
        const shape& x = n.input(0).dims;
        const auto starts = integers_of(n, "starts", 1), ends = integers_of(n, "ends", 2);
        const auto axes = integers_of(n, "axes", 3), steps = integers_of(n, "steps", 4);
        if (!starts.present || !ends.present) return no("starts or ends are missing");
        if (x.rank < 0 || !starts.is_known || !ends.is_known || (axes.present && !axes.is_known) ||
            (steps.present && !steps.is_known))
            return yes();
        const std::size_t count = starts.values.size();
        const auto fits = [&](const integers_given& list) { return !list.present || list.values.size() == count; };
        if (!fits(ends) || !fits(axes) || !fits(steps)) return no("starts, ends, axes and steps differ in length");
        c.start = shape::of_rank(x.rank, 0);
        c.step = shape::of_rank(x.rank, 1);
        c.dims = x;
        named_axes named;
        for (std::size_t i = 0; i < count; ++i) {
            int axis = 0;
            if (const verdict v = named.add(axes.present ? axes.values[i] : std::int64_t(i), x.rank, axis); !v)
                return v;
            const std::int64_t length = x[axis],
                               step = steps.present
                                          ? std::max(steps.values[i], -std::numeric_limits<std::int64_t>::max())
                                          : 1;
            if (step == 0) return no("a step is 0");
            if (length < 0) {
                c.dims[axis] = -1;
                continue;
            }
            const auto place = [&](std::int64_t position, std::int64_t least, std::int64_t most) {
                return std::clamp(position < 0 ? position + length : position, least, std::max(least, most));
            };
            std::int64_t size = 0;
            if (step > 0) {
                const std::int64_t start = place(starts.values[i], 0, length), end = place(ends.values[i], 0, length);
                if (end > start) size = (end - start - 1) / step + 1;
                c.start[axis] = start;
            } else if (length > 0) {
                const std::int64_t start = place(starts.values[i], 0, length - 1),
                                   end = place(ends.values[i], -1, length - 1);
                if (start > end) size = (start - end - 1) / -step + 1;
                c.start[axis] = start;
            }
            c.dims[axis] = size;
            c.step[axis] = size > 1 ? step : 1;
        }
        c.is_known = true;
        return yes();
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        cut c;
        const verdict v = read(n, c);
        if (v && c.is_known) y[0] = c.dims;
        return v;
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct slice_kernel : simple_kernel {
    struct view {  // of the input, with steps between the selected elements
        shape dims, from;
        std::int64_t offset = 0;
    };
    static constexpr verdict supports(const node_view& n) {
        op::slice::cut c;
        const verdict v = op::slice::read(n, c);
        return !v || c.is_known ? v : no("starts, ends, axes and steps must be known before the run");
    }
    static constexpr view taken(const node_view& n) {
        op::slice::cut c;
        op::slice::read(n, c);
        view v{c.dims, strides_of(n.input(0).dims, n.input_layout(0)), 0};
        for (int i = 0; i < v.dims.rank; ++i) {
            v.offset += c.start[i] * v.from[i];
            v.from[i] *= c.step[i];
        }
        return v;
    }
};
template <class T> struct kernel<op::slice, device::reference, types<T>> : slice_kernel {
    using params = view;
    static constexpr params prepare(const node_view& n) { return taken(n); }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        copy_strided<T>(a.outputs[0], a.inputs[0], p.offset, p.dims, p.from);
        return status::ok;
    }
};
template <class Mover> struct slice_by : Mover {  // on a device that supports a strided_copy, in either layout
    static constexpr verdict supports(const node_view& n) { return slice_kernel::supports(n); }
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr strided_copy prepare(const node_view& n) {
        const auto v = slice_kernel::taken(n);
        return make_copy(v.dims, v.from, strides_of(v.dims, n.output_layout(0)), v.offset);
    }
};
}  // namespace v1
}  // namespace inlay

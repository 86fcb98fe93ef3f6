// CenterCropPad (since 18): the middle of the input where it is longer than `shape` requires, else zeros (or empty
// strings) before and after it; of `axes`, or of all. Of an odd difference the smaller half is before.
//
// ONNX's function of the same name supports shapes of int64 only.
#pragma once
#include <inlay/support/blank.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct center_crop_pad : standard {
    static constexpr std::string_view onnx_name = "CenterCropPad";
    static constexpr version_range versions{18, 18};
    static constexpr int required_inputs = 2;
    static constexpr auto elements = whole_byte_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_result};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0) || !n.has_input(1)) return no("an input is missing");
        const shape& x = n.input(0).dims;
        if (n.input(1).type != element::i64 && n.input(1).type != element::i32)
            return no("shape is neither int32 nor int64");
        if (x.rank < 0) return yes();
        y[0] = x;
        const auto axes = n.integers("axes");
        const auto lengths = n.input_integers(1);
        const std::size_t count = axes.empty() ? std::size_t(x.rank) : axes.size();
        if (n.input(1).dims.known() && n.input(1).dims.elements() != std::int64_t(count))
            return no("shape has not one number for each axis");
        if (lengths && lengths->size() != count) return no("shape has not one number for each axis");
        named_axes named;
        for (std::size_t i = 0; i < count; ++i) {
            int axis = int(i);
            if (!axes.empty())
                if (const verdict fits = named.add(axes[i], x.rank, axis); !fits) return fits;
            if (lengths && (*lengths)[i] < 0) return no("a length is negative");
            y[0][axis] = lengths ? (*lengths)[i] : -1;
        }
        return !y[0].known() || countable(y[0]) ? yes() : no("the output is too large");
    }
};
}  // namespace op

template <class T> struct kernel<op::center_crop_pad, device::reference, types<T>> : simple_kernel {
    struct params {
        shape x, y;
    };
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims, n.output(0).dims}; }
    // Element o of an axis of the output is element o - before(axis) of the input, where there is one.
    static std::int64_t before(const params& p, int axis) {
        const std::int64_t more = p.y[axis] - p.x[axis];
        return more >= 0 ? more / 2 : -(-more / 2);
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const int last_axis = p.y.rank - 1;
        if (last_axis < 0) return movable<T>::move(a.outputs[0], 0, a.inputs[0], 0), status::ok;
        const std::int64_t width = p.y[last_axis], rows = p.y.elements(0, last_axis);
        if (width == 0) return status::ok;
        const std::int64_t shift = before(p, last_axis), begin = std::clamp<std::int64_t>(shift, 0, width),
                           end = std::clamp<std::int64_t>(p.x[last_axis] + shift, begin, width);
        c.split(rows, 1 + 16384 / width, [&](std::int64_t first, std::int64_t row_end, int) noexcept {
            const blank<T> zero;
            for (std::int64_t row = first; row < row_end; ++row) {
                std::int64_t rest = row, from = 0, step = 1;
                bool inside = true;
                for (int k = last_axis - 1; k >= 0; --k) {
                    const std::int64_t i = rest % p.y[k] - before(p, k);
                    rest /= p.y[k];
                    inside = inside && i >= 0 && i < p.x[k];
                    from += inside ? i * step : 0;
                    step *= p.x[k];
                }
                const std::int64_t to = row * width, head = inside ? begin : width;
                for (std::int64_t i = 0; i < head; ++i) movable<T>::move(a.outputs[0], to + i, &zero, 0);
                if (!inside) continue;
                movable<T>::copy(a.outputs[0], to + begin, a.inputs[0], from * p.x[last_axis] + begin - shift,
                                 end - begin);
                for (std::int64_t i = end; i < width; ++i) movable<T>::move(a.outputs[0], to + i, &zero, 0);
            }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

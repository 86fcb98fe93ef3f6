// Relayout (inlay, 1): not of any model, but the conversion that the scheduler places between layouts; as a node, to
// channels_last where that attribute is not 0, else to plain.
#pragma once
#include "strided_copy.hpp"

namespace inlay {
inline namespace v1 {
namespace op {
struct relayout : standard {
    static constexpr std::string_view onnx_name = "Relayout", domain = "inlay";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = movable_types;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return same_shape(n, y); }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct relayout_kernel : simple_kernel {
    static constexpr layout target(const node_view& n) {
        return n.integer("channels_last", 1) ? layout::channels_last : layout::plain;
    }
    static constexpr layout other(layout l) { return l == layout::plain ? layout::channels_last : layout::plain; }
    static constexpr layout_rule layouts(const node_view& n) { return {other(target(n)), target(n)}; }
};
template <class T> struct kernel<op::relayout, device::reference, types<T>> : relayout_kernel {
    struct params {  // a transpose of rows and columns
        std::int64_t batch, rows, columns;
    };
    static constexpr params prepare(const shape& x, layout to) {
        if (x.rank < 3) return {1, 1, x.elements()};
        return to == layout::plain ? params{x[0], x.elements(2), x[1]} : params{x[0], x[1], x.elements(2)};
    }
    static constexpr params prepare(const node_view& n) { return prepare(n.input(0).dims, target(n)); }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        std::int64_t i = 0;
        for (std::int64_t b = 0; b < p.batch; ++b)
            for (std::int64_t c = 0; c < p.columns; ++c)
                for (std::int64_t r = 0; r < p.rows; ++r)
                    movable<T>::move(a.outputs[0], i++, a.inputs[0], (b * p.rows + r) * p.columns + c);
        return status::ok;
    }
};
template <class Mover> struct relayout_by : Mover {  // on a device that supports a strided_copy
    static constexpr layout_rule layouts(const node_view& n) { return relayout_kernel::layouts(n); }
    static constexpr strided_copy prepare(const shape& x, layout to) {
        return make_copy(x, strides_of(x, relayout_kernel::other(to)), strides_of(x, to));
    }
    static constexpr strided_copy prepare(const node_view& n) {
        return prepare(n.input(0).dims, relayout_kernel::target(n));
    }
};
}  // namespace v1
}  // namespace inlay

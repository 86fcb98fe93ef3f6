// Tile (since 1): the input repeated along its axes. Version 1 repeats it along one axis, which is an input as well, in
// the input's type.
#pragma once
#include <inlay/support/strided_copy.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct tile : standard {
    static constexpr std::string_view onnx_name = "Tile";
    static constexpr version_range versions{1, 13};
    static constexpr auto elements = movable_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_result, .moves = true};
    static constexpr std::optional<std::int64_t> whole_number(const node_view& n, int k) {
        const auto number = n.input_reals(k);
        const double x = number && number->size() == 1 ? (*number)[0] : -1;
        return x >= -max_rank && x < 1e15 && x == double(std::int64_t(x)) ? std::optional(std::int64_t(x))
                                                                          : std::nullopt;
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        const bool old = n.version() < 6;
        if (!n.has_input(1) || (old && !n.has_input(2))) return no("there are no repeats");
        if (x.rank < 0 || (old ? !n.input_reals(1) || !n.input_reals(2) : !n.input_integers(1))) return yes();
        shape repeats = shape::of_rank(x.rank);
        if (old) {
            const auto tiles = whole_number(n, 1), axis = whole_number(n, 2);
            if (!tiles || !axis || normal_axis(*axis, x.rank) < 0)
                return no("the tiles are not a number, or the axis is out of range");
            repeats[normal_axis(*axis, x.rank)] = *tiles;
        } else {
            const auto list = *n.input_integers(1);
            if (list.size() != std::size_t(x.rank)) return no("there is not one number of repeats for each axis");
            std::copy(list.begin(), list.end(), repeats.dims.begin());
        }
        shape s = x;
        for (int i = 0; i < x.rank; ++i) {
            if (repeats[i] < 0) return no("a number of repeats is negative");
            if (s[i] >= 0 && !multiplied(s[i], repeats[i])) return no("the output is too large");
        }
        if (!countable(s)) return no("the output is too large");
        y[0] = s;
        return yes();
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct kernel<op::tile, device::reference, types<T>> : simple_kernel {
    struct params {
        shape x, y, steps;
    };
    static constexpr params prepare(const node_view& n) {
        return {n.input(0).dims, n.output(0).dims, strides_of(n.input(0).dims, layout::plain)};
    }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        for (std::int64_t i = 0, count = p.y.elements(); i < count; ++i) {
            std::int64_t from = 0, rest = i;
            for (int axis = p.y.rank - 1; axis >= 0; --axis) {
                from += rest % p.y[axis] % p.x[axis] * p.steps[axis];
                rest /= p.y[axis];
            }
            movable<T>::move(a.outputs[0], i, a.inputs[0], from);
        }
        return status::ok;
    }
};
template <class Mover>
struct tile_by : Mover {  // on a device that supports a strided_copy, in either layout: an axis that is repeated is two
    struct view {
        shape dims, from, to;
        bool fits = true;
    };
    static constexpr view split(const node_view& n) {
        const shape &x = n.input(0).dims, &y = n.output(0).dims;
        const shape from = strides_of(x, n.input_layout(0)), to = strides_of(y, n.output_layout(0));
        view v;
        const auto add = [&](std::int64_t size, std::int64_t s, std::int64_t t) {
            if (size == 1) return;
            if (v.dims.rank == max_rank) {
                v.fits = false;
                return;
            }
            v.dims.push_back(size);
            v.from.push_back(s);
            v.to.push_back(t);
        };
        for (int i = 0; i < x.rank; ++i) {
            add(x[i] ? y[i] / x[i] : 0, 0, to[i] * x[i]);
            add(x[i], from[i], to[i]);
        }
        return v;
    }
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr verdict supports(const node_view& n) {
        return split(n).fits ? yes() : no("too many axes are repeated");
    }
    static constexpr strided_copy prepare(const node_view& n) {
        const view v = split(n);
        return make_copy(v.dims, v.from, v.to);
    }
};
}  // namespace v1
}  // namespace inlay

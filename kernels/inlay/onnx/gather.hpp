// Gather (since 1): y[i, j, k] = x[i, indices[j], k], the indices' axes in place of the gathered one;
// negative indices count from the end.
#pragma once
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct gather : standard {
    static constexpr std::string_view onnx_name = "Gather";
    static constexpr version_range versions{1, 13};
    static constexpr auto elements = movable_types;
    static constexpr operator_facts facts{
        .folding = fold_cost::of_result, .keeps_names = true, .moves = true, .reads = reading::selected};
    static constexpr int axis(const node_view& n) { return normal_axis(n.integer("axis", 0), n.input(0).dims.rank); }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(1)) return no("there are no indices");
        const shape &x = n.input(0).dims, &indices = n.input(1).dims;
        if (x.rank < 0) return yes();
        const int a = axis(n);
        if (a < 0) return no("axis is out of range");
        if (indices.rank < 0) return yes();
        if (x.rank - 1 + indices.rank > max_rank) return no("the output has more than 8 dimensions");
        shape s;
        for (int i = 0; i < a; ++i) s.push_back(x[i]);
        for (const std::int64_t d : indices) s.push_back(d);
        for (int i = a + 1; i < x.rank; ++i) s.push_back(x[i]);
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
struct gather_kernel : simple_kernel {
    struct params {
        std::int64_t outer, length, inner, count;  // length: of the axis; inner: elements of a row; count: of indices
        bool wide;                                 // int64 indices
        std::int64_t elements() const { return outer * count * inner; }
        std::int64_t index(const arguments& a, std::int64_t i) const {
            const std::int64_t k = wide ? a.in<std::int64_t>(1)[i] : a.in<std::int32_t>(1)[i];
            return k < 0 ? k + length : k;
        }
        bool valid(const arguments& a) const {
            for (std::int64_t i = 0; i < count; ++i)
                if (const std::int64_t k = index(a, i); k < 0 || k >= length) return false;
            return true;
        }
    };
    static constexpr verdict supports(const node_view& n) {
        return n.input(1).type == element::i32 || n.input(1).type == element::i64
                   ? yes()
                   : no("the indices are neither int32 nor int64");
    }
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        const int axis = op::gather::axis(n);
        return {x.elements(0, axis), x[axis], x.elements(axis + 1), n.input(1).dims.elements(),
                n.input(1).type == element::i64};
    }
};
template <class T> struct kernel<op::gather, device::reference, types<T>> : gather_kernel {
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (!p.valid(a)) return c.fail("an index is out of range");
        for (std::int64_t o = 0; o < p.outer; ++o)
            for (std::int64_t i = 0; i < p.count; ++i)
                movable<T>::copy(a.outputs[0], (o * p.count + i) * p.inner, a.inputs[0],
                                 (o * p.length + p.index(a, i)) * p.inner, p.inner);
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

// Transpose (since 1): axis i of the output is axis perm[i] of the input; without perm the axes are reversed.
#pragma once
#include <inlay/support/strided_copy.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct transpose : standard {
    static constexpr std::string_view onnx_name = "Transpose";
    static constexpr version_range versions{1, 25};
    static constexpr auto elements = movable_types;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .keeps_names = true, .moves = true};
    static constexpr int axis(const node_view& n, int i) {  // of the input; the input's rank is known
        const auto perm = n.integers("perm");
        return perm.empty() ? n.input(0).dims.rank - 1 - i : int(perm[std::size_t(i)]);
    }
    static constexpr shape permuted(const node_view& n, const shape& x) {
        shape s;
        for (int i = 0; i < x.rank; ++i) s.push_back(x[axis(n, i)]);
        return s;
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        if (x.rank < 0) return yes();
        const auto perm = n.integers("perm");
        if (!perm.empty() && perm.size() != std::size_t(x.rank))
            return no("perm has another length than the input's rank");
        std::array<bool, max_rank> in_use{};
        for (const std::int64_t p : perm) {
            if (p < 0 || p >= x.rank || in_use[std::size_t(p)]) return no("perm is not a permutation of the axes");
            in_use[std::size_t(p)] = true;
        }
        y[0] = permuted(n, x);
        return yes();
    }
    static constexpr bool passes_through(const node_view& n) {
        const auto perm = n.integers("perm");
        if (!n.has("perm")) return n.input(0).dims.rank == 0 || n.input(0).dims.rank == 1;
        for (std::size_t i = 0; i < perm.size(); ++i)
            if (perm[i] != std::int64_t(i)) return false;
        return true;
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct kernel<op::transpose, device::reference, types<T>> : simple_kernel {
    struct params {
        shape dims, from;
    };
    static constexpr params prepare(const node_view& n) {
        return {n.output(0).dims, op::transpose::permuted(n, strides_of(n.input(0).dims, layout::plain))};
    }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        copy_strided<T>(a.outputs[0], a.inputs[0], 0, p.dims, p.from);
        return status::ok;
    }
};
// On a device that supports a strided_copy: reads its input in either layout, so that it needs no conversion.
template <class Mover> struct transpose_by : Mover {
    static constexpr layout_rule layouts(
        const node_view& n) {  // [0,3,1,2], into which exporters wrap their channels, is a copy in that layout
        const auto perm = n.integers("perm");
        constexpr std::int64_t wrap[] = {0, 3, 1, 2};
        const bool wraps = std::equal(perm.begin(), perm.end(), std::begin(wrap), std::end(wrap));
        return wraps ? layout_rule{layout::plain, layout::channels_last} : layout_rule{layout::any, layout::plain};
    }
    static constexpr strided_copy prepare(const node_view& n) {
        const shape& y = n.output(0).dims;
        return make_copy(y, op::transpose::permuted(n, strides_of(n.input(0).dims, n.input_layout(0))),
                         strides_of(y, n.output_layout(0)));
    }
};
}  // namespace v1
}  // namespace inlay

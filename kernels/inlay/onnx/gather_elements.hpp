// GatherElements (since 11): y[i, j, k] = x[i, indices[i, j, k], k], where axis is 1; negative indices count from the
// end.
#pragma once
#include <inlay/support/indices.hpp>
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct gather_elements : standard {
    static constexpr std::string_view onnx_name = "GatherElements";
    static constexpr version_range versions{11, 13};
    static constexpr auto elements = whole_byte_types;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.folding = fold_cost::of_result, .moves = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        y[0] = n.input(1).dims;
        return check_index_elements(n);
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
template <class T> struct kernel<op::gather_elements, device::reference, types<T>> : simple_kernel {
    using params = index_elements;
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (!p.valid(a)) return c.fail("an index is out of range");
        c.split(p.rows(), 1 + 16384 / std::max<std::int64_t>(p.columns(), 1),
                [&](std::int64_t first, std::int64_t end, int) noexcept {
                    p.each(a, first, end, [&](std::int64_t i, std::int64_t position) {
                        movable<T>::move(a.outputs[0], i, a.inputs[0], position);
                    });
                });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

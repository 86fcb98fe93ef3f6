// What orders or sums elements along one axis, as primitives.
#include "canonical.hpp"
#include <inlay/onnx/top_k.hpp>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
int axis_of(const node_lowering& a, std::int64_t raw_axis) {
    const int axis = normal_axis(raw_axis, a.n.input(0).dims.rank);
    if (axis < 0) refuse("axis is out of range");
    return axis;
}
template <reduction Does> void lower_arg(node_lowering& a) {
    const operand x = a.input(0);
    const int axis = axis_of(a, a.n.integer("axis", 0));
    shape dims = x.dims;
    dims[axis] = 1;
    const bool last_of_equals = a.n.integer("select_last_index", 0) != 0;
    if (!a.has_short_places()) return a.add(arg_prim{Does, x, a.result(dims), axis, last_of_equals});
    const operand y = a.result();
    operand like = y;
    like.type = element::i32;
    const operand indices = a.between(dims, like), shaped = a.between(y.dims, like);
    a.add(arg_prim{Does, x, indices, axis, last_of_equals});
    a.add(reshape_prim{indices, shaped});
    a.add(cast_prim{shaped, y});
}
void lower_top_k(node_lowering& a) {
    const auto k = op::top_k::k(a.n);
    if (!k) refuse("k is no constant");
    const operand x = a.input(0);
    const int axis = axis_of(a, a.n.integer("axis", -1));
    shape dims = x.dims;
    dims[axis] = *k;
    a.add(top_k_prim{x, a.optional_result(0, dims, x.type), a.optional_result(1, dims, element::i64), axis, *k,
                     a.n.integer("largest", 1) != 0, a.is_wanted(1)});
}
void lower_cumulative_sum(node_lowering& a) {
    const auto axes = a.n.input_integers(1);
    if (!axes || axes->size() != 1) refuse("its axis is no constant");
    a.add(cumulative_sum_prim{a.input(0), a.result(), axis_of(a, (*axes)[0]), a.n.integer("exclusive", 0) != 0,
                              a.n.integer("reverse", 0) != 0});
}
}  // namespace

std::span<const source> axis_sources() {
    static constexpr source sources[] = {
        {"ArgMax", kind::arg, int(reduction::max), lower_arg<reduction::max>},
        {"ArgMin", kind::arg, int(reduction::min), lower_arg<reduction::min>},
        {"CumSum", kind::cumulative_sum, -1, lower_cumulative_sum},
        {"TopK", kind::top_k, -1, lower_top_k},
    };
    return sources;
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay

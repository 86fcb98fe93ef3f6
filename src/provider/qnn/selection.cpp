// Which elements are largest, elements that constant indices name, and sums of those before.
#include "lowering.hpp"
#include <inlay/onnx/cum_sum.hpp>
#include <inlay/onnx/top_k.hpp>
#include <provider/move_rules.hpp>

namespace inlay {
inline namespace v1 {
namespace {
using numbers = std::vector<std::int64_t>;

int axis_of(const node_view& n, std::int64_t otherwise) {
    return normal_axis(n.integer("axis", otherwise), n.input(0).dims.rank);
}
// QNN's indices are of 32 bits, and those of 64 are not turned.
void lower_arg(qnn_lowering& l, const node_view& n) {
    if (n.integer("select_last_index", 0)) refuse("QNN gives the first of equal elements");
    const bool keep = n.integer("keepdims", 1) != 0;
    const int in = l.input(n, 0), y = l.output(n), found = l.inner(l.dims(y), element::i32);
    l.add(n.record.op == "ArgMax" ? "Argmax" : "Argmin", {in}, {found},
          {l.natural("axis", axis_of(n, 0)), l.truth("keep_dims", keep)});
    l.add("Cast", {found}, {y});
}
void lower_top_k(qnn_lowering& l, const node_view& n) {
    const shape& x = n.input(0).dims;
    if (axis_of(n, -1) != x.rank - 1) refuse("QNN has it along the last axis");
    if (n.has_output(1) && l.is_wanted(n.output_id(1)))
        refuse("QNN has equal elements in another order, with other indices");
    const auto k = op::top_k::k(n);
    if (!k) refuse("QNN's k is a constant");
    const int in = l.input(n, 0), y = l.output(n), places = l.inner(l.dims(y), element::i32);
    l.add("TopK", {in}, {y, places}, {l.natural("k", *k), l.truth("largest", n.integer("largest", 1) != 0)});
}
void lower_gather_elements(qnn_lowering& l, const node_view& n) {
    const shape& x = n.input(0).dims;
    const int axis = axis_of(n, 0);
    const numbers places = constant_places(n, x[axis], "QNN");
    if (n.output(0).type != element::i32) l.require_half_floats();
    const int in = l.input(n, 0), indices = l.signed_list("indices", places, n.input(1).dims).tensor;
    l.add("GatherElements", {in, indices}, {l.output(n)}, {l.natural("axis", axis)});
}
void lower_gather_nd(qnn_lowering& l, const node_view& n) {
    if (n.integer("batch_dims", 0)) refuse("QNN computes other results where there are batches");
    const shape &x = n.input(0).dims, &i = n.input(1).dims;
    const numbers lengths(x.begin(), x.begin() + i[i.rank - 1]);
    if (lengths.empty()) refuse("its indices have no coordinates");
    const numbers places = constant_places(n, lengths, "QNN");
    const int in = l.input(n, 0), indices = l.signed_list("indices", places, i).tensor;
    l.add("GatherNd", {in, indices}, {l.output(n)}, {l.natural("batch_dims", 0)});
}
void lower_cumulative_sum(qnn_lowering& l, const node_view& n) {
    const auto given = n.input_integers(1);
    if (!n.is_constant(1) || !given) refuse("QNN's axis is a constant");
    const bool exclusive = n.integer("exclusive", 0) != 0, reverse = n.integer("reverse", 0) != 0;
    if (n.output(0).type != element::i32) {
        if (exclusive || reverse) refuse("QNN has no such sums of floats");
        l.require_half_floats();
    }
    const int in = l.input(n, 0);
    l.add("CumulativeSum", {in}, {l.output(n)},
          {l.natural("axis", normal_axis((*given)[0], n.input(0).dims.rank)), l.truth("exclusive", exclusive),
           l.truth("reverse", reverse)});
}
}  // namespace

std::span<const qnn_rule> qnn_selection_rules() {
    static constexpr element_set places = element_set::of({element::i64});
    static constexpr qnn_rule rules[] = {
        {"ArgMax", lower_arg, places},
        {"ArgMin", lower_arg, places},
        {"CumSum", lower_cumulative_sum, qnn_integers},
        {"GatherElements", lower_gather_elements, qnn_integers},
        {"GatherND", lower_gather_nd, qnn_integers},
        {"TopK", lower_top_k, places},
    };
    return rules;
}
}  // namespace v1
}  // namespace inlay

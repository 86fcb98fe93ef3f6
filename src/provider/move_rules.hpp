// What libraries that cut forwards and pad with a constant ask of Slice and Pad, and all of what passes on its input.
#pragma once
#include <inlay/onnx/reshape.hpp>
#include <inlay/onnx/slice.hpp>
#include <provider/node_writer.hpp>

namespace inlay {
inline namespace v1 {
// The first result has the elements of the first input, and no other is wanted: a Dropout must not be training, for
// one. Throws refused_node.
template <class Writer> void require_same(const node_writer_to<Writer>& a) {
    if (a.n.record.op == "Dropout" && !op::dropout::passes_through(a.n)) refuse("it may be training");
    if (!a.only_first_output()) refuse("a second result is wanted");
}
// What Slice takes; throws refused_node, where that is known only while it runs, or has a step below 0.
inline op::slice::cut forward_cut(const node_view& n) {
    op::slice::cut c;
    require(op::slice::read(n, c));
    if (!c.known) refuse("starts, ends, axes and steps are no constants");
    for (int i = 0; i < c.dims.rank; ++i)
        if (c.step[i] < 0) refuse("a step is " + std::to_string(c.step[i]) + ": it goes backwards");
    return c;
}
// The constant that Pad pads with; throws refused_node.
inline float padded_with(const node_view& n) {
    if (!n.has_input(2)) return float(n.real("value", 0));
    const auto given = n.input_reals(2);
    if (!given || given->size() != 1) refuse("the constant that it pads with is known only while it runs, or no float");
    return float((*given)[0]);
}
}  // namespace v1
}  // namespace inlay

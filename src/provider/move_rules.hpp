// What libraries that cut forwards, pad with a constant and do not check indices ask of Slice, Pad and Gather, and all
// of what passes on its input.
#pragma once
#include <inlay/onnx/pad.hpp>
#include <inlay/onnx/reshape.hpp>
#include <inlay/onnx/slice.hpp>
#include <provider/node_writer.hpp>
#include <vector>

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
// The axes of Pad, of which one may still be cut; throws refused_node, where they are known only while it runs.
inline pad_axes known_pads(const node_view& n) {
    pad_axes axes;
    require(op::pad::read(n, axes));
    if (!axes.known) refuse("its pads are no constant");
    return axes;
}
// The constant that Pad pads with; throws refused_node.
inline float padded_with(const node_view& n) {
    if (!n.has_input(2)) return float(n.real("value", 0));
    const auto given = n.input_reals(2);
    if (!given || given->size() != 1) refuse("the constant that it pads with is known only while it runs, or no float");
    return float((*given)[0]);
}
// The indices that are input 1, from the begin of what they are of: the k-th is into lengths[k % lengths.size()].
// Throws refused_node, where one is out of range or they are known only while it runs, when the library does not check
// them.
inline std::vector<std::int64_t> constant_places(const node_view& n, std::span<const std::int64_t> lengths,
                                                 std::string_view library) {
    const auto indices = n.input_integers(1);
    if (!n.is_constant(1) || !indices)
        refuse("its indices are no small constant, and " + std::string(library) + " does not check them");
    std::vector<std::int64_t> places;
    for (const std::int64_t i : *indices) {
        const std::int64_t length = lengths[places.size() % lengths.size()];
        if (i < -length || i >= length) refuse("index " + std::to_string(i) + " is out of range");
        places.push_back(i < 0 ? i + length : i);
    }
    return places;
}
inline std::vector<std::int64_t> constant_places(const node_view& n, std::int64_t length, std::string_view library) {
    return constant_places(n, std::span(&length, 1), library);  // along one axis
}
}  // namespace v1
}  // namespace inlay

// What only moves elements, or gives them other dimensions; and images of other sizes.
#include "lowering.hpp"
#include <inlay/onnx/concat.hpp>
#include <inlay/onnx/gather.hpp>
#include <inlay/onnx/pad.hpp>
#include <inlay/onnx/reshape.hpp>
#include <inlay/onnx/slice.hpp>
#include <inlay/onnx/split.hpp>
#include <algorithm>
#include <cmath>
#include <provider/move_rules.hpp>
#include <provider/resize_rules.hpp>

namespace inlay {
inline namespace v1 {
namespace {
using order = qnn_lowering::order;
using numbers = std::vector<std::int64_t>;

void lower_reshape(qnn_lowering& l, const node_view& n) {
    if (n.record.op == "Dropout") {
        if (n.has_output(1)) refuse("QNN has no mask of Dropout");
        if (!op::dropout::passes_through(n)) refuse("it may be training");
    }
    const int x = l.input(n, 0);
    l.add("Reshape", {x}, {l.output(n)});
}
void lower_transpose(qnn_lowering& l, const node_view& n) {
    const int rank = n.input(0).dims.rank;
    const auto perm = n.integers("perm");
    numbers places(perm.begin(), perm.end());
    for (int i = 0; perm.empty() && i < rank; ++i) places.push_back(rank - 1 - i);
    const int x = l.input(n, 0);
    l.add("Transpose", {x}, {l.output(n)}, {l.list("perm", places)});
}
void lower_concat(qnn_lowering& l, const node_view& n) {
    const shape& y = n.output(0).dims;
    const order o = y.rank == 4 ? l.order_of(n) : order::plain;
    std::vector<int> parts;
    for (int k = 0; k < n.input_count(); ++k) parts.push_back(l.operand(n, k, y.rank, o));
    const int axis = qnn_axis(op::concat::axis(n, y.rank), y, o);
    l.add("Concat", std::move(parts), {l.output(n, 0, o)}, {l.natural("axis", axis)});
}
void lower_slice(qnn_lowering& l, const node_view& n) {
    op::slice::cut c;
    if (const verdict v = op::slice::read(n, c); !v) refuse(std::string(v.reason));
    if (!c.known) refuse("QNN's parts begin and end at constants");
    const shape& x = n.input(0).dims;
    if (x.rank == 0) refuse("it has no axes");
    const order o = l.order_of(n);
    numbers ranges(std::size_t(3 * x.rank));
    for (int i = 0; i < x.rank; ++i) {
        if (c.step[i] < 1) refuse("QNN's parts have steps forwards");
        const auto at = std::size_t(3 * qnn_axis(i, x, o));
        ranges[at] = c.start[i];
        ranges[at + 1] = std::min(x[i], c.start[i] + c.dims[i] * c.step[i]);
        ranges[at + 2] = c.step[i];
    }
    const int in = l.input(n, 0, o);
    l.add("StridedSlice", {in}, {l.output(n, 0, o)}, {l.signed_list("ranges", ranges, {x.rank, 3})});
}
void lower_split(qnn_lowering& l, const node_view& n) {
    const shape& x = n.input(0).dims;
    const order o = l.order_of(n);
    const int axis = op::split::axis(n), in = l.input(n, 0, o);
    numbers begins;
    std::vector<int> parts;
    std::int64_t begin = 0;
    for (int k = 0; k < n.output_count(); ++k) {
        const auto length = op::split::length(n, x[axis], k);
        if (!length) refuse("QNN's parts have constant lengths");
        if (!n.has_output(k)) refuse("it does not give all of its parts");
        if (k > 0) begins.push_back(begin);
        begin += *length;
        parts.push_back(l.output(n, k, o));
    }
    if (begins.empty()) refuse("it has one part");
    l.add("Split", {in}, std::move(parts), {l.natural("axis", qnn_axis(axis, x, o)), l.list("split_index", begins)});
}
// Blocks of pixels beside channels.
void lower_blocks(qnn_lowering& l, const node_view& n) {
    if (n.input(0).dims.rank != 4) refuse("it is not of images");
    const bool channels_behind = n.text("mode", "DCR") == "DCR";
    const std::int64_t block = n.integer("blocksize", 1);
    const numbers size{block, block};
    const int x = l.input(n, 0, order::channels_last);
    l.add(n.record.op, {x}, {l.output(n, 0, order::channels_last)},
          {l.list("block_size", size), l.natural("mode", channels_behind ? 0 : 1)});
}
void lower_gather(qnn_lowering& l, const node_view& n) {
    const shape& x = n.input(0).dims;
    const int axis = op::gather::axis(n);
    const numbers places = constant_places(n, x[axis], "QNN");
    if (places.size() > 1 && !l.on_codes() && n.output(0).type != element::i32)
        l.require_half_floats();  // else its graph cannot be finished
    const bool keeps_axes = n.input(1).dims.rank == 1;
    const order o = keeps_axes ? l.order_of(n) : order::plain;
    const int in = l.input(n, 0, o), y = l.output(n, 0, o), indices = l.signed_list("indices", places).tensor;
    shape joined = x;  // the result with the indices as one axis
    joined[axis] = std::int64_t(places.size());
    const int made = keeps_axes ? y : l.inner(joined, y);
    l.add("Gather", {in, indices}, {made}, {l.integer("axis", qnn_axis(axis, x, o))});
    if (!keeps_axes) l.add("Reshape", {made}, {y});
}
void add_tile(qnn_lowering& l, const node_view& n, const shape& as) {
    const shape& y = n.output(0).dims;
    const int x = l.reshaped(l.input(n, 0), as);
    numbers multiples;
    for (int i = 0; i < as.rank; ++i) multiples.push_back(y[i] / as[i]);
    if (std::ranges::count(multiples, 1) == as.rank) return l.add("Reshape", {x}, {l.output(n)});
    l.add("Tile", {x}, {l.output(n)}, {l.list("multiples", multiples)});
}
void lower_tile(qnn_lowering& l, const node_view& n) {
    if (n.input(0).dims.rank == 0) refuse("it has no axes");
    add_tile(l, n, n.input(0).dims);
}
void lower_expand(qnn_lowering& l, const node_view& n) {
    const shape& x = n.input(0).dims;
    shape as;  // with axes of 1 in front
    for (int i = x.rank; i < n.output(0).dims.rank; ++i) as.push_back(1);
    for (const std::int64_t d : x) as.push_back(d);
    if (as.rank == 0) refuse("it has no axes");
    add_tile(l, n, as);
}
qnn_program::parameter pad_constant(const qnn_lowering& l, const node_view& n) {
    constexpr float most = 65504;  // of floats of 16 bits
    const float value = padded_with(n);
    if (!(std::abs(value) <= most)) refuse("it pads with a number that floats of 16 bits have not");
    if (!l.on_codes()) return l.real("pad_constant_value", value);
    const quantisation q = *l.codes_of_input(n, 0);
    const float least_code = q.type == element::i8 ? -128.f : 0.f,
                code = std::nearbyint(value / q.scales[0]) + float(q.zero);
    return l.integer("pad_constant_value", std::int32_t(std::clamp(code, least_code, least_code + 255)));
}
void lower_pad(qnn_lowering& l, const node_view& n) {
    if (op::pad::mode(n) != padding::constant)
        refuse("mode is " + std::string(n.text("mode", "constant")) + ", and QNN pads with a constant here");
    const pad_axes axes = known_pads(n);
    const shape& x = n.input(0).dims;
    if (x.rank == 0) refuse("it has no axes");
    const order o = l.order_of(n);
    numbers pads(std::size_t(2 * x.rank));
    for (int i = 0; i < x.rank; ++i) {
        const pad_axis& p = axes.list[std::size_t(i)];
        if (p.length != p.input) refuse("a pad is negative");
        const auto at = std::size_t(2 * qnn_axis(i, x, o));
        pads[at] = p.at;
        pads[at + 1] = p.size - p.at - p.length;
    }
    // Else there are readers with which it cannot be finished, and behind decoders it pads with other numbers.
    if (!l.on_codes()) l.require_half_floats();
    constexpr int with_a_constant = 0;
    const int in = l.input(n, 0, o);
    l.add("Pad", {in}, {l.output(n, 0, o)},
          {l.natural("scheme", with_a_constant), l.list("pad_amount", pads, {x.rank, 2}), pad_constant(l, n)});
}
void lower_resize(qnn_lowering& l, const node_view& n) {
    using namespace resizing;
    geometry p;
    if (const std::string_view fault = read(n, p); !fault.empty()) refuse(std::string(fault));
    if (p.x.rank != 4) refuse("it is not of images");
    if (!p.decided || p.keep != policy::stretch) refuse("its sizes keep the aspect ratio, which QNN has not");
    require_resizing(n, p, "QNN", "is not QNN's");
    const bool corners = p.where == coordinates::align_corners,
               centers = !corners && p.where != coordinates::asymmetric, nearest = p.mode == interpolation::nearest;
    if (nearest && !l.on_codes()) l.require_half_floats();  // else there are readers with which it cannot be finished
    const int x = l.input(n, 0, order::channels_last);
    l.add(nearest ? "ResizeNearestNeighbor" : "ResizeBilinear", {x}, {l.output(n, 0, order::channels_last)},
          {l.truth("align_corners", corners), l.truth("half_pixel_centers", centers)});
}
}  // namespace

std::span<const qnn_rule> qnn_movement_rules() {
    static constexpr qnn_rule rules[] = {
        {"Concat", lower_concat, qnn_integers_and_truth},
        {"DepthToSpace", lower_blocks},
        {"Dropout", lower_reshape},
        {"Expand", lower_expand, qnn_integers_and_truth},
        {"Flatten", lower_reshape, qnn_integers_and_truth},
        {"Gather", lower_gather, qnn_integers_and_truth},
        {"Identity", lower_reshape, qnn_integers_and_truth},
        {"Pad", lower_pad},
        {"Reshape", lower_reshape, qnn_integers_and_truth},
        {"Resize", lower_resize},
        {"Slice", lower_slice, qnn_integers_and_truth},
        {"SpaceToDepth", lower_blocks},
        {"Split", lower_split, qnn_integers_and_truth},
        {"Squeeze", lower_reshape, qnn_integers_and_truth},
        {"Tile", lower_tile, qnn_integers_and_truth},
        {"Transpose", lower_transpose, qnn_integers_and_truth},
        {"Unsqueeze", lower_reshape, qnn_integers_and_truth},
        {"Upsample", lower_resize},
    };
    return rules;
}
}  // namespace v1
}  // namespace inlay

// What moves elements: shapes, parts, joins, borders, images of other sizes; and what encodes floats to 8 bits.
#include "model.hpp"
#include <inlay/onnx/gather.hpp>
#include <inlay/onnx/pad.hpp>
#include <inlay/onnx/reshape.hpp>
#include <inlay/onnx/split.hpp>
#include <inlay/onnx/transpose.hpp>
#include <algorithm>
#include <cmath>
#include <provider/move_rules.hpp>
#include <provider/resize_rules.hpp>

namespace inlay {
inline namespace v1 {
namespace nnapi_rules {
namespace {
using list = std::vector<std::int32_t>;

void write_same(const node_writer& a) {
    require_same(a);
    const stream x = a.input(0);
    a.put(a.to.reshaped(x, with_dims(x.info, a.n.output(0).dims)));
}
void write_encoder(const node_writer& a) {
    const stream x = a.input(0);
    a.put(a.to.operation(QUANTIZE, {x.operand}, {x.info.dims, a.output_info().type, x.info.order}));
}
void write_transpose(const node_writer& a) {
    list axes;
    for (int i = 0; i < a.n.input(0).dims.rank; ++i) axes.push_back(op::transpose::axis(a.n, i));
    if (axes.size() < 2) return write_same(a);
    a.put(a.to.operation(TRANSPOSE, {a.plain(0).operand, a.to.integers(axes)}, a.result(layout::plain)));
}
void write_concat(const node_writer& a) {
    const int rank = a.n.output(0).dims.rank;
    bool last = false, constants = false;
    for (int k = 0; k < a.n.input_count(); ++k) {
        constants |= a.n.is_constant(k);
        last |= !a.n.is_constant(k) && a.to.is_channels_last(a.n.input_id(k));
    }
    const layout order = last && !constants ? layout::channels_last : layout::plain;
    std::vector<std::uint32_t> inputs;
    for (int k = 0; k < a.n.input_count(); ++k) inputs.push_back(a.to.value(a.n.input_id(k), order).operand);
    const int axis = normal_axis(a.n.integer("axis", 1), rank);
    inputs.push_back(a.to.scalar(std::int32_t(place_of_axis(axis, order))));
    a.put(a.to.operation(CONCATENATION, inputs, a.result(order)));
}

// Elements first, first + step, ... along each axis, as many as y has.
stream cut(const node_writer& a, const stream& x, const list& first, const list& step, const shape& y) {
    list end;
    for (int i = 0; i < y.rank; ++i) {
        const auto at = std::size_t(i);
        end.push_back(first[at] + (std::int32_t(y[i]) - 1) * step[at] + 1);
    }
    const layout order = x.info.order;
    const auto part = [&](const list& by_axis) { return a.to.integers(in_order(by_axis, order)); };
    const std::uint32_t none = a.to.scalar(std::int32_t(0));  // of the masks
    return a.to.operation(STRIDED_SLICE, {x.operand, part(first), part(end), part(step), none, none, none},
                          {y, x.info.type, order});
}
void write_split(const node_writer& a) {
    const stream x = a.input(0);
    const int rank = x.info.dims.rank, axis = op::split::axis(a.n);
    list first(std::size_t(rank), 0);
    for (int k = 0; k < a.n.output_count(); ++k) {
        if (!a.n.has_output(k)) refuse("one of its results has no name");
        const shape& y = a.n.output(k).dims;
        (void)a.output_info(k);
        a.put(cut(a, x, first, list(std::size_t(rank), 1), y), k);
        first[std::size_t(axis)] += std::int32_t(y[axis]);
    }
}
void write_slice(const node_writer& a) {
    const op::slice::cut c = forward_cut(a.n);
    (void)a.output_info();
    list first, step;
    for (int i = 0; i < c.dims.rank; ++i) {
        first.push_back(std::int32_t(c.start[i]));
        step.push_back(std::int32_t(std::min<std::int64_t>(c.step[i], a.n.input(0).dims[i])));
    }
    a.put(cut(a, a.input(0), first, step, c.dims));
}
void write_pad(const node_writer& a) {
    if (op::pad::mode(a.n) != padding::constant)
        refuse("mode is " + std::string(a.n.text("mode", "constant")) + ", and NNAPI pads with a constant here");
    const pad_axes axes = known_pads(a.n);
    const float value = padded_with(a.n);
    const stream x = a.input(0);
    std::vector<std::array<std::int32_t, 2>> pads;
    for (int i = 0; i < x.info.dims.rank; ++i) {
        const pad_axis& p = axes.list[std::size_t(i)];
        if (p.length != p.input) refuse("a pad is negative");
        pads.push_back({std::int32_t(p.at), std::int32_t(p.size - p.at - p.length)});
    }
    if (pads.empty()) return write_same(a);
    list table;
    for (const auto& [before, after] : in_order(pads, x.info.order)) table.insert(table.end(), {before, after});
    std::vector<std::uint32_t> inputs{x.operand, a.to.integer_table(table, 2)};
    if (value != 0) inputs.push_back(a.to.scalar(value));
    a.put(a.to.operation(value != 0 ? PAD_V2 : PAD, inputs, a.result(x.info.order)));
}
void write_gather(const node_writer& a) {
    const int axis = op::gather::axis(a.n);
    const shape& dims = a.n.input(0).dims;
    const auto all = constant_places(a.n, dims[axis], "NNAPI");
    const list places(all.begin(), all.end());
    if (places.empty()) refuse("it gathers nothing");
    shape joined = dims;  // the result with the indices as one axis
    joined[axis] = std::int64_t(places.size());
    const stream x = a.plain(0);
    a.put(a.to.operation(GATHER, {x.operand, a.to.scalar(std::int32_t(axis)), a.to.integers(places)},
                         {joined, x.info.type}));
}
template <operation_code Code> void write_blocks(const node_writer& a) {
    if (a.n.text("mode", "DCR") != "DCR") refuse("mode is CRD, and NNAPI's operation has DCR");
    std::vector<std::uint32_t> inputs{a.image().operand, a.to.scalar(std::int32_t(a.n.integer("blocksize", 1)))};
    a.add_order(inputs);
    a.put(a.to.operation(Code, inputs, a.result(a.to.image_order())));
}

void write_resize(const node_writer& a) {
    using namespace resizing;
    geometry p;
    if (const std::string_view fault = read(a.n, p); !fault.empty()) refuse(std::string(fault));
    a.require_image();
    if (!p.decided || p.keep != policy::stretch) refuse("its sizes keep the aspect ratio, which NNAPI has not");
    require_resizing(a.n, p, "NNAPI", "is not NNAPI's");
    const bool corners = p.where == coordinates::align_corners,
               centers = !corners && p.where != coordinates::asymmetric;
    const shape& y = a.n.output(0).dims;
    std::vector<std::uint32_t> inputs{a.image().operand, a.to.scalar(std::int32_t(y[3])),
                                      a.to.scalar(std::int32_t(y[2]))};
    a.add_order(inputs);
    if (corners || centers) {
        a.to.require_level(30, "images resized by aligned corners or pixels' centers");
        for (bool flag : {corners, centers}) inputs.push_back(a.to.scalar(flag));
    }
    const std::int32_t code = p.mode == interpolation::nearest ? RESIZE_NEAREST_NEIGHBOR : RESIZE_BILINEAR;
    a.put(a.to.operation(code, inputs, a.result(a.to.image_order())));
}
}  // namespace

std::span<const named_writer> movement_writers() {
    static constexpr named_writer all[] = {{"Concat", write_concat},
                                           {"DepthToSpace", write_blocks<DEPTH_TO_SPACE>},
                                           {"Dropout", write_same},
                                           {"Flatten", write_same},
                                           {"Gather", write_gather},
                                           {"Identity", write_same},
                                           {"Pad", write_pad},
                                           {"QuantizeLinear", write_encoder},
                                           {"Reshape", write_same},
                                           {"Resize", write_resize},
                                           {"Slice", write_slice},
                                           {"SpaceToDepth", write_blocks<SPACE_TO_DEPTH>},
                                           {"Split", write_split},
                                           {"Squeeze", write_same},
                                           {"Transpose", write_transpose},
                                           {"Unsqueeze", write_same},
                                           {"Upsample", write_resize}};
    return all;
}
}  // namespace nnapi_rules
}  // namespace v1
}  // namespace inlay

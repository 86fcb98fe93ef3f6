// What moves elements: shapes, parts, joins, borders; and floats as floats of other bits.
#include "graph.hpp"
#include <inlay/onnx/concat.hpp>
#include <inlay/onnx/gather.hpp>
#include <inlay/onnx/pad.hpp>
#include <inlay/onnx/reshape.hpp>
#include <inlay/onnx/slice.hpp>
#include <inlay/onnx/split.hpp>
#include <inlay/onnx/transpose.hpp>
#include <provider/move_rules.hpp>

namespace inlay {
inline namespace v1 {
namespace dml_rules {
namespace {
void write_same(const node_writer& a) {
    require_same(a);
    a.put(a.input(0));
}
void write_cast(const node_writer& a) {
    const stream x = a.input(0);
    const tensor_info y = a.output_info();
    if (x.info.type == y.type) return a.put(x);
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const dml_activation d{in, m.out(y)};
    a.put(m.made(DML_OPERATOR_CAST, &d));
}
void write_transpose(const node_writer& a) {
    const stream x = a.input(0);
    const shape own = strides_of(x.info.dims, layout::plain);
    shape sizes = own, strides = own;
    for (int i = 0; i < own.rank; ++i) {
        const int axis = op::transpose::axis(a.n, i);
        sizes[i] = x.info.dims[axis];
        strides[i] = own[axis];
    }
    a.put(strided_copy(a, x, sizes, strides));
}
void write_expand(const node_writer& a) {
    const stream x = a.input(0);
    const shape own = strides_of(x.info.dims, layout::plain), sizes = a.output_info().dims;
    shape strides = shape::of_rank(sizes.rank, 0);
    for (int i = 0; i < own.rank; ++i)
        if (x.info.dims[i] != 1) strides[sizes.rank - own.rank + i] = own[i];
    a.put(strided_copy(a, x, sizes, strides));
}
void write_tile(const node_writer& a) {
    if (a.n.version() < 6) refuse("version 1 of it repeats one axis");
    const stream x = a.input(0);
    const tensor_info y = a.output_info();
    std::vector<UINT> repeats;
    for (int i = 0; i < y.dims.rank; ++i) repeats.push_back(UINT(y.dims[i] / x.info.dims[i]));
    if (repeats.empty()) return a.put(x);
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const dml_tile d{in, m.out(y), UINT(repeats.size()), m.list(repeats)};
    a.put(m.made(DML_OPERATOR_TILE, &d));
}
void write_concat(const node_writer& a) {
    const tensor_info y = a.output_info();
    operator_maker m(a.to);
    std::vector<DML_TENSOR_DESC> parts;
    for (int k = 0; k < a.n.input_count(); ++k) parts.push_back(*m.in(a.input(k)));
    if (parts.size() == 1) return a.put(a.input(0));
    const dml_join d{UINT(parts.size()), parts.data(), m.out(y), UINT(op::concat::axis(a.n, a.rank()))};
    a.put(m.made(DML_OPERATOR_JOIN, &d));
}
void write_split(const node_writer& a) {
    operator_maker m(a.to);
    const dml_tensor in = m.in(a.input(0));
    std::vector<DML_TENSOR_DESC> parts;
    for (int k = 0; k < a.n.output_count(); ++k) {
        if (!a.n.has_output(k)) refuse("one of its results has no name");
        parts.push_back(*m.out(a.output_info(k)));
    }
    if (parts.size() == 1) return a.put(a.input(0));
    const dml_split d{in, UINT(parts.size()), parts.data(), UINT(op::split::axis(a.n))};
    const std::vector<stream> made = m.all_made(DML_OPERATOR_SPLIT, &d);
    for (int k = 0; k < a.n.output_count(); ++k) a.put(made[std::size_t(k)], k);
}
void write_slice(const node_writer& a) {
    op::slice::cut c;
    require(op::slice::read(a.n, c));
    if (!c.known) refuse("starts, ends, axes and steps are no constants");
    const tensor_info y = a.output_info();
    std::vector<UINT> offsets, lengths;
    std::vector<std::int32_t> steps;
    for (int i = 0; i < c.dims.rank; ++i) {
        const std::int64_t count = c.dims[i], step = count > 1 ? c.step[i] : 1, last = c.start[i] + (count - 1) * step;
        offsets.push_back(UINT(std::min(c.start[i], last)));
        lengths.push_back(UINT(std::abs(last - c.start[i]) + 1));
        steps.push_back(std::int32_t(step));
    }
    if (steps.empty()) return a.put(a.input(0));
    operator_maker m(a.to);
    const dml_tensor in = m.in(a.input(0));
    const dml_slice d{in, m.out(y), UINT(steps.size()), m.list(offsets), m.list(lengths), steps.data()};
    a.put(m.made(DML_OPERATOR_SLICE1, &d));
}
void write_pad(const node_writer& a) {
    const padding mode = op::pad::mode(a.n);
    if (mode == padding::wrap) refuse("mode is wrap, which DirectML has not before feature level 6.4");
    const pad_axes axes = known_pads(a.n);
    const stream x = a.input(0);
    std::vector<UINT> start, end;
    for (int i = 0; i < x.info.dims.rank; ++i) {
        const pad_axis& p = axes.list[std::size_t(i)];
        if (p.length != p.input) refuse("a pad is negative");
        const std::int64_t after = p.size - p.at - p.length;
        if (mode == padding::reflect && std::max(p.at, after) >= p.length) refuse("a pad is longer than its axis");
        start.push_back(UINT(p.at));
        end.push_back(UINT(after));
    }
    if (start.empty()) return a.put(x);
    const DML_PADDING_MODE how = mode == padding::edge      ? DML_PADDING_MODE_EDGE
                                 : mode == padding::reflect ? DML_PADDING_MODE_REFLECTION
                                                            : DML_PADDING_MODE_CONSTANT;
    const float constant = mode == padding::constant ? padded_with(a.n) : 0;
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const dml_padding d{in, m.out(a.output_info()), how, constant, UINT(start.size()), m.list(start), m.list(end)};
    a.put(m.made(DML_OPERATOR_PADDING, &d));
}
void write_gather(const node_writer& a) {
    const int axis = op::gather::axis(a.n);
    const shape& dims = a.dims(0);
    const auto all = constant_places(a.n, dims[axis], "DirectML");
    const std::vector<UINT> places(all.begin(), all.end());
    if (places.empty()) refuse("it gathers nothing");
    const std::int64_t outer = dims.elements(0, axis), inner = dims.elements(axis + 1), count = std::ssize(places);
    const stream x = a.input(0, {outer, dims[axis], inner});
    operator_maker m(a.to);
    const dml_tensor in = m.in(x), list = m.in(a.to.reshaped(a.to.indices(places), {{1, 1, count}, element::u32}));
    const dml_gather d{in, list, m.out({{outer, count, inner}, x.info.type}), 1, 1};
    a.put(m.made(DML_OPERATOR_GATHER, &d));
}
template <DML_OPERATOR_TYPE Type> void write_blocks(const node_writer& a) {
    operator_maker m(a.to);
    const dml_tensor in = m.in(a.input(0));
    const dml_depth_space d{in, m.out(a.output_info()), UINT(a.n.integer("blocksize", 1)),
                            a.n.text("mode", "DCR") == "CRD"};
    a.put(m.made(Type, &d));
}
}  // namespace

std::span<const named_writer> movement_writers() {
    static constexpr named_writer all[] = {{"Cast", write_cast},
                                           {"Concat", write_concat},
                                           {"DepthToSpace", write_blocks<DML_OPERATOR_DEPTH_TO_SPACE1>},
                                           {"Dropout", write_same},
                                           {"Expand", write_expand},
                                           {"Flatten", write_same},
                                           {"Gather", write_gather},
                                           {"Identity", write_same},
                                           {"Pad", write_pad},
                                           {"Reshape", write_same},
                                           {"Slice", write_slice},
                                           {"SpaceToDepth", write_blocks<DML_OPERATOR_SPACE_TO_DEPTH1>},
                                           {"Split", write_split},
                                           {"Squeeze", write_same},
                                           {"Tile", write_tile},
                                           {"Transpose", write_transpose},
                                           {"Unsqueeze", write_same}};
    return all;
}
}  // namespace dml_rules
}  // namespace v1
}  // namespace inlay

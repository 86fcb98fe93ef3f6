// What moves elements: shapes, parts, joins, borders; and elements of one type as another's.
#include "graph.hpp"
#include <inlay/onnx/concat.hpp>
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
// A boolean is whether the number is another one than 0.
void write_cast(const node_writer& a) {
    const stream x = a.input(0);
    const tensor_info y = a.output_info();
    if (y.type != element::boolean || x.info.type == y.type) return a.put(cast_to(a, x, y.type));
    operator_maker m(a.to), other(a.to);
    const dml_tensor in = m.in(x), zero = m.in_as(a.to.number(x.info.type, 0), x.info.dims);
    const dml_binary same{in, zero, m.out(y)};
    const stream is_zero = m.made(DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, &same);
    const dml_tensor from = other.in(is_zero);
    const dml_activation negation{from, other.out(y)};
    a.put(other.made(DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT, &negation));
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
DML_SCALAR_UNION border(const node_view& n, element type) {
    if (is_float(type)) return scalar_of(type, double(padded_with(n)));
    if (!n.has_input(2)) return scalar_of(type, std::int64_t(0));
    const auto given = n.input_integers(2);
    if (!given || given->size() != 1) refuse("the constant that it pads with is known only while it runs");
    return scalar_of(type, (*given)[0]);
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
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const element type = x.info.type;
    const dml_padding d{in,
                        m.out(a.output_info()),
                        how,
                        type_of(type),
                        mode == padding::constant ? border(a.n, type) : scalar_of(type, std::int64_t(0)),
                        UINT(start.size()),
                        m.list(start),
                        m.list(end)};
    a.put(m.made(DML_OPERATOR_PADDING1, &d));
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

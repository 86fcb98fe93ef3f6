// What looks elements up, or puts them, by indices; and where the greatest ones are.
#include "graph.hpp"
#include <inlay/onnx/gather.hpp>
#include <inlay/onnx/one_hot.hpp>
#include <inlay/onnx/top_k.hpp>
#include <provider/move_rules.hpp>

namespace inlay {
inline namespace v1 {
namespace dml_rules {
namespace {
std::int64_t lookups(const node_view& n) { return n.input(1).dims.elements(); }
// Indices that are a small constant become whole numbers from the begin; others are looked at by the host in each run.
stream indices_of(const node_writer& a, int axis) {
    const std::int64_t length = a.dims(0)[axis];
    if (!a.n.is_constant(1) || !a.n.input_integers(1)) {
        const stream i = a.input(1);
        a.to.check_indices(i, {.op = std::string(a.n.record.op), .lengths = {length}});
        return i;
    }
    const auto all = constant_places(a.n, length, "DirectML");
    return a.to.indices({all.begin(), all.end()});
}
void write_gather(const node_writer& a) {
    const int axis = op::gather::axis(a.n);
    const shape& dims = a.dims(0);
    const std::int64_t outer = dims.elements(0, axis), inner = dims.elements(axis + 1), count = lookups(a.n);
    if (count == 0) refuse("it gathers nothing");
    const stream x = a.input(0, {outer, dims[axis], inner}), i = indices_of(a, axis);
    operator_maker m(a.to);
    const dml_tensor in = m.in(x), list = m.in(a.to.reshaped(i, {{1, 1, count}, i.info.type}));
    const dml_gather d{in, list, m.out({{outer, count, inner}, x.info.type}), 1, 1};
    a.put(m.made(DML_OPERATOR_GATHER, &d));
}
int axis_of(const node_writer& a) {
    const int axis = normal_axis(a.n.integer("axis", 0), a.rank());
    if (axis < 0) refuse("axis is out of range");
    return axis;
}
stream checked_indices(const node_writer& a, std::vector<std::int64_t> lengths) {
    const stream i = a.input(1);
    a.to.check_indices(i, {.op = std::string(a.n.record.op), .lengths = std::move(lengths)});
    return i;
}
// DirectML looks up in all of the other axes, and ONNX in the first places of each.
stream first_places(const node_writer& a, int axis) {
    const stream x = a.input(0);
    shape sizes = a.dims(1);
    sizes[axis] = x.info.dims[axis];
    return sizes == x.info.dims ? x : strided_copy(a, x, sizes, strides_of(x.info.dims, layout::plain));
}
void write_gather_elements(const node_writer& a) {
    const int axis = axis_of(a);
    const stream x = first_places(a, axis), i = checked_indices(a, {x.info.dims[axis]});
    operator_maker m(a.to);
    const dml_tensor in = m.in(x), where = m.in(i);
    const dml_gather_elements d{in, where, m.out({i.info.dims, x.info.type}), UINT(axis)};
    a.put(m.made(DML_OPERATOR_GATHER_ELEMENTS, &d));
}
void write_scatter_elements(const node_writer& a) {
    if (a.n.text("reduction", "none") != "none") refuse("it reduces, and DirectML's operator replaces");
    const int axis = axis_of(a);
    const stream x = a.input(0), i = checked_indices(a, {x.info.dims[axis]}), updates = a.input(2);
    for (int k = 0; k < a.rank(); ++k)
        if (k != axis && i.info.dims[k] != x.info.dims[k]) refuse("it replaces parts of other axes too");
    operator_maker m(a.to);
    const dml_tensor in = m.in(x), where = m.in(i), with = m.in(updates);
    const dml_scatter_elements d{in, where, with, m.out(x.info), UINT(axis)};
    a.put(m.made(DML_OPERATOR_SCATTER_ELEMENTS, &d));
}
// As many dimensions, the first ones of one element.
shape padded(const shape& s, int rank) {
    shape all = shape::of_rank(rank, 1);
    for (int i = 0; i < s.rank; ++i) all[rank - s.rank + i] = s[i];
    return all;
}
// The first coordinates, by the last axis of the indices, after `batch` axes.
std::vector<std::int64_t> coordinate_lengths(const node_writer& a, int batch) {
    const shape &x = a.dims(0), &i = a.dims(1);
    std::vector<std::int64_t> lengths;
    for (int k = 0; k < i[i.rank - 1]; ++k) lengths.push_back(x[batch + k]);
    return lengths;
}
void write_gather_nd(const node_writer& a) {
    const auto batch = int(a.n.integer("batch_dims", 0));
    const stream i = checked_indices(a, coordinate_lengths(a, batch));
    const tensor_info y = a.output_info();
    const int rank = std::max({a.rank(), a.dims(1).rank, y.dims.rank, 1});
    operator_maker m(a.to);
    const dml_tensor in = m.in(a.input(0, padded(a.dims(0), rank))),
                     where = m.in(a.to.reshaped(i, {padded(i.info.dims, rank), i.info.type}));
    const dml_gather_rows d{
        in, where, m.out(with_dims(y, padded(y.dims, rank))), UINT(a.rank()), UINT(a.dims(1).rank), UINT(batch)};
    a.put(m.made(DML_OPERATOR_GATHER_ND1, &d));
}
void write_scatter_nd(const node_writer& a) {
    if (a.n.text("reduction", "none") != "none") refuse("it reduces, and DirectML's operator replaces");
    const stream i = checked_indices(a, coordinate_lengths(a, 0));
    const tensor_info y = a.output_info();
    const int rank = std::max({a.rank(), a.dims(1).rank, a.dims(2).rank});
    operator_maker m(a.to);
    const dml_tensor in = m.in(a.input(0, padded(a.dims(0), rank))),
                     where = m.in(a.to.reshaped(i, {padded(i.info.dims, rank), i.info.type})),
                     with = m.in(a.input(2, padded(a.dims(2), rank)));
    const dml_scatter_rows d{
        in, where, with, m.out(with_dims(y, padded(y.dims, rank))), UINT(a.rank()), UINT(a.dims(1).rank)};
    a.put(m.made(DML_OPERATOR_SCATTER_ND, &d));
}
void write_one_hot(const node_writer& a) {
    if (!op::one_hot::depth(a.n)) refuse("its depth is no constant");
    if (is_float(a.n.input(0).type)) refuse("its indices are floats");
    const int axis = op::one_hot::axis(a.n);
    const tensor_info y = a.output_info();
    const shape& dims = a.dims(0);
    shape places = y.dims;
    places[axis] = 1;
    shape values = shape::of_rank(y.dims.rank, 1);
    values[y.dims.rank - 1] = 2;
    operator_maker m(a.to);
    const dml_tensor in = m.in(a.input(0, places)), both = m.in(a.input(2, values));
    if (dims.elements() != places.elements()) refuse("its result is of another size");
    const dml_one_hot d{in, both, m.out(y), UINT(axis)};
    a.put(m.made(DML_OPERATOR_ONE_HOT, &d));
}
void write_top_k(const node_writer& a) {
    const auto k = op::top_k::k(a.n);
    if (!k) refuse("k is no constant");
    const int axis = normal_axis(a.n.integer("axis", -1), a.rank());
    const stream x = a.input(0);
    tensor_info y = x.info;
    y.dims[axis] = *k;
    operator_maker m(a.to);
    const dml_tensor in = m.in(x), values = m.out(y), places = m.out({y.dims, element::u32});
    const dml_top_k d{in, values, places, UINT(axis), UINT(*k), a.n.integer("largest", 1) != 0};
    const std::vector<stream> made = m.all_made(DML_OPERATOR_TOP_K1, &d);
    if (a.n.has_output(0)) a.put(made[0]);
    if (a.n.has_output(1)) a.put(cast_to(a, made[1], element::i64), 1);
}
void write_cum_sum(const node_writer& a) {
    const auto given = a.n.input_integers(1);
    if (!given || given->size() != 1) refuse("its axis is no constant");
    const int axis = normal_axis((*given)[0], a.rank());
    if (axis < 0) refuse("axis is out of range");
    const stream x = a.input(0);
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const dml_cumulation d{in, m.out(x.info), UINT(axis), a.n.integer("reverse", 0) != 0,
                           a.n.integer("exclusive", 0) != 0};
    a.put(m.made(DML_OPERATOR_CUMULATIVE_SUMMATION, &d));
}
}  // namespace

std::span<const named_writer> index_writers() {
    static constexpr named_writer all[] = {
        {"CumSum", write_cum_sum},       {"Gather", write_gather},  {"GatherElements", write_gather_elements},
        {"GatherND", write_gather_nd},   {"OneHot", write_one_hot}, {"ScatterElements", write_scatter_elements},
        {"ScatterND", write_scatter_nd}, {"TopK", write_top_k}};
    return all;
}
}  // namespace dml_rules
}  // namespace v1
}  // namespace inlay

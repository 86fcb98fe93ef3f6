// What moves elements, looks them up or puts them, and what quantizes.
#include "writer.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace dml_graphs {
using namespace lowering;

// x's elements at other places, or several times: its strides, of the result's dimensions.
void dml_writer::copy(const operand& x, const operand& y, const shape& strides) {
    dml_operator o(*this);
    const dml_tensor from = o.in(at(x), y.dims, strides);
    o.make(DML_OPERATOR_ELEMENT_WISE_IDENTITY, dml_scaled{from, o.out(y), nullptr});
}
void dml_writer::write(const transpose_prim& p) {
    const shape plain_strides = strides_of(p.x.dims, layout::plain);
    shape strides = plain_strides;
    for (int i = 0; i < plain_strides.rank; ++i) strides[i] = plain_strides[int(p.axes[std::size_t(i)])];
    copy(p.x, p.y, strides);
}
void dml_writer::write(const broadcast_prim& p) {
    dml_operator o(*this);
    const dml_tensor x = o.in_as(p.x, p.y.dims);
    o.make(DML_OPERATOR_ELEMENT_WISE_IDENTITY, dml_scaled{x, o.out(p.y), nullptr});
}
void dml_writer::write(const tile_prim& p) {
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x);
    o.make(DML_OPERATOR_TILE, dml_tile{x, o.out(p.y), UINT(p.repeats.size()), o.list(p.repeats)});
}
void dml_writer::write(const concat_prim& p) {
    if (p.parts.size() == 1) return rename(p.parts[0], p.y);
    dml_operator o(*this);
    std::vector<DML_TENSOR_DESC> parts;
    for (const operand& part : p.parts) parts.push_back(*o.in(part));
    o.make(DML_OPERATOR_JOIN, dml_join{UINT(parts.size()), parts.data(), o.out(p.y), UINT(p.axis)});
}
void dml_writer::write(const split_prim& p) {
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x);
    std::vector<DML_TENSOR_DESC> parts{*o.out(p.y)};
    for (const operand& part : p.rest) parts.push_back(*o.out(part));
    o.make(DML_OPERATOR_SPLIT, dml_split{x, UINT(parts.size()), parts.data(), UINT(p.axis)});
}
void dml_writer::write(const slice_prim& p) {
    std::vector<UINT> offsets, lengths;
    std::vector<std::int32_t> steps;
    for (int i = 0; i < p.y.dims.rank; ++i) {
        const std::int64_t count = p.y.dims[i], first = p.start[std::size_t(i)],
                           step = count > 1 ? p.step[std::size_t(i)] : 1, last_place = first + (count - 1) * step;
        offsets.push_back(UINT(std::min(first, last_place)));
        lengths.push_back(UINT(std::abs(last_place - first) + 1));
        steps.push_back(std::int32_t(step));
    }
    if (steps.empty()) return rename(p.x, p.y);
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x);
    o.make(DML_OPERATOR_SLICE1,
           dml_slice{x, o.out(p.y), UINT(steps.size()), offsets.data(), lengths.data(), steps.data()});
}
void dml_writer::write(const pad_prim& p) {
    const DML_PADDING_MODE mode = p.mode == "edge"      ? DML_PADDING_MODE_EDGE
                                  : p.mode == "reflect" ? DML_PADDING_MODE_REFLECTION
                                                        : DML_PADDING_MODE_CONSTANT;
    const element type = p.x.type;
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x);
    o.make(DML_OPERATOR_PADDING1,
           dml_padding{x, o.out(p.y), mode, type_of(type),
                       is_integer(type) ? scalar_of(type, p.whole_value) : scalar_of(type, double(p.value)),
                       UINT(p.before.size()), o.list(p.before), o.list(p.after)});
}
void dml_writer::write(const blocks_prim& p) {
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x);
    o.make(p.to_depth ? DML_OPERATOR_SPACE_TO_DEPTH1 : DML_OPERATOR_DEPTH_TO_SPACE1,
           dml_depth_space{x, o.out(p.y), UINT(p.block), p.columns_first});
}

// --- by indices
void dml_writer::write(const gather_prim& p) {
    const shape& dims = p.x.dims;
    const std::int64_t outer = dims.elements(0, p.axis), inner = dims.elements(p.axis + 1), count = p.y.dims[p.axis];
    if (count == 0) refuse("it gathers nothing");
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x, {outer, dims[p.axis], inner});
    const shape row{1, 1, count};
    if (!p.places) check_indices(*p.indices, "Gather", {dims[p.axis]});
    const dml_tensor indices =
        p.places ? o.in(whole_numbers(*p.places), row, strides_of(row, layout::plain)) : o.in(*p.indices, row);
    o.make(DML_OPERATOR_GATHER, dml_gather{x, indices, o.out(p.y, {outer, count, inner}), 1, 1});
}
// DirectML looks up in all of the other axes, and ONNX in the first places of each.
operand dml_writer::first_places(const lookup_prim& p) {
    shape sizes = p.indices.dims;
    sizes[p.axis] = p.x.dims[p.axis];
    if (sizes == p.x.dims) return p.x;
    const operand cut = temporary(sizes, p.x.type);
    copy(p.x, cut, strides_of(p.x.dims, layout::plain));
    return cut;
}
void dml_writer::write(const lookup_prim& p) {
    constexpr std::string_view names[] = {"GatherElements", "GatherND", "ScatterElements", "ScatterND"};
    check_indices(p.indices, std::string(names[std::size_t(p.does)]), p.lengths);
    const operand first = p.does == lookup::gather_elements ? first_places(p) : p.x;
    const bool by_coordinates = p.does == lookup::gather_nd || p.does == lookup::scatter_nd;
    const int values_rank = p.updates ? p.updates->dims.rank : p.y.dims.rank,
              rank = std::max({p.x.dims.rank, p.indices.dims.rank, values_rank, 1});
    dml_operator o(*this);
    const auto dims = [&](const operand& t) { return by_coordinates ? of_rank(t.dims, rank) : t.dims; };
    const dml_tensor x = o.in(first, dims(first)), indices = o.in(p.indices, dims(p.indices)),
                     updates = p.updates ? o.in(*p.updates, dims(*p.updates)) : nullptr, y = o.out(p.y, dims(p.y));
    const auto axis = UINT(p.axis), rank_of_x = UINT(p.x.dims.rank), rank_of_indices = UINT(p.indices.dims.rank);
    switch (p.does) {
        case lookup::gather_elements:
            return o.make(DML_OPERATOR_GATHER_ELEMENTS, dml_gather_elements{x, indices, y, axis});
        case lookup::gather_nd:
            return o.make(DML_OPERATOR_GATHER_ND1, dml_gather_rows{x, indices, y, rank_of_x, rank_of_indices, axis});
        case lookup::scatter_elements:
            return o.make(DML_OPERATOR_SCATTER_ELEMENTS, dml_scatter_elements{x, indices, updates, y, axis});
        case lookup::scatter_nd:
            return o.make(DML_OPERATOR_SCATTER_ND,
                          dml_scatter_rows{x, indices, updates, y, rank_of_x, rank_of_indices});
    }
}
void dml_writer::write(const one_hot_prim& p) {
    shape values = shape::of_rank(p.y.dims.rank, 1);
    values[p.y.dims.rank - 1] = 2;
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x), off_and_on = o.in(p.values, values);
    o.make(DML_OPERATOR_ONE_HOT, dml_one_hot{x, off_and_on, o.out(p.y), UINT(p.axis)});
}

// --- what quantizes
void dml_writer::write(const quantize_blocks_prim& p) {
    dml_operator o(*this);
    const auto beside = [&](const graph_tensor& t) {  // an element for each of x
        return o.in(t, p.blocks, t.dims.elements() == 1 ? shape::of_rank(4, 0) : p.steps);
    };
    const dml_tensor x = o.in(p.x, p.blocks), scale = beside(at(p.scale)),
                     zero = beside(p.zero ? at(*p.zero) : number((p.quantizes ? p.y : p.x).type, 0));
    o.make(p.quantizes ? DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR : DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR,
           dml_linear_codes{x, scale, zero, o.out(p.y, p.blocks)});
}
void dml_writer::write(const dynamic_quantize_prim& p) {
    const shape scalar_dims = shape::of_rank(p.x.dims.rank, 1);
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x), y = o.out(p.y), scale = o.out(p.scale, scalar_dims);
    o.make(DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR, dml_dynamic_quantize{x, y, scale, o.out(p.zero, scalar_dims)});
}
}  // namespace dml_graphs
}  // namespace v1
}  // namespace inlay

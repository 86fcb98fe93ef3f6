#include "writer.hpp"
#include <algorithm>
#include <cstring>
#include <lowering/weights.hpp>

namespace inlay {
inline namespace v1 {
namespace dml_graphs {
namespace {
template <class T> DML_SCALAR_UNION scalar(T v) {
    DML_SCALAR_UNION s{};
    std::memcpy(s.Bytes, &v, sizeof v);
    return s;
}
std::size_t bytes_of(element type, const shape& dims) { return std::size_t(inlay::bytes_of(type, dims.elements())); }
}  // namespace

DML_TENSOR_DATA_TYPE type_of(element e) {
    switch (e) {
        case element::f32: return DML_TENSOR_DATA_TYPE_FLOAT32;
        case element::f16: return DML_TENSOR_DATA_TYPE_FLOAT16;
        case element::i8: return DML_TENSOR_DATA_TYPE_INT8;
        case element::i16: return DML_TENSOR_DATA_TYPE_INT16;
        case element::i32: return DML_TENSOR_DATA_TYPE_INT32;
        case element::i64: return DML_TENSOR_DATA_TYPE_INT64;
        case element::boolean:
        case element::u8: return DML_TENSOR_DATA_TYPE_UINT8;
        case element::u16: return DML_TENSOR_DATA_TYPE_UINT16;
        case element::u32: return DML_TENSOR_DATA_TYPE_UINT32;
        case element::u64: return DML_TENSOR_DATA_TYPE_UINT64;
        default: refuse("DirectML gets no tensors of type " + std::string(name_of(e)) + " here");
    }
}
DML_SCALAR_UNION scalar_of(element e, double v) {
    return e == element::f16 ? scalar(float16(float(v))) : scalar(float(v));
}
// The bytes of a smaller integer are the first ones of a larger.
DML_SCALAR_UNION scalar_of(element e, std::int64_t v) { return is_integer(e) ? scalar(v) : scalar_of(e, double(v)); }
bool index_check::holds(const void* indices) const {
    for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t length = lengths[std::size_t(k) % lengths.size()],
                           i = type == element::i32 ? static_cast<const std::int32_t*>(indices)[k]
                                                    : static_cast<const std::int64_t*>(indices)[k];
        if (i < -length || i >= length) return false;
    }
    return true;
}

// --- an operator
dml_tensor dml_operator::describe(element type, const shape& sizes, const shape& strides, bool owned) {
    if (sizes.elements() < 1)
        refuse("DirectML gets no tensors without elements here, as that of shape " + to_string(sizes));
    if (sizes.rank > int(DML_TENSOR_DIMENSION_COUNT_MAX1)) refuse("a tensor has more dimensions than DirectML's");
    if (!to_.device_.has(type_of(type))) refuse("the adapter has no " + std::string(name_of(type)));
    described& d = tensors_.emplace_back();
    d.sizes[0] = d.strides[0] = 1;  // of a scalar
    std::int64_t last_index = 0;
    for (int i = 0; i < sizes.rank; ++i) {
        d.sizes[std::size_t(i)] = UINT(sizes[i]);
        d.strides[std::size_t(i)] = UINT(strides[i]);
        last_index += (sizes[i] - 1) * strides[i];
    }
    const auto bytes = UINT64(inlay::bytes_of(type, last_index + 1));
    d.buffer = {type_of(type),
                owned ? DML_TENSOR_FLAG_OWNED_BY_DML : 0,
                UINT(std::max(sizes.rank, 1)),
                d.sizes.data(),
                d.strides.data(),
                (bytes + 3) / 4 * 4,
                0};
    d.tensor = {DML_TENSOR_TYPE_BUFFER, &d.buffer};
    return &d.tensor;
}
dml_tensor dml_operator::in(const graph_tensor& t, const shape& sizes, const shape& strides) {
    inputs_.emplace_back(t);
    return describe(t.type, sizes, strides, t.of_constant);
}
dml_tensor dml_operator::in(const operand& x, const shape& sizes) {
    const graph_tensor& t = to_.at(x);
    if (t.dims.elements() != sizes.elements())
        refuse("an input of shape " + to_string(t.dims) + " is not one of " + to_string(sizes));
    return in(t, sizes, strides_of(sizes, layout::plain));
}
dml_tensor dml_operator::in_as(const operand& x, const shape& dims, const shape& broadcast) {
    const shape plain = strides_of(dims, layout::plain);
    shape strides = shape::of_rank(broadcast.rank, 0);
    for (int i = 0; i < dims.rank; ++i)
        if (dims[i] != 1) strides[broadcast.rank - dims.rank + i] = plain[i];
    return in(to_.at(x), broadcast, strides);
}
dml_tensor dml_operator::in_as(const operand& x, const shape& broadcast) { return in_as(x, x.dims, broadcast); }
dml_tensor dml_operator::absent() {
    inputs_.emplace_back();
    return nullptr;
}
dml_tensor dml_operator::out(const operand& y, const shape& sizes) {
    outputs_.push_back(y);
    return describe(y.type, sizes, strides_of(sizes, layout::plain), false);
}
void dml_operator::add(DML_OPERATOR_TYPE type, const void* description) {
    const DML_OPERATOR_DESC desc{type, description};
    void* object = nullptr;
    const HRESULT h = to_.device_.dml().CreateOperator(&desc, IDMLOperator::id, &object);
    if (h < 0 || !object) refuse("DirectML says: " + text_of_hresult(h));
    dml_graph& g = to_.out_.graph;
    const auto node = UINT(g.nodes.size());
    g.nodes.emplace_back(static_cast<IDMLOperator*>(object));
    for (UINT k = 0; k < inputs_.size(); ++k) {
        if (!inputs_[k]) continue;
        if (inputs_[k]->of_input)
            g.from_inputs.push_back({inputs_[k]->index, node, k, nullptr});
        else
            g.between.push_back({inputs_[k]->index, inputs_[k]->output, node, k, nullptr});
    }
    for (UINT k = 0; k < outputs_.size(); ++k)
        to_.tensors_.set(outputs_[k], {false, false, node, k, outputs_[k].dims, outputs_[k].type});
}

// --- tensors
graph_tensor dml_writer::new_constant(const shape& dims, element type, const void* elements, bool copies) {
    dml_constant c{elements, bytes_of(type, dims), {}};
    if (copies) {
        c.storage.reset(new char[c.bytes]);
        std::memcpy(c.storage.get(), elements, c.bytes);
        c.data = c.storage.get();
    }
    dml_graph& g = out_.graph;
    const auto index = UINT(r_.inputs.size() + g.constants.size());
    g.constants.push_back(std::move(c));
    return {true, true, index, 0, dims, type};
}
graph_tensor dml_writer::constant(const operand& x) {
    if (purpose_ == purpose::trial) return new_constant(x.dims, x.type, nullptr, false);
    if (x.elements) return new_constant(x.dims, x.type, lowering::stored_elements(r_, x).data(), true);
    return new_constant(x.dims, x.type, lowering::constant_of(r_, x), false);
}
graph_tensor dml_writer::number(element type, std::int64_t v) {
    return new_constant({}, type, scalar_of(type, v).Bytes, true);
}
graph_tensor dml_writer::whole_numbers(const lowering::integers& list) {
    const std::vector<UINT> elements(list.begin(), list.end());
    return new_constant({std::int64_t(elements.size())}, element::u32, elements.data(), true);
}
void dml_writer::rename(const operand& x, const operand& y) {
    graph_tensor t = at(x);
    t.dims = y.dims;
    tensors_.set(y, t);
}
void dml_writer::check_indices(const operand& x, std::string op, std::vector<std::int64_t> lengths) {
    const graph_tensor& t = at(x);
    if (t.type != element::i32 && t.type != element::i64)
        refuse("its indices are of type " + std::string(name_of(t.type)));
    index_check c{std::move(op), std::move(lengths), t.type, t.dims.elements()};
    if (!t.of_constant) return checks_.emplace_back(t, std::move(c)), void();
    const dml_constant& constant = out_.graph.constants[t.index - r_.inputs.size()];
    if (constant.data && !c.holds(constant.data)) refuse(c.problem());
}

// --- the whole
void dml_writer::argument(const operand& x) {
    if (!device_.has(type_of(x.type))) refuse("the adapter has no " + std::string(name_of(x.type)));
    tensors_.set(x, {true, false, UINT(out_.graph.input_bytes.size()), 0, x.dims, x.type});
    out_.graph.input_bytes.push_back(bytes_of(x.type, x.dims));
}
void dml_writer::give(const graph_tensor& t) {
    out_.graph.to_outputs.push_back({t.index, t.output, UINT(results_.size()), nullptr});
    out_.graph.output_bytes.push_back(bytes_of(t.type, t.dims));
    results_.push_back(t.place());
}
void dml_writer::result(const operand& y) {
    const graph_tensor& t = at(y);
    if (!t.of_input && std::ranges::find(results_, t.place()) == results_.end()) return give(t);
    const operand output = temporary(y.dims, y.type);  // an operator has to write it
    copy(y, output, strides_of(y.dims, layout::plain));
    give(at(output));
}
// Indices that an operator makes are results too, for the host to look at.
void dml_writer::write_checks() {
    for (auto& [t, check] : checks_) {
        if (t.of_input) {
            out_.checks.push_back({true, t.index, std::move(check)});
            continue;
        }
        const auto k = UINT(std::ranges::find(results_, t.place()) - results_.begin());
        if (k == results_.size()) give(t);
        out_.checks.push_back({false, k, std::move(check)});
    }
}
checked_graph dml_writer::finish() {
    write_checks();
    return std::move(out_);
}
}  // namespace dml_graphs
}  // namespace v1
}  // namespace inlay

#include "graph.hpp"
#include <algorithm>
#include <cstring>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace dml_rules {
namespace {
std::size_t bytes_of(const tensor_info& t) { return std::size_t(inlay::bytes_of(t.type, t.dims.elements())); }
void require_tensor(const shape& dims) {
    constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max() / 8;  // bytes are counted in 32 bits
    if (dims.rank > int(DML_TENSOR_DIMENSION_COUNT_MAX1))
        refuse("a tensor has " + std::to_string(dims.rank) + " dimensions, and DirectML's operators take 8 at most");
    std::int64_t elements = 1;
    for (std::int64_t d : dims) {
        if (d < 1) refuse("DirectML gets no tensors without elements here, as that of shape " + to_string(dims));
        if (d > most || elements > most / d)
            refuse("a tensor of shape " + to_string(dims) + " is too large for DirectML");
        elements *= d;
    }
}
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
namespace {
template <class T> DML_SCALAR_UNION scalar(T v) {
    DML_SCALAR_UNION s{};
    std::memcpy(s.Bytes, &v, sizeof v);
    return s;
}
}  // namespace
DML_SCALAR_UNION scalar_of(element e, double v) {
    return e == element::f16 ? scalar(float16(float(v))) : scalar(float(v));
}
// The bytes of a smaller integer are the first ones of a larger.
DML_SCALAR_UNION scalar_of(element e, std::int64_t v) { return is_float(e) ? scalar_of(e, double(v)) : scalar(v); }
bool index_check::holds(const void* indices) const {
    for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t length = lengths[std::size_t(k) % lengths.size()],
                           i = type == element::i32 ? static_cast<const std::int32_t*>(indices)[k]
                                                    : static_cast<const std::int64_t*>(indices)[k];
        if (i < -length || i >= length) return false;
    }
    return true;
}

tensor_info with_dims(const tensor_info& info, const shape& dims) {
    require_tensor(dims);
    return {dims, info.type};
}

// --- an operator
dml_tensor operator_maker::describe(const tensor_info& t, const shape& strides, bool owned) {
    require_tensor(t.dims);
    described& d = tensors_.emplace_back();
    d.sizes[0] = d.strides[0] = 1;  // of a scalar
    std::int64_t last = 0;
    for (int i = 0; i < t.dims.rank; ++i) {
        d.sizes[std::size_t(i)] = UINT(t.dims[i]);
        d.strides[std::size_t(i)] = UINT(strides[i]);
        last += (t.dims[i] - 1) * strides[i];
    }
    const auto bytes = UINT64(inlay::bytes_of(t.type, last + 1));
    d.buffer = {type_of(t.type),
                owned ? DML_TENSOR_FLAG_OWNED_BY_DML : 0,
                UINT(std::max(t.dims.rank, 1)),
                d.sizes.data(),
                d.strides.data(),
                (bytes + 3) / 4 * 4,
                0};
    d.tensor = {DML_TENSOR_TYPE_BUFFER, &d.buffer};
    return &d.tensor;
}
dml_tensor operator_maker::in(const stream& s, const shape& sizes, const shape& strides) {
    inputs_.emplace_back(s);
    return describe({sizes, s.info.type}, strides, s.of_constant);
}
dml_tensor operator_maker::in_as(const stream& s, const shape& broadcast) {
    const shape own = strides_of(s.info.dims, layout::plain);
    shape strides = shape::of_rank(broadcast.rank, 0);
    for (int i = 0; i < s.info.dims.rank; ++i) {
        const int at = broadcast.rank - s.info.dims.rank + i;
        if (s.info.dims[i] != 1) strides[at] = own[i];
    }
    return in(s, broadcast, strides);
}
dml_tensor operator_maker::absent() {
    inputs_.emplace_back();
    return nullptr;
}
dml_tensor operator_maker::out(const tensor_info& t) {
    outputs_.push_back(t);
    return describe(t, strides_of(t.dims, layout::plain), false);
}
const UINT* operator_maker::list(const shape& s) { return list(std::vector<UINT>(s.begin(), s.end())); }
std::vector<stream> operator_maker::all_made(DML_OPERATOR_TYPE type, const void* description) {
    const DML_OPERATOR_DESC desc{type, description};
    void* made = nullptr;
    const HRESULT h = to_.device().CreateOperator(&desc, IDMLOperator::id, &made);
    if (h < 0 || !made) refuse("DirectML says: " + text_of_hresult(h));
    const UINT node = to_.add(com_ptr<IDMLOperator>(static_cast<IDMLOperator*>(made)), inputs_);
    std::vector<stream> all;
    for (UINT k = 0; k < outputs_.size(); ++k) all.push_back({false, false, node, k, outputs_[k]});
    return all;
}
UINT graph_writer::add(com_ptr<IDMLOperator> op, std::span<const std::optional<stream>> inputs) {
    const auto node = UINT(out_.nodes.size());
    out_.nodes.push_back(std::move(op));
    for (UINT k = 0; k < inputs.size(); ++k) {
        if (!inputs[k]) continue;
        if (inputs[k]->of_input)
            out_.from_inputs.push_back({inputs[k]->index, node, k, nullptr});
        else
            out_.between.push_back({inputs[k]->index, inputs[k]->output, node, k, nullptr});
    }
    return node;
}

// --- values
tensor_info graph_writer::info_of_value(int id) const {
    const struct value& v = record(id);
    require_tensor(v.dims);
    if (!device_.has(type_of(v.type))) refuse("the adapter has no " + std::string(name_of(v.type)));
    return {v.dims, v.type};
}
stream graph_writer::new_constant(const tensor_info& info, dml_constant c) {
    const auto index = UINT(r_.inputs.size() + out_.constants.size());
    out_.constants.push_back(std::move(c));
    return {true, true, index, 0, info};
}
stream graph_writer::constant_value(int id) {
    const tensor_info info = info_of_value(id);
    dml_constant c{nullptr, bytes_of(info), {}};
    if (why_ == purpose::use) {
        c.data = r_.constant(id);
        if (!c.data) refuse("the elements of a constant are not there");
    }
    return new_constant(info, std::move(c));
}
stream graph_writer::own_constant(const tensor_info& info, const void* elements) {
    const std::size_t bytes = bytes_of(info);
    dml_constant c{nullptr, bytes, std::unique_ptr<char[]>(new char[bytes])};
    std::memcpy(c.own.get(), elements, bytes);
    c.data = c.own.get();
    return new_constant(info, std::move(c));
}
stream graph_writer::indices(const std::vector<UINT>& list) {
    return own_constant({shape{std::int64_t(list.size())}, element::u32}, list.data());
}
stream graph_writer::number(element type, std::int64_t v) { return own_constant({{}, type}, scalar_of(type, v).Bytes); }
void graph_writer::check_indices(const stream& s, index_check c) {
    if (s.info.type != element::i32 && s.info.type != element::i64)
        refuse("its indices are of type " + std::string(name_of(s.info.type)));
    c.type = s.info.type;
    c.count = s.info.dims.elements();
    if (!s.of_constant) return checks_.emplace_back(s, std::move(c)), void();
    const dml_constant& given = out_.constants[s.index - r_.inputs.size()];
    if (given.data && !c.holds(given.data)) refuse(c.problem());
}
stream graph_writer::value(int id) {
    if (id < 0) refuse("an input is missing");
    const auto found = values_.find(id);
    if (found != values_.end()) return found->second;
    if (!record(id).is_constant()) refuse("a value is not there");
    const stream s = constant_value(id);
    values_[id] = s;
    return s;
}
stream graph_writer::reshaped(const stream& s, const tensor_info& to) {
    stream y = s;
    y.info = with_dims(s.info, to.dims);
    return y;
}

// --- the whole
void graph_writer::write_node(int i) {
    const node& record = r_.graph.nodes[std::size_t(i)];
    const node_view n{r_.graph, record};
    refuse_constant_results(n);
    const writer_function write = record.domain.empty() ? find_writer(record.op) : nullptr;
    if (!write) refuse("no operator of DirectML is written for " + std::string(record.op) + " here");
    write({{*this, n}});
}
void graph_writer::write_outputs() {
    std::vector<std::pair<UINT, UINT>> taken;
    for (UINT k = 0; k < r_.outputs.size(); ++k) {
        stream s = value(r_.outputs[k]);
        std::pair place{s.index, s.output};
        if (s.of_input || std::ranges::find(taken, place) != taken.end()) {  // an operator has to write it
            operator_maker m(*this);
            const dml_tensor x = m.in(s);
            const dml_scaled d{x, m.out(s.info), nullptr};
            s = m.made(DML_OPERATOR_ELEMENT_WISE_IDENTITY, &d);
            place = {s.index, s.output};
        }
        taken.push_back(place);
        out_.to_outputs.push_back({s.index, s.output, k, nullptr});
        out_.output_bytes.push_back(bytes_of(s.info));
    }
    write_checks(taken);
}
// Indices that an operator makes are results too, for the host to look at.
void graph_writer::write_checks(std::vector<std::pair<UINT, UINT>>& taken) {
    for (auto& [s, check] : checks_) {
        if (s.of_input) {
            checked_.push_back({true, s.index, std::move(check)});
            continue;
        }
        const std::pair place{s.index, s.output};
        const auto at = std::ranges::find(taken, place);
        const auto k = UINT(at - taken.begin());
        if (at == taken.end()) {
            taken.push_back(place);
            out_.to_outputs.push_back({s.index, s.output, k, nullptr});
            out_.output_bytes.push_back(bytes_of(s.info));
        }
        checked_.push_back({false, k, std::move(check)});
    }
}
dml_graph graph_writer::write() {
    for (UINT k = 0; k < r_.inputs.size(); ++k) {
        const tensor_info info = info_of_value(r_.inputs[k]);
        put(r_.inputs[k], {true, false, k, 0, info});
        out_.input_bytes.push_back(bytes_of(info));
    }
    for (int i : r_.nodes) write_node(i);
    write_outputs();
    return std::move(out_);
}
stream cast_to(const node_writer& a, const stream& x, element to) {
    if (x.info.type == to) return x;
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const dml_activation d{in, m.out({x.info.dims, to})};
    return m.made(DML_OPERATOR_CAST, &d);
}
stream strided_copy(const node_writer& a, const stream& x, const shape& sizes, const shape& strides) {
    operator_maker m(a.to);
    const dml_tensor from = m.in(x, sizes, strides);
    const dml_scaled d{from, m.out({sizes, x.info.type}), nullptr};
    return m.made(DML_OPERATOR_ELEMENT_WISE_IDENTITY, &d);
}
shape channel_planes(const shape& x) {
    if (x.rank < 2) refuse("X has no channels");
    return {x[0], x[1], 1, x.elements(2)};
}
UINT last_pad(const window_axis& w) {
    const std::int64_t reach = (w.kernel - 1) * w.dilation + 1;
    return UINT(std::max<std::int64_t>(0, (w.out - 1) * w.stride + reach - w.in - w.before));
}
writer_function find_writer(std::string_view op) {
    for (const std::span<const named_writer> list :
         {code_writers(), element_wise_writers(), index_writers(), logic_writers(), movement_writers(),
          normalization_writers(), pool_writers(), product_writers(), recurrent_writers(), resize_writers()})
        if (const auto at = std::ranges::find(list, op, &named_writer::op); at != list.end()) return at->write;
    return nullptr;
}
std::string refusal_of_region(const region& r, const dml_device& d) {
    return refusal_of("DirectML", [&] { graph_writer(r, d, purpose::trial).write(); });
}
}  // namespace dml_rules
}  // namespace v1
}  // namespace inlay

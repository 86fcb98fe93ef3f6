#include "model.hpp"
#include <algorithm>
#include <cstring>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace nnapi_rules {
namespace {
// The level that brought an operation: the interface numbers them in this order.
constexpr std::int64_t least_level(std::int32_t operation) {
    constexpr std::int32_t last_of_29 = 95;  // QUANTIZED_LSTM
    return operation <= TANH          ? 27
           : operation <= TRANSPOSE   ? 28
           : operation <= last_of_29  ? 29
           : operation < BATCH_MATMUL ? 30
                                      : feature_level_6;
}
// Channels-last and plain put the elements in the same order.
bool same_either_way(const shape& dims) { return dims[1] == 1 || dims[2] * dims[3] == 1; }
void require_tensor(const shape& dims) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 4;  // bytes are counted in 32 bits
    if (dims.rank > 4)
        refuse("a tensor has " + std::to_string(dims.rank) + " dimensions, and NNAPI's operations take 4 at most");
    std::int64_t elements = 1;
    for (std::int64_t d : dims) {
        if (d < 1) refuse("NNAPI gets no tensors without elements here, as that of shape " + to_string(dims));
        if (d > most || elements > most / d) refuse("a tensor of shape " + to_string(dims) + " is too large for NNAPI");
        elements *= d;
    }
}
std::size_t elements_of(const std::vector<std::uint32_t>& dims) {
    std::size_t count = 1;
    for (std::uint32_t d : dims) count *= d;
    return count;
}
}  // namespace

std::vector<std::uint32_t> dims_in_memory(const tensor_info& t) {
    if (t.dims.rank == 0) return {1};
    return in_order(std::vector<std::uint32_t>(t.dims.begin(), t.dims.end()), t.order);
}
tensor_info with_dims(const tensor_info& info, const shape& dims) {
    require_tensor(dims);
    return {dims, info.type, layout::plain};
}

model_writer::model_writer(const region& r, const model_options& o, const byte_nodes& b, purpose why)
    : r_(r), options_(o), bytes_(b), why_(why), inside_(r.graph.nodes.size(), 0) {
    for (int i : r.nodes) inside_[std::size_t(i)] = 1;
}
void model_writer::check(int status) {
    if (status != NO_ERROR) refuse(text_of_nnapi(status));
}
void model_writer::require_level(std::int64_t least, std::string_view what) const {
    if (level() < least)
        refuse("NNAPI has " + std::string(what) + " from " + nnapi_level_text(least) + " on, and this is " +
               nnapi_level_text(level()));
}

// --- operands
std::uint32_t model_writer::operand(const operand_type& t, const std::vector<std::uint32_t>& dims) {
    if (t.code == TENSOR_QUANT8_ASYMM_SIGNED) require_level(30, "signed integers of 8 bits");
    const ANeuralNetworksOperandType type{t.code, std::uint32_t(dims.size()), dims.empty() ? nullptr : dims.data(),
                                          t.scale, t.zero};
    check(nn().ANeuralNetworksModel_addOperand(out_.model.get(), &type));
    made_.push_back(0);
    return std::uint32_t(made_.size() - 1);
}
std::uint32_t model_writer::operand(const tensor_info& t) {
    require_tensor(t.dims);
    return operand(t.type, dims_in_memory(t));
}
void model_writer::set(std::uint32_t to, const void* elements, std::size_t bytes) {
    check(nn().ANeuralNetworksModel_setOperandValue(out_.model.get(), std::int32_t(to), elements, bytes));
}
void model_writer::set_zeros(std::uint32_t to, std::size_t bytes) {
    set(to, zeros_.emplace_back(std::calloc(bytes, 1)).get(), bytes);
}
std::uint32_t model_writer::scalar(std::int32_t x) {
    const std::uint32_t k = operand({INT32}, {});
    set(k, &x, sizeof x);
    return k;
}
std::uint32_t model_writer::scalar(float x) {
    const std::uint32_t k = operand({FLOAT32}, {});
    set(k, &x, sizeof x);
    return k;
}
std::uint32_t model_writer::scalar(bool x) {
    const std::uint32_t k = operand({BOOL}, {});
    const std::uint8_t byte = x;
    set(k, &byte, sizeof byte);
    return k;
}
std::uint32_t model_writer::integers(const std::vector<std::int32_t>& list) { return integer_table(list, 0); }
std::uint32_t model_writer::integer_table(const std::vector<std::int32_t>& list, std::uint32_t columns) {
    const auto count = std::uint32_t(list.size());
    const std::vector<std::uint32_t> dims =
        columns ? std::vector{count / columns, columns} : std::vector<std::uint32_t>{count};
    const std::uint32_t k = operand({TENSOR_INT32}, dims);
    std::vector<char>& kept = out_.codes.emplace_back(list.size() * sizeof list[0]);
    std::memcpy(kept.data(), list.data(), kept.size());
    set(k, kept.data(), kept.size());
    return k;
}
std::uint32_t model_writer::floats(const std::vector<std::uint32_t>& dims, const floats_maker& make) {
    const std::uint32_t k = operand({}, dims);
    const std::size_t count = elements_of(dims);
    if (why_ == purpose::trial) {
        set_zeros(k, count * sizeof(float));
    } else {
        const std::vector<float>& kept = out_.floats.emplace_back(make());
        set(k, kept.data(), kept.size() * sizeof(float));
    }
    return k;
}
stream model_writer::constant(const tensor_info& info, const floats_maker& make) {
    require_tensor(info.dims);
    return {floats(dims_in_memory(info), make), info};
}
std::uint32_t model_writer::codes(const std::vector<std::uint32_t>& dims, const operand_type& t,
                                  const codes_maker& make, const std::vector<float>& scales, std::uint32_t channel) {
    const std::uint32_t k = operand(t, dims);
    if (!scales.empty()) {
        const ANeuralNetworksSymmPerChannelQuantParams p{channel, std::uint32_t(scales.size()), scales.data()};
        check(nn().ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(out_.model.get(), std::int32_t(k), &p));
    }
    if (why_ == purpose::trial) {
        set_zeros(k, elements_of(dims) * (t.code == TENSOR_INT32 ? sizeof(std::int32_t) : 1));
    } else {
        const std::vector<char>& kept = out_.codes.emplace_back(make());
        set(k, kept.data(), kept.size());
    }
    return k;
}
const float* model_writer::elements(int id) const {
    const void* const all = r_.constant(id);
    if (!all) refuse("the elements of a constant are not there");
    return static_cast<const float*>(all);
}
std::optional<quantisation> model_writer::quantised_as(int id) const { return bytes_.graph->of_constant(id); }

// --- values
tensor_info model_writer::info_of_value(int id) const {
    const struct value& v = r_.graph.values[std::size_t(source(id))];
    require_tensor(v.dims);
    if (v.type == element::f32) return {v.dims};
    if (!is_byte(v.type)) refuse("NNAPI gets no tensors of type " + std::string(name_of(v.type)) + " here");
    const auto type = bytes_.graph->of(source(id));
    if (!type) refuse("what its integers of 8 bits stand for is not one scale that is known before the run");
    return {v.dims, *type};
}
stream model_writer::constant_value(int id) {
    const tensor_info info = info_of_value(id);
    if (info.type.in_bytes()) refuse("its integers are a constant");
    const stream s{operand(info), info};
    const auto bytes = std::size_t(info.dims.elements()) * sizeof(float);
    if (why_ == purpose::trial)
        set_zeros(s.operand, bytes);
    else
        set(s.operand, elements(id), bytes);
    return s;
}
// What a node decodes to floats: written when somebody reads it as such.
stream model_writer::decoded(int id) {
    const int d = bytes_.graph->maker(id);
    if (d < 0 || !inside_[std::size_t(d)] || !bytes_.graph->decodes(d)) refuse("a value is not there");
    const int from = bytes_.graph->view(d).input_id(0);
    const auto type = bytes_.graph->said_by(d);
    if (!type || type != bytes_.graph->of(from))
        refuse("its scale and zero point are not one of each that is known, as where its input is made or first read");
    const stream x = value(from);
    return operation(DEQUANTIZE, {x.operand}, {x.info.dims, {}, x.info.order});
}
model_writer::forms& model_writer::known(int id) {
    if (id < 0) refuse("an input is missing");
    if (const auto found = values_.find(id); found != values_.end()) return found->second;
    const bool bytes = std::exchange(in_bytes_, false);  // from here on an id is itself
    const stream s = r_.graph.values[std::size_t(id)].is_constant() ? constant_value(id) : decoded(id);
    in_bytes_ = bytes;
    forms& f = values_[id];
    (s.info.order == layout::plain ? f.plain : f.last) = s;
    return f;
}
stream model_writer::value(int id) {
    const forms& f = known(source(id));
    return f.last ? *f.last : *f.plain;
}
stream model_writer::value(int id, layout order) {
    forms& f = known(source(id));
    std::optional<stream>& wanted = order == layout::plain ? f.plain : f.last;
    if (!wanted) wanted = turned(f.plain ? *f.plain : *f.last, order);
    return *wanted;
}
bool model_writer::is_channels_last(int id) {
    const forms& f = known(source(id));
    return f.last && !f.plain;
}
void model_writer::put(int id, const stream& s) {
    forms& f = values_[source(id)];
    (s.info.order == layout::plain ? f.plain : f.last) = s;
}
stream model_writer::reshaped(const stream& s, const tensor_info& to) {
    if (s.info.dims == to.dims) return s;
    const stream x = turned(s, layout::plain);
    const tensor_info info = with_dims(x.info, to.dims);
    const std::vector<std::uint32_t> dims = dims_in_memory(info);
    return operation(RESHAPE, {x.operand, integers({dims.begin(), dims.end()})}, info);
}
stream model_writer::turned(const stream& s, layout order) {
    if (s.info.order == order) return s;
    const tensor_info info{s.info.dims, s.info.type, order};
    if (same_either_way(info.dims)) {
        const std::vector<std::uint32_t> dims = dims_in_memory(info);
        return operation(RESHAPE, {s.operand, integers({dims.begin(), dims.end()})}, info);
    }
    const std::vector<std::int32_t> from = order == layout::plain ? std::vector{0, 3, 1, 2} : std::vector{0, 2, 3, 1};
    return operation(TRANSPOSE, {s.operand, integers(from)}, info);
}
stream model_writer::operation(std::int32_t code, std::vector<std::uint32_t> inputs, const tensor_info& y) {
    require_level(least_level(code), "the operation");
    const std::uint32_t k = operand(y);
    check(nn().ANeuralNetworksModel_addOperation(out_.model.get(), code, std::uint32_t(inputs.size()), inputs.data(), 1,
                                                 &k));
    ++operations_;
    made_[k] = 1;
    return {k, y};
}

// --- the whole
void model_writer::write_node(int i) {
    const node& record = r_.graph.nodes[std::size_t(i)];
    const node_view n{r_.graph, record};
    refuse_constant_results(n);
    if (bytes_.absorbed[std::size_t(i)] || bytes_.graph->decodes(i)) return;
    const writer_function write = record.domain.empty() ? find_writer(record.op) : nullptr;
    if (!write) refuse("NNAPI has no operation for " + std::string(record.op) + " here");
    in_bytes_ = bytes_.in_bytes[std::size_t(i)];
    write({{*this, n}});
    in_bytes_ = false;
}
std::vector<std::uint32_t> model_writer::outputs() {
    std::vector<std::uint32_t> all;
    for (int id : r_.outputs) {
        stream s = value(id, layout::plain);
        if (!made_[s.operand] || std::ranges::find(all, s.operand) != all.end()) {  // an operation has to write it
            const std::vector<std::uint32_t> dims = dims_in_memory(s.info);
            s = operation(RESHAPE, {s.operand, integers({dims.begin(), dims.end()})}, s.info);
        }
        all.push_back(s.operand);
    }
    return all;
}
void model_writer::ask_devices() const {
    if (options_.devices.empty()) return;
    std::vector<const ANeuralNetworksDevice*> handles;
    std::string names;
    for (const nnapi_device& d : options_.devices) {
        handles.push_back(d.handle);
        names += (names.empty() ? "" : ", ") + d.name;
    }
    const std::unique_ptr<bool[]> supported(new bool[operations_ + 1]());
    check(nn().ANeuralNetworksModel_getSupportedOperationsForDevices(out_.model.get(), handles.data(),
                                                                     std::uint32_t(handles.size()), supported.get()));
    if (!std::all_of(supported.get(), supported.get() + operations_, [](bool b) { return b; }))
        refuse("NNAPI says that it is not supported by " + names);
}
written_model model_writer::write() {
    ANeuralNetworksModel* model = nullptr;
    check(nn().ANeuralNetworksModel_create(&model));
    out_.model.reset(model);
    std::vector<std::uint32_t> inputs;
    for (int id : r_.inputs) {
        const tensor_info info = info_of_value(id);
        inputs.push_back(operand(info));
        put(id, {inputs.back(), info});
    }
    for (int i : r_.nodes) write_node(i);
    const std::vector<std::uint32_t> made = outputs();
    check(nn().ANeuralNetworksModel_identifyInputsAndOutputs(model, std::uint32_t(inputs.size()), inputs.data(),
                                                             std::uint32_t(made.size()), made.data()));
    if (options_.half) check(nn().ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, true));
    check(nn().ANeuralNetworksModel_finish(model));
    if (why_ == purpose::trial) ask_devices();
    return std::move(out_);
}

writer_function find_writer(std::string_view op) {
    for (const std::span<const named_writer> list :
         {convolution_writers(), pool_writers(), element_wise_writers(), normalization_writers(), movement_writers()})
        if (const auto at = std::ranges::find(list, op, &named_writer::op); at != list.end()) return at->write;
    return nullptr;
}
std::string refusal_of_region(const region& r, const model_options& o, const byte_nodes& b) {
    return refusal_of("NNAPI", [&] { model_writer(r, o, b, purpose::trial).write(); });
}
}  // namespace nnapi_rules
}  // namespace v1
}  // namespace inlay

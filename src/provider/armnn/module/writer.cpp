#include "writer.hpp"
#include <climits>

namespace inlay {
inline namespace v1 {
using ::armnn::TensorInfo;
namespace {
::armnn::DataType type_of(element e) {
    switch (e) {
        case element::f32: return ::armnn::DataType::Float32;
        case element::i32: return ::armnn::DataType::Signed32;
        default: refuse("Arm NN gets no tensors of type " + std::string(name_of(e)) + " here");
    }
}
}  // namespace

TensorInfo info_of(const shape& dims, element e) {
    constexpr std::int64_t most = UINT_MAX / 4;  // bytes are counted in 32 bits
    const ::armnn::DataType type = type_of(e);
    if (dims.rank > int(::armnn::MaxNumOfTensorDimensions))
        refuse("Arm NN has no tensors of " + std::to_string(dims.rank) + " dimensions");
    std::int64_t elements = 1;
    std::vector<unsigned> list;
    for (std::int64_t d : dims) {
        if (d < 1) refuse("Arm NN has no tensors without elements, as that of shape " + to_string(dims));
        if (d > most || elements > most / d)
            refuse("a tensor of shape " + to_string(dims) + " is too large for Arm NN");
        elements *= d;
        list.push_back(unsigned(d));
    }
    if (list.empty()) list = {1};
    return {::armnn::TensorShape(unsigned(list.size()), list.data()), type};
}
TensorInfo with_dims(const TensorInfo& info, const shape& dims) {
    return info_of(dims, info.GetDataType() == ::armnn::DataType::Float32 ? element::f32 : element::i32);
}

void network_writer::write(const node& record) {
    const std::string op(record.op);
    if (!record.domain.empty()) refuse("Arm NN has no layer for " + op + " of " + std::string(record.domain));
    const writer_function write_layers = find_writer(op);
    if (!write_layers) refuse("Arm NN has no layer for " + op);
    const node_view n{graph_, record};
    refuse_constant_results(n);
    wrong_on_cpu_acc_.clear();
    write_layers({{*this, n}});
}
void network_writer::add_input(int id, int binding) {
    const TensorInfo info = info_of_value(id);
    ::armnn::IConnectableLayer* const l = network_->AddInputLayer(binding);
    l->GetOutputSlot(0).SetTensorInfo(info);
    put(id, {info, &l->GetOutputSlot(0)});
}
void network_writer::add_output(int id, int binding) {
    values_.at(id).slot->Connect(network_->AddOutputLayer(binding)->GetInputSlot(0));
}

stream network_writer::value(int id) {
    if (id < 0) refuse("an input is missing");
    if (const auto found = values_.find(id); found != values_.end()) return found->second;
    const struct value& v = graph_.values[std::size_t(id)];
    const TensorInfo info = info_of_value(id);
    if (!v.is_constant()) return {info};  // while asking
    const void* const elements = network_ ? constants_->elements(id) : nullptr;
    if (network_ && !elements) refuse("the elements of constant " + std::string(v.name) + " are not there");
    const stream s = layer(
        {}, info, [&](const support& a, reason why) { return a.IsConstantSupported(info, why); },
        [&](::armnn::INetwork& net) { return net.AddConstantLayer(::armnn::ConstTensor(info, elements)); });
    put(id, s);
    return s;
}
const float* network_writer::floats(int id) const {
    const void* const elements = constants_->elements(id);
    if (!elements) refuse("the elements of a constant are not there");
    return static_cast<const float*>(elements);
}
stream network_writer::constant(const TensorInfo& info, const std::vector<std::int32_t>& elements) {
    return layer(
        {}, info, [&](const support& a, reason why) { return a.IsConstantSupported(info, why); },
        [&](::armnn::INetwork& net) { return net.AddConstantLayer(::armnn::ConstTensor(info, elements)); });
}
stream network_writer::reshaped(const stream& s, const TensorInfo& info) {
    if (s.info.GetShape() == info.GetShape()) return s;
    const ::armnn::ReshapeDescriptor to(info.GetShape());
    return layer(
        {s}, info, [&](const support& a, reason why) { return a.IsReshapeSupported(s.info, info, to, why); },
        [&](::armnn::INetwork& net) { return net.AddReshapeLayer(to); });
}
}  // namespace v1
}  // namespace inlay

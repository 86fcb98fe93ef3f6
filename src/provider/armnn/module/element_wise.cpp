// Activations, functions of one operand, and operators of two and more.
#include "writer.hpp"
#include <cmath>

namespace inlay {
inline namespace v1 {
using ::armnn::ActivationDescriptor;
using ::armnn::ActivationFunction;
using ::armnn::IConnectableLayer;
using ::armnn::INetwork;
using ::armnn::TensorInfo;

stream activated(network_writer& net, const stream& x, const ActivationDescriptor& d) {
    return net.layer(
        {x}, x.info,
        [&](const network_writer::support& s, network_writer::reason why) {
            return s.IsActivationSupported(x.info, x.info, d, why);
        },
        [&](INetwork& n) { return n.AddActivationLayer(d); });
}
namespace {
using support = network_writer::support;
using reason = network_writer::reason;

void put_activated(const node_writer& a, const ActivationDescriptor& d) {
    const stream x = a.input(0);
    a.put(activated(a.to, x, d));
}
void write_relu(const node_writer& a) { put_activated(a, {ActivationFunction::ReLu}); }
void write_sigmoid(const node_writer& a) { put_activated(a, {ActivationFunction::Sigmoid}); }
void write_tanh(const node_writer& a) { put_activated(a, {ActivationFunction::TanH, 1, 1}); }
void write_leaky_relu(const node_writer& a) {
    put_activated(a, {ActivationFunction::LeakyReLu, a.real("alpha", 0.01)});
}
void write_elu(const node_writer& a) { put_activated(a, {ActivationFunction::Elu, a.real("alpha", 1)}); }
void write_hard_swish(const node_writer& a) { put_activated(a, {ActivationFunction::HardSwish}); }
void write_hard_sigmoid(const node_writer& a) {
    const ActivationDescriptor line(ActivationFunction::Linear, a.real("alpha", 0.2), a.real("beta", 0.5)),
        bounds(ActivationFunction::BoundedReLu, 1, 0);
    a.put(activated(a.to, activated(a.to, a.input(0), line), bounds));
}
void write_clip(const node_writer& a) {
    const auto [low, high] = a.bounds_of_clip();
    put_activated(a, {ActivationFunction::BoundedReLu, high, low});
}
template <::armnn::UnaryOperation Operation> void write_unary(const node_writer& a) {
    const ::armnn::ElementwiseUnaryDescriptor d(Operation);
    const stream x = a.input(0);
    a.put(a.to.layer(
        {x}, x.info,
        [&](const support& s, reason why) { return s.IsElementwiseUnarySupported(x.info, x.info, d, why); },
        [&](INetwork& n) { return n.AddElementwiseUnaryLayer(d); }));
}
void write_floor(const node_writer& a) {
    a.to.refuse_on_cpu_acc("its layer goes by way of int32, where larger numbers and NaN are lost");
    const stream x = a.input(0);
    a.put(a.to.layer(
        {x}, x.info, [&](const support& s, reason why) { return s.IsFloorSupported(x.info, x.info, why); },
        [](INetwork& n) { return n.AddFloorLayer(); }));
}

// Ones before the dimensions, until there are `rank`: Arm NN broadcasts between tensors of one rank.
shape of_rank(const shape& dims, int rank) {
    shape all = shape::of_rank(rank - dims.rank);
    for (std::int64_t d : dims) all.push_back(d);
    return all;
}
using two_supported = bool (support::*)(const TensorInfo&, const TensorInfo&, const TensorInfo&, reason) const;
using adder_of_two = IConnectableLayer* (INetwork::*)(const char*);
// Operands from the left; each may have a shape of its own that broadcasts.
template <two_supported Supported, adder_of_two Add> void write_fold(const node_writer& a) {
    if (a.n.version() < 7) refuse("version " + std::to_string(a.n.version()) + " of it broadcasts in its own way");
    const int rank = std::max(a.n.output(0).dims.rank, 1);
    stream all = a.input(0, of_rank(a.n.input(0).dims, rank));
    shape dims = a.n.input(0).dims;
    for (int k = 1; k < a.n.input_count(); ++k) {
        const stream next = a.input(k, of_rank(a.n.input(k).dims, rank));
        shape common;
        if (!broadcast(dims, a.n.input(k).dims, common)) refuse("its operands do not broadcast");
        dims = common;
        const TensorInfo y = with_dims(next.info, of_rank(dims, rank));
        all = a.to.layer(
            {all, next}, y, [&](const support& s, reason why) { return (s.*Supported)(all.info, next.info, y, why); },
            [](INetwork& n) { return (n.*Add)(nullptr); });
    }
    a.put(all);
}
void require_floats(const node_writer& a) {
    if (a.n.input(0).type != element::f32)
        refuse("it divides " + std::string(name_of(a.n.input(0).type)) + ", and Arm NN does not look for zeros");
}
void write_add(const node_writer& a) {
    if (a.n.output(0).type != element::f32)
        a.to.refuse_on_cpu_acc("its sums of integers stop at the largest one, and do not wrap");
    write_fold<&support::IsAdditionSupported, &INetwork::AddAdditionLayer>(a);
}
constexpr writer_function write_sub = write_fold<&support::IsSubtractionSupported, &INetwork::AddSubtractionLayer>;
constexpr writer_function write_mul =
    write_fold<&support::IsMultiplicationSupported, &INetwork::AddMultiplicationLayer>;
constexpr writer_function write_max = write_fold<&support::IsMaximumSupported, &INetwork::AddMaximumLayer>;
constexpr writer_function write_min = write_fold<&support::IsMinimumSupported, &INetwork::AddMinimumLayer>;
void write_div(const node_writer& a) {
    require_floats(a);
    write_fold<&support::IsDivisionSupported, &INetwork::AddDivisionLayer>(a);
}
void write_prelu(const node_writer& a) { write_fold<&support::IsPreluSupported, &INetwork::AddPreluLayer>(a); }
}  // namespace

writer_function find_element_wise(std::string_view op) {
    using ::armnn::UnaryOperation;
    static constexpr named_writer all[] = {{"Relu", write_relu},
                                           {"Sigmoid", write_sigmoid},
                                           {"Tanh", write_tanh},
                                           {"LeakyRelu", write_leaky_relu},
                                           {"Elu", write_elu},
                                           {"HardSwish", write_hard_swish},
                                           {"HardSigmoid", write_hard_sigmoid},
                                           {"Clip", write_clip},
                                           {"Abs", write_unary<UnaryOperation::Abs>},
                                           {"Exp", write_unary<UnaryOperation::Exp>},
                                           {"Sqrt", write_unary<UnaryOperation::Sqrt>},
                                           {"Neg", write_unary<UnaryOperation::Neg>},
                                           {"Floor", write_floor},
                                           {"Add", write_add},
                                           {"Sum", write_add},
                                           {"Sub", write_sub},
                                           {"Mul", write_mul},
                                           {"Div", write_div},
                                           {"Max", write_max},
                                           {"Min", write_min},
                                           {"PRelu", write_prelu}};
    return find_in(all, op);
}
}  // namespace v1
}  // namespace inlay

// Softmax, LogSoftmax, and normalizations over batches, instances and channels.
#include "writer.hpp"
#include <inlay/onnx/batch_normalization.hpp>
#include <inlay/onnx/lrn.hpp>
#include <inlay/onnx/softmax.hpp>

namespace inlay {
inline namespace v1 {
using ::armnn::ConstTensor;
using ::armnn::INetwork;
using ::armnn::TensorInfo;
namespace {
using support = network_writer::support;
using reason = network_writer::reason;

// Version 13 has one axis; those before count all from `axis` on as one. It becomes the last one of two, which every
// backend takes, or else the middle one of three.
void write_softmax(const node_writer& a) {
    const shape& x = a.n.input(0).dims;
    const int axis = normal_axis(op::softmax_like::axis(a.n), x.rank), end = a.n.version() < 13 ? x.rank : axis + 1;
    ::armnn::SoftmaxDescriptor d;
    d.m_Axis = 1;
    shape dims{x.elements(0, axis), x.elements(axis, end)};
    if (x.elements(end) != 1) dims.push_back(x.elements(end));
    const stream rows = a.input(0, dims);
    const bool log = a.n.record.op == "LogSoftmax";
    a.put(a.to.layer(
        {rows}, rows.info,
        [&](const support& s, reason why) {
            return log ? s.IsLogSoftmaxSupported(rows.info, rows.info, d, why)
                       : s.IsSoftmaxSupported(rows.info, rows.info, d, why);
        },
        [&](INetwork& net) { return log ? net.AddLogSoftmaxLayer(d) : net.AddSoftmaxLayer(d); }));
}
// [N, C, 1, the rest]: Arm NN's layers take images only.
shape as_images(const shape& x) { return {x[0], x[1], 1, x.elements(2)}; }
void write_batch_normalization(const node_writer& a) {
    if (a.n.integer("training_mode", 0) != 0 || !a.only_first_output()) refuse("it is training");
    if (a.n.version() < 9 && a.n.integer("spatial", 1) == 0)
        refuse("spatial is 0, and Arm NN has one mean per channel");
    if (a.n.input(0).dims.rank < 2) refuse("X has no channels");
    for (int k = 1; k < 5; ++k) (void)a.constant(k, std::array{"scale", "B", "mean", "var"}[std::size_t(k - 1)]);
    ::armnn::BatchNormalizationDescriptor d;
    d.m_Eps = float(a.n.real("epsilon", 1e-5));
    const stream x = a.input(0, as_images(a.n.input(0).dims));
    const TensorInfo row = info_of(a.n.input(1).dims, element::f32);
    a.put(a.to.layer(
        {x}, x.info,
        [&](const support& s, reason why) {
            return s.IsBatchNormalizationSupported(x.info, x.info, row, row, row, row, d, why);
        },
        [&](INetwork& net) {
            return net.AddBatchNormalizationLayer(d, ConstTensor(row, a.floats(3)), ConstTensor(row, a.floats(4)),
                                                  ConstTensor(row, a.floats(2)), ConstTensor(row, a.floats(1)));
        }));
}
// Arm NN's layer has one scale and one offset for all channels: those of the channels come after it.
void write_instance_normalization(const node_writer& a) {
    const shape& dims = a.n.input(0).dims;
    if (dims.rank < 3) refuse("X has no spatial axes");
    ::armnn::InstanceNormalizationDescriptor d;
    d.m_Eps = float(a.n.real("epsilon", 1e-5));
    const stream x = a.input(0, as_images(dims));
    const stream y = a.to.layer(
        {x}, x.info,
        [&](const support& s, reason why) { return s.IsInstanceNormalizationSupported(x.info, x.info, d, why); },
        [&](INetwork& net) { return net.AddInstanceNormalizationLayer(d); });
    const stream scale = a.input(1, {1, dims[1], 1, 1}), offset = a.input(2, {1, dims[1], 1, 1});
    const stream scaled = a.to.layer(
        {y, scale}, y.info,
        [&](const support& s, reason why) { return s.IsMultiplicationSupported(y.info, scale.info, y.info, why); },
        [](INetwork& net) { return net.AddMultiplicationLayer(); });
    a.put(a.to.layer(
        {scaled, offset}, y.info,
        [&](const support& s, reason why) { return s.IsAdditionSupported(y.info, offset.info, y.info, why); },
        [](INetwork& net) { return net.AddAdditionLayer(); }));
}
void write_lrn(const node_writer& a) {
    const std::int64_t size = a.n.integer("size", 1);
    if (size % 2 == 0) refuse("its size is " + std::to_string(size) + ", and Arm NN's windows are odd");
    if (a.n.input(0).dims.rank != 4) refuse("X is no image, which Arm NN's layer wants");
    const auto p = lrn_params::of(a.n);
    ::armnn::NormalizationDescriptor d;
    d.m_NormSize = unsigned(std::min(size, 2 * a.n.input(0).dims[1] + 1));
    d.m_Alpha = float(p.alpha);
    d.m_Beta = float(p.beta);
    d.m_K = float(p.bias);
    const stream x = a.input(0);
    a.put(a.to.layer(
        {x}, x.info, [&](const support& s, reason why) { return s.IsNormalizationSupported(x.info, x.info, d, why); },
        [&](INetwork& net) { return net.AddNormalizationLayer(d); }));
}
}  // namespace

writer_function find_normalization(std::string_view op) {
    static constexpr named_writer all[] = {{"Softmax", write_softmax},
                                           {"LogSoftmax", write_softmax},
                                           {"BatchNormalization", write_batch_normalization},
                                           {"InstanceNormalization", write_instance_normalization},
                                           {"LRN", write_lrn}};
    return find_in(all, op);
}
}  // namespace v1
}  // namespace inlay

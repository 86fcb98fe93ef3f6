// Softmax, LogSoftmax, and normalizations over batches, instances, layers and channels.
#include "graph.hpp"
#include <inlay/onnx/batch_normalization.hpp>
#include <inlay/onnx/softmax.hpp>

namespace inlay {
inline namespace v1 {
namespace dml_rules {
namespace {
// Version 13 has one axis; those before count all from `axis` on as one.
void write_softmax(const node_writer& a) {
    const stream x = a.input(0);
    const int axis = normal_axis(op::softmax_like::axis(a.n), a.rank()), end = a.n.version() < 13 ? a.rank() : axis + 1;
    std::vector<UINT> axes;
    for (int i = axis; i < end; ++i) axes.push_back(UINT(i));
    if (axes.empty()) refuse("it has no axis");
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const auto count = UINT(axes.size());
    const dml_softmax d{in, m.out(x.info), count, m.list(std::move(axes))};
    a.put(m.made(a.n.record.op == "Softmax" ? DML_OPERATOR_ACTIVATION_SOFTMAX1 : DML_OPERATOR_ACTIVATION_LOG_SOFTMAX1,
                 &d));
}
// Input k, of `count` elements and x's type, in these dimensions.
stream parameter(const node_writer& a, int k, const stream& x, const shape& dims) {
    if (a.dims(k).elements() != dims.elements()) refuse("scale and bias have not one element for each place");
    const stream p = a.input(k, dims);
    if (p.info.type != x.info.type) refuse("its inputs are of different types");
    return p;
}
void write_batch_normalization(const node_writer& a) {
    if (a.n.integer("training_mode", 0) != 0 || !a.only_first_output()) refuse("it is training");
    if (!op::batch_normalization::is_spatial(a.n)) refuse("spatial is 0: it has more than one mean per channel");
    const stream x = a.input(0, channel_planes(a.dims(0)));
    const shape row{1, x.info.dims[1], 1, 1};
    operator_maker m(a.to);
    const dml_tensor in = m.in(x), mean = m.in(parameter(a, 3, x, row)), variance = m.in(parameter(a, 4, x, row)),
                     scale = m.in(parameter(a, 1, x, row)), bias = m.in(parameter(a, 2, x, row));
    const dml_batch_normalization d{in,     mean, variance, scale, bias, m.out(x.info), 1, a.real("epsilon", 1e-5),
                                    nullptr};
    a.put(m.made(DML_OPERATOR_BATCH_NORMALIZATION, &d));
}
// x, normalized over the axes, times input 1 and with input 2 added.
void put_normalized(const node_writer& a, const stream& x, std::vector<UINT> axes, const shape& row) {
    operator_maker m(a.to);
    const dml_tensor in = m.in(x), scale = m.in(parameter(a, 1, x, row)),
                     bias = a.n.has_input(2) ? m.in(parameter(a, 2, x, row)) : m.absent();
    const auto count = UINT(axes.size());
    const dml_normalization d{
        in, scale, bias, m.out(x.info), count, m.list(std::move(axes)), 1, a.real("epsilon", 1e-5), nullptr};
    a.put(m.made(DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1, &d));
}
void write_instance_normalization(const node_writer& a) {
    const stream x = a.input(0, channel_planes(a.dims(0)));
    put_normalized(a, x, {2, 3}, {1, x.info.dims[1], 1, 1});
}
void write_layer_normalization(const node_writer& a) {
    if (!a.only_first_output()) refuse("the means or deviations are wanted");
    const int axis = normal_axis(a.n.integer("axis", -1), a.rank());
    if (axis < 0) refuse("axis is out of range");
    const std::int64_t length = a.dims(0).elements(axis);
    put_normalized(a, a.input(0, {1, 1, a.dims(0).elements(0, axis), length}), {3}, {1, 1, 1, length});
}
void write_lrn(const node_writer& a) {
    const std::int64_t size = a.n.integer("size", 1);
    if (size % 2 == 0) refuse("its size is " + std::to_string(size) + ", and DirectML's windows are odd");
    const stream x = a.input(0, channel_planes(a.dims(0)));
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const dml_local_response d{
        in, m.out(x.info), 1, UINT(size), a.real("alpha", 1e-4f), a.real("beta", 0.75), a.real("bias", 1)};
    a.put(m.made(DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION, &d));
}
}  // namespace

std::span<const named_writer> normalization_writers() {
    static constexpr named_writer all[] = {{"BatchNormalization", write_batch_normalization},
                                           {"InstanceNormalization", write_instance_normalization},
                                           {"LRN", write_lrn},
                                           {"LayerNormalization", write_layer_normalization},
                                           {"LogSoftmax", write_softmax},
                                           {"Softmax", write_softmax}};
    return all;
}
}  // namespace dml_rules
}  // namespace v1
}  // namespace inlay

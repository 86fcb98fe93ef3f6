// Softmax, LogSoftmax, and normalizations over batches, instances and channels.
#include "model.hpp"
#include <inlay/onnx/batch_normalization.hpp>
#include <inlay/onnx/lrn.hpp>
#include <inlay/onnx/softmax.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace nnapi_rules {
namespace {
// Version 13 has one axis; those before count all from `axis` on as one. It becomes the last one of two, which every
// level takes, or else the middle one of three.
void write_softmax(const node_writer& a) {
    const shape& x = a.n.input(0).dims;
    const int axis = normal_axis(op::softmax_like::axis(a.n), x.rank), end = a.n.version() < 13 ? x.rank : axis + 1;
    shape dims{x.elements(0, axis), x.elements(axis, end)};
    if (x.elements(end) != 1) dims.push_back(x.elements(end));
    const stream rows = a.input(0, dims);
    const bool log = a.n.record.op == "LogSoftmax";
    std::vector<std::uint32_t> inputs{rows.operand, a.to.scalar(1.f)};
    if (log || dims.rank == 3) {
        if (!log) a.to.require_level(29, "Softmax along any axis");
        inputs.push_back(a.to.scalar(std::int32_t(1)));
    }
    a.put(a.to.operation(log ? LOG_SOFTMAX : SOFTMAX, inputs, {dims, a.output_info().type}));
}

// x * scale + offset, which have an element for each channel.
stream scaled(const node_writer& a, const stream& x, const floats_maker& scale, const floats_maker& offset) {
    shape row = shape::of_rank(x.info.dims.rank, 1);
    row[1] = x.info.dims[1];
    const tensor_info each{row, {}, x.info.order};
    const std::uint32_t none = a.to.scalar(FUSED_NONE);
    const stream y = a.to.operation(MUL, {x.operand, a.to.constant(each, scale).operand, none}, x.info);
    return a.to.operation(ADD, {y.operand, a.to.constant(each, offset).operand, none}, x.info);
}
void write_batch_normalization(const node_writer& a) {
    if (a.n.integer("training_mode", 0) != 0 || !a.only_first_output()) refuse("it is training");
    if (!op::batch_normalization::is_spatial(a.n)) refuse("spatial is 0: it has more than one mean per channel");
    if (a.n.input(0).dims.rank < 2) refuse("X has no channels");
    for (int k = 1; k < 5; ++k) (void)a.constant(k, std::array{"scale", "B", "mean", "var"}[std::size_t(k - 1)]);
    const auto channels = std::size_t(a.n.input(0).dims[1]);
    const double epsilon = a.n.real("epsilon", 1e-5);
    const auto factor = [&](std::size_t c) { return a.elements(1)[c] / std::sqrt(a.elements(4)[c] + epsilon); };
    const auto each = [&](auto f) {
        return [&, f] {
            std::vector<float> all;
            for (std::size_t c = 0; c < channels; ++c) all.push_back(float(f(c)));
            return all;
        };
    };
    a.put(scaled(a, a.input(0), each(factor),
                 each([&](std::size_t c) { return a.elements(2)[c] - a.elements(3)[c] * factor(c); })));
}
void write_instance_normalization(const node_writer& a) {
    a.require_image();
    for (int k : {1, 2}) (void)a.constant(k, k == 1 ? "scale" : "B");
    const stream x = a.image();
    const stream y = a.to.operation(INSTANCE_NORMALIZATION,
                                    {x.operand, a.to.scalar(1.f), a.to.scalar(0.f),
                                     a.to.scalar(a.real("epsilon", 1e-5)), a.to.scalar(a.channels_first())},
                                    x.info);
    const auto all_of = [&](int k) {
        return [&, k] { return std::vector(a.elements(k), a.elements(k) + a.n.input(k).dims.elements()); };
    };
    a.put(scaled(a, y, all_of(1), all_of(2)));
}
void write_lrn(const node_writer& a) {
    a.require_image();
    const std::int64_t size = a.n.integer("size", 1);
    if (size % 2 == 0) refuse("its size is " + std::to_string(size) + ", and NNAPI's windows are odd");
    const auto p = lrn_params::of(a.n);
    const stream x = a.to.value(a.n.input_id(0), layout::channels_last);  // its windows are along the last dimension
    a.put(a.to.operation(LOCAL_RESPONSE_NORMALIZATION,
                         {x.operand, a.to.scalar(std::int32_t(p.below)), a.to.scalar(float(p.bias)),
                          a.to.scalar(float(p.alpha)), a.to.scalar(float(p.beta))},
                         x.info));
}
}  // namespace

std::span<const named_writer> normalization_writers() {
    static constexpr named_writer all[] = {{"Softmax", write_softmax},
                                           {"LogSoftmax", write_softmax},
                                           {"BatchNormalization", write_batch_normalization},
                                           {"InstanceNormalization", write_instance_normalization},
                                           {"LRN", write_lrn}};
    return all;
}
}  // namespace nnapi_rules
}  // namespace v1
}  // namespace inlay

// Softmax, and normalizations over batches and channels.
#include "writer.hpp"
#include <inlay/onnx/lrn.hpp>
#include <inlay/onnx/softmax.hpp>
#include <arm_compute/runtime/NEON/functions/NEBatchNormalizationLayer.h>
#include <arm_compute/runtime/NEON/functions/NENormalizationLayer.h>
#include <arm_compute/runtime/NEON/functions/NESoftmaxLayer.h>
#include <array>

namespace inlay {
inline namespace v1 {
namespace {
// Version 13 has one axis; those before count all from `axis` on as one.
void write_softmax(const node_writer& a) {
    const shape& x = a.n.input(0).dims;
    const int axis = normal_axis(op::softmax_like::axis(a.n), x.rank), end = a.n.version() < 13 ? x.rank : axis + 1;
    if (x.elements(end) != 1) refuse("its axis is not the last one, as that of ACL's function is");
    const stream rows = a.input(0, {x.elements(0, axis), x.elements(axis, end)});
    a.put(a.through<arm::NESoftmaxLayer>(rows, rows.info, 1.f));
}
// [N, C, 1, the rest]: ACL's function takes images only.
shape as_images(const shape& x) { return {x[0], x[1], 1, x.elements(2)}; }
void write_batch_normalization(const node_writer& a) {
    if (a.n.integer("training_mode", 0) != 0 || !a.only_first_output()) refuse("it is training");
    if (a.n.version() < 9 && a.n.integer("spatial", 1) == 0) refuse("spatial is 0, and ACL has one mean per channel");
    const shape& dims = a.n.input(0).dims;
    if (dims.rank < 2) refuse("X has no channels");
    for (int k = 1; k < 5; ++k) (void)a.constant(k, std::array{"scale", "B", "mean", "var"}[std::size_t(k - 1)]);
    const auto row = [&](int k) { return a.weights_if(true, k); };
    const stream x = dims.rank == 4 ? a.input(0) : a.input(0, as_images(dims));
    a.put(a.through<arm::NEBatchNormalizationLayer>(x, x.info, row(3), row(4), row(2), row(1),
                                                    float(a.n.real("epsilon", 1e-5)), arm::ActivationLayerInfo()));
}
void write_lrn(const node_writer& a) {
    const std::int64_t size = a.n.integer("size", 1);
    if (a.n.input(0).dims.rank != 4) refuse("X is no image, which ACL's function wants");
    const auto p = lrn_params::of(a.n);
    if (size % 2 == 0) refuse("its size is " + std::to_string(size) + ", and ACL's windows are odd");
    if (size > 2 * a.n.input(0).dims[1]) refuse("its size is larger than the channels are");
    const arm::NormalizationLayerInfo norm(arm::NormType::CROSS_MAP, unsigned(size), float(p.alpha), float(p.beta),
                                           float(p.bias), false);  // alpha: divided by size already
    a.put(a.through<arm::NENormalizationLayer>(a.input(0), a.output_info(), norm));
}
}  // namespace

writer_function find_normalization(std::string_view op) {
    static constexpr named_writer all[] = {
        {"Softmax", write_softmax}, {"BatchNormalization", write_batch_normalization}, {"LRN", write_lrn}};
    return find_in(all, op);
}
}  // namespace v1
}  // namespace inlay

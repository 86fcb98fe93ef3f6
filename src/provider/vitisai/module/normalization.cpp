// Softmax, and BatchNormalization.
#include "writer.hpp"
#include <inlay/onnx/batch_normalization.hpp>
#include <inlay/onnx/softmax.hpp>

namespace inlay {
inline namespace v1 {
namespace {
// Version 13 has one axis; those before count all from `axis` on as one.
void write_softmax(const node_writer& a) {
    const shape& x = a.n.input(0).dims;
    const int axis = normal_axis(op::softmax_like::axis(a.n), x.rank), end = a.n.version() < 13 ? x.rank : axis + 1;
    shape dims{x.elements(0, axis), x.elements(axis, end)};
    if (x.elements(end) != 1) dims.push_back(x.elements(end));
    const stream rows = a.to.plain(a.input(0, dims));
    xir_attributes all;
    all.set("axis", std::int32_t(1));
    a.put(a.to.made("softmax", std::move(all), {{"input", {rows.op}}}, rows.info));
}
void write_batch_normalization(const node_writer& a) {
    if (a.n.integer("training_mode", 0) != 0 || !a.only_first_output()) refuse("it is training");
    if (a.n.version() < 9 && a.n.integer("spatial", 1) == 0) refuse("spatial is 0, and XIR has one mean per channel");
    const shape& dims = a.n.input(0).dims;
    if (dims.rank < 2) refuse("X has no channels");
    // [N, the rest, C]: XIR's channels are the last axis
    const stream x = dims.rank == 4 ? a.image() : a.plain(0);
    const xir_tensor rows{{dims[0], dims[1], dims.elements(2), 1}};
    const stream in = x.info.channels_last ? x : a.to.image(a.to.reshaped(x, rows));
    xir_inputs inputs{{"input", {in.op}}};
    constexpr const char* names[] = {"", "gamma", "beta", "moving_mean", "moving_var"};
    for (int k : {1, 2, 3, 4}) {
        const shape& row = a.constant(k, names[k]);
        const float* const from = a.floats(k);
        inputs[names[k]] = {a.to.numbers(row, {from, from + row.elements()}).op};
    }
    xir_attributes all;
    all.set("axis", std::int32_t(3)).set("epsilon", a.real("epsilon", 1e-5));
    a.put(a.to.made("batchnorm", std::move(all), inputs, in.info));
}
}  // namespace

writer_function find_normalization(std::string_view op) {
    static constexpr named_writer all[] = {{"Softmax", write_softmax},
                                           {"BatchNormalization", write_batch_normalization}};
    return find_in(all, op);
}
}  // namespace v1
}  // namespace inlay

// Softmax, and what divides by a deviation.
#include "program.hpp"
#include <inlay/onnx/lrn.hpp>

namespace inlay {
inline namespace v1 {
namespace mil {
namespace {
void write_softmax(const mil_node& a) {
    require_floats(a);
    const bool flattens = a.n.version() < 13;  // all axes from this one on are one
    shape dims = a.n.input(0).dims.rank ? a.n.input(0).dims : shape{1};
    int axis = normal_axis(a.n.integer("axis", flattens ? 1 : -1), dims.rank);
    if (axis < 0) refuse("its axis is out of range");
    if (flattens) {
        dims = {dims.elements(0, axis), dims.elements(axis)};
        axis = 1;
    }
    const variable x = a.input(0, dims);
    if (a.n.record.op == "Softmax")
        return a.put(a.to.operation("softmax", {{"x", x}, {"axis", std::int64_t(axis)}}, x.info));
    a.put(combined(a.to, "sub", x, reduced(a.to, "reduce_log_sum_exp", x, {axis})));
}
void write_layer_normalization(const mil_node& a) {
    require_floats(a);
    require_first_output(a, "its mean or deviation is wanted");
    const shape& x = a.n.input(0).dims;
    const int first = normal_axis(a.n.integer("axis", -1), x.rank);
    if (first < 0) refuse("its axis is out of range");
    shape row;
    integers axes;
    for (int i = first; i < x.rank; ++i) {
        axes.push_back(i);
        row.push_back(x[i]);
    }
    arguments all{{"axes", axes}, {"epsilon", a.number("epsilon", 1e-5)}};
    for (int k : {1, 2}) {
        if (!a.n.has_input(k)) continue;
        const char* const name = k == 1 ? "Scale" : "B";
        require_constant(a, k, name);
        if (a.n.input(k).dims != row || a.n.input(k).type != a.type())
            refuse(std::string(name) + " is not a row like those that are normalised");
        all.push_back({k == 1 ? "gamma" : "beta", a.input(k)});
    }
    a.put_operation("layer_norm", all);
}
void write_batch_normalization(const mil_node& a) {
    require_floats(a);
    if (a.n.integer("training_mode", 0) != 0 || !a.only_first_output()) refuse("it is training");
    if (a.n.version() < 9 && a.n.integer("spatial", 1) == 0)
        refuse("spatial is 0, and Core ML has one mean per channel");
    constexpr std::string_view names[] = {"gamma", "beta", "mean", "variance"};
    arguments all{{"epsilon", a.number("epsilon", 1e-5)}};
    for (int k = 1; k < 5; ++k) {
        require_constant(a, k, names[k - 1]);
        if (a.n.input(k).type != a.type()) refuse("its input " + std::to_string(k) + " is of another type than X");
        all.push_back({names[k - 1], a.input(k)});
    }
    if (a.rank() < 3) refuse("X has no spatial axes, which Core ML's batch_norm wants");
    a.put_operation("batch_norm", all);
}
void write_instance_normalization(const mil_node& a) {
    require_floats(a);
    if (a.rank() != 3 && a.rank() != 4) refuse("Core ML's instance_norm is over 1 or 2 spatial axes");
    require_constant(a, 1, "scale");
    require_constant(a, 2, "B");
    a.put_operation("instance_norm",
                    {{"gamma", a.input(1)}, {"beta", a.input(2)}, {"epsilon", a.number("epsilon", 1e-5)}});
}
void write_lrn(const mil_node& a) {
    require_floats(a);
    const std::int64_t size = a.n.integer("size", 1);
    if (size % 2 == 0)
        refuse("its size is " + std::to_string(size) + ", and Core ML does not tell where such windows lie");
    if (a.rank() != 3 && a.rank() != 4) refuse("Core ML's local_response_norm is over 1 or 2 spatial axes");
    a.put_operation("local_response_norm", {{"size", size},
                                            {"alpha", a.number("alpha", 1e-4)},
                                            {"beta", a.number("beta", 0.75)},
                                            {"k", a.number("bias", 1)}});
}
}  // namespace

std::span<const mil_rule> normalization_rules() {
    static constexpr mil_rule all[] = {{"Softmax", write_softmax},
                                       {"LogSoftmax", write_softmax},
                                       {"LayerNormalization", write_layer_normalization},
                                       {"BatchNormalization", write_batch_normalization},
                                       {"InstanceNormalization", write_instance_normalization},
                                       {"LRN", write_lrn}};
    return all;
}
}  // namespace mil
}  // namespace v1
}  // namespace inlay

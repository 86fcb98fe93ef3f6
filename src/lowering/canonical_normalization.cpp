// Softmax and what is divided by its deviation, as primitives.
#include "canonical.hpp"
#include <inlay/onnx/batch_normalization.hpp>
#include <inlay/onnx/lrn.hpp>
#include <inlay/onnx/softmax.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
// Version 13 has one axis; those before count all from `axis` on as one.
template <bool Log> void lower_softmax(node_lowering& a) {
    const shape& x = a.n.input(0).dims;
    const int axis = normal_axis(op::softmax_like::axis(a.n), x.rank);
    if (axis < 0) refuse("its axis is out of range");
    if (a.n.version() >= 13 || axis == x.rank - 1) return a.add(softmax_prim{a.input(0), a.result(), axis, Log});
    const shape rows{x.elements(0, axis), x.elements(axis)};
    const operand joined = a.input(0, rows);
    a.add(softmax_prim{joined, a.result(rows), 1, Log});
}
void lower_batch_normalization(node_lowering& a) {
    if (a.n.integer("training_mode", 0) != 0 || !a.only_first_output()) refuse("it is training");
    if (!op::batch_normalization::is_spatial(a.n)) refuse("spatial is 0: it has more than one mean per channel");
    if (a.n.input(0).dims.rank < 2) refuse("X has no channels");
    if (a.library_has(kind::batch_norm))
        return a.add(batch_norm_prim{a.input(0), a.input(1), a.input(2), a.input(3), a.input(4), a.result(),
                                     a.real("epsilon", 1e-5)});
    for (int k = 1; k < 5; ++k) a.require_constant(k, std::array{"scale", "B", "mean", "var"}[std::size_t(k - 1)]);
    const shape channels{a.n.input(0).dims[1]};
    const auto factors = [scale = a.copy_of(1), var = a.copy_of(4), epsilon = a.n.real("epsilon", 1e-5)] {
        std::vector<double> values;
        const std::vector<float> s = scale(), v = var();
        for (std::size_t c = 0; c < s.size(); ++c) values.push_back(s[c] / std::sqrt(v[c] + epsilon));
        return values;
    };
    const operand scale = a.constant(channels, [factors] {
        const std::vector<double> values = factors();
        return std::vector<float>(values.begin(), values.end());
    });
    const operand shift = a.constant(channels, [factors, bias = a.copy_of(2), mean = a.copy_of(3)] {
        std::vector<float> values = bias();
        const std::vector<float> m = mean();
        const std::vector<double> f = factors();
        for (std::size_t c = 0; c < values.size(); ++c) values[c] = float(values[c] - m[c] * f[c]);
        return values;
    });
    a.add(affine_prim{a.input(0), scale, shift, a.result()});
}
// As a norm over planes, whose factors need not be constants.
void lower_whole_instance_normalization(node_lowering& a) {
    const shape x = a.n.input(0).dims, planes{x[0], x[1], 1, x.elements(2)}, row{1, x[1], 1, 1};
    a.add(layer_norm_prim{
        a.input(0, planes), a.result(planes), a.input(1, row), a.input(2, row), {2, 3}, a.real("epsilon", 1e-5)});
}
void lower_instance_normalization(node_lowering& a) {
    if (!a.library_has(kind::instance_norm) && a.library_has(kind::layer_norm))
        return lower_whole_instance_normalization(a);
    for (int k : {1, 2}) a.require_constant(k, k == 1 ? "scale" : "B");
    const operand x = a.input(0), y = a.between(x.dims, x);
    a.add(instance_norm_prim{x, y, a.real("epsilon", 1e-5)});
    const shape channels{x.dims[1]};
    a.add(affine_prim{y, a.constant(channels, a.copy_of(1)), a.constant(channels, a.copy_of(2)), a.result()});
}
// To variance 1 over the axes from the first one on, times input `scale` plus input `shift`, where they are there. Of
// other shapes than a row of these axes they are operations of their own.
void add_layer_norm(node_lowering& a, layer_norm_prim p, int first, int scale, int shift) {
    shape row;
    for (int i = first; i < p.x.dims.rank; ++i) {
        p.axes.push_back(i);
        row.push_back(p.x.dims[i]);
    }
    bool are_rows = true;
    const auto factor = [&](int k) -> std::optional<operand> {
        if (k < 0 || !a.n.has_input(k)) return std::nullopt;
        if (a.n.input(k).type != p.x.type)
            refuse(std::string(k == scale ? "Scale" : "B") + " is of another type than X");
        are_rows &= a.n.input(k).dims == row;
        return a.input(k);
    };
    p.scale = factor(scale);
    p.shift = factor(shift);
    if (are_rows) return a.add(std::move(p));
    a.require_floats();
    const auto factors = std::array{std::exchange(p.scale, {}), std::exchange(p.shift, {})};
    const operand y = std::exchange(p.y, a.between(p.x.dims, p.x)), scaled = factors[1] ? a.between(p.x.dims, p.x) : y;
    const operand normal = p.y;
    a.add(std::move(p));
    if (factors[0]) a.add(binary_prim{arithmetic::mul, normal, *factors[0], scaled});
    if (factors[1]) a.add(binary_prim{arithmetic::add, factors[0] ? scaled : normal, *factors[1], y});
}
void require_no_statistics(const node_lowering& a) {
    for (const int k : {1, 2})
        if (a.n.has_output(k)) refuse("its mean or deviation is wanted");
}
// LayerNormalization, RMSNormalization and its older name.
void lower_layer_normalization(node_lowering& a) {
    require_no_statistics(a);
    const bool centred = a.n.record.op == "LayerNormalization";
    const operand x = a.input(0);
    add_layer_norm(a, {x, a.result(), {}, {}, {}, a.real("epsilon", 1e-5), centred},
                   normal_axis(a.n.integer("axis", -1), x.dims.rank), 1, centred ? 2 : -1);
}
// Of the sum of two inputs and perhaps a bias, which is the fourth result.
void lower_skip_normalization(node_lowering& a) {
    a.require_floats();
    require_no_statistics(a);
    const operand x = a.input(0);
    const bool centred = a.n.record.op == "SkipLayerNormalization";
    const int bias = centred ? 4 : 3;
    const operand sum = a.n.has_output(3) ? a.result(3) : a.between(x.dims, x);
    const operand skip_sum = a.n.has_input(bias) ? a.between(x.dims, x) : sum;
    a.add(binary_prim{arithmetic::add, x, a.input(1), skip_sum});
    if (a.n.has_input(bias)) a.add(binary_prim{arithmetic::add, skip_sum, a.input(bias), sum});
    add_layer_norm(a, {sum, a.result(), {}, {}, {}, a.real("epsilon", 1e-12), centred}, x.dims.rank - 1, 2,
                   centred ? 3 : -1);
}
void lower_lrn(node_lowering& a) {
    const auto p = lrn_params::of(a.n);
    a.add(lrn_prim{a.input(0), a.result(), a.n.integer("size", 1), p.below, float(p.alpha), float(p.beta),
                   float(p.bias)});
}
// Groups of channels as rows of [N, groups, elements], with a factor and an addend for each group or each channel.
void lower_group_normalization(node_lowering& a) {
    a.require_floats();
    for (const int k : {1, 2}) a.require_constant(k, k == 1 ? "scale" : "bias");
    const operand x = a.input(0);
    if (x.dims.rank < 3) refuse("it has no spatial axes");
    const std::int64_t groups = a.n.integer("num_groups", 1), length = a.n.input(1).dims.elements();
    const operand scale = a.constant({length}, a.copy_of(1)), shift = a.constant({length}, a.copy_of(2));
    const shape dims{x.dims[0], groups, x.dims.elements(1) / groups};
    const operand rows = a.input(0, dims), normal = a.between(dims, x);
    a.add(layer_norm_prim{rows, normal, {}, {}, {2}, a.real("epsilon", 1e-5)});
    if (length == groups) return a.add(affine_prim{normal, scale, shift, a.result(dims)});
    const operand image = a.between(x.dims, x);
    a.add(reshape_prim{normal, image});
    a.add(affine_prim{image, scale, shift, a.result()});
}
}  // namespace

std::span<const source> normalization_sources() {
    static constexpr source sources[] = {
        {"Softmax", kind::softmax, 0, lower_softmax<false>},
        {"LogSoftmax", kind::softmax, 1, lower_softmax<true>},
        {"BatchNormalization", kind::batch_norm, -1, lower_batch_normalization},
        {"BatchNormalization", kind::affine, -1, lower_batch_normalization},
        {"InstanceNormalization", kind::layer_norm, 0, lower_instance_normalization},
        {"InstanceNormalization", kind::instance_norm, -1, lower_instance_normalization},
        {"LayerNormalization", kind::layer_norm, 0, lower_layer_normalization},
        {"LRN", kind::lrn, -1, lower_lrn},
        {"GroupNormalization", kind::layer_norm, 0, lower_group_normalization, false, true},
        {"RMSNormalization", kind::layer_norm, 1, lower_layer_normalization},
        {"SimplifiedLayerNormalization", kind::layer_norm, 1, lower_layer_normalization},
        {"com.microsoft:SkipLayerNormalization", kind::layer_norm, 0, lower_skip_normalization, false, true},
        {"com.microsoft:SkipSimplifiedLayerNormalization", kind::layer_norm, 1, lower_skip_normalization, false, true},
    };
    return sources;
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay

// Means, maxima and what is divided by them.
#include "lowering.hpp"
#include <inlay/onnx/reduce.hpp>
#include <algorithm>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace {
using order = qnn_lowering::order;
using numbers = std::vector<std::int64_t>;

void lower_softmax(qnn_lowering& l, const node_view& n) {
    const shape& x = n.input(0).dims;
    const bool whole = n.version() < 13;  // over all that follows the axis
    std::int64_t axis = n.integer("axis", whole ? 1 : -1);
    if (axis < 0) axis += x.rank;
    if (whole && x.elements(int(axis) + 1) != 1) refuse("it is over several axes");
    const order o = x.rank == 4 && axis == 1 ? order::channels_last : order::plain;
    const int in = l.input(n, 0, o);
    l.add(n.record.op, {in}, {l.output(n, 0, o)}, {l.natural("axis", qnn_axis(int(axis), x, o))});
}
void lower_batch_normalization(qnn_lowering& l, const node_view& n) {
    const shape& x = n.input(0).dims;
    if (x.rank != 4 && x.rank != 2) refuse("QNN has it of images and of rows");
    if (n.has_output(1) || n.integer("training_mode", 0)) refuse("it may be training");
    if (n.version() < 9 && n.integer("spatial", 1) == 0) refuse("it is not spatial");
    const std::vector<float> scale = l.floats(n, 1), shift = l.floats(n, 2), mean = l.floats(n, 3),
                             variance = l.floats(n, 4);
    const double epsilon = n.real("epsilon", 1e-5);
    std::vector<float> factors(scale.size()), addends(scale.size());
    for (std::size_t i = 0; i < scale.size(); ++i) {
        const double f = scale[i] / std::sqrt(variance[i] + epsilon);
        factors[i] = float(f);
        addends[i] = float(shift[i] - mean[i] * f);
    }
    const shape channels{x[1]};
    const order o = x.rank == 4 ? order::channels_last : order::plain;
    const int in = l.input(n, 0, o);
    l.add("Batchnorm", {in, l.constant(channels, factors), l.constant(channels, addends)}, {l.output(n, 0, o)});
}
void lower_instance_normalization(qnn_lowering& l, const node_view& n) {
    const shape& x = n.input(0).dims;
    if (x.rank != 4) refuse("QNN has it of images");
    constexpr std::array<int, 1> as_it_is{0};
    const int in = l.input(n, 0, order::channels_last), scale = l.weights(n, 1, {x[1]}, as_it_is),
              shift = l.weights(n, 2, {x[1]}, as_it_is);
    l.add("InstanceNorm", {in, scale, shift}, {l.output(n, 0, order::channels_last)},
          {l.real("epsilon", n.real("epsilon", 1e-5))});
}
void lower_layer_normalization(qnn_lowering& l, const node_view& n) {
    const shape& x = n.input(0).dims;
    if (n.has_output(1) || n.has_output(2)) refuse("QNN gives no mean and no deviation");
    std::int64_t axis = n.integer("axis", -1);
    if (axis < 0) axis += x.rank;
    numbers axes;
    shape rest;
    for (int i = int(axis); i < x.rank; ++i) {
        axes.push_back(i);
        rest.push_back(x[i]);
    }
    // QNN's own LayerNorm is good to three digits.
    constexpr std::array<int, 5> as_it_is{0, 1, 2, 3, 4};
    const int in = l.input(n, 0);
    shape row = x;
    for (const std::int64_t i : axes) row[int(i)] = 1;
    const auto mean_of = [&](int from) {
        const int mean = l.inner(row, in);
        l.add("ReduceMean", {from}, {mean}, {l.list("axes", axes), l.truth("keep_dims", true)});
        return mean;
    };
    const auto made = [&](std::string_view type, std::vector<int> from, const shape& dims) {
        const int y = l.inner(dims, in);
        l.add(type, std::move(from), {y});
        return y;
    };
    const int difference = l.inner(x, in);
    l.give_difference(in, mean_of(in), difference);
    const int variance = mean_of(made("ElementWiseMultiply", {difference, difference}, x));
    const float epsilon[] = {float(n.real("epsilon", 1e-5))};
    const int deviation =
        made("ElementWiseSquareRoot", {made("ElementWiseAdd", {variance, l.constant({1}, epsilon)}, row)}, row);
    int y = made("ElementWiseDivide", {difference, deviation}, x);
    for (const int k : {1, 2}) {
        if (!n.has_input(k)) continue;
        if (n.input(k).dims != rest) refuse("QNN's factors and addends are not broadcast here");
        const int w = l.weights(n, k, rest, std::span(as_it_is).first(std::size_t(rest.rank)));
        y = made(k == 1 ? "ElementWiseMultiply" : "ElementWiseAdd", {y, w}, x);
    }
    l.add("Reshape", {y}, {l.output(n)});
}

void lower_reduction(qnn_lowering& l, const node_view& n) {
    reduced_axes axes;
    if (const verdict v = axes.read(n); !v) refuse(std::string(v.reason));
    if (!axes.known) refuse("QNN's axes are constants");
    const shape& x = n.input(0).dims;
    const bool keep = n.integer("keepdims", 1) != 0;
    if (axes.bits == 0 || x.rank == 0) refuse("it reduces nothing");
    constexpr unsigned pixels = 0b1100;
    order from = l.order_of(n);
    if (!keep && axes.bits != pixels) from = order::plain;
    numbers places;
    for (int i = 0; i < x.rank; ++i)
        if (axes.has(i)) places.push_back(qnn_axis(i, x, from));
    std::ranges::sort(places);
    const int in = l.input(n, 0, from);
    l.add(n.record.op, {in}, {l.output(n, 0, keep ? from : order::plain)},
          {l.list("axes", places), l.truth("keep_dims", keep)});
}
}  // namespace

std::span<const qnn_rule> qnn_normalization_rules() {
    static constexpr qnn_rule rules[] = {
        {"BatchNormalization", lower_batch_normalization},
        {"InstanceNormalization", lower_instance_normalization},
        {"LayerNormalization", lower_layer_normalization},
        {"LogSoftmax", lower_softmax},
        {"ReduceMax", lower_reduction},
        {"ReduceMean", lower_reduction},
        {"ReduceMin", lower_reduction},
        {"ReduceSum", lower_reduction},
        {"Softmax", lower_softmax},
    };
    return rules;
}
}  // namespace v1
}  // namespace inlay

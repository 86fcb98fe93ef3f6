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
void lower_lrn(qnn_lowering& l, const node_view& n) {
    const shape& x = n.input(0).dims;
    if (x.rank != 4) refuse("QNN has it of images");
    const std::int64_t size = n.integer("size", 1);
    if (size % 2 == 0) refuse("QNN's windows reach as far on either side");
    constexpr int across_channels = 0;
    const int in = l.input(n, 0, order::channels_last);
    l.add("Lrn", {in}, {l.output(n, 0, order::channels_last)},
          {l.real("alpha", n.real("alpha", 1e-4) / double(size)), l.real("beta", n.real("beta", .75)),
           l.real("bias", n.real("bias", 1)), l.integer("radius", std::int32_t(std::min(size / 2, x[1]))),
           l.natural("region", across_channels)});
}

// What is divided by its deviation, from an axis on. QNN's own LayerNorm is good to three digits, and its others are
// for floats of 16 bits.
class normalizer {
    qnn_lowering& l_;

  public:
    explicit normalizer(qnn_lowering& l) : l_(l) {}
    int made(std::string_view type, std::vector<int> from, const shape& dims) {
        const int y = l_.inner(dims, from[0]);
        l_.add(type, std::move(from), {y});
        return y;
    }
    int normal(int in, int axis, double epsilon, bool centred) {
        const shape x = l_.dims(in);
        shape row = x;
        numbers axes;
        for (int i = axis; i < x.rank; ++i) {
            row[i] = 1;
            axes.push_back(i);
        }
        const auto mean_of = [&](int from) {
            const int mean = l_.inner(row, in);
            l_.add("ReduceMean", {from}, {mean}, {l_.list("axes", axes), l_.truth("keep_dims", true)});
            return mean;
        };
        int difference = in;
        if (centred) {
            difference = l_.inner(x, in);
            l_.give_difference(in, mean_of(in), difference);
        }
        const int variance = mean_of(made("ElementWiseMultiply", {difference, difference}, x));
        const int sum = made("ElementWiseAdd", {variance, l_.number(float(epsilon), in)}, row);
        return made("ElementWiseDivide", {difference, made("ElementWiseSquareRoot", {sum}, row)}, x);
    }
    // Times input `scale`, plus input `shift`, where they are there; as: their dimensions.
    int scaled(int y, const node_view& n, int scale, int shift, const shape& as) {
        constexpr std::array<int, 5> as_it_is{0, 1, 2, 3, 4};
        for (const int k : {scale, shift}) {
            if (k < 0 || !n.has_input(k)) continue;
            if (n.input(k).dims.elements() != as.elements()) refuse("QNN's factors and addends are not broadcast here");
            const int w = l_.weights(n, k, as, std::span(as_it_is).first(std::size_t(as.rank)));
            y = made(k == scale ? "ElementWiseMultiply" : "ElementWiseAdd", {y, w}, l_.dims(y));
        }
        return y;
    }
};
shape from_axis(const shape& x, int axis) {
    shape rest;
    for (int i = axis; i < x.rank; ++i) rest.push_back(x[i]);
    return rest;
}
// Over channels of an image, or groups of them, as rows of [N, groups, elements].
void lower_group_normalization(qnn_lowering& l, const node_view& n) {
    const shape& x = n.input(0).dims;
    if (x.rank < 3) refuse("it has no spatial axes");
    const bool of_channels = n.record.op == "InstanceNormalization";
    const std::int64_t groups = of_channels ? x[1] : n.integer("num_groups", 1);
    const bool per_group = n.input(1).dims.elements() == groups;
    shape channel = shape::of_rank(x.rank);
    for (int i = 0; i < x.rank; ++i) channel[i] = i == 1 ? x[1] : 1;
    if (!per_group) l.require_half_floats();  // else its graph cannot be finished
    normalizer g(l);
    const int rows = l.reshaped(l.input(n, 0), {x[0], groups, x.elements(1) / groups});
    int y = g.normal(rows, 2, n.real("epsilon", 1e-5), true);
    if (per_group) y = g.scaled(y, n, 1, 2, {1, groups, 1});
    y = l.reshaped(y, x);
    if (!per_group) y = g.scaled(y, n, 1, 2, channel);
    l.add("Reshape", {y}, {l.output(n)});
}
// LayerNormalization, RMSNormalization and its older name.
void lower_layer_normalization(qnn_lowering& l, const node_view& n) {
    const shape& x = n.input(0).dims;
    for (const int k : {1, 2})
        if (n.has_output(k)) refuse("QNN gives no mean and no deviation");
    const int axis = normal_axis(n.integer("axis", -1), x.rank);
    const bool centred = n.record.op == "LayerNormalization";
    const shape rest = from_axis(x, axis);
    for (const int k : {1, 2})
        if (n.has_input(k) && n.input(k).dims != rest) refuse("QNN's factors and addends are not broadcast here");
    normalizer g(l);
    int in = l.input(n, 0);
    const bool one_axis = axis == x.rank - 1;
    if (!one_axis) in = l.reshaped(in, {x.elements(0, axis), rest.elements()});
    const int y = g.normal(in, one_axis ? axis : 1, n.real("epsilon", 1e-5), centred);
    l.add("Reshape", {g.scaled(y, n, 1, centred ? 2 : -1, {rest.elements()})}, {l.output(n)});
}
// Of the sum of two inputs and perhaps a bias, which is the fourth result.
void lower_skip_normalization(qnn_lowering& l, const node_view& n) {
    const shape& x = n.input(0).dims;
    for (const int k : {1, 2})
        if (n.has_output(k)) refuse("QNN gives no mean and no deviation");
    const bool centred = n.record.op == "SkipLayerNormalization";
    const shape row = from_axis(x, x.rank - 1);
    normalizer g(l);
    const int skip = l.operand(n, 1, x.rank, order::plain);
    int sum = g.made("ElementWiseAdd", {l.input(n, 0), skip}, x);
    sum = g.scaled(sum, n, -1, centred ? 4 : 3, row);
    const int y = g.normal(sum, x.rank - 1, n.real("epsilon", 1e-12), centred);
    l.add("Reshape", {g.scaled(y, n, 2, centred ? 3 : -1, row)}, {l.output(n)});
    if (n.has_output(3)) l.add("Reshape", {sum}, {l.output(n, 3)});
}

// A reduction: its order and what QNN is told of it.
struct reduction {
    order from = order::plain;
    bool keep = true;
    numbers places{};

    reduction(const qnn_lowering& l, const node_view& n) : from(l.order_of(n)), keep(n.integer("keepdims", 1) != 0) {
        reduced_axes axes;
        if (const verdict v = axes.read(n); !v) refuse(std::string(v.reason));
        if (!axes.known) refuse("QNN's axes are constants");
        const shape& x = n.input(0).dims;
        if (axes.bits == 0 || x.rank == 0) refuse("it reduces nothing");
        constexpr unsigned pixels = 0b1100;
        if (!keep && axes.bits != pixels) from = order::plain;
        for (int i = 0; i < x.rank; ++i)
            if (axes.has(i)) places.push_back(qnn_axis(i, x, from));
        std::ranges::sort(places);
    }
    order to() const { return keep ? from : order::plain; }
    void add(qnn_lowering& l, std::string_view type, int in, int y) const {
        l.add(type, {in}, {y}, {l.list("axes", places), l.truth("keep_dims", keep)});
    }
};
void lower_reduction(qnn_lowering& l, const node_view& n) {
    const reduction r(l, n);
    const int in = l.input(n, 0, r.from);
    r.add(l, n.record.op, in, l.output(n, 0, r.to()));
}
// Sums of magnitudes and of squares, and the root of these.
void lower_reduction_of_functions(qnn_lowering& l, const node_view& n) {
    const reduction r(l, n);
    const int in = l.input(n, 0, r.from), each = l.inner(l.dims(in), in);
    if (n.record.op == "ReduceL1")
        l.add("ElementWiseAbs", {in}, {each});
    else
        l.add("ElementWiseMultiply", {in, in}, {each});
    const int y = l.output(n, 0, r.to());
    if (n.record.op != "ReduceL2") return r.add(l, "ReduceSum", each, y);
    const int sum = l.inner(l.dims(y), y);
    r.add(l, "ReduceSum", each, sum);
    l.add("ElementWiseSquareRoot", {sum}, {y});
}
}  // namespace

std::span<const qnn_rule> qnn_normalization_rules() {
    static constexpr qnn_rule rules[] = {
        {"BatchNormalization", lower_batch_normalization},
        {"GroupNormalization", lower_group_normalization},
        {"InstanceNormalization", lower_group_normalization},
        {"LRN", lower_lrn},
        {"LayerNormalization", lower_layer_normalization},
        {"LogSoftmax", lower_softmax},
        {"RMSNormalization", lower_layer_normalization},
        {"ReduceL1", lower_reduction_of_functions},
        {"ReduceL2", lower_reduction_of_functions},
        {"ReduceMax", lower_reduction, qnn_integers},
        {"ReduceMean", lower_reduction},
        {"ReduceMin", lower_reduction, qnn_integers},
        {"ReduceSum", lower_reduction, qnn_integers},
        {"ReduceSumSquare", lower_reduction_of_functions},
        {"SimplifiedLayerNormalization", lower_layer_normalization},
        {"Softmax", lower_softmax},
        {"com.microsoft:SkipLayerNormalization", lower_skip_normalization},
        {"com.microsoft:SkipSimplifiedLayerNormalization", lower_skip_normalization},
    };
    return rules;
}
}  // namespace v1
}  // namespace inlay

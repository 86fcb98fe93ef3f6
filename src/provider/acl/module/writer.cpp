#include "writer.hpp"
#include <arm_compute/runtime/NEON/functions/NEActivationLayer.h>
#include <arm_compute/runtime/NEON/functions/NEArgMinMaxLayer.h>
#include <arm_compute/runtime/NEON/functions/NEArithmeticAddition.h>
#include <arm_compute/runtime/NEON/functions/NEArithmeticSubtraction.h>
#include <arm_compute/runtime/NEON/functions/NEBatchNormalizationLayer.h>
#include <arm_compute/runtime/NEON/functions/NEConcatenateLayer.h>
#include <arm_compute/runtime/NEON/functions/NEConvolutionLayer.h>
#include <arm_compute/runtime/NEON/functions/NEDeconvolutionLayer.h>
#include <arm_compute/runtime/NEON/functions/NEDepthToSpaceLayer.h>
#include <arm_compute/runtime/NEON/functions/NEDepthwiseConvolutionLayer.h>
#include <arm_compute/runtime/NEON/functions/NEElementwiseOperations.h>
#include <arm_compute/runtime/NEON/functions/NEElementwiseUnaryLayer.h>
#include <arm_compute/runtime/NEON/functions/NEFullyConnectedLayer.h>
#include <arm_compute/runtime/NEON/functions/NEGEMM.h>
#include <arm_compute/runtime/NEON/functions/NEGather.h>
#include <arm_compute/runtime/NEON/functions/NEInstanceNormalizationLayer.h>
#include <arm_compute/runtime/NEON/functions/NENormalizationLayer.h>
#include <arm_compute/runtime/NEON/functions/NEPReluLayer.h>
#include <arm_compute/runtime/NEON/functions/NEPadLayer.h>
#include <arm_compute/runtime/NEON/functions/NEPermute.h>
#include <arm_compute/runtime/NEON/functions/NEPixelWiseMultiplication.h>
#include <arm_compute/runtime/NEON/functions/NEPoolingLayer.h>
#include <arm_compute/runtime/NEON/functions/NEReductionOperation.h>
#include <arm_compute/runtime/NEON/functions/NEReshapeLayer.h>
#include <arm_compute/runtime/NEON/functions/NEScale.h>
#include <arm_compute/runtime/NEON/functions/NESoftmaxLayer.h>
#include <arm_compute/runtime/NEON/functions/NESpaceToDepthLayer.h>
#include <arm_compute/runtime/NEON/functions/NEStridedSlice.h>

namespace inlay {
inline namespace v1 {
using namespace lowering;
namespace {
// Columns are X, as ACL has images; after: padding at the ends.
arm::PadStrideInfo windows_of(const window_axis& rows, const window_axis& columns, bool round_up = false) {
    for (const window_axis& a : {rows, columns})
        if (a.before < 0 || a.after < 0) refuse("a pad is negative");
    return {unsigned(columns.stride),
            unsigned(rows.stride),
            unsigned(columns.before),
            unsigned(columns.after),
            unsigned(rows.before),
            unsigned(rows.after),
            round_up ? arm::DimensionRoundingType::CEIL : arm::DimensionRoundingType::FLOOR};
}
template <class P> arm::PadStrideInfo windows_of(const P& p) { return windows_of(p.window[0], p.window[1]); }
unsigned axis_there(int axis, const shape& dims) { return unsigned(dims.rank - 1 - axis); }
// One for each of ACL's axes, of which the last ones are left out where they have one element.
template <class List> List by_axes_there(const integers& by_axis, std::size_t count) {
    List list;
    for (std::size_t k = 0; k < count; ++k) list.set(k, int(by_axis[by_axis.size() - 1 - k]));
    return list;
}
}  // namespace

stream recipe_writer::at(const operand& x) {
    return tensors_.get(x, [&](const operand& c) {
        if (c.type == element::f32) return weights(c, c.dims);
        return recipe_.constant_tensor(info_of(c.dims, c.type), trial_ ? nullptr : constant_of(r_, c));
    });
}
stream recipe_writer::tensor_for(const operand& y) {
    const stream s = recipe_.tensor(info_of(y.dims, y.type));
    tensors_.set(y, s);
    return s;
}
stream recipe_writer::weights(const operand& w, const shape& dims) {
    return recipe_.constant_tensor(info_of(dims), floats_of(w));
}
stream recipe_writer::numbers(const shape& dims, float x) {
    const auto& values = recipe_.floats.emplace_back(std::size_t(dims.elements()), x);
    return recipe_.constant_tensor(info_of(dims), values.data());
}
template <class P> std::optional<stream> recipe_writer::bias_of(const P& p) {
    return p.bias ? std::optional(weights(*p.bias, p.bias->dims)) : std::nullopt;
}
stream recipe_writer::reshaped(const stream& x, const arm::TensorInfo& y) {
    return x.info.tensor_shape() == y.tensor_shape() ? x : through<arm::NEReshapeLayer>(x, y);
}
stream recipe_writer::transposed(const stream& x, const shape& to, const integers& axes) {
    auto order = arm::PermutationVector(0U, 1U, 2U);
    for (int k = 0; k < to.rank; ++k) order.set(axis_there(k, to), axis_there(int(axes[std::size_t(k)]), to));
    return through<arm::NEPermute>(x, info_of(to), order);
}
stream recipe_writer::cut(const stream& x, const shape& part, const integers& start, const integers& step) {
    integers end;
    for (std::size_t i = 0; i < start.size(); ++i) end.push_back(start[i] + (part[int(i)] - 1) * step[i] + 1);
    const std::size_t count = x.info.num_dimensions();
    return through<arm::NEStridedSlice>(x, info_of(part), by_axes_there<arm::Coordinates>(start, count),
                                        by_axes_there<arm::Coordinates>(end, count),
                                        by_axes_there<arm::BiStrides>(step, count));
}

void recipe_writer::argument(const operand& x) {
    const stream s = recipe_.tensor(info_of(x.dims, x.type));
    recipe_.inputs.push_back(s.tensor);
    tensors_.set(x, s);
}
void recipe_writer::result(const operand& y) { recipe_.outputs.push_back({at(y).tensor, y.type == element::i64}); }

// --- primitives
void recipe_writer::write(const unary_prim& p) {
    using does = arm::ActivationLayerInfo::ActivationFunction;
    const auto activation = [&](does f, float a = 0, float b = 0) {
        give<arm::NEActivationLayer>(p, arm::ActivationLayerInfo(f, a, b));
    };
    switch (p.does) {
        case function::abs: return activation(does::ABS);
        case function::elu: return activation(does::ELU, p.alpha);
        case function::hard_swish: return activation(does::HARD_SWISH);
        case function::leaky_relu: return activation(does::LEAKY_RELU, p.alpha);
        case function::relu: return activation(does::RELU);
        case function::sigmoid: return activation(does::LOGISTIC);
        case function::sqrt: return activation(does::SQRT);
        case function::tanh: return activation(does::TANH, 1, 1);
        case function::exp: return give<arm::NEExpLayer>(p);
        case function::neg: return give<arm::NENegLayer>(p);
        case function::round: return give<arm::NERoundLayer>(p);
        default: break;
    }
    const stream line = through<arm::NEActivationLayer>(at(p.x), info_of(p.x.dims),
                                                        arm::ActivationLayerInfo(does::LINEAR, p.alpha, p.beta));
    tensors_.set(
        p.y, through<arm::NEActivationLayer>(line, line.info, arm::ActivationLayerInfo(does::LU_BOUNDED_RELU, 1, 0)));
}
void recipe_writer::write(const clamp_prim& p) {
    constexpr auto bounded = arm::ActivationLayerInfo::ActivationFunction::LU_BOUNDED_RELU;
    give<arm::NEActivationLayer>(p, arm::ActivationLayerInfo(bounded, p.high, p.low));
}
void recipe_writer::write(const binary_prim& p) {
    const stream a = at(p.a), b = at(p.b), y = tensor_for(p.y);
    constexpr auto saturate = arm::ConvertPolicy::SATURATE;
    switch (p.does) {
        case arithmetic::add: return call<arm::NEArithmeticAddition>(a, b, y, saturate);
        case arithmetic::sub: return call<arm::NEArithmeticSubtraction>(a, b, y, saturate);
        case arithmetic::mul:
            return call<arm::NEPixelWiseMultiplication>(a, b, y, 1.f, saturate, arm::RoundingPolicy::TO_ZERO);
        case arithmetic::div: return call<arm::NEElementwiseDivision>(a, b, y);
        case arithmetic::max: return call<arm::NEElementwiseMax>(a, b, y);
        case arithmetic::min: return call<arm::NEElementwiseMin>(a, b, y);
        default: return call<arm::NEPReluLayer>(a, b, y);
    }
}
// Output channel i * M + m sees input channel i, there too. Of other groups each is convolved alone.
void recipe_writer::write(const conv_prim& p) {
    const shape& w = p.w.dims;
    const arm::PadStrideInfo windows = windows_of(p);
    const arm::Size2D dilation{std::size_t(p.window[1].dilation), std::size_t(p.window[0].dilation)};
    const arm::ActivationLayerInfo no_activation;
    if (p.depthwise())
        return call<arm::NEDepthwiseConvolutionLayer>(at(p.x), weights(p.w, {w[0], w[2], w[3]}), bias_of(p),
                                                      tensor_for(p.y), windows, unsigned(w[0] / p.groups),
                                                      no_activation, dilation);
    const auto part_of = [&](shape dims, int axis) {
        dims[axis] /= p.groups;
        return dims;
    };
    const shape inputs = part_of(p.x.dims, 1), outputs = part_of(p.y.dims, 1), filters = part_of(w, 0);
    const float* const elements = floats_of(p.w);
    const float* const bias = p.bias ? floats_of(*p.bias) : nullptr;
    const stream x = at(p.x);
    std::vector<stream> results;
    for (std::int64_t g = 0; g < p.groups; ++g) {
        const auto constant = [&](const shape& dims, const float* values) {
            return recipe_.constant_tensor(info_of(dims), values ? values + g * dims.elements() : nullptr);
        };
        results.push_back(recipe_.tensor(info_of(outputs)));
        call<arm::NEConvolutionLayer>(p.groups == 1 ? x : cut(x, inputs, {0, g * inputs[1], 0, 0}, {1, 1, 1, 1}),
                                      constant(filters, elements),
                                      p.bias ? std::optional(constant({filters[0]}, bias)) : std::nullopt,
                                      results.back(), windows, arm::WeightsInfo(), dilation, no_activation, fast_math_);
    }
    if (p.groups == 1) return tensors_.set(p.y, results[0]);
    call<arm::NEConcatenateLayer>(results, tensor_for(p.y), std::size_t(axis_there(1, w)));
}
void recipe_writer::write(const deconv_prim& p) {
    const shape& w = p.w.dims;
    operand by_output = p.w;
    by_output.elements = [this, &p] { return permuted(floats_of(p.w), p.w.dims, std::array{1, 0, 2, 3}); };
    call<arm::NEDeconvolutionLayer>(at(p.x), weights(by_output, {w[1], w[0], w[2], w[3]}), bias_of(p), tensor_for(p.y),
                                    windows_of(p));
}
void recipe_writer::write(const dense_prim& p) {
    call<arm::NEFullyConnectedLayer>(at(p.x), weights(p.w, p.w.dims), bias_of(p), tensor_for(p.y),
                                     arm::FullyConnectedLayerInfo());
}
// Matrices are multiplied one by one: in a batch ACL 20.08 gets only the first product right.
void recipe_writer::write(const matmul_prim& p) {
    constexpr std::int64_t most = 64;
    const int rank = p.y.dims.rank;
    const std::int64_t count = p.y.dims.elements(0, rank - 2);
    if (count > most) refuse("it has " + std::to_string(count) + " products, which are written one by one");
    const auto list_of = [&](const shape& dims) { return shape{count, dims[rank - 2], dims[rank - 1]}; };
    const auto matrix_of = [&](const stream& list, const operand& x, std::int64_t k) {
        const shape matrix{1, x.dims[rank - 2], x.dims[rank - 1]};
        return count == 1 ? list : cut(list, matrix, {k, 0, 0}, {1, 1, 1});
    };
    const stream a = at(p.a, list_of(p.a.dims)), b = at(p.b, list_of(p.b.dims));
    const arm::GEMMInfo packs_each_time(false, false, false);
    std::vector<stream> products;
    for (std::int64_t k = 0; k < count; ++k) {
        products.push_back(recipe_.tensor(info_of({p.y.dims[rank - 2], p.y.dims[rank - 1]})));
        call<arm::NEGEMM>(matrix_of(a, p.a, k), matrix_of(b, p.b, k), std::optional<stream>(), products.back(), 1.f,
                          0.f, packs_each_time);
    }
    stream y = products[0];
    if (count > 1) {
        y = recipe_.tensor(info_of(list_of(p.y.dims)));
        call<arm::NEConcatenateLayer>(products, y, std::size_t(2));
    }
    tensors_.set(p.y, reshaped(y, info_of(p.y.dims)));
}
void recipe_writer::write(const pool_prim& p) {
    const bool average = p.does == pooling::average;
    const auto type = average ? arm::PoolingType::AVG : arm::PoolingType::MAX;
    if (p.whole) return give<arm::NEPoolingLayer>(p, arm::PoolingLayerInfo(type, arm::DataLayout::NCHW));
    window_axis rows = p.window[0], columns = p.window[1];
    if (p.past_padding) {
        rows.after = p.padding_at_ends[0];
        columns.after = p.padding_at_ends[1];
    }
    give<arm::NEPoolingLayer>(
        p, arm::PoolingLayerInfo(type, arm::Size2D(std::size_t(columns.kernel), std::size_t(rows.kernel)),
                                 arm::DataLayout::NCHW, windows_of(rows, columns, p.past_padding),
                                 average && !p.counts_padding));
}
// One axis after another.
void recipe_writer::write(const reduce_prim& p) {
    using operation = arm::ReductionOperation;
    constexpr operation operations[] = {operation::MAX, operation::MEAN_SUM, operation::MIN, operation::PROD,
                                        operation::SUM};  // as enum reduction has them
    stream y = at(p.x);
    shape dims = p.x.dims;
    for (const std::int64_t axis : p.axes) {
        if (dims[int(axis)] == 1) continue;
        dims[int(axis)] = 1;
        y = through<arm::NEReductionOperation>(y, info_of(dims), axis_there(int(axis), dims),
                                               operations[std::size_t(p.does)], true);
    }
    tensors_.set(p.y, y);
}
// Along the last axis of two: the middle one of three is put there.
void recipe_writer::write(const softmax_prim& p) {
    const shape& x = p.x.dims;
    const bool turns = x.rank == 3;
    const shape turned = turns ? shape{x[0], x[2], x[1]} : x;
    const stream rows = turns ? transposed(at(p.x), turned, {0, 2, 1}) : at(p.x);
    const stream y = p.log ? through<arm::NELogSoftmaxLayer>(rows, rows.info, 1.f)
                           : through<arm::NESoftmaxLayer>(rows, rows.info, 1.f);
    tensors_.set(p.y, turns ? transposed(y, x, {0, 2, 1}) : y);
}
// As a normalization of what has mean 0 and variance 1; ACL has it of images.
void recipe_writer::write(const affine_prim& p) {
    const shape& dims = p.x.dims;
    const shape image = dims.rank == 4 ? dims : shape{dims[0], dims[1], 1, dims.elements(2)}, row{dims[1]};
    const stream x = at(p.x, image);
    const std::optional<stream> shift = weights(p.shift, row), scale = weights(p.scale, row);
    const stream y = through<arm::NEBatchNormalizationLayer>(x, x.info, numbers(row, 0), numbers(row, 1), shift, scale,
                                                             0.f, arm::ActivationLayerInfo());
    tensors_.set(p.y, reshaped(y, info_of(dims)));
}
void recipe_writer::write(const instance_norm_prim& p) {
    give<arm::NEInstanceNormalizationLayer>(p, 1.f, 0.f, p.epsilon);
}
void recipe_writer::write(const lrn_prim& p) {
    give<arm::NENormalizationLayer>(
        p, arm::NormalizationLayerInfo(arm::NormType::CROSS_MAP, unsigned(std::min(p.size, 2 * p.x.dims[1] + 1)),
                                       p.alpha, p.beta, p.bias, false));
}
void recipe_writer::write(const reshape_prim& p) { tensors_.set(p.y, reshaped(at(p.x), info_of(p.y.dims, p.y.type))); }
void recipe_writer::write(const transpose_prim& p) { tensors_.set(p.y, transposed(at(p.x), p.y.dims, p.axes)); }
void recipe_writer::write(const concat_prim& p) {
    std::vector<stream> parts;
    for (const operand& part : p.parts) parts.push_back(at(part));
    call<arm::NEConcatenateLayer>(parts, tensor_for(p.y), std::size_t(axis_there(p.axis, p.y.dims)));
}
void recipe_writer::write(const slice_prim& p) { tensors_.set(p.y, cut(at(p.x), p.y.dims, p.start, p.step)); }
void recipe_writer::write(const pad_prim& p) {
    arm::PaddingList pads;
    for (std::size_t k = p.before.size(); k-- > 0;) pads.emplace_back(p.before[k], p.after[k]);
    give<arm::NEPadLayer>(p, pads, arm::PixelValue(p.value));
}
void recipe_writer::write(const gather_prim& p) {
    const auto& places = recipe_.integers.emplace_back(p.places->begin(), p.places->end());
    const stream indices = recipe_.constant_tensor(info_of({std::int64_t(places.size())}, element::i32), places.data());
    call<arm::NEGather>(at(p.x), indices, tensor_for(p.y), int(axis_there(p.axis, p.x.dims)));
}
void recipe_writer::write(const blocks_prim& p) {
    p.to_depth ? give<arm::NESpaceToDepthLayer>(p, std::int32_t(p.block))
               : give<arm::NEDepthToSpaceLayer>(p, std::int32_t(p.block));
}
void recipe_writer::write(const resize_prim& p) {
    using namespace resizing;
    const geometry& attributes = p.facts.geometry;
    const bool centers = attributes.transformation == coordinates::half_pixel ||
                         attributes.transformation == coordinates::pytorch_half_pixel;
    give<arm::NEScale>(
        p, arm::ScaleKernelInfo(attributes.mode == interpolation::nearest ? arm::InterpolationPolicy::NEAREST_NEIGHBOR
                                                                          : arm::InterpolationPolicy::BILINEAR,
                                arm::BorderMode::REPLICATE, arm::PixelValue(0.f),
                                centers ? arm::SamplingPolicy::CENTER : arm::SamplingPolicy::TOP_LEFT, true,
                                attributes.transformation == coordinates::align_corners));
}
// ACL leaves the axis out.
void recipe_writer::write(const arg_prim& p) {
    const shape& x = p.x.dims;
    const std::int64_t outer = x.elements(0, p.axis), inner = x.elements(p.axis + 1);
    const stream y = recipe_.tensor(info_of({outer, inner}, element::i32));
    call<arm::NEArgMinMaxLayer>(
        at(p.x, {outer, x[p.axis], inner}), 1, y,
        p.does == reduction::max ? arm::ReductionOperation::ARG_IDX_MAX : arm::ReductionOperation::ARG_IDX_MIN);
    tensors_.set(p.y, reshaped(y, info_of(p.y.dims, p.y.type)));
}
void recipe_writer::write(const cast_prim& p) { tensors_.set(p.y, at(p.x)); }
}  // namespace v1
}  // namespace inlay

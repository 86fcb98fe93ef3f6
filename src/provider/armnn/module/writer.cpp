#include "writer.hpp"

namespace inlay {
inline namespace v1 {
using namespace lowering;
using ::armnn::ConstTensor;
using ::armnn::INetwork;
using ::armnn::Optional;
using ::armnn::TensorInfo;
namespace {
using support = ::armnn::ILayerSupport;
using reason = Optional<std::string&>;
template <class T> std::vector<T> numbers(const lowering::integers& list) { return {list.begin(), list.end()}; }

// Columns are X, as Arm NN has images.
template <class D> void describe_window(D& d, const std::vector<window_axis>& w) {
    for (const window_axis& a : w)
        if (a.before < 0 || a.after < 0) refuse("a pad is negative");
    d.m_PadTop = unsigned(w[0].before);
    d.m_PadBottom = unsigned(w[0].after);
    d.m_PadLeft = unsigned(w[1].before);
    d.m_PadRight = unsigned(w[1].after);
    d.m_StrideY = unsigned(w[0].stride);
    d.m_StrideX = unsigned(w[1].stride);
    d.m_DataLayout = ::armnn::DataLayout::NCHW;
    if constexpr (requires { d.m_DilationX; }) {
        d.m_DilationY = unsigned(w[0].dilation);
        d.m_DilationX = unsigned(w[1].dilation);
    }
}
template <class D, class P> D described(const P& p) {
    D d;
    describe_window(d, p.window);
    d.m_BiasEnabled = p.bias.has_value();
    return d;
}
}  // namespace

TensorInfo info_of(const shape& dims, element e) {
    std::vector<unsigned> list(dims.begin(), dims.end());
    if (list.empty()) list = {1};
    return {::armnn::TensorShape(unsigned(list.size()), list.data()),
            e == element::f32 ? ::armnn::DataType::Float32 : ::armnn::DataType::Signed32};
}

// Arm NN gives a layer to the first backend that supports it, and cannot be given another (20.08 forgets hints).
template <class Ask> void network_writer::require_support(Ask ask) const {
    std::string reasons;
    for (const armnn_backend& b : backends_) {
        std::string message;
        if (ask(*b.support, reason(message))) {
            if (b.id == "CpuAcc" && !wrong_on_cpu_acc_.empty()) refuse("on CpuAcc " + wrong_on_cpu_acc_);
            return;
        }
        reasons +=
            (reasons.empty() ? "" : "; ") + b.id.Get() + ": " + (message.empty() ? "layer not supported" : message);
    }
    refuse("Arm NN: " + std::move(reasons));
}
template <class Ask, class Add>
std::vector<network_writer::tensor> network_writer::layers(const std::vector<tensor>& inputs,
                                                           const std::vector<info>& results, Ask ask, Add add) {
    require_support(ask);
    ::armnn::IConnectableLayer* const l = network_ ? add(*network_) : nullptr;
    for (unsigned k = 0; l && k < inputs.size(); ++k) inputs[k].slot->Connect(l->GetInputSlot(k));
    std::vector<tensor> tensors;
    for (unsigned k = 0; k < results.size(); ++k) {
        if (l) l->GetOutputSlot(k).SetTensorInfo(results[k]);
        tensors.push_back({results[k], l ? &l->GetOutputSlot(k) : nullptr});
    }
    return tensors;
}
template <class Ask, class Add>
network_writer::tensor network_writer::layer(const std::vector<tensor>& inputs, const info& result, Ask ask, Add add) {
    return layers(inputs, {result}, ask, add)[0];
}
template <class D>
network_writer::tensor network_writer::layer_of(const tensor& x, const info& y, const D& d, question<D> ask,
                                                adding<D> add) {
    return layer(
        {x}, y, [&](const support& s, reason message) { return (s.*ask)(x.of, y, d, message); },
        [&](INetwork& n) { return (n.*add)(d, nullptr); });
}
network_writer::tensor network_writer::at(const operand& x) {
    return tensors_.get(x, [&](const operand& c) {
        const std::vector<char> elements = network_ ? stored_elements(r_, c) : std::vector<char>();
        return constant(info_of(c.dims, c.type), elements.data());
    });
}
network_writer::tensor network_writer::at(const operand& x, int rank) {
    return reshaped(at(x), info_of(of_rank(x.dims, std::max(rank, 1)), x.type));
}
std::vector<float> network_writer::elements_of(const operand& x) const {
    std::deque<std::vector<float>> buffers;
    const float* const values = floats_of(r_, x, buffers);
    return {values, values + x.dims.elements()};
}
network_writer::tensor network_writer::constant(const info& of, const void* elements) {
    return layer(
        {}, of, [&](const support& s, reason message) { return s.IsConstantSupported(of, message); },
        [&](INetwork& n) { return n.AddConstantLayer(ConstTensor(of, elements)); });
}
network_writer::tensor network_writer::reshaped(const tensor& x, const info& y) {
    if (x.of.GetShape() == y.GetShape()) return x;
    return layer_of(x, y, ::armnn::ReshapeDescriptor(y.GetShape()), &support::IsReshapeSupported,
                    &INetwork::AddReshapeLayer);
}
network_writer::tensor network_writer::activated(const tensor& x, const ::armnn::ActivationDescriptor& d) {
    return layer_of(x, x.of, d, &support::IsActivationSupported, &INetwork::AddActivationLayer);
}
std::vector<network_writer::tensor> network_writer::split(const tensor& x, unsigned axis,
                                                          const std::vector<info>& parts) {
    const unsigned rank = x.of.GetNumDimensions();
    ::armnn::ViewsDescriptor d(unsigned(parts.size()), rank);
    unsigned at = 0;
    for (unsigned k = 0; k < parts.size(); ++k) {
        for (unsigned i = 0; i < rank; ++i) {
            d.SetViewOriginCoord(k, i, i == axis ? at : 0);
            d.SetViewSize(k, i, parts[k].GetShape()[i]);
        }
        at += parts[k].GetShape()[axis];
    }
    std::vector<info> infos = parts;
    const std::vector<std::reference_wrapper<info>> outputs(infos.begin(), infos.end());
    return layers(
        {x}, parts, [&](const support& s, reason message) { return s.IsSplitterSupported(x.of, outputs, d, message); },
        [&](INetwork& n) { return n.AddSplitterLayer(d); });
}
network_writer::tensor network_writer::concatenated(const std::vector<tensor>& parts, unsigned axis,
                                                    const info& result) {
    std::vector<::armnn::TensorShape> shapes;
    std::vector<const info*> infos;
    for (const tensor& t : parts) {
        shapes.push_back(t.of.GetShape());
        infos.push_back(&t.of);
    }
    const auto d = ::armnn::CreateDescriptorForConcatenation(shapes.begin(), shapes.end(), axis);
    return layer(
        parts, result, [&](const support& s, reason message) { return s.IsConcatSupported(infos, result, d, message); },
        [&](INetwork& n) { return n.AddConcatLayer(d); });
}
// What is around a primitive, in the model.
bool network_writer::is_made_by(int id, std::string_view op) const {
    const auto maker = std::ranges::find_if(
        r_.graph.nodes, [&](const node& n) { return std::ranges::count(r_.graph.list(n.outputs), id) > 0; });
    if (maker == r_.graph.nodes.end()) return false;
    const bool is_same_value =
        maker->op == "Identity" || maker->op == "Dropout";  // no layer: its input is read instead
    return maker->op == op || (is_same_value && is_made_by(r_.graph.list(maker->inputs)[0], op));
}
bool network_writer::is_read_by(int id, std::string_view op) const {
    return std::ranges::any_of(r_.graph.nodes, [&](const node& n) {
        return n.op == op && std::ranges::count(r_.graph.list(n.inputs), id) > 0;
    });
}

void network_writer::argument(const operand& x) {
    tensor t{info_of(x.dims, x.type)};
    if (network_) {
        t.slot = &network_->AddInputLayer(arguments_++)->GetOutputSlot(0);
        t.slot->SetTensorInfo(t.of);
    }
    tensors_.set(x, t);
}
void network_writer::result(const operand& y) {
    const tensor t = at(y);
    if (network_) t.slot->Connect(network_->AddOutputLayer(results_++)->GetInputSlot(0));
}

// --- primitives
void network_writer::write(const unary_prim& p) {
    using ::armnn::ActivationFunction;
    using ::armnn::UnaryOperation;
    const auto activation = [&](ActivationFunction f, float a = 0, float b = 0) {
        tensors_.set(p.y, activated(at(p.x), {f, a, b}));
    };
    const auto elementwise = [&](UnaryOperation o) {
        give(p.x, p.y, ::armnn::ElementwiseUnaryDescriptor(o), &support::IsElementwiseUnarySupported,
             &INetwork::AddElementwiseUnaryLayer);
    };
    switch (p.does) {
        case function::abs: return elementwise(UnaryOperation::Abs);
        case function::exp: return elementwise(UnaryOperation::Exp);
        case function::neg: return elementwise(UnaryOperation::Neg);
        case function::sqrt: return elementwise(UnaryOperation::Sqrt);
        case function::elu: return activation(ActivationFunction::Elu, p.alpha);
        case function::hard_swish: return activation(ActivationFunction::HardSwish);
        case function::leaky_relu: return activation(ActivationFunction::LeakyReLu, p.alpha);
        case function::relu: return activation(ActivationFunction::ReLu);
        case function::sigmoid: return activation(ActivationFunction::Sigmoid);
        case function::tanh: return activation(ActivationFunction::TanH, 1, 1);
        case function::hard_sigmoid:
            return tensors_.set(p.y, activated(activated(at(p.x), {ActivationFunction::Linear, p.alpha, p.beta}),
                                               {ActivationFunction::BoundedReLu, 1, 0}));
        default: break;
    }
    wrong_on_cpu_acc_ = "its layer goes by way of int32, where larger numbers and NaN are lost";
    const tensor x = at(p.x);
    tensors_.set(
        p.y, layer(
                 {x}, x.of, [&](const support& s, reason message) { return s.IsFloorSupported(x.of, x.of, message); },
                 [](INetwork& n) { return n.AddFloorLayer(); }));
    wrong_on_cpu_acc_.clear();
}
void network_writer::write(const clamp_prim& p) {
    tensors_.set(p.y, activated(at(p.x), {::armnn::ActivationFunction::BoundedReLu, p.high, p.low}));
}
void network_writer::write(const binary_prim& p) {
    struct layer_of_two {
        arithmetic does;
        bool (support::*ask)(const info&, const info&, const info&, reason) const;
        ::armnn::IConnectableLayer* (INetwork::*add)(const char*);
    };
    constexpr layer_of_two table[] = {
        {arithmetic::add, &support::IsAdditionSupported, &INetwork::AddAdditionLayer},
        {arithmetic::sub, &support::IsSubtractionSupported, &INetwork::AddSubtractionLayer},
        {arithmetic::mul, &support::IsMultiplicationSupported, &INetwork::AddMultiplicationLayer},
        {arithmetic::div, &support::IsDivisionSupported, &INetwork::AddDivisionLayer},
        {arithmetic::max, &support::IsMaximumSupported, &INetwork::AddMaximumLayer},
        {arithmetic::min, &support::IsMinimumSupported, &INetwork::AddMinimumLayer},
        {arithmetic::prelu, &support::IsPreluSupported, &INetwork::AddPreluLayer}};
    const layer_of_two& entry = *std::ranges::find(table, p.does, &layer_of_two::does);
    if (p.y.type != element::f32) wrong_on_cpu_acc_ = "its sums of integers stop at the largest one, and do not wrap";
    const tensor a = at(p.a, p.y.dims.rank), b = at(p.b, p.y.dims.rank);
    const info y = info_of(p.y.dims, p.y.type);
    tensors_.set(
        p.y, layer(
                 {a, b}, y, [&](const support& s, reason message) { return (s.*entry.ask)(a.of, b.of, y, message); },
                 [&](INetwork& n) { return (n.*entry.add)(nullptr); }));
    wrong_on_cpu_acc_.clear();
}
template <class P>
network_writer::parameters network_writer::parameters_of(const P& p, const shape& dims, const std::array<int, 4>& axes,
                                                         std::int64_t groups) const {
    shape weight_dims = dims;
    for (int i = 0; i < dims.rank; ++i) weight_dims[i] = dims[axes[std::size_t(i)]];
    weight_dims[0] /= groups;
    const std::int64_t outputs = p.y.dims[p.y.dims.rank == 4 ? 1 : p.y.dims.rank - 1];
    parameters result{info_of(weight_dims, element::f32), info_of({outputs / groups}, element::f32),
                      p.bias.has_value()};
    if (!network_) return result;
    result.elements = permuted(elements_of(p.w).data(), dims, std::span(axes).first(std::size_t(dims.rank)));
    if (p.bias) result.bias = elements_of(*p.bias);
    return result;
}
template <class D>
network_writer::tensor network_writer::weighted(const tensor& x, const info& y, const D& d, const parameters& w,
                                                std::size_t group, weighted_question<D> ask, weighted_adding<D> add) {
    const maybe_info biases = w.is_biased ? maybe_info(w.biases) : maybe_info();
    return layer(
        {x}, y, [&](const support& s, reason message) { return (s.*ask)(x.of, y, d, w.weights, biases, message); },
        [&](INetwork& n) {
            const ConstTensor weights(w.weights, w.elements.data() + group * w.weights.GetNumElements());
            const float* const bias = w.bias.data() + group * w.biases.GetNumElements();
            return (n.*add)(d, weights, w.is_biased ? maybe_tensor(ConstTensor(w.biases, bias)) : maybe_tensor(),
                            nullptr);
        });
}
// Output channel i * M + m sees input channel i, and Arm NN's weights are [M, I, H, W]. Of other groups each is
// convolved alone.
void network_writer::write(const conv_prim& p) {
    const shape& w = p.w.dims;
    const tensor x = at(p.x);
    const info y = info_of(p.y.dims, p.y.type);
    if (p.depthwise()) {
        const shape by_input{p.groups, w[0] / p.groups, w[2], w[3]};
        return tensors_.set(
            p.y, weighted(x, y, described<::armnn::DepthwiseConvolution2dDescriptor>(p),
                          parameters_of(p, by_input, {1, 0, 2, 3}), 0, &support::IsDepthwiseConvolutionSupported,
                          &INetwork::AddDepthwiseConvolution2dLayer));
    }
    const auto part_of = [&](shape dims) {
        dims[1] /= p.groups;
        return info_of(dims, element::f32);
    };
    const parameters of_all = parameters_of(p, w, {0, 1, 2, 3}, p.groups);
    const auto groups = std::size_t(p.groups);
    const std::vector<tensor> inputs =
        groups == 1 ? std::vector{x} : split(x, 1, std::vector<info>(groups, part_of(p.x.dims)));
    std::vector<tensor> results;
    for (std::size_t g = 0; g < groups; ++g)
        results.push_back(weighted(inputs[g], part_of(p.y.dims), described<::armnn::Convolution2dDescriptor>(p), of_all,
                                   g, &support::IsConvolution2dSupported, &INetwork::AddConvolution2dLayer));
    tensors_.set(p.y, groups == 1 ? results[0] : concatenated(results, 1, y));
}
void network_writer::write(const deconv_prim& p) {
    if (p.x.dims[0] != 1)
        refuse("its batch is " + std::to_string(p.x.dims[0]) + ", and Arm NN's layer aborts where it is not 1");
    tensors_.set(p.y,
                 weighted(at(p.x), info_of(p.y.dims, p.y.type), described<::armnn::TransposeConvolution2dDescriptor>(p),
                          parameters_of(p, p.w.dims, {1, 0, 2, 3}), 0, &support::IsTransposeConvolution2dSupported,
                          &INetwork::AddTransposeConvolution2dLayer));
}
void network_writer::write(const dense_prim& p) {
    ::armnn::FullyConnectedDescriptor d;
    d.m_BiasEnabled = p.bias.has_value();
    d.m_TransposeWeightMatrix = true;
    const parameters w = parameters_of(p, p.w.dims, {0, 1, 2, 3});
    const tensor x = at(p.x);
    const info y = info_of(p.y.dims, p.y.type);
    tensors_.set(p.y, layer(
                          {x}, y,
                          [&](const support& s, reason message) {
                              return s.IsFullyConnectedSupported(x.of, y, w.weights, w.biases, d, message);
                          },
                          [&](INetwork& n) {
                              const ConstTensor bias(w.biases, w.bias.data());
                              return n.AddFullyConnectedLayer(d, ConstTensor(w.weights, w.elements),
                                                              w.is_biased ? maybe_tensor(bias) : maybe_tensor());
                          }));
}
void network_writer::write(const pool_prim& p) {
    const bool average = p.does == pooling::average;
    ::armnn::Pooling2dDescriptor d;
    describe_window(d, p.window);
    d.m_PoolType = average ? ::armnn::PoolingAlgorithm::Average : ::armnn::PoolingAlgorithm::Max;
    d.m_PoolHeight = unsigned(p.window[0].kernel);
    d.m_PoolWidth = unsigned(p.window[1].kernel);
    d.m_PaddingMethod =
        average && p.counts_padding ? ::armnn::PaddingMethod::IgnoreValue : ::armnn::PaddingMethod::Exclude;
    d.m_OutputShapeRounding = ::armnn::OutputShapeRounding::Floor;
    give(p.x, p.y, d, &support::IsPooling2dSupported, &INetwork::AddPooling2dLayer);
}
void network_writer::write(const reduce_prim& p) {
    ::armnn::MeanDescriptor d;
    d.m_KeepDims = true;
    d.m_Axis = numbers<unsigned>(p.axes);
    give(p.x, p.y, d, &support::IsMeanSupported, &INetwork::AddMeanLayer);
}
void network_writer::write(const softmax_prim& p) {
    ::armnn::SoftmaxDescriptor d;
    d.m_Axis = p.axis;
    if (p.log)
        give<::armnn::LogSoftmaxDescriptor>(p.x, p.y, d, &support::IsLogSoftmaxSupported,
                                            &INetwork::AddLogSoftmaxLayer);
    else
        give(p.x, p.y, d, &support::IsSoftmaxSupported, &INetwork::AddSoftmaxLayer);
}
void network_writer::write(const instance_norm_prim& p) {
    ::armnn::InstanceNormalizationDescriptor d;
    d.m_Eps = p.epsilon;
    give(p.x, p.y, d, &support::IsInstanceNormalizationSupported, &INetwork::AddInstanceNormalizationLayer);
}
void network_writer::write(const lrn_prim& p) {
    ::armnn::NormalizationDescriptor d;
    d.m_NormSize = unsigned(std::min(p.size, 2 * p.x.dims[1] + 1));
    d.m_Alpha = p.alpha;
    d.m_Beta = p.beta;
    d.m_K = p.bias;
    give(p.x, p.y, d, &support::IsNormalizationSupported, &INetwork::AddNormalizationLayer);
}
void network_writer::write(const reshape_prim& p) {
    const ::armnn::ReshapeDescriptor to(info_of(p.y.dims, p.y.type).GetShape());
    give(p.x, p.y, to, &support::IsReshapeSupported, &INetwork::AddReshapeLayer);
}
void network_writer::write(const transpose_prim& p) {
    const auto axes = numbers<unsigned>(p.axes);
    const ::armnn::TransposeDescriptor d(::armnn::PermutationVector(axes.data(), unsigned(axes.size())));
    give(p.x, p.y, d, &support::IsTransposeSupported, &INetwork::AddTransposeLayer);
}
void network_writer::write(const concat_prim& p) {
    std::vector<tensor> parts;
    for (const operand& part : p.parts) {
        if (is_made_by(part.id, "Split"))
            wrong_on_cpu_acc_ = "its layer leaves out input " + std::to_string(parts.size()) + ", which Split makes";
        parts.push_back(at(part));
    }
    tensors_.set(p.y, concatenated(parts, unsigned(p.axis), info_of(p.y.dims, p.y.type)));
    wrong_on_cpu_acc_.clear();
}
void network_writer::write(const split_prim& p) {
    std::vector<operand> results{p.y};
    results.insert(results.end(), p.rest.begin(), p.rest.end());
    std::vector<info> parts;
    for (const operand& y : results) parts.push_back(info_of(y.dims, y.type));
    const std::vector<tensor> slices = split(at(p.x), unsigned(p.axis), parts);
    for (std::size_t k = 0; k < slices.size(); ++k) tensors_.set(results[k], slices[k]);
}
void network_writer::write(const slice_prim& p) {
    ::armnn::StridedSliceDescriptor d;
    d.m_Begin = numbers<int>(p.start);
    d.m_Stride = numbers<int>(p.step);
    for (int i = 0; i < p.y.dims.rank; ++i)
        d.m_End.push_back(d.m_Begin[std::size_t(i)] + int(p.y.dims[i] - 1) * d.m_Stride[std::size_t(i)] + 1);
    give(p.x, p.y, d, &support::IsStridedSliceSupported, &INetwork::AddStridedSliceLayer);
}
void network_writer::write(const pad_prim& p) {
    ::armnn::PadDescriptor d;
    d.m_PadValue = p.value;
    bool spatial_zeros = p.value == 0;
    for (std::size_t i = 0; i < p.before.size(); ++i) {
        d.m_PadList.emplace_back(unsigned(p.before[i]), unsigned(p.after[i]));
        spatial_zeros &= i >= 2 || (p.before[i] == 0 && p.after[i] == 0);
    }
    if (!spatial_zeros && is_read_by(p.y.id, "Conv"))
        refuse("Arm NN makes it part of the Conv that reads it, which pads images with zeros only");
    give(p.x, p.y, d, &support::IsPadSupported, &INetwork::AddPadLayer);
}
void network_writer::write(const gather_prim& p) {
    const auto list = numbers<std::int32_t>(*p.places);
    const tensor x = at(p.x), places = constant(info_of({std::int64_t(list.size())}, element::i32), list.data());
    const info y = info_of(p.y.dims, p.y.type);
    const ::armnn::GatherDescriptor d(p.axis);
    tensors_.set(
        p.y, layer(
                 {x, places}, y,
                 [&](const support& s, reason message) { return s.IsGatherSupported(x.of, places.of, y, d, message); },
                 [&](INetwork& n) { return n.AddGatherLayer(d); }));
}
void network_writer::write(const blocks_prim& p) {
    const ::armnn::SpaceToDepthDescriptor d(unsigned(p.block), ::armnn::DataLayout::NCHW);
    if (p.to_depth)
        give(p.x, p.y, d, &support::IsSpaceToDepthSupported, &INetwork::AddSpaceToDepthLayer);
    else
        give(p.x, p.y, ::armnn::DepthToSpaceDescriptor(d.m_BlockSize, d.m_DataLayout),
             &support::IsDepthToSpaceSupported, &INetwork::AddDepthToSpaceLayer);
}
void network_writer::write(const resize_prim& p) {
    using namespace resizing;
    const auto& geometry = p.facts.geometry;
    ::armnn::ResizeDescriptor d;
    d.m_Method = geometry.mode == interpolation::nearest ? ::armnn::ResizeMethod::NearestNeighbor
                                                         : ::armnn::ResizeMethod::Bilinear;
    d.m_HalfPixelCenters = geometry.transformation == coordinates::half_pixel ||
                           geometry.transformation == coordinates::pytorch_half_pixel;
    d.m_AlignCorners = geometry.transformation == coordinates::align_corners;
    d.m_TargetHeight = unsigned(p.y.dims[2]);
    d.m_TargetWidth = unsigned(p.y.dims[3]);
    give(p.x, p.y, d, &support::IsResizeSupported, &INetwork::AddResizeLayer);
}
// Arm NN leaves the axis out.
void network_writer::write(const arg_prim& p) {
    const shape& x = p.x.dims;
    const std::int64_t outer = x.elements(0, p.axis), inner = x.elements(p.axis + 1);
    ::armnn::ArgMinMaxDescriptor d;
    d.m_Function = p.does == reduction::max ? ::armnn::ArgMinMaxFunction::Max : ::armnn::ArgMinMaxFunction::Min;
    d.m_Axis = 1;
    const tensor rows = reshaped(at(p.x), info_of({outer, x[p.axis], inner}, p.x.type));
    const tensor y = layer_of(rows, info_of({outer, inner}, element::i32), d, &support::IsArgMinMaxSupported,
                              &INetwork::AddArgMinMaxLayer);
    tensors_.set(p.y, reshaped(y, info_of(p.y.dims, p.y.type)));
}
void network_writer::write(const cast_prim& p) { tensors_.set(p.y, at(p.x)); }
}  // namespace v1
}  // namespace inlay

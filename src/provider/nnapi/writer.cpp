#include "writer.hpp"
#include <cstring>

namespace inlay {
inline namespace v1 {
using namespace lowering;
using namespace nnapi_interface;
namespace {
std::vector<std::uint32_t> dims_of(const operand& t) {
    if (t.dims.rank == 0) return {1};
    const integers dims = dims_in_memory(t);
    return {dims.begin(), dims.end()};
}
template <class T> std::vector<char> bytes_of(const std::vector<T>& list) {
    std::vector<char> bytes(list.size() * sizeof(T));
    std::memcpy(bytes.data(), list.data(), bytes.size());
    return bytes;
}
}  // namespace

nnapi_writer::nnapi_writer(const nnapi_options& o, const region& r, purpose purpose)
    : r_(r), options_(o), purpose_(purpose) {
    ANeuralNetworksModel* model = nullptr;
    check_nnapi(nn().ANeuralNetworksModel_create(&model));
    out_.model.reset(model);
}

// --- operands
nnapi_writer::type nnapi_writer::type_of(const operand& x) {
    if (!x.is_quantized()) return {};
    return {x.type == element::u8 ? TENSOR_QUANT8_ASYMM : TENSOR_QUANT8_ASYMM_SIGNED, x.quantized->scales[0],
            x.quantized->zero};
}
std::uint32_t nnapi_writer::add(const type& t, const list& dims) {
    const ANeuralNetworksOperandType operand_type{t.code, std::uint32_t(dims.size()),
                                                  dims.empty() ? nullptr : dims.data(), t.scale, t.zero};
    check_nnapi(nn().ANeuralNetworksModel_addOperand(out_.model.get(), &operand_type));
    return operands_++;
}
std::uint32_t nnapi_writer::add(const operand& x) { return add(type_of(x), dims_of(x)); }
void nnapi_writer::set(std::uint32_t to, const void* elements, std::size_t bytes) {
    check_nnapi(nn().ANeuralNetworksModel_setOperandValue(out_.model.get(), std::int32_t(to), elements, bytes));
}
template <class T> std::uint32_t nnapi_writer::scalar(std::int32_t code, T x) {
    const std::uint32_t k = add({code}, {});
    set(k, &x, sizeof x);
    return k;
}
std::uint32_t nnapi_writer::integers(const lowering::integers& values, std::uint32_t columns) {
    const auto count = std::uint32_t(values.size());
    const std::uint32_t k = add({TENSOR_INT32}, columns ? list{count / columns, columns} : list{count});
    const auto& bytes = out_.bytes.emplace_back(bytes_of(std::vector<std::int32_t>(values.begin(), values.end())));
    set(k, bytes.data(), bytes.size());
    return k;
}
std::uint32_t nnapi_writer::constant(const type& t, const list& dims, const std::function<std::vector<char>()>& make,
                                     const std::vector<float>& scales, std::uint32_t channel) {
    const std::uint32_t k = add(t, dims);
    if (!scales.empty()) {
        const ANeuralNetworksSymmPerChannelQuantParams p{channel, std::uint32_t(scales.size()), scales.data()};
        check_nnapi(
            nn().ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(out_.model.get(), std::int32_t(k), &p));
    }
    std::size_t size = t.code == TENSOR_INT32 || t.code == TENSOR_FLOAT32 ? 4 : 1;
    for (const std::uint32_t d : dims) size *= d;
    if (purpose_ == purpose::trial) {
        set(k, zeros_.emplace_back(std::calloc(size, 1)).get(), size);
    } else {
        const std::vector<char>& bytes = out_.bytes.emplace_back(make());
        set(k, bytes.data(), bytes.size());
    }
    return k;
}
std::uint32_t nnapi_writer::constant(const operand& x) {
    if (purpose_ == purpose::trial) return constant({}, dims_of(x), {});
    const std::uint32_t k = add(x);
    set(k, floats_of(r_, x, out_.floats), std::size_t(x.dims.elements()) * sizeof(float));
    return k;
}
std::uint32_t nnapi_writer::at(const operand& x) {
    return tensors_.get(x, [this](const operand& c) { return constant(c); });
}

// --- weights: of floats, or of integers: symmetric with a scale for each channel, or of one scale and the input's type
void nnapi_writer::add_weights(list& inputs, const operand& x, const operand& w, const shape& dims,
                               const lowering::integers& axes, int channel, const std::optional<operand>& bias) {
    const std::vector<int> order(axes.begin(), axes.end());
    list sizes;
    std::size_t inner = 1;
    for (const int axis : order) sizes.push_back(std::uint32_t(dims[axis]));
    for (std::size_t i = std::size_t(channel) + 1; i < sizes.size(); ++i) inner *= sizes[i];
    const std::uint32_t channels = sizes[std::size_t(channel)];
    const auto weights = [&] {
        std::deque<std::vector<float>> buffers;
        return permuted(floats_of(r_, w, buffers), dims, order);
    };
    const auto biases = [&] {
        std::deque<std::vector<float>> buffers;
        const float* const values = bias ? floats_of(r_, *bias, buffers) : nullptr;
        return values ? std::vector<float>(values, values + channels) : std::vector<float>(channels, 0.f);
    };
    if (!x.is_quantized()) {
        inputs.push_back(constant({}, sizes, [&] { return bytes_of(weights()); }));
        inputs.push_back(constant({}, {channels}, [&] { return bytes_of(biases()); }));
        return;
    }
    const byte_weights in_bytes(*w.quantized, x);
    const auto integers = [&] { return in_bytes.quantized(weights(), channels, inner); };
    const bool per_channel = in_bytes.each();
    if (per_channel &&
        (in_bytes.zero() != 0 || w.quantized->axis != 0 || order.size() != 4 || w.quantized->scales.size() != channels))
        refuse("NNAPI has a scale for each channel of a Conv, without zero points");
    if (per_channel)
        inputs.push_back(
            constant({TENSOR_QUANT8_SYMM_PER_CHANNEL}, sizes, integers, in_bytes.scales(), std::uint32_t(channel)));
    else
        inputs.push_back(constant({type_of(x).code, w.quantized->scales[0], in_bytes.zero()}, sizes, integers));
    inputs.push_back(constant({TENSOR_INT32, per_channel ? 0.f : in_bytes.product_scale(), 0}, {channels},
                              [&] { return bytes_of(in_bytes.quantized_bias(biases())); }));
}
// left, right, top, bottom, then the strides over columns and rows
void nnapi_writer::add_window(list& inputs, const std::vector<window_axis>& w) {
    for (const std::int64_t x : {w[1].before, w[1].after, w[0].before, w[0].after, w[1].stride, w[0].stride})
        inputs.push_back(integer(x));
}
void nnapi_writer::add_order(list& inputs, const operand& x) {  // where the level has it
    if (options_.level >= 29) inputs.push_back(truth(x.order == layout::plain));
}

void nnapi_writer::operation(std::int32_t code, const list& inputs, const operand& y) {
    const std::uint32_t k = add(y);
    check_nnapi(nn().ANeuralNetworksModel_addOperation(out_.model.get(), code, std::uint32_t(inputs.size()),
                                                       inputs.data(), 1, &k));
    ++operations_;
    tensors_.set(y, k);
}
void nnapi_writer::argument(const operand& x) {
    inputs_.push_back(add(x));
    tensors_.set(x, inputs_.back());
}
void nnapi_writer::ask_devices() const {
    if (options_.devices.empty()) return;
    std::vector<const ANeuralNetworksDevice*> handles;
    std::string names;
    for (const nnapi_device& d : options_.devices) {
        handles.push_back(d.handle);
        names += (names.empty() ? "" : ", ") + d.name;
    }
    const std::unique_ptr<bool[]> supported(new bool[operations_ + 1]());
    check_nnapi(nn().ANeuralNetworksModel_getSupportedOperationsForDevices(
        out_.model.get(), handles.data(), std::uint32_t(handles.size()), supported.get()));
    if (!std::all_of(supported.get(), supported.get() + operations_, [](bool b) { return b; }))
        refuse("NNAPI says that it is not supported by " + names);
}
nnapi_model nnapi_writer::finish() {
    ANeuralNetworksModel* const model = out_.model.get();
    check_nnapi(nn().ANeuralNetworksModel_identifyInputsAndOutputs(model, std::uint32_t(inputs_.size()), inputs_.data(),
                                                                   std::uint32_t(outputs_.size()), outputs_.data()));
    if (options_.half) check_nnapi(nn().ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, true));
    check_nnapi(nn().ANeuralNetworksModel_finish(model));
    if (purpose_ == purpose::trial) ask_devices();
    return std::move(out_);
}

// --- primitives
void nnapi_writer::write(const unary_prim& p) {
    constexpr std::pair<function, std::int32_t> codes[] = {{function::abs, ABS},
                                                           {function::elu, ELU},
                                                           {function::exp, EXP},
                                                           {function::floor, FLOOR},
                                                           {function::hard_swish, HARD_SWISH},
                                                           {function::log, LOG},
                                                           {function::neg, NEG},
                                                           {function::relu, RELU},
                                                           {function::sigmoid, LOGISTIC},
                                                           {function::sin, SIN},
                                                           {function::sqrt, SQRT},
                                                           {function::tanh, TANH}};
    list inputs{at(p.x)};
    if (p.does == function::elu) inputs.push_back(real(p.alpha));
    operation(std::ranges::find(codes, p.does, &std::pair<function, std::int32_t>::first)->second, inputs, p.y);
}
void nnapi_writer::write(const clamp_prim& p) {
    operation(p.low == -1 ? RELU1 : p.high == 6 ? RELU6 : RELU, {at(p.x)}, p.y);
}
void nnapi_writer::write(const binary_prim& p) {
    constexpr std::int32_t codes[] = {ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW, PRELU};
    list inputs{at(p.a), at(p.b)};
    if (p.does <= arithmetic::div) inputs.push_back(none());
    operation(codes[int(p.does)], inputs, p.y);
}
void nnapi_writer::write(const conv_prim& p) {
    list inputs{at(p.x)};
    const shape& w = p.w.dims;
    if (p.depthwise())
        add_weights(inputs, p.x, p.w, {1, w[0], w[2], w[3]}, {0, 2, 3, 1}, 3, p.bias);
    else
        add_weights(inputs, p.x, p.w, w, {0, 2, 3, 1}, 0, p.bias);
    add_window(inputs, p.window);
    if (p.groups > 1) inputs.push_back(integer(p.depthwise() ? w[0] / p.groups : p.groups));
    inputs.push_back(none());
    add_order(inputs, p.x);
    if (p.dilated())
        for (const std::size_t i : {1, 0}) inputs.push_back(integer(p.window[i].dilation));
    operation(p.depthwise() ? DEPTHWISE_CONV_2D : p.groups > 1 ? GROUPED_CONV_2D : CONV_2D, inputs, p.y);
}
void nnapi_writer::write(const deconv_prim& p) {
    list inputs{at(p.x)};
    add_weights(inputs, p.x, p.w, p.w.dims, {1, 2, 3, 0}, 0, p.bias);
    add_window(inputs, p.window);
    inputs.push_back(none());
    add_order(inputs, p.x);
    operation(TRANSPOSE_CONV_2D, inputs, p.y);
}
void nnapi_writer::write(const dense_prim& p) {
    list inputs{at(p.x)};
    add_weights(inputs, p.x, p.w, p.w.dims, {0, 1}, 0, p.bias);
    inputs.push_back(none());
    operation(FULLY_CONNECTED, inputs, p.y);
}
void nnapi_writer::write(const matmul_prim& p) {
    operation(BATCH_MATMUL, {at(p.a), at(p.b), truth(false), truth(false)}, p.y);
}
void nnapi_writer::write(const pool_prim& p) {
    list inputs{at(p.x)};
    add_window(inputs, p.window);
    for (const std::size_t i : {1, 0}) inputs.push_back(integer(p.window[i].kernel));
    inputs.push_back(none());
    add_order(inputs, p.x);
    operation(p.does == pooling::average ? AVERAGE_POOL_2D : MAX_POOL_2D, inputs, p.y);
}
void nnapi_writer::write(const reduce_prim& p) {
    constexpr std::int32_t codes[] = {REDUCE_MAX, MEAN, REDUCE_MIN, REDUCE_PROD, REDUCE_SUM};
    operation(codes[int(p.does)], {at(p.x), integers(p.axes), p.does == reduction::mean ? integer(1) : truth(true)},
              p.y);
}
void nnapi_writer::write(const softmax_prim& p) {
    list inputs{at(p.x), real(1)};
    if (p.log || p.axis != p.x.dims.rank - 1) inputs.push_back(integer(p.axis));
    operation(p.log ? LOG_SOFTMAX : SOFTMAX, inputs, p.y);
}
void nnapi_writer::write(const instance_norm_prim& p) {
    list inputs{at(p.x), real(1), real(0), real(p.epsilon)};
    add_order(inputs, p.x);
    operation(INSTANCE_NORMALIZATION, inputs, p.y);
}
void nnapi_writer::write(const lrn_prim& p) {
    operation(LOCAL_RESPONSE_NORMALIZATION, {at(p.x), integer(p.below), real(p.bias), real(p.alpha), real(p.beta)},
              p.y);
}
void nnapi_writer::write(const reshape_prim& p) {
    const list dims = dims_of(p.y);
    operation(RESHAPE, {at(p.x), integers({dims.begin(), dims.end()})}, p.y);
}
void nnapi_writer::write(const transpose_prim& p) { operation(TRANSPOSE, {at(p.x), integers(p.axes)}, p.y); }
void nnapi_writer::write(const concat_prim& p) {
    list inputs;
    for (const operand& part : p.parts) inputs.push_back(at(part));
    inputs.push_back(integer(p.axis));
    operation(CONCATENATION, inputs, p.y);
}
void nnapi_writer::write(const slice_prim& p) {
    lowering::integers end = dims_in_memory(p.y);
    for (std::size_t i = 0; i < end.size(); ++i) end[i] = p.start[i] + (end[i] - 1) * p.step[i] + 1;
    const std::uint32_t masks = integer(0);
    operation(STRIDED_SLICE, {at(p.x), integers(p.start), integers(end), integers(p.step), masks, masks, masks}, p.y);
}
void nnapi_writer::write(const pad_prim& p) {
    lowering::integers table;
    for (std::size_t i = 0; i < p.before.size(); ++i) table.insert(table.end(), {p.before[i], p.after[i]});
    list inputs{at(p.x), integers(table, 2)};
    if (p.value != 0) inputs.push_back(real(p.value));
    operation(p.value != 0 ? PAD_V2 : PAD, inputs, p.y);
}
void nnapi_writer::write(const gather_prim& p) {
    operation(GATHER, {at(p.x), integer(p.axis), integers(*p.places)}, p.y);
}
void nnapi_writer::write(const blocks_prim& p) {
    list inputs{at(p.x), integer(p.block)};
    add_order(inputs, p.x);
    operation(p.to_depth ? SPACE_TO_DEPTH : DEPTH_TO_SPACE, inputs, p.y);
}
void nnapi_writer::write(const resize_prim& p) {
    using resizing::coordinates;
    const auto& geometry = p.facts.geometry;
    list inputs{at(p.x), integer(p.y.dims[3]), integer(p.y.dims[2])};
    add_order(inputs, p.x);
    if (geometry.transformation != coordinates::asymmetric)
        for (const bool corners : {true, false})
            inputs.push_back(truth((geometry.transformation == coordinates::align_corners) == corners));
    operation(geometry.mode == resizing::interpolation::nearest ? RESIZE_NEAREST_NEIGHBOR : RESIZE_BILINEAR, inputs,
              p.y);
}
void nnapi_writer::write(const quantize_prim& p) { operation(QUANTIZE, {at(p.x)}, p.y); }
void nnapi_writer::write(const dequantize_prim& p) { operation(DEQUANTIZE, {at(p.x)}, p.y); }
}  // namespace v1
}  // namespace inlay

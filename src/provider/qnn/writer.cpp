#include "writer.hpp"
#include <cmath>
#include <cstring>
#include <utility>

namespace inlay {
inline namespace v1 {
using namespace lowering;
using qnn_abi::data_type;
using qnn_abi::tensor_kind;
namespace {
shape with_dims(const shape& s) { return s.rank == 0 ? shape{1} : s; }
shape sizes_of(const operand& x) {
    shape dims;
    for (const std::int64_t d : dims_in_memory(x)) dims.push_back(d);
    return with_dims(dims);
}
template <class T> std::vector<char> bytes_of_list(const std::vector<T>& list) {
    std::vector<char> bytes(list.size() * sizeof(T));
    std::memcpy(bytes.data(), list.data(), bytes.size());
    return bytes;
}
}  // namespace

data_type qnn_type_of(element e) {
    switch (e) {
        case element::f32: return data_type::float_32;
        case element::f16: return data_type::float_16;
        case element::i8: return data_type::sfixed_8;
        case element::u8: return data_type::ufixed_8;
        case element::i32: return data_type::int_32;
        case element::i64: return data_type::int_64;
        case element::boolean: return data_type::bool_8;
        default: refuse("QNN gets no tensors of type " + std::string(name_of(e)) + " here");
    }
}
qnn_program::tensor_facts qnn_argument(const operand& x) {
    qnn_program::tensor_facts t{"v" + std::to_string(x.id), tensor_kind::native, qnn_type_of(x.type), sizes_of(x)};
    if (x.quantized) {
        t.scales = x.quantized->scales;
        t.zero = x.quantized->zero;
    }
    return t;
}

// --- tensors
int qnn_writer::add(qnn_program::tensor_facts t) {
    out_.tensors.push_back(std::move(t));
    return int(out_.tensors.size()) - 1;
}
int qnn_writer::add_constant(const shape& dims, data_type type, const std::function<std::vector<char>()>& make) {
    qnn_program::tensor_facts t{"c" + std::to_string(out_.tensors.size()), tensor_kind::constant, type,
                                with_dims(dims)};
    t.bytes = std::size_t(t.dims.elements()) * size_of(type);
    tensor& constant = out_.constants.emplace_back(element::u8, shape{std::int64_t(t.bytes)});
    if (purpose_ == purpose::use) std::ranges::copy(make(), static_cast<char*>(constant.data()));
    t.elements = constant.data();
    return add(std::move(t));
}
int qnn_writer::made(const operand& y, tensor_kind kind) {
    qnn_program::tensor_facts t = qnn_argument(y);
    t.kind = kind;
    if (y.id >= int(r_.graph.values.size())) t.name = "t" + std::to_string(y.id);
    if (y.order == layout::channels_last) t.name += "_last";
    const int k = add(std::move(t));
    tensors_.set(y, k);
    return k;
}
int qnn_writer::between(const operand& like) { return between(sizes_of(like), like.type); }
int qnn_writer::between(const shape& dims, element type) {
    return add({"n" + std::to_string(out_.tensors.size()), tensor_kind::native, qnn_type_of(type), with_dims(dims)});
}
int qnn_writer::constant(const operand& x) {
    const int k = add_constant(sizes_of(x), qnn_type_of(x.type), [&] { return stored_elements(r_, x); });
    if (x.is_quantized()) {
        out_.tensors[std::size_t(k)].scales = x.quantized->scales;
        out_.tensors[std::size_t(k)].zero = x.quantized->zero;
    }
    return k;
}
int qnn_writer::constant(const operand& x, element type) {
    return add_constant(x.dims, qnn_type_of(type), [&] {
        std::deque<std::vector<float>> buffers;
        const float* const values = floats_of(r_, x, buffers);
        return stored({values, values + x.dims.elements()}, type);
    });
}
int qnn_writer::at(const operand& x) {
    return tensors_.get(x, [this](const operand& c) { return constant(c); });
}
int qnn_writer::at(const operand& x, int rank) {
    if (x.dims.rank >= rank) return at(x);
    operand y = x;
    y.dims = of_rank(x.dims, rank);
    if (x.constant) return constant(y);
    const int from = at(x), to = between(y);
    out_.tensors[std::size_t(to)].scales = out_.tensors[std::size_t(from)].scales;
    out_.tensors[std::size_t(to)].zero = out_.tensors[std::size_t(from)].zero;
    operation("Reshape", {from}, {to});
    return to;
}
int qnn_writer::weights(const operand& x, const operand& w, const std::vector<int>& axes, int channel) {
    shape dims = w.dims;
    std::size_t inner = 1;
    for (int i = 0; i < dims.rank; ++i) dims[i] = w.dims[axes[std::size_t(i)]];
    for (int i = channel + 1; i < dims.rank; ++i) inner *= std::size_t(dims[i]);
    const auto turned = [&] {
        std::deque<std::vector<float>> buffers;
        return permuted(floats_of(r_, w, buffers), w.dims, axes);
    };
    if (!x.is_quantized()) return add_constant(dims, qnn_type_of(x.type), [&] { return stored(turned(), x.type); });
    operand of_own_type = x;
    of_own_type.type = w.quantized->type;
    const byte_weights codes(*w.quantized, of_own_type);
    const std::size_t channels = std::size_t(dims[channel]);
    if (codes.each() && (codes.zero() != 0 || w.quantized->axis != 0 || codes.scales().size() != channels))
        refuse("its weights have a scale for each channel and a zero point, or are not those of the results' channels");
    const element type = codes.each() ? element::i8 : w.quantized->type;
    const int k = add_constant(dims, qnn_type_of(type), [&] { return codes.quantized(turned(), channels, inner); });
    qnn_program::tensor_facts& t = out_.tensors[std::size_t(k)];
    t.scales = codes.scales();
    t.zero = codes.zero();
    t.axis = codes.each() ? channel : 0;
    return k;
}
int qnn_writer::bias(const operand& x, const operand& w, const operand& b) {
    if (!x.is_quantized()) return constant(b, x.type);
    const byte_weights codes(*w.quantized, x);
    const int k = add_constant(b.dims, data_type::sfixed_32, [&] {
        std::deque<std::vector<float>> buffers;
        const float* const values = floats_of(r_, b, buffers);
        return bytes_of_list(codes.quantized_bias({values, values + b.dims.elements()}));
    });
    std::vector<float>& scales = out_.tensors[std::size_t(k)].scales = codes.scales();
    for (float& s : scales) s *= x.quantized->scales[0];
    return k;
}

// --- operations
void qnn_writer::operation(std::string_view type, tensors inputs, tensors outputs, parameters params) {
    out_.operations.push_back(
        {"o" + std::to_string(out_.operations.size()), type, std::move(params), std::move(inputs), std::move(outputs)});
}
void qnn_writer::give(std::string_view type, tensors inputs, const operand& y, parameters params) {
    operation(type, std::move(inputs), {made(y)}, std::move(params));
}
qnn_writer::parameter qnn_writer::real(std::string_view name, double x) {
    parameter p{name};
    p.scalar.type = data_type::float_32;
    p.scalar.real = float(x);
    return p;
}
qnn_writer::parameter qnn_writer::integer(std::string_view name, std::int64_t x) {
    parameter p{name};
    p.scalar.type = data_type::int_32;
    p.scalar.integer = std::int32_t(x);
    return p;
}
qnn_writer::parameter qnn_writer::natural(std::string_view name, std::int64_t x) {
    parameter p{name};
    p.scalar.type = data_type::uint_32;
    p.scalar.natural = std::uint32_t(x);
    return p;
}
qnn_writer::parameter qnn_writer::truth(std::string_view name, bool x) {
    parameter p{name};
    p.scalar.type = data_type::bool_8;
    p.scalar.boolean = x;
    return p;
}
template <class T> qnn_writer::parameter qnn_writer::list_of(std::string_view name, const numbers& values, shape dims) {
    for (const std::int64_t x : values)
        if (!std::in_range<T>(x)) refuse("its " + std::string(name) + " is " + std::to_string(x));
    if (dims.rank < 1) dims = {std::int64_t(values.size())};
    qnn_program::tensor_facts t{"c" + std::to_string(out_.tensors.size()), tensor_kind::constant,
                                std::is_signed_v<T> ? data_type::int_32 : data_type::uint_32, dims};
    t.bytes = values.size() * sizeof(T);
    tensor& constant = out_.constants.emplace_back(element::u8, shape{std::int64_t(t.bytes)});
    std::ranges::copy(bytes_of_list(std::vector<T>(values.begin(), values.end())), static_cast<char*>(constant.data()));
    t.elements = constant.data();
    return {name, add(std::move(t))};
}
qnn_writer::parameter qnn_writer::list(std::string_view name, const numbers& values, const shape& dims) {
    return list_of<std::uint32_t>(name, values, dims);
}
qnn_writer::parameter qnn_writer::signed_list(std::string_view name, const numbers& values, const shape& dims) {
    return list_of<std::int32_t>(name, values, dims);
}
int qnn_writer::indices(const numbers& values, const shape& dims) {
    return signed_list("indices", values, dims).tensor;
}
void qnn_writer::result(const operand& y) {
    const int t = at(y);
    out_.tensors[std::size_t(t)].kind = tensor_kind::app_read;
    out_.outputs.push_back(t);
}
qnn_program qnn_writer::finish() {
    if (purpose_ == purpose::trial) validate(backend_, out_);
    return std::move(out_);
}

// --- primitives
void qnn_writer::write(const unary_prim& p) {
    constexpr std::pair<function, std::string_view> types[] = {{function::abs, "ElementWiseAbs"},
                                                               {function::atan, "ElementWiseAtan"},
                                                               {function::ceil, "ElementWiseCeil"},
                                                               {function::cos, "ElementWiseCos"},
                                                               {function::elu, "Elu"},
                                                               {function::exp, "ElementWiseExp"},
                                                               {function::floor, "ElementWiseFloor"},
                                                               {function::gelu, "Gelu"},
                                                               {function::hard_swish, "HardSwish"},
                                                               {function::log, "ElementWiseLog"},
                                                               {function::logical_not, "ElementWiseNot"},
                                                               {function::neg, "ElementWiseNeg"},
                                                               {function::relu, "Relu"},
                                                               {function::round, "ElementWiseRound"},
                                                               {function::sigmoid, "Sigmoid"},
                                                               {function::sign, "ElementWiseSign"},
                                                               {function::sin, "ElementWiseSin"},
                                                               {function::sqrt, "ElementWiseSquareRoot"},
                                                               {function::tanh, "Tanh"}};
    const auto type = std::ranges::find(types, p.does, &std::pair<function, std::string_view>::first)->second;
    give(type, {at(p.x)}, p.y, p.does == function::elu ? parameters{real("alpha", p.alpha)} : parameters{});
}
void qnn_writer::write(const clamp_prim& p) {
    give("ReluMinMax", {at(p.x)}, p.y, {real("min_value", p.low), real("max_value", p.high)});
}
// A difference of floats is a sum: there are processors for which a graph with a subtraction cannot be finished.
void qnn_writer::write(const binary_prim& p) {
    constexpr std::string_view types[] = {"ElementWiseAdd",
                                          "ElementWiseSubtract",
                                          "ElementWiseMultiply",
                                          "ElementWiseDivide",
                                          "ElementWiseMaximum",
                                          "ElementWiseMinimum",
                                          "ElementWisePower",
                                          "Prelu",
                                          "",
                                          "",
                                          "ElementWiseEqual",
                                          "ElementWiseGreater",
                                          "ElementWiseGreaterEqual",
                                          "ElementWiseLess",
                                          "ElementWiseLessEqual",
                                          "ElementWiseAnd",
                                          "ElementWiseOr",
                                          "ElementWiseXor"};
    const int rank = std::max(p.y.dims.rank, 1), a = at(p.a, rank), b = at(p.b, rank);
    const bool floats = is_float(p.y.type);
    if (p.does != arithmetic::sub || !floats || p.b.constant) return give(types[int(p.does)], {a, b}, p.y);
    const int negative = between(out_.tensors[std::size_t(b)].dims, p.y.type);
    operation("ElementWiseNeg", {b}, {negative});
    give("ElementWiseAdd", {a, negative}, p.y);
}
void qnn_writer::write(const conv_prim& p) {
    const bool depthwise = p.depthwise() && p.w.dims[0] == p.groups;
    const window_axis &v = p.window[0], &h = p.window[1];
    const int x = at(p.x), w = weights(p.x, p.w, {2, 3, 1, 0}, 3);
    tensors inputs{x, w};
    if (p.bias) inputs.push_back(bias(p.x, p.w, *p.bias));
    parameters params{list("stride", {v.stride, h.stride}),
                      list("pad_amount", {v.before, v.after, h.before, h.after}, shape{2, 2}),
                      list("dilation", {v.dilation, h.dilation})};
    if (!depthwise) params.push_back(natural("group", p.groups));
    give(depthwise ? "DepthWiseConv2d" : "Conv2d", std::move(inputs), p.y, std::move(params));
}
void qnn_writer::write(const deconv_prim& p) {
    const window_axis &v = p.window[0], &h = p.window[1];
    const auto cut = [](const window_axis& a) { return std::max<std::int64_t>(0, a.after); };
    const auto more = [](const window_axis& a) { return std::max<std::int64_t>(0, -a.after); };
    tensors inputs{at(p.x), weights(p.x, p.w, {2, 3, 0, 1}, 3)};
    if (p.bias) inputs.push_back(bias(p.x, p.w, *p.bias));
    give("TransposeConv2d", std::move(inputs), p.y,
         {list("stride", {v.stride, h.stride}), list("pad_amount", {v.before, cut(v), h.before, cut(h)}, shape{2, 2}),
          list("output_padding", {more(v), more(h)}), natural("group", p.groups)});
}
void qnn_writer::write(const dense_prim& p) {
    tensors inputs{at(p.x), weights(p.x, p.w, {0, 1}, 0)};
    if (p.bias) inputs.push_back(bias(p.x, p.w, *p.bias));
    give("FullyConnected", std::move(inputs), p.y);
}
void qnn_writer::write(const matmul_prim& p) {
    const int rank = p.y.dims.rank;
    give("MatMul", {at(p.a, rank), at(p.b, rank)}, p.y);
}
void qnn_writer::write(const pool_prim& p) {
    const window_axis &v = p.window[0], &h = p.window[1];
    parameters params{list("filter_size", {v.kernel, h.kernel}), list("stride", {v.stride, h.stride}),
                      list("pad_amount", {v.before, v.after, h.before, h.after}, shape{2, 2})};
    if (p.does == pooling::average && !p.whole) params.push_back(truth("count_pad_for_edges", p.counts_padding));
    give(p.does == pooling::average ? "PoolAvg2d" : "PoolMax2d", {at(p.x)}, p.y, std::move(params));
}
void qnn_writer::write(const reduce_prim& p) {
    constexpr std::string_view types[] = {"ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum"};
    numbers axes = p.axes;
    std::ranges::sort(axes);
    give(types[int(p.does)], {at(p.x)}, p.y, {list("axes", axes), truth("keep_dims", true)});
}
void qnn_writer::write(const softmax_prim& p) {
    give(p.log ? "LogSoftmax" : "Softmax", {at(p.x)}, p.y, {natural("axis", p.axis)});
}
void qnn_writer::write(const affine_prim& p) {
    give("Batchnorm", {at(p.x), constant(p.scale, p.x.type), constant(p.shift, p.x.type)}, p.y);
}
void qnn_writer::write(const lrn_prim& p) {
    constexpr int across_channels = 0;
    give("Lrn", {at(p.x)}, p.y,
         {real("alpha", p.alpha), real("beta", p.beta), real("bias", p.bias),
          integer("radius", std::min(p.size / 2, p.x.dims[1])), natural("region", across_channels)});
}
void qnn_writer::write(const reshape_prim& p) { give("Reshape", {at(p.x)}, p.y); }
void qnn_writer::write(const transpose_prim& p) { give("Transpose", {at(p.x)}, p.y, {list("perm", p.axes)}); }
void qnn_writer::write(const concat_prim& p) {
    tensors parts;
    for (const operand& part : p.parts) parts.push_back(at(part));
    give("Concat", std::move(parts), p.y, {natural("axis", p.axis)});
}
void qnn_writer::write(const slice_prim& p) {
    const numbers sizes = dims_in_memory(p.y);
    numbers ranges;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        ranges.insert(ranges.end(), {p.start[i], p.start[i] + (sizes[i] - 1) * p.step[i] + 1, p.step[i]});
    give("StridedSlice", {at(p.x)}, p.y, {signed_list("ranges", ranges, shape{std::int64_t(sizes.size()), 3})});
}
qnn_writer::parameter qnn_writer::pad_constant(const pad_prim& p) const {
    constexpr std::string_view name = "pad_constant_value";
    if (!p.x.is_quantized()) return real(name, p.value);
    const float least = p.x.type == element::i8 ? -128.f : 0.f,
                code = std::nearbyint(p.value / p.x.quantized->scales[0]) + float(p.x.quantized->zero);
    return integer(name, std::int64_t(std::clamp(code, least, least + 255)));
}
void qnn_writer::write(const pad_prim& p) {
    constexpr int with_a_constant = 0;
    numbers pads;
    for (std::size_t i = 0; i < p.before.size(); ++i) pads.insert(pads.end(), {p.before[i], p.after[i]});
    give("Pad", {at(p.x)}, p.y,
         {natural("scheme", with_a_constant), list("pad_amount", pads, shape{std::int64_t(p.before.size()), 2}),
          pad_constant(p)});
}
void qnn_writer::write(const gather_prim& p) {
    give("Gather", {at(p.x), indices(*p.places)}, p.y, {integer("axis", p.axis)});
}
void qnn_writer::write(const lookup_prim& p) {
    const int places = indices(*p.places, p.indices.dims);
    if (p.does == lookup::gather_elements)
        return give("GatherElements", {at(p.x), places}, p.y, {natural("axis", p.axis)});
    give("GatherNd", {at(p.x), places}, p.y, {natural("batch_dims", 0)});
}
void qnn_writer::write(const tile_prim& p) { give("Tile", {at(p.x)}, p.y, {list("multiples", p.repeats)}); }
void qnn_writer::write(const arg_prim& p) {
    give(p.does == reduction::max ? "Argmax" : "Argmin", {at(p.x)}, p.y,
         {natural("axis", p.axis), truth("keep_dims", true)});
}
void qnn_writer::write(const top_k_prim& p) {
    const int x = at(p.x), values = made(p.y), places = between(p.y.dims, element::i32);
    operation("TopK", {x}, {values, places}, {natural("k", p.k), truth("largest", p.largest)});
}
void qnn_writer::write(const cumulative_sum_prim& p) {
    give("CumulativeSum", {at(p.x)}, p.y,
         {natural("axis", p.axis), truth("exclusive", p.exclusive), truth("reverse", p.reverse)});
}
void qnn_writer::write(const select_prim& p) {
    const int rank = std::max(p.y.dims.rank, 1);
    give("ElementWiseSelect", {at(p.condition, rank), at(p.a, rank), at(p.b, rank)}, p.y);
}
// Without what is behind the point: QNN makes one of several casts in a row, which does not cut it off.
int qnn_writer::truncated(const operand& x) {
    const auto next = [&](std::string_view type, tensors from) {
        const int y = between(x);
        operation(type, std::move(from), {y});
        return y;
    };
    const int whole = next("ElementWiseFloor", {next("ElementWiseAbs", {at(x)})});
    return next("ElementWiseMultiply", {whole, next("ElementWiseSign", {at(x)})});
}
// QNN computes with integers of 32 bits. Those of 64 are read where their low half is what ONNX requires, and written
// from such as fit.
void qnn_writer::write(const cast_prim& p) {
    const bool from_float = is_float(p.x.type);
    if (p.y.type == element::boolean) {
        const int zero =
            from_float ? add_constant({1}, qnn_type_of(p.x.type), [&] { return stored({0}, p.x.type); }) : indices({0});
        return give("ElementWiseNotEqual", {at(p.x), zero}, p.y);
    }
    int middle = at(p.x);
    if (p.x.type == element::boolean && p.y.type == element::i64) {
        middle = between(sizes_of(p.x), element::i32);
        operation("Cast", {at(p.x)}, {middle});
    }
    if (from_float && p.y.type == element::i32) middle = truncated(p.x);
    give("Cast", {middle}, p.y);
}
void qnn_writer::write(const blocks_prim& p) {
    give(p.to_depth ? "SpaceToDepth" : "DepthToSpace", {at(p.x)}, p.y,
         {list("block_size", {p.block, p.block}), natural("mode", p.columns_first ? 1 : 0)});
}
void qnn_writer::write(const resize_prim& p) {
    using resizing::coordinates;
    const auto& geometry = p.facts.geometry;
    const bool corners = geometry.transformation == coordinates::align_corners,
               centers = !corners && geometry.transformation != coordinates::asymmetric;
    give(geometry.mode == resizing::interpolation::nearest ? "ResizeNearestNeighbor" : "ResizeBilinear", {at(p.x)}, p.y,
         {truth("align_corners", corners), truth("half_pixel_centers", centers)});
}
void qnn_writer::write(const quantize_prim& p) { give("Quantize", {at(p.x)}, p.y); }
void qnn_writer::write(const dequantize_prim& p) { give("Dequantize", {at(p.x)}, p.y); }
}  // namespace v1
}  // namespace inlay

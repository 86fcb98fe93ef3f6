#include "writer.hpp"
#include <algorithm>
#include <lowering/weights.hpp>

namespace inlay {
inline namespace v1 {
namespace mil {
using namespace lowering;
namespace {
tensor_info info_of(const operand& x) {  // integers of 64 bits are int32 there
    return {x.dims.rank == 0 ? shape{1} : x.dims, x.type == element::i64 ? element::i32 : x.type};
}
scalar number(double value, const operand& like) { return {value, info_of(like).type}; }
// Elements of a constant that are no floats.
integers integers_in(element type, const void* elements, std::int64_t count) {
    integers list(static_cast<std::size_t>(count));
    const auto copy = [&]<class T>(const T* from) { std::copy_n(from, count, list.begin()); };
    if (type == element::boolean)
        copy(static_cast<const bool*>(elements));
    else if (type == element::i32)
        copy(static_cast<const std::int32_t*>(elements));
    else
        copy(static_cast<const std::int64_t*>(elements));
    for (const std::int64_t x : list)
        if (x != std::int32_t(x)) refuse("its constant " + std::to_string(x) + " does not fit into int32");
    return list;
}
template <class Member> integers list_of(const std::vector<window_axis>& window, Member member) {
    integers list;
    for (const window_axis& a : window) list.push_back(a.*member);
    return list;
}
integers pads_of(const std::vector<window_axis>& window) {
    integers pads;
    for (const window_axis& a : window) pads.insert(pads.end(), {a.before, a.after});
    return pads;
}
void add_windows(arguments& to, const std::vector<window_axis>& window) {
    to.push_back({"strides", list_of(window, &window_axis::stride)});
    to.push_back({"pad_type", std::string_view("custom")});
    to.push_back({"pad", pads_of(window)});
}
integers dims_of(const tensor_info& t) { return {t.dims.begin(), t.dims.end()}; }
}  // namespace

variable writer::constant(const operand& x) {
    const tensor_info info = info_of(x);
    if (purpose_ == purpose::trial && is_float(x.type)) return {info, {}};
    const std::string_view name = x.id < int(r_.graph.values.size()) ? name_of_value(x.id) : "constant";
    if (x.elements) {
        const std::vector<char> bytes = stored(x.elements(), x.type);
        return program_.constant(name, info, std::as_bytes(std::span(bytes)));
    }
    const void* const elements = r_.constant(x.id);
    if (!elements) refuse("the elements of the value " + std::string(name) + " are not there");
    const std::int64_t count = x.dims.elements();
    if (!is_float(x.type)) return program_.constant(name, info, integers_in(x.type, elements, count));
    return program_.constant(name, info,
                             {static_cast<const std::byte*>(elements), std::size_t(bytes_of(x.type, count))});
}
variable writer::filled(const shape& dims, const operand& like, float value) {
    operand tensor{int(r_.graph.values.size()), dims, like.type};
    tensor.elements = [count = dims.elements(), value] { return std::vector<float>(std::size_t(count), value); };
    return constant(tensor);
}
// Constants that are made here may have another one's id.
variable writer::at(const operand& x) {
    return x.constant && x.elements ? constant(x) : tensors_.get(x, [this](const operand& c) { return constant(c); });
}
template <class P> arguments writer::weighted(const P& p) {
    arguments inputs{{"x", at(p.x)}, {"weight", at(p.w)}};
    if (p.bias) inputs.push_back({"bias", at(*p.bias)});
    return inputs;
}
template <class P> arguments writer::convolution_arguments(const P& p) {
    arguments inputs = weighted(p);
    add_windows(inputs, p.window);
    inputs.push_back({"dilations", list_of(p.window, &window_axis::dilation)});
    inputs.push_back({"groups", p.groups});
    return inputs;
}
void writer::put(std::string_view operation, const arguments& in, const operand& y) {
    tensors_.set(y, program_.operation(operation, in, info_of(y)));
}
void writer::argument(const operand& x) { tensors_.set(x, program_.input(name_of_value(x.id), info_of(x))); }
void writer::result(const operand& y) { program_.output(name_of_value(r_.outputs[outputs_++]), at(y)); }
package writer::finish() {
    if (purpose_ == purpose::trial) return {};
    if (r_.inputs.empty()) refuse("these nodes read nothing that changes, and Core ML's programs do");
    out_.model = program_.model(settings_);
    return std::move(out_);
}

// --- primitives
void writer::write(const unary_prim& p) {
    using enum function;
    constexpr std::pair<function, std::string_view> names[] = {
        {abs, "abs"},     {acos, "acos"},       {asin, "asin"},         {atan, "atan"},
        {atanh, "atanh"}, {ceil, "ceil"},       {cos, "cos"},           {cosh, "cosh"},
        {erf, "erf"},     {exp, "exp"},         {floor, "floor"},       {log, "log"},
        {relu, "relu"},   {sigmoid, "sigmoid"}, {sign, "sign"},         {logical_not, "logical_not"},
        {sin, "sin"},     {sinh, "sinh"},       {softplus, "softplus"}, {softsign, "softsign"},
        {sqrt, "sqrt"},   {tan, "tan"},         {tanh, "tanh"}};
    const mil::argument x{"x", at(p.x)}, alpha{"alpha", number(p.alpha, p.x)};
    switch (p.does) {
        case neg: return put("mul", {x, {"y", number(-1, p.x)}}, p.y);
        case elu: return put("elu", {x, alpha}, p.y);
        case leaky_relu: return put("leaky_relu", {x, alpha}, p.y);
        case hard_sigmoid: return put("sigmoid_hard", {x, alpha, {"beta", number(p.beta, p.x)}}, p.y);
        case gelu: return put("gelu", {x, {"mode", std::string_view("EXACT")}}, p.y);
        case gelu_by_tanh: return put("gelu", {x, {"mode", std::string_view("TANH_APPROXIMATION")}}, p.y);
        default:
            return put(std::ranges::find(names, p.does, &std::pair<function, std::string_view>::first)->second, {x},
                       p.y);
    }
}
void writer::write(const clamp_prim& p) {
    const float most = p.x.type == element::f16 ? 65504 : no_bound;
    put("clip",
        {{"x", at(p.x)}, {"alpha", number(std::max(p.low, -most), p.x)}, {"beta", number(std::min(p.high, most), p.x)}},
        p.y);
}
void writer::write(const binary_prim& p) {
    constexpr std::string_view names[] = {"add",         "sub",        "mul",           "real_div", "maximum",
                                          "minimum",     "pow",        "add",           "mod",      "mod",
                                          "equal",       "greater",    "greater_equal", "less",     "less_equal",
                                          "logical_and", "logical_or", "logical_xor"};
    variable x = at(p.a), y = at(p.b);
    if (p.does == arithmetic::prelu) {
        const variable below = program_.operation("minimum", {{"x", x}, {"y", number(0, p.a)}}, x.info);
        y = program_.operation("mul", {{"x", below}, {"y", y}}, info_of(p.y));
        x = program_.operation("relu", {{"x", x}}, x.info);
    }
    put(names[int(p.does)], {{"x", x}, {"y", y}}, p.y);
}
void writer::write(const select_prim& p) {
    put("select", {{"cond", at(p.condition)}, {"a", at(p.a)}, {"b", at(p.b)}}, p.y);
}
void writer::write(const cast_prim& p) {
    const element to = info_of(p.y).type;
    if (info_of(p.x).type == to) return tensors_.set(p.y, at(p.x));
    const std::string_view name = to == element::f32   ? "fp32"
                                  : to == element::f16 ? "fp16"
                                  : to == element::i32 ? "int32"
                                                       : "bool";
    put("cast", {{"x", at(p.x)}, {"dtype", name}}, p.y);
}
void writer::write(const conv_prim& p) { put("conv", convolution_arguments(p), p.y); }
void writer::write(const deconv_prim& p) { put("conv_transpose", convolution_arguments(p), p.y); }
void writer::write(const dense_prim& p) { put("linear", weighted(p), p.y); }
void writer::write(const matmul_prim& p) {
    put("matmul", {{"x", at(p.a)}, {"y", at(p.b)}, {"transpose_x", false}, {"transpose_y", false}}, p.y);
}
void writer::write(const pool_prim& p) {
    const bool average = p.does == pooling::average;
    if (p.whole) {
        integers axes;
        for (int i = 2; i < p.x.dims.rank; ++i) axes.push_back(i);
        return put(average ? "reduce_mean" : "reduce_max", {{"x", at(p.x)}, {"axes", axes}, {"keep_dims", true}}, p.y);
    }
    arguments inputs{{"x", at(p.x)}, {"kernel_sizes", list_of(p.window, &window_axis::kernel)}, {"ceil_mode", false}};
    add_windows(inputs, p.window);
    if (average) inputs.push_back({"exclude_padding_from_average", !p.counts_padding});
    put(average ? "avg_pool" : "max_pool", inputs, p.y);
}
void writer::write(const reduce_prim& p) {
    constexpr std::string_view names[] = {"reduce_max",         "reduce_mean",      "reduce_min",     "reduce_prod",
                                          "reduce_sum",         "reduce_l1_norm",   "reduce_l2_norm", "reduce_log_sum",
                                          "reduce_log_sum_exp", "reduce_sum_square"};
    put(names[int(p.does)], {{"x", at(p.x)}, {"axes", p.axes}, {"keep_dims", true}}, p.y);
}
void writer::write(const softmax_prim& p) {
    const variable x = at(p.x);
    if (!p.log) return put("softmax", {{"x", x}, {"axis", std::int64_t(p.axis)}}, p.y);
    tensor_info sum = x.info;
    sum.dims[p.axis] = 1;
    const variable log_sum =
        program_.operation("reduce_log_sum_exp", {{"x", x}, {"axes", integers{p.axis}}, {"keep_dims", true}}, sum);
    put("sub", {{"x", x}, {"y", log_sum}}, p.y);
}
void writer::write(const affine_prim& p) {
    put("batch_norm",
        {{"x", at(p.x)},
         {"mean", filled(p.scale.dims, p.x, 0)},
         {"variance", filled(p.scale.dims, p.x, 1)},
         {"gamma", at(p.scale)},
         {"beta", at(p.shift)},
         {"epsilon", number(0, p.x)}},
        p.y);
}
void writer::write(const instance_norm_prim& p) {
    put("instance_norm", {{"x", at(p.x)}, {"epsilon", number(p.epsilon, p.x)}}, p.y);
}
void writer::write(const layer_norm_prim& p) {
    arguments inputs{{"x", at(p.x)}, {"axes", p.axes}, {"epsilon", number(p.epsilon, p.x)}};
    if (p.scale) inputs.push_back({"gamma", at(*p.scale)});
    if (p.shift) inputs.push_back({"beta", at(*p.shift)});
    put("layer_norm", inputs, p.y);
}
void writer::write(const lrn_prim& p) {
    put("local_response_norm",
        {{"x", at(p.x)},
         {"size", p.size},
         {"alpha", number(double(p.alpha) * double(p.size), p.x)},
         {"beta", number(p.beta, p.x)},
         {"k", number(p.bias, p.x)}},
        p.y);
}
void writer::write(const reshape_prim& p) {
    const tensor_info y = info_of(p.y);
    if (info_of(p.x).dims == y.dims) return tensors_.set(p.y, at(p.x));
    put("reshape", {{"x", at(p.x)}, {"shape", dims_of(y)}}, p.y);
}
void writer::write(const transpose_prim& p) { put("transpose", {{"x", at(p.x)}, {"perm", p.axes}}, p.y); }
void writer::write(const tile_prim& p) { put("tile", {{"x", at(p.x)}, {"reps", p.repeats}}, p.y); }
void writer::write(const concat_prim& p) {
    std::vector<variable> parts;
    for (const operand& part : p.parts) parts.push_back(at(part));
    put("concat", {{"values", parts}, {"axis", std::int64_t(p.axis)}, {"interleave", false}}, p.y);
}
void writer::write(const slice_prim& p) {
    integers end;
    for (std::size_t i = 0; i < p.start.size(); ++i) end.push_back(p.start[i] + (p.y.dims[int(i)] - 1) * p.step[i] + 1);
    put("slice_by_index", {{"x", at(p.x)}, {"begin", p.start}, {"end", end}, {"stride", p.step}}, p.y);
}
void writer::write(const pad_prim& p) {
    integers pads;
    for (std::size_t i = 0; i < p.before.size(); ++i) pads.insert(pads.end(), {p.before[i], p.after[i]});
    put("pad",
        {{"x", at(p.x)}, {"pad", pads}, {"mode", std::string_view("constant")}, {"constant_val", number(p.value, p.x)}},
        p.y);
}
void writer::write(const gather_prim& p) {
    arguments inputs{{"x", at(p.x)}, {"axis", std::int64_t(p.axis)}, {"batch_dims", std::int64_t(0)}};
    if (p.places)
        inputs.push_back({"indices", *p.places});
    else
        inputs.push_back({"indices", at(*p.indices)});
    put("gather", inputs, p.y);
}
void writer::write(const blocks_prim& p) {
    const bool by_columns = p.columns_first && !p.to_depth;
    put(p.to_depth   ? "space_to_depth"
        : by_columns ? "pixel_shuffle"
                     : "depth_to_space",
        {{"x", at(p.x)}, {by_columns ? "upscale_factor" : "block_size", p.block}}, p.y);
}
void writer::write(const resize_prim& p) {
    using resizing::coordinates;
    const shape &x = p.x.dims, &y = p.y.dims;
    const int rows = x.rank - 2, columns = x.rank - 1;
    const coordinates transformation = p.facts.geometry.transformation;
    if (p.facts.geometry.mode == resizing::interpolation::nearest)
        return put("upsample_nearest_neighbor",
                   {{"x", at(p.x)},
                    {"scale_factor_height", y[rows] / x[rows]},
                    {"scale_factor_width", y[columns] / x[columns]}},
                   p.y);
    const std::string_view places = transformation == coordinates::align_corners ? "STRICT_ALIGN_CORNERS"
                                    : transformation == coordinates::asymmetric  ? "DEFAULT"
                                                                                 : "UNALIGN_CORNERS";
    put("resize_bilinear",
        {{"x", at(p.x)}, {"target_size_height", y[rows]}, {"target_size_width", y[columns]}, {"sampling_mode", places}},
        p.y);
}
}  // namespace mil
}  // namespace v1
}  // namespace inlay

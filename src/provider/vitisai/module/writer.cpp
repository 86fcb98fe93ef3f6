#include "writer.hpp"
#include <cmath>
#include <cstring>

namespace inlay {
inline namespace v1 {
using namespace lowering;
namespace {
template <class List> xir_integers small(const List& list) { return {list.begin(), list.end()}; }
xir_integers dims_of(const operand& x) { return x.dims.rank == 0 ? xir_integers{1} : small(dims_in_memory(x)); }
xir_integers dims_of(const xir::Op* op) { return op->get_output_tensor()->get_shape(); }
std::string text_of(const xir_integers& dims) {
    shape s;
    for (std::int32_t d : dims) s.push_back(d);
    return to_string(s);
}
std::int64_t product(const xir_integers& dims) {
    std::int64_t count = 1;
    for (const std::int32_t d : dims) count *= d;
    return count;
}
int digits_behind_point(float scale) {
    int exponent = 0;
    (void)std::frexp(scale, &exponent);
    return 1 - exponent;
}
xir_attributes fix_attributes(int point) {  // a half rounds up, as on a DPU
    xir_attributes a;
    a.set("fix_point", std::int32_t(point)).set("bit_width", std::int32_t(8));
    a.set("round_mode", std::string("DPU_ROUND")).set("if_signed", true);
    return a;
}
std::string argument_name(char kind, int k) {
    constexpr int most = 999;  // names are in the order of the arguments
    if (k > most) refuse("a region has more than " + std::to_string(most) + " inputs or outputs");
    const std::string digits = std::to_string(k);
    return kind + std::string(3 - digits.size(), '0') + digits;
}
// The binary digits behind the point that all of them need, which are no more than 8 with those before it.
int digits_of(const std::vector<float>& elements) {
    int most = -32;
    for (const float x : elements) {
        if (!std::isfinite(x)) refuse("a constant has elements that are no numbers");
        int exponent = 0;
        std::int64_t whole = std::int64_t(std::ldexp(std::frexp(x, &exponent), 24));  // x = whole * 2^(exponent - 24)
        if (whole == 0) continue;
        for (exponent -= 24; whole % 2 == 0; whole /= 2) ++exponent;
        most = std::max(most, -exponent);
    }
    for (const float x : elements)
        if (const float value = std::ldexp(x, most); value < -128 || value > 127)
            refuse("its bias has more than 8 bits, which a DPU gives it: " + std::to_string(x) + " of " +
                   std::to_string(most) + " binary digits behind the point");
    return most;
}
// Columns before rows, as XIR has them.
xir_attributes window_attributes(const std::vector<window_axis>& w) {
    const auto pair = [&](std::int64_t window_axis::*of) { return small(lowering::integers{w[1].*of, w[0].*of}); };
    for (const window_axis& a : w)
        if (a.before < 0 || a.after < 0) refuse("a pad is negative");
    xir_attributes a;
    a.set("kernel", pair(&window_axis::kernel)).set("stride", pair(&window_axis::stride));
    a.set("pad_mode", std::string("FLOOR"));
    a.set("pad", small(lowering::integers{w[1].before, w[1].after, w[0].before, w[0].after}));
    return a;
}
xir_attributes dilated(xir_attributes a, const std::vector<window_axis>& w) {
    a.set("dilation", small(lowering::integers{w[1].dilation, w[0].dilation}));
    return a;
}
template <class T> xir_attributes one(const std::string& name, const T& x) {
    xir_attributes a;
    a.set(name, x);
    return a;
}
}  // namespace

std::optional<int> xir_writer::point_of(const operand& x) {
    return x.is_quantized() ? std::optional(digits_behind_point(x.quantized->scales[0])) : std::nullopt;
}
const xir_writer::tensor& xir_writer::tensor_of(const operand& x) {
    return tensors_.get(x, [this](const operand& c) {
        return tensor{numbers(dims_of(c), [&] { return elements_of(c); }), point_of(c)};
    });
}
xir::Op* xir_writer::at(const operand& x) {
    const tensor& t = tensor_of(x);
    if (!t.floats)
        t.floats = t.point ? fixed(t.op, *t.point, t.op->get_type() == "data-fix" ? "fix2float" : "fix") : t.op;
    return t.floats;
}
xir::Op* xir_writer::at(const operand& x, int rank) {  // with ones in front
    xir_integers dims = x.dims.rank == 0 ? xir_integers{} : dims_of(x);
    dims.insert(dims.begin(), std::size_t(std::max({rank, 1}) - x.dims.rank), 1);
    xir::Op* const op = at(x);
    return dims_of(op) == dims ? op : reshaped(op, dims);
}
// What x is made of, where its bounds alone are changed: that is rounded once, behind.
xir::Op* xir_writer::before_rounding(const operand& x, const operand& y) {
    const tensor& t = tensor_of(x);
    const bool rounds_alike = t.point && !t.floats && x.quantized == y.quantized;
    return rounds_alike && t.op->get_type() != "data-fix" ? t.op : at(x);
}
xir::Op* xir_writer::add(const std::string& type, xir_attributes a, const xir_inputs& inputs, const xir_integers& dims,
                         const std::string& name) {
    xir::Op* const op = xir_call(
        [&] { return out_->add_op(name.empty() ? "n" + std::to_string(names_++) : name, type, a.take(), inputs); });
    if (dims_of(op) != dims)
        refuse("XIR's " + type + " makes a tensor of shape " + text_of(dims_of(op)) + ", and not " + text_of(dims));
    return op;
}
void xir_writer::give(const operand& y, const std::string& type, xir_attributes a, const xir_inputs& inputs) {
    tensors_.set(y, {add(type, std::move(a), inputs, dims_of(y)), point_of(y)});
}
xir::Op* xir_writer::fixed(xir::Op* x, int point, const char* type) {
    return add(type, fix_attributes(point), {{"input", {x}}}, dims_of(x));
}
xir::Op* xir_writer::reshaped(xir::Op* x, const xir_integers& dims, const std::string& name) {
    return add("reshape", one("shape", dims), {{"input", {x}}}, dims, name);
}
xir::Op* xir_writer::numbers(const xir_integers& dims, const std::function<std::vector<float>()>& elements) {
    std::vector<char> bytes(std::size_t(product(dims)) * sizeof(float));
    if (purpose_ == purpose::use) std::memcpy(bytes.data(), elements().data(), bytes.size());
    xir_attributes a;
    a.set("shape", dims).set("data_type", std::string("FLOAT32")).set("data", bytes);
    return add("const", std::move(a), {}, dims);
}
std::vector<float> xir_writer::elements_of(const operand& x) const {
    std::deque<std::vector<float>> buffers;
    const float* const values = floats_of(r_, x, buffers);
    return {values, values + x.dims.elements()};
}
void xir_writer::add_weights(xir_inputs& inputs, const operand& x, const operand& w, const shape& dims,
                             const lowering::integers& axes, const std::optional<operand>& bias) {
    const std::vector<int> order(axes.begin(), axes.end());
    xir_integers sizes;
    for (const int axis : order) sizes.push_back(std::int32_t(dims[axis]));
    const auto fix = [&](xir::Op* op, int point) { return x.is_quantized() ? fixed(op, point) : op; };
    xir::Op* const weights = numbers(sizes, [&] { return permuted(elements_of(w).data(), dims, order); });
    inputs["weights"] = {fix(weights, w.quantized ? digits_behind_point(w.quantized->scales[0]) : 0)};
    if (!bias) return;
    const int point = x.is_quantized() ? digits_of(elements_of(*bias)) : 0;
    inputs["bias"] = {fix(numbers(dims_of(*bias), [&] { return elements_of(*bias); }), point)};
}

void xir_writer::argument(const operand& x) {
    xir_attributes a;
    a.set("shape", dims_of(x)).set("data_type", std::string(x.is_quantized() ? "XINT8" : "FLOAT32"));
    const tensor t{
        add(x.is_quantized() ? "data-fix" : "data", std::move(a), {}, dims_of(x), argument_name('i', arguments_++)),
        point_of(x)};
    if (t.point) t.op->get_output_tensor()->set_attrs(fix_attributes(*t.point).take());
    tensors_.set(x, t);
}
// What stands for floats of a scale leaves as integers: the host makes floats of them.
void xir_writer::result(const operand& y) {
    const std::string name = argument_name('o', results_++);
    xir::Op* const op = at(y);
    const auto point = tensor_of(y).point;
    if (!point) return void(reshaped(op, dims_of(y), name));
    add("float2fix", fix_attributes(*point), {{"input", {op}}}, dims_of(y), name)
        ->get_output_tensor()
        ->set_attrs(fix_attributes(*point).take());
}

// --- primitives
void xir_writer::write(const unary_prim& p) {
    constexpr std::pair<function, const char*> names[] = {{function::elu, "elu"},
                                                          {function::exp, "exp"},
                                                          {function::hard_sigmoid, "hard-sigmoid"},
                                                          {function::hard_swish, "hard-swish"},
                                                          {function::leaky_relu, "leaky-relu"},
                                                          {function::neg, "neg"},
                                                          {function::relu, "relu"},
                                                          {function::sigmoid, "sigmoid"},
                                                          {function::tanh, "tanh"}};
    xir_attributes a;
    if (p.does == function::elu || p.does == function::leaky_relu) a.set("alpha", p.alpha);
    give(p.y, std::ranges::find(names, p.does, &std::pair<function, const char*>::first)->second, std::move(a),
         {{"input", {p.does == function::relu ? before_rounding(p.x, p.y) : at(p.x)}}});
}
void xir_writer::write(const clamp_prim& p) {
    give(p.y, p.high == 6 ? "relu6" : "relu", {}, {{"input", {before_rounding(p.x, p.y)}}});
}
void xir_writer::write(const binary_prim& p) {
    constexpr const char* names[] = {"add", "sub", "mul", "div", "max", "min"};
    if (std::size_t(p.does) >= std::size(names)) refuse("XIR 2.5 has no operation for it");
    give(p.y, names[int(p.does)], {}, {{"input", {at(p.a, p.y.dims.rank), at(p.b, p.y.dims.rank)}}});
}
void xir_writer::write(const conv_prim& p) {
    xir_inputs inputs{{"input", {at(p.x)}}};
    shape w = p.w.dims;
    if (p.groups > 1) std::swap(w[0], w[1]);  // of one input each
    add_weights(inputs, p.x, p.w, w, {0, 2, 3, 1}, p.bias);
    give(p.y, p.groups > 1 ? "depthwise-conv2d" : "conv2d", dilated(window_attributes(p.window), p.window), inputs);
}
void xir_writer::write(const deconv_prim& p) {
    xir_inputs inputs{{"input", {at(p.x)}}};
    add_weights(inputs, p.x, p.w, p.w.dims, {1, 2, 3, 0}, p.bias);
    give(p.y, "transposed-conv2d", dilated(window_attributes(p.window), p.window), inputs);
}
void xir_writer::write(const dense_prim& p) {
    xir_inputs inputs{{"input", {at(p.x)}}};
    add_weights(inputs, p.x, p.w, p.w.dims, {0, 1}, p.bias);
    inputs["input"].push_back(inputs["weights"][0]);
    inputs.erase("weights");
    give(p.y, "matmul", std::move(one("transpose_a", false).set("transpose_b", true)), inputs);
}
void xir_writer::write(const matmul_prim& p) {
    give(p.y, "matmul", std::move(one("transpose_a", false).set("transpose_b", false)),
         {{"input", {at(p.a), at(p.b)}}});
}
void xir_writer::write(const pool_prim& p) {
    xir_attributes a = window_attributes(p.window);
    a.set("global", p.whole);
    const bool average = p.does == pooling::average;
    if (average) a.set("count_include_pad", p.counts_padding).set("count_include_invalid", false);
    give(p.y, average ? "avgpool2d" : "maxpool2d", std::move(a), {{"input", {at(p.x)}}});
}
void xir_writer::write(const reduce_prim& p) {
    const char* const name = p.does == reduction::max    ? "reduction_max"
                             : p.does == reduction::mean ? "reduction_mean"
                             : p.does == reduction::sum  ? "reduction_sum"
                                                         : "reduction_product";
    give(p.y, name, std::move(one("axis", small(p.axes)).set("keep_dims", true)), {{"input", {at(p.x)}}});
}
void xir_writer::write(const softmax_prim& p) {
    give(p.y, "softmax", one("axis", std::int32_t(p.axis)), {{"input", {at(p.x)}}});
}
void xir_writer::write(const reshape_prim& p) {
    give(p.y, "reshape", one("shape", dims_of(p.y)), {{"input", {at(p.x)}}});
}
void xir_writer::write(const transpose_prim& p) {
    give(p.y, "transpose", one("order", small(p.axes)), {{"input", {at(p.x)}}});
}
void xir_writer::write(const concat_prim& p) {
    std::vector<xir::Op*> parts;
    for (const operand& part : p.parts) parts.push_back(at(part));
    give(p.y, "concat", one("axis", std::int32_t(p.axis)), {{"input", parts}});
}
void xir_writer::write(const slice_prim& p) {
    lowering::integers end = dims_in_memory(p.y);
    for (std::size_t i = 0; i < end.size(); ++i) end[i] = p.start[i] + (end[i] - 1) * p.step[i] + 1;
    give(p.y, "strided_slice",
         std::move(one("begin", small(p.start)).set("end", small(end)).set("strides", small(p.step))),
         {{"input", {at(p.x)}}});
}
void xir_writer::write(const pad_prim& p) {
    xir_integers pads;
    for (std::size_t i = 0; i < p.before.size(); ++i)
        pads.insert(pads.end(), {std::int32_t(p.before[i]), std::int32_t(p.after[i])});
    give(p.y, "pad",
         std::move(one("paddings", pads)
                       .set("mode", std::string("CONSTANT"))
                       .set("constant_values", std::vector<float>(pads.size(), p.value))),
         {{"input", {at(p.x)}}});
}
void xir_writer::write(const resize_prim& p) {
    using resizing::coordinates;
    const auto& geometry = p.facts.geometry;
    const bool corners = geometry.transformation == coordinates::align_corners;
    const auto times = [&](int axis) { return float(p.y.dims[axis] / p.x.dims[axis]); };
    xir_attributes a = one("scale", std::vector<float>{times(3), times(2)});
    a.set("mode", std::string(geometry.mode == resizing::interpolation::nearest ? "NEAREST" : "BILINEAR"));
    a.set("align_corners", corners)
        .set("half_pixel_centers", !corners && geometry.transformation != coordinates::asymmetric);
    give(p.y, "resize", std::move(a), {{"input", {at(p.x)}}});
}
void xir_writer::write(const quantize_prim& p) { tensors_.set(p.y, {at(p.x), point_of(p.y)}); }
void xir_writer::write(const dequantize_prim& p) { tensors_.set(p.y, {at(p.x), point_of(p.x), at(p.x)}); }
}  // namespace v1
}  // namespace inlay

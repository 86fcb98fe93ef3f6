// Quantization, and convolutions and matmuls of int8, with whatever scales and zero points they have, as
// primitives.
#include "canonical.hpp"
#include <inlay/onnx/conv.hpp>
#include <inlay/onnx/quantize_linear.hpp>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
// Inputs k, k + 1 and k + 2.
quantized_operand quantized_input(node_lowering& a, int k) {
    return {a.input(k), a.input(k + 1), a.optional_input(k + 2)};
}
// What the results stand for, by inputs k and k + 1.
quantized_operand result_scale(node_lowering& a, int k) { return {{}, a.input(k), a.optional_input(k + 1)}; }
void add_conv(node_lowering& a, quantized_conv_prim p, int weights, int bias) {
    convolution c;
    shape y;
    require(convolution::read(a.n, c, y, weights, bias));
    p.window = windows_of(c);
    p.groups = c.group;
    p.bias = bias ? a.optional_input(bias) : std::nullopt;
    p.y = a.result();
    a.add(std::move(p));
}
void lower_integer_conv(node_lowering& a) {
    add_conv(a, {{a.input(0), {}, a.optional_input(2)}, {a.input(1), {}, a.optional_input(3)}}, 1, 0);
}
void lower_integer_matmul(node_lowering& a) {
    a.add(quantized_matmul_prim{
        {a.input(0), {}, a.optional_input(2)}, {a.input(1), {}, a.optional_input(3)}, {}, a.result()});
}
void lower_dynamic_quantize(node_lowering& a) {
    const operand x = a.input(0);
    a.add(dynamic_quantize_prim{x, a.optional_result(0, x.dims, element::u8), a.optional_result(1, {}, x.type),
                                a.optional_result(2, {}, element::u8)});
}
}  // namespace

void lower_quantize_blocks(node_lowering& a) {
    if (a.n.integer("precision", 0) != 0) refuse("its attribute precision is set");
    scaling s;
    require(scaling::read(a.n, s));
    const operand x = a.input(0), y = a.result();
    if (s.length % s.block != 0) refuse("its last block is a smaller one");
    const bool quantizes = a.n.record.op == "QuantizeLinear";
    const auto zero = a.optional_input(2);
    if (zero && zero->type != (quantizes ? y : x).type) refuse("its zero point is of another type than its integers");
    const std::int64_t span = s.length * s.inner;
    a.add(quantize_blocks_prim{quantizes,
                               x,
                               a.input(1),
                               zero,
                               y,
                               {span ? x.dims.elements() / span : 0, s.length / s.block, s.block, s.inner},
                               {s.outer_step, s.axis_step, 0, s.inner_step}});
}
void lower_quantized_conv(node_lowering& a) {
    add_conv(a, {quantized_input(a, 0), quantized_input(a, 3), result_scale(a, 6)}, 3, 8);
}
void lower_quantized_matmul(node_lowering& a) {
    a.add(quantized_matmul_prim{quantized_input(a, 0), quantized_input(a, 3), result_scale(a, 6), a.result()});
}

std::span<const source> quantized_sources() {
    static constexpr source sources[] = {
        {"ConvInteger", kind::quantized_conv, -1, lower_integer_conv},
        {"DequantizeLinear", kind::quantize_blocks, 0, lower_quantize_blocks},
        {"DynamicQuantizeLinear", kind::dynamic_quantize, -1, lower_dynamic_quantize},
        {"MatMulInteger", kind::quantized_matmul, -1, lower_integer_matmul},
        {"QuantizeLinear", kind::quantize_blocks, 1, lower_quantize_blocks},
    };
    return sources;
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay

// Activations, functions of one operand, and operators of two and more.
#include "model.hpp"
#include <algorithm>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace nnapi_rules {
namespace {
stream constant_for(const node_writer& a, float x) {  // one element, which broadcasts
    return a.to.constant({{1}}, [x] { return std::vector{x}; });
}
tensor_info result_like(const node_writer& a, const stream& x) {
    return {x.info.dims, a.output_info().type, x.info.order};
}
template <operation_code Code> void write_unary(const node_writer& a) {
    const stream x = a.input(0);
    a.put(a.to.operation(Code, {x.operand}, result_like(a, x)));
}
void write_elu(const node_writer& a) {
    const float alpha = a.real("alpha", 1);
    if (alpha < 0) refuse("its alpha is negative");
    const stream x = a.input(0);
    a.put(a.to.operation(ELU, {x.operand, a.to.scalar(alpha)}, result_like(a, x)));
}
void write_leaky_relu(const node_writer& a) {
    const stream x = a.input(0), slope = constant_for(a, a.real("alpha", 0.01));
    a.put(a.to.operation(PRELU, {x.operand, slope.operand}, result_like(a, x)));
}
stream limited(const node_writer& a, const stream& x, float low, float high) {
    constexpr float all = std::numeric_limits<float>::max();
    const auto one = [&](operation_code code) { return a.to.operation(code, {x.operand}, x.info); };
    if (low == 0 && high == all) return one(RELU);
    if (low == 0 && high == 6) return one(RELU6);
    if (low == -1 && high == 1) return one(RELU1);
    stream y = x;
    if (low != -all) y = a.to.operation(MAXIMUM, {y.operand, constant_for(a, low).operand}, x.info);
    if (high != all) y = a.to.operation(MINIMUM, {y.operand, constant_for(a, high).operand}, x.info);
    return y;
}
void write_clip(const node_writer& a) {
    const auto [low, high] = a.bounds_of_clip();
    a.put(limited(a, a.input(0), low, high));
}
stream scaled(const node_writer& a, const stream& x, float by, float more) {
    const std::uint32_t none = a.to.scalar(FUSED_NONE);
    const stream y = a.to.operation(MUL, {x.operand, constant_for(a, by).operand, none}, x.info);
    return a.to.operation(ADD, {y.operand, constant_for(a, more).operand, none}, x.info);
}
void write_hard_sigmoid(const node_writer& a) {
    a.put(limited(a, scaled(a, a.input(0), a.real("alpha", 0.2), a.real("beta", 0.5)), 0, 1));
}
void write_reciprocal(const node_writer& a) {
    const stream x = a.input(0);
    a.put(a.to.operation(DIV, {constant_for(a, 1).operand, x.operand, a.to.scalar(FUSED_NONE)}, x.info));
}

// The order for operands that meet element by element: channels last where some image is there only so, and all others
// are images, constants or single elements.
layout common_order(const node_writer& a) {
    bool last = false, turns = a.n.output(0).dims.rank == 4;
    for (int k = 0; k < a.n.input_count(); ++k) {
        if (a.n.is_constant(k)) continue;
        const shape& dims = a.n.input(k).dims;
        if (dims.rank == 4)
            last |= a.to.is_channels_last(a.n.input_id(k));
        else
            turns &= dims.elements() == 1;
    }
    return last && turns ? layout::channels_last : layout::plain;
}
stream operand(const node_writer& a, int k, layout order) {
    const shape& dims = a.n.input(k).dims;
    if (order == layout::plain || dims.elements() == 1) return a.to.value(a.n.input_id(k), layout::plain);
    if (!a.n.is_constant(k)) return a.to.value(a.n.input_id(k), order);
    shape four = shape::of_rank(4, 1);
    for (int i = 0; i < dims.rank; ++i) four[4 - dims.rank + i] = dims[i];
    (void)a.to.info_of_value(a.n.input_id(k));  // its type
    return a.to.constant({four, {}, order}, [&] { return channels_last(a.elements(k), four); });
}
// Operands from the left; each may have a shape of its own that broadcasts.
template <operation_code Code, bool Fuses> void write_fold(const node_writer& a) {
    if (a.n.version() < 7) refuse("version " + std::to_string(a.n.version()) + " of it broadcasts in its own way");
    const layout order = common_order(a);
    stream all = operand(a, 0, order);
    shape dims = a.n.input(0).dims;
    for (int k = 1; k < a.n.input_count(); ++k) {
        const stream next = operand(a, k, order);
        shape common;
        if (!broadcast(dims, a.n.input(k).dims, common)) refuse("its operands do not broadcast");
        dims = common;
        std::vector<std::uint32_t> inputs{all.operand, next.operand};
        if (Fuses) inputs.push_back(a.to.scalar(FUSED_NONE));
        all = a.to.operation(Code, inputs, {dims, a.output_info().type, dims.rank == 4 ? order : layout::plain});
    }
    a.put(all);
}
void write_prelu(const node_writer& a) {
    if (a.n.output(0).dims != a.n.input(0).dims) refuse("its slopes make the result larger than the input");
    write_fold<PRELU, false>(a);
}
void write_pow(const node_writer& a) {
    for (int k : {0, 1})
        if (a.n.input(k).type != element::f32) refuse("base and exponent are of different types");
    write_fold<POW, false>(a);
}
}  // namespace

std::span<const named_writer> element_wise_writers() {
    static constexpr named_writer all[] = {{"Abs", write_unary<ABS>},
                                           {"Add", write_fold<ADD, true>},
                                           {"Clip", write_clip},
                                           {"Div", write_fold<DIV, true>},
                                           {"Elu", write_elu},
                                           {"Exp", write_unary<EXP>},
                                           {"Floor", write_unary<FLOOR>},
                                           {"HardSigmoid", write_hard_sigmoid},
                                           {"HardSwish", write_unary<HARD_SWISH>},
                                           {"LeakyRelu", write_leaky_relu},
                                           {"Log", write_unary<LOG>},
                                           {"Max", write_fold<MAXIMUM, false>},
                                           {"Min", write_fold<MINIMUM, false>},
                                           {"Mul", write_fold<MUL, true>},
                                           {"Neg", write_unary<NEG>},
                                           {"PRelu", write_prelu},
                                           {"Pow", write_pow},
                                           {"Reciprocal", write_reciprocal},
                                           {"Relu", write_unary<RELU>},
                                           {"Sigmoid", write_unary<LOGISTIC>},
                                           {"Sin", write_unary<SIN>},
                                           {"Sqrt", write_unary<SQRT>},
                                           {"Sub", write_fold<SUB, true>},
                                           {"Sum", write_fold<ADD, true>},
                                           {"Tanh", write_unary<TANH>}};
    return all;
}
}  // namespace nnapi_rules
}  // namespace v1
}  // namespace inlay

// Functions and operations of two tensors.
#include "primitive_writer.hpp"
#include <lowering/weights.hpp>

namespace inlay {
inline namespace v1 {
namespace dnnl_writing {
constexpr float endless = std::numeric_limits<float>::infinity();

dnnl_epilogue epilogue_of(const unary_prim& p) {
    switch (p.does) {
        case function::abs: return {dnnl_eltwise_abs};
        case function::elu: return {dnnl_eltwise_elu, p.alpha};
        case function::exp: return {dnnl_eltwise_exp};
        case function::gelu: return {dnnl_eltwise_gelu_erf};
        case function::gelu_by_tanh: return {dnnl_eltwise_gelu_tanh};
        case function::hard_sigmoid: return {dnnl_eltwise_hardsigmoid, p.alpha, p.beta};
        case function::hard_swish: return {dnnl_eltwise_hardswish, 1.f / 6, .5f};
        case function::leaky_relu: return {dnnl_eltwise_relu, p.alpha};
        case function::log: return {dnnl_eltwise_log};
        case function::mish: return {dnnl_eltwise_mish};
        case function::neg: return {dnnl_eltwise_linear, -1};
        case function::reciprocal: return {dnnl_eltwise_pow, 1, -1};
        case function::relu: return {dnnl_eltwise_relu};
        case function::round: return {dnnl_eltwise_round};
        case function::sigmoid: return {dnnl_eltwise_logistic};
        case function::softplus: return {dnnl_eltwise_soft_relu, p.alpha};
        case function::sqrt: return {dnnl_eltwise_sqrt};
        case function::swish: return {dnnl_eltwise_swish, p.alpha};
        case function::tanh: return {dnnl_eltwise_tanh};
        default: refuse("oneDNN has no such function");
    }
}
dnnl_epilogue epilogue_of(const clamp_prim& p) {
    const float low = p.low == -no_bound ? -endless : p.low, high = p.high == no_bound ? endless : p.high;
    if (low == 0 && high == endless) return {dnnl_eltwise_relu};
    return {dnnl_eltwise_clip, low, high};
}
dnnl_alg_kind_t algorithm_of(arithmetic f) {
    switch (f) {
        case arithmetic::add: return dnnl_binary_add;
        case arithmetic::sub: return dnnl_binary_sub;
        case arithmetic::mul: return dnnl_binary_mul;
        case arithmetic::div: return dnnl_binary_div;
        case arithmetic::max: return dnnl_binary_max;
        case arithmetic::min: return dnnl_binary_min;
        default: return dnnl_alg_kind_undef;
    }
}

void primitive_writer::write_function(const dnnl_epilogue& e, int slot, const operand& y) {
    write_one(slot, y, l_.dims(slot), dnnl().dnnl_eltwise_forward_primitive_desc_create,
              std::tuple(dnnl_forward_inference, e.algorithm), std::tuple(e.alpha, e.beta));
}
// b broadcasts to a.
void primitive_writer::write_pair(dnnl_alg_kind_t algorithm, int a, int b, const operand& y,
                                  std::span<const dnnl_scaling> scalings, std::span<const dnnl_epilogue> ends) {
    const bool alike = l_.dims(a) == l_.dims(b);
    const auto type_of = [&](int slot) { return stored_type(l_.layout(slot)); };
    if (alike && l_.is_plain(a) && !l_.is_plain(b) && is_whole(l_.layout(b)))
        a = l_.as(a, type_of(a) == type_of(b) ? l_.layout(b) : like(l_.layout(b), type_of(a)));
    const int output = l_.in_some_layout(a, [&](int first) {
        const bool follows = alike && is_whole(l_.layout(first)) && type_of(first) == type_of(b);
        const int second = follows ? l_.as(b, l_.layout(first)) : l_.plain(b);
        const planned_primitive planned = plan_primitive(
            dnnl().dnnl_binary_primitive_desc_create, algorithm, l_.layout(first).get(), l_.layout(second).get(),
            any_layout(l_.dims(first), y.type).get(), attribute_list(attributes(ends, {}, scalings).get()));
        const int out = l_.written(y, planned.argument(DNNL_ARG_DST));
        dnnl_arguments list = l_.arguments_of(scalings);
        list.insert(list.end(), {{DNNL_ARG_SRC_0, first}, {DNNL_ARG_SRC_1, second}, {DNNL_ARG_DST, out}});
        l_.add(planned, std::move(list));
        return out;
    });
    l_.give(y, output);
}
void primitive_writer::write_epilogue(const dnnl_epilogue& e, int slot, const operand& y) {
    e.slot < 0 ? write_function(e, slot, y) : write_pair(e.algorithm, slot, e.slot, y);
}
void primitive_writer::write(const unary_prim& p) {
    p.y.is_quantized() ? write_in_floats(p) : write_function(epilogue_of(p), l_.at(p.x), p.y);
}
void primitive_writer::write(const clamp_prim& p) {
    p.y.is_quantized() ? write_in_floats(p) : write_function(epilogue_of(p), l_.at(p.x), p.y);
}
void primitive_writer::write(const binary_prim& p) {
    if (p.y.is_quantized()) {
        if (!write_sum(p)) write_in_floats(p);
        return;
    }
    const auto number_of = [&](const operand& x) {
        std::deque<std::vector<float>> buffers;
        return l_.is_trial() ? 1 : floats_of(l_.of(), x, buffers)[0];
    };
    if (p.does == arithmetic::pow) return write_function({dnnl_eltwise_pow, 1, number_of(p.b)}, l_.at(p.a), p.y);
    if (p.a.dims != p.y.dims && !may_swap(p.does)) {  // oneDNN would have to broadcast its first operand
        const float c = number_of(p.a);
        const bool sub = p.does == arithmetic::sub;
        return write_function(sub ? dnnl_epilogue{dnnl_eltwise_linear, -1, c} : dnnl_epilogue{dnnl_eltwise_pow, c, -1},
                              l_.at(p.b), p.y);
    }
    const bool swaps = p.a.dims != p.y.dims;
    const int a = l_.at(swaps ? p.b : p.a), rank = l_.dims(a).rank;
    const operand& second = swaps ? p.a : p.b;
    const int b = l_.reshaped(l_.at(second), padded(second.dims, rank));
    if (p.does != arithmetic::prelu) return write_pair(algorithm_of(p.does), a, b, p.y);
    const int output = l_.in_some_layout(a, [&](int x) {
        const planned_primitive planned = plan_primitive(
            dnnl().dnnl_prelu_forward_primitive_desc_create, dnnl_forward_inference, l_.layout(x).get(),
            any_layout(l_.dims(b)).get(), any_layout(l_.dims(a)).get(), attribute_list(attributes().get()));
        const int slopes = l_.as(b, planned.argument(DNNL_ARG_WEIGHTS)),
                  out = l_.written(p.y, planned.argument(DNNL_ARG_DST));
        l_.add(planned, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, slopes}, {DNNL_ARG_DST, out}});
        return out;
    });
    l_.give(p.y, output);
}
// A sum of integers of 8 bits in one step: a (sa / sy) + b (sb / sy), and the zero points as one number. False: it is
// none.
bool primitive_writer::write_sum(const binary_prim& p) try {
    if (p.does != arithmetic::add) return false;
    const bool swaps = p.a.dims != p.y.dims;
    const operand &a = swaps ? p.b : p.a, &b = swaps ? p.a : p.b;
    const float of_y = p.y.quantized->scales[0], of_a = a.quantized->scales[0] / of_y,
                of_b = b.quantized->scales[0] / of_y;
    const float zero = float(p.y.quantized->zero) - float(a.quantized->zero) * of_a - float(b.quantized->zero) * of_b;
    const int first = l_.at(a), second = l_.reshaped(l_.at(b), padded(b.dims, l_.dims(first).rank));
    const std::array scalings{dnnl_scaling{DNNL_ARG_SRC_0, {of_a}}, dnnl_scaling{DNNL_ARG_SRC_1, {of_b}}};
    const std::array ends{dnnl_epilogue{dnnl_eltwise_linear, 1, zero}};
    write_pair(dnnl_binary_add, first, second, p.y, scalings, ends);
    return true;
} catch (const refused_node&) {
    return false;
}
}  // namespace dnnl_writing
}  // namespace v1
}  // namespace inlay

// Functions of one operand, and operators of two and more.
#include "graph.hpp"
#include <limits>

namespace inlay {
inline namespace v1 {
namespace dml_rules {
namespace {
// x of the result's type, or refused.
stream operand_of(const node_writer& a) {
    const stream x = a.input(0);
    if (a.output_info().type != x.info.type) refuse("its result is of another type than its input");
    return x;
}
template <DML_OPERATOR_TYPE Type> void write_activation(const node_writer& a) {
    const stream x = operand_of(a);
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const dml_activation d{in, m.out(x.info)};
    a.put(m.made(Type, &d));
}
template <DML_OPERATOR_TYPE Type> void write_function(const node_writer& a) {
    const stream x = operand_of(a);
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const dml_scaled d{in, m.out(x.info), nullptr};
    a.put(m.made(Type, &d));
}
stream with_one(const node_writer& a, DML_OPERATOR_TYPE type, float alpha) {
    const stream x = operand_of(a);
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const dml_activation_of_one d{in, m.out(x.info), alpha};
    return m.made(type, &d);
}
stream with_two(const node_writer& a, DML_OPERATOR_TYPE type, float alpha, float beta) {
    const stream x = operand_of(a);
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const dml_activation_of_two d{in, m.out(x.info), alpha, beta};
    return m.made(type, &d);
}
void write_elu(const node_writer& a) { a.put(with_one(a, DML_OPERATOR_ACTIVATION_ELU, a.real("alpha", 1))); }
void write_celu(const node_writer& a) { a.put(with_one(a, DML_OPERATOR_ACTIVATION_CELU, a.real("alpha", 1))); }
void write_leaky_relu(const node_writer& a) {
    a.put(with_one(a, DML_OPERATOR_ACTIVATION_LEAKY_RELU, a.real("alpha", 0.01)));
}
void write_thresholded_relu(const node_writer& a) {
    a.put(with_one(a, DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU, a.real("alpha", 1)));
}
void write_softplus(const node_writer& a) { a.put(with_one(a, DML_OPERATOR_ACTIVATION_SOFTPLUS, 1)); }
void write_selu(const node_writer& a) {
    a.put(with_two(a, DML_OPERATOR_ACTIVATION_SCALED_ELU, a.real("alpha", 1.67326319217681884765625),
                   a.real("gamma", 1.05070102214813232421875)));
}
void write_hard_sigmoid(const node_writer& a) {
    a.put(with_two(a, DML_OPERATOR_ACTIVATION_HARD_SIGMOID, a.real("alpha", 0.2), a.real("beta", 0.5)));
}
void write_gelu(const node_writer& a) {
    if (a.n.text("approximate", "none") != "none") refuse("it is approximated, and DirectML's operator is not");
    write_activation<DML_OPERATOR_ACTIVATION_GELU>(a);
}
void write_round(const node_writer& a) {
    const stream x = operand_of(a);
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const dml_round d{in, m.out(x.info), 0};
    a.put(m.made(DML_OPERATOR_ELEMENT_WISE_ROUND, &d));
}
// Of integers, a bound that is a constant; where there is none, what the type cannot pass.
std::int64_t bound_of_integers(const node_writer& a, int k, std::int64_t otherwise) {
    if (!a.n.has_input(k)) return otherwise;
    const auto given = a.n.input_integers(k);
    if (!given || given->size() != 1) refuse("a bound is no constant");
    return (*given)[0];
}
void write_integer_clip(const node_writer& a, const stream& x) {
    const element type = x.info.type;
    if (type == element::u64) refuse("its bounds are of 64 bits without a sign");
    const int bits = int(inlay::bytes_of(type, 1)) * 8;
    const bool has_sign = type == element::i8 || type == element::i16 || type == element::i32 || type == element::i64;
    const auto most = std::int64_t(~std::uint64_t(0) >> (64 - bits + has_sign));
    const std::int64_t low = bound_of_integers(a, 1, has_sign ? -most - 1 : 0), high = bound_of_integers(a, 2, most);
    if (low > high) refuse("its bounds are " + std::to_string(low) + " and " + std::to_string(high));
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const dml_clip_as d{in, m.out(x.info), nullptr, type_of(type), scalar_of(type, low), scalar_of(type, high)};
    a.put(m.made(DML_OPERATOR_ELEMENT_WISE_CLIP1, &d));
}
void write_clip(const node_writer& a) {
    const stream x = operand_of(a);
    if (!is_float(x.info.type)) return write_integer_clip(a, x);
    const auto [low, high] = a.bounds_of_clip();
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    constexpr float all = std::numeric_limits<float>::max(), none = std::numeric_limits<float>::infinity();
    const dml_clip d{in, m.out(x.info), nullptr, low == -all ? -none : low, high == all ? none : high};
    a.put(m.made(DML_OPERATOR_ELEMENT_WISE_CLIP, &d));
}

stream binary(const node_writer& a, DML_OPERATOR_TYPE type, const stream& x, const stream& y) {
    if (x.info.type != y.info.type) refuse("its operands are of different types");
    shape common;
    if (!broadcast(x.info.dims, y.info.dims, common)) refuse("its operands do not broadcast");
    operator_maker m(a.to);
    const dml_tensor left = m.in_as(x, common), right = m.in_as(y, common);
    const tensor_info result{common, x.info.type};
    if (type != DML_OPERATOR_ELEMENT_WISE_POW) {
        const dml_binary d{left, right, m.out(result)};
        return m.made(type, &d);
    }
    const dml_pow d{left, right, m.out(result), nullptr};
    return m.made(type, &d);
}
// Operands from the left; each may have a shape of its own that broadcasts.
template <DML_OPERATOR_TYPE Type> void write_fold(const node_writer& a) {
    if (a.n.version() < 7) refuse("version " + std::to_string(a.n.version()) + " of it broadcasts in its own way");
    stream all = a.input(0);
    for (int k = 1; k < a.n.input_count(); ++k) all = binary(a, Type, all, a.input(k));
    a.put(all);
}
void write_pow(const node_writer& a) {
    if (a.n.version() < 7) refuse("version " + std::to_string(a.n.version()) + " of it broadcasts in its own way");
    const stream x = a.input(0);
    if (!is_float(x.info.type)) refuse("its base is of integers");
    a.put(binary(a, DML_OPERATOR_ELEMENT_WISE_POW, x, cast_to(a, a.input(1), x.info.type)));
}
void write_remainder(const node_writer& a) {
    const bool truncates = a.n.integer("fmod", 0) != 0;
    const stream x = a.input(0);
    if (!truncates && is_float(x.info.type)) refuse("fmod is 0, and its operands are floats");
    a.put(binary(a, truncates ? DML_OPERATOR_ELEMENT_WISE_MODULUS_TRUNCATE : DML_OPERATOR_ELEMENT_WISE_MODULUS_FLOOR, x,
                 a.input(1)));
}
void write_prelu(const node_writer& a) {
    if (a.n.output(0).dims != a.n.input(0).dims) refuse("its slopes make the result larger than the input");
    write_fold<DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU>(a);
}
void write_hard_swish(const node_writer& a) {
    const stream gate = with_two(a, DML_OPERATOR_ACTIVATION_HARD_SIGMOID, 1.f / 6, .5f);
    a.put(binary(a, DML_OPERATOR_ELEMENT_WISE_MULTIPLY, a.input(0), gate));
}
}  // namespace

std::span<const named_writer> element_wise_writers() {
    static constexpr named_writer all[] = {
        {"Abs", write_function<DML_OPERATOR_ELEMENT_WISE_ABS>},
        {"Acos", write_function<DML_OPERATOR_ELEMENT_WISE_ACOS>},
        {"Acosh", write_function<DML_OPERATOR_ELEMENT_WISE_ACOSH>},
        {"Add", write_fold<DML_OPERATOR_ELEMENT_WISE_ADD>},
        {"Asin", write_function<DML_OPERATOR_ELEMENT_WISE_ASIN>},
        {"Asinh", write_function<DML_OPERATOR_ELEMENT_WISE_ASINH>},
        {"Atan", write_function<DML_OPERATOR_ELEMENT_WISE_ATAN>},
        {"Atanh", write_function<DML_OPERATOR_ELEMENT_WISE_ATANH>},
        {"Ceil", write_function<DML_OPERATOR_ELEMENT_WISE_CEIL>},
        {"Celu", write_celu},
        {"Clip", write_clip},
        {"Cos", write_function<DML_OPERATOR_ELEMENT_WISE_COS>},
        {"Cosh", write_function<DML_OPERATOR_ELEMENT_WISE_COSH>},
        {"Div", write_fold<DML_OPERATOR_ELEMENT_WISE_DIVIDE>},
        {"Elu", write_elu},
        {"Erf", write_function<DML_OPERATOR_ELEMENT_WISE_ERF>},
        {"Exp", write_function<DML_OPERATOR_ELEMENT_WISE_EXP>},
        {"Floor", write_function<DML_OPERATOR_ELEMENT_WISE_FLOOR>},
        {"Gelu", write_gelu},
        {"HardSigmoid", write_hard_sigmoid},
        {"HardSwish", write_hard_swish},
        {"LeakyRelu", write_leaky_relu},
        {"Log", write_function<DML_OPERATOR_ELEMENT_WISE_LOG>},
        {"Max", write_fold<DML_OPERATOR_ELEMENT_WISE_MAX>},
        {"Min", write_fold<DML_OPERATOR_ELEMENT_WISE_MIN>},
        {"Mod", write_remainder},
        {"Mul", write_fold<DML_OPERATOR_ELEMENT_WISE_MULTIPLY>},
        {"Neg", write_activation<DML_OPERATOR_ELEMENT_WISE_NEGATE>},
        {"PRelu", write_prelu},
        {"Pow", write_pow},
        {"Reciprocal", write_function<DML_OPERATOR_ELEMENT_WISE_RECIP>},
        {"Relu", write_activation<DML_OPERATOR_ACTIVATION_RELU>},
        {"Round", write_round},
        {"Selu", write_selu},
        {"Sigmoid", write_activation<DML_OPERATOR_ACTIVATION_SIGMOID>},
        {"Sign", write_activation<DML_OPERATOR_ELEMENT_WISE_SIGN>},
        {"Sin", write_function<DML_OPERATOR_ELEMENT_WISE_SIN>},
        {"Sinh", write_function<DML_OPERATOR_ELEMENT_WISE_SINH>},
        {"Softplus", write_softplus},
        {"Softsign", write_activation<DML_OPERATOR_ACTIVATION_SOFTSIGN>},
        {"Sqrt", write_function<DML_OPERATOR_ELEMENT_WISE_SQRT>},
        {"Sub", write_fold<DML_OPERATOR_ELEMENT_WISE_SUBTRACT>},
        {"Sum", write_fold<DML_OPERATOR_ELEMENT_WISE_ADD>},
        {"Tan", write_function<DML_OPERATOR_ELEMENT_WISE_TAN>},
        {"Tanh", write_activation<DML_OPERATOR_ACTIVATION_TANH>},
        {"ThresholdedRelu", write_thresholded_relu},
    };
    return all;
}
}  // namespace dml_rules
}  // namespace v1
}  // namespace inlay

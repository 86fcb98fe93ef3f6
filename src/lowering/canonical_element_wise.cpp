// Functions of one operand, and of the elements of two and more, as primitives.
#include "canonical.hpp"
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
template <function Does> void lower_unary(node_lowering& a) { a.add(unary_prim{Does, a.input(0), a.result()}); }
void add_function(node_lowering& a, function does, float alpha, float beta = 0) {
    a.add(unary_prim{does, a.input(0), a.result(), alpha, beta});
}
template <function Does> void lower_by_alpha(node_lowering& a) { add_function(a, Does, a.real("alpha", 1)); }
void lower_leaky_relu(node_lowering& a) { add_function(a, function::leaky_relu, a.real("alpha", 0.01)); }
void lower_hard_sigmoid(node_lowering& a) {
    add_function(a, function::hard_sigmoid, a.real("alpha", 0.2), a.real("beta", 0.5));
}
void lower_selu(node_lowering& a) {
    add_function(a, function::selu, a.real("alpha", 1.67326319217681884765625),
                 a.real("gamma", 1.05070102214813232421875));
}
void lower_gelu(node_lowering& a) {
    const bool by_tanh = a.n.text("approximate", "none") == "tanh";
    a.add(unary_prim{by_tanh ? function::gelu_by_tanh : function::gelu, a.input(0), a.result()});
}
void lower_swish(node_lowering& a) {
    add_function(a, function::swish, a.real("alpha", a.n.record.op == "Swish" ? 1 : 1.702));  // of QuickGelu
}
void lower_is_infinite(node_lowering& a) {
    const bool above = a.n.integer("detect_positive", 1) != 0, below = a.n.integer("detect_negative", 1) != 0;
    if (!above && !below) refuse("it detects nothing");
    add_function(a, function::is_infinite, above, below);
}
void lower_softplus(node_lowering& a) { add_function(a, function::softplus, 1); }
void lower_cast(node_lowering& a) {
    if (a.input(0).type == a.result().type) return a.add_same();
    a.add(cast_prim{a.input(0), a.result()});
}
// A bound of Clip: an attribute before version 11, else an input; `otherwise` where there is none.
float bound(const node_lowering& a, int k, std::string_view name, float otherwise) {
    if (a.n.version() < 11) return a.real(name, otherwise);
    if (!a.n.has_input(k)) return otherwise;
    const auto value = a.n.input_reals(k);
    if (!value || value->size() != 1) refuse(std::string(name) + " is not a constant");
    return float((*value)[0]);
}
// Of integers; `otherwise` is what the type cannot pass.
std::int64_t whole_bound(const node_lowering& a, int k, std::int64_t otherwise) {
    if (!a.n.has_input(k)) return otherwise;
    const auto value = a.n.input_integers(k);
    if (!value || value->size() != 1) refuse("a bound is no constant");
    return (*value)[0];
}
void lower_integer_clip(node_lowering& a) {
    const element type = a.n.input(0).type;
    if (type == element::u64) refuse("its bounds are of 64 bits without a sign");
    const int bits = int(bytes_of(type, 1)) * 8;
    const bool has_sign = type == element::i8 || type == element::i16 || type == element::i32 || type == element::i64;
    const auto most = std::int64_t(~std::uint64_t(0) >> (64 - bits + has_sign));
    const std::array bounds{whole_bound(a, 1, has_sign ? -most - 1 : 0), whole_bound(a, 2, most)};
    if (bounds[0] > bounds[1])
        refuse("its bounds are " + std::to_string(bounds[0]) + " and " + std::to_string(bounds[1]));
    a.add(clamp_prim{a.input(0), a.result(), -no_bound, no_bound, bounds});
}
void lower_clip(node_lowering& a) {
    if (is_integer(a.n.input(0).type)) return lower_integer_clip(a);
    const float low = bound(a, 1, "min", -no_bound), high = bound(a, 2, "max", no_bound);
    if (std::isnan(low) || std::isnan(high)) refuse("a bound is NaN");
    a.add(clamp_prim{a.input(0), a.result(), std::min(low, high), high});  // the upper one of two that cross holds
}
// Operands from the left; each may have a shape of its own that broadcasts.
void fold(node_lowering& a, arithmetic does, const operand& y) {
    const bool has_channel_slopes = does == arithmetic::prelu && a.n.input(1).dims.elements() != 1;
    if (a.n.version() < 7 && (a.n.has("broadcast") || has_channel_slopes))
        refuse("version " + std::to_string(a.n.version()) + " of it broadcasts in its own way");
    operand accumulator = a.input(0);
    const int count = a.n.input_count();
    if (count == 1) return a.add(reshape_prim{accumulator, y});
    for (int k = 1; k < count; ++k) {
        const operand next = a.input(k);
        shape dims;
        if (!broadcast(accumulator.dims, next.dims, dims)) refuse("its operands do not broadcast");
        const operand to = k == count - 1 ? y : a.between(dims, y);
        a.add(binary_prim{does, accumulator, next, to});
        accumulator = to;
    }
}
template <arithmetic Does> void lower_fold(node_lowering& a) { fold(a, Does, a.result()); }
void lower_mean(node_lowering& a) {
    a.require_floats();
    const operand y = a.result(), sum = a.between(y.dims, y);
    fold(a, arithmetic::add, sum);
    a.add(binary_prim{arithmetic::mul, sum, a.number(1 / float(a.n.input_count()), y), y});
}
// Of an input that is known.
std::optional<std::vector<float>> known_numbers(const node_view& n, int k) {
    if (const auto reals = n.input_reals(k)) return std::vector<float>(reals->begin(), reals->end());
    if (const auto whole = n.input_integers(k)) return std::vector<float>(whole->begin(), whole->end());
    return std::nullopt;
}
// The exponent may be of another type.
void lower_pow(node_lowering& a) {
    if (a.n.version() < 7 || a.n.input(0).type == a.n.input(1).type) return lower_fold<arithmetic::pow>(a);
    const operand x = a.input(0), exponent = a.input(1);
    if (auto numbers = known_numbers(a.n, 1); numbers && is_float(x.type)) {
        const operand same = a.constant(exponent.dims, [values = *numbers] { return values; });
        return a.add(binary_prim{arithmetic::pow, x, same, a.result()});
    }
    const operand same = a.between(exponent.dims, x);
    a.add(cast_prim{exponent, same});
    a.add(binary_prim{arithmetic::pow, x, same, a.result()});
}
void lower_mod(node_lowering& a) {
    a.n.integer("fmod", 0) != 0 ? lower_fold<arithmetic::truncated_mod>(a) : lower_fold<arithmetic::floor_mod>(a);
}
void lower_where(node_lowering& a) { a.add(select_prim{a.input(0), a.input(1), a.input(2), a.result()}); }

namespace element_wise {
using enum function;
constexpr source one(std::string_view op, function f, void (*lower)(node_lowering&)) {
    return {op, kind::unary, int(f), lower};
}
constexpr source pair(std::string_view op, arithmetic f, void (*lower)(node_lowering&)) {
    return {op, kind::binary, int(f), lower};
}
constexpr source sources[] = {
    one("Abs", abs, lower_unary<abs>),
    one("Acos", acos, lower_unary<acos>),
    one("Acosh", acosh, lower_unary<acosh>),
    one("Asin", asin, lower_unary<asin>),
    one("Asinh", asinh, lower_unary<asinh>),
    one("Atan", atan, lower_unary<atan>),
    one("Atanh", atanh, lower_unary<atanh>),
    one("Ceil", ceil, lower_unary<ceil>),
    one("Celu", celu, lower_by_alpha<celu>),
    one("Cos", cos, lower_unary<cos>),
    one("Cosh", cosh, lower_unary<cosh>),
    one("Elu", elu, lower_by_alpha<elu>),
    one("Erf", erf, lower_unary<erf>),
    one("Exp", exp, lower_unary<exp>),
    one("Floor", floor, lower_unary<floor>),
    one("Gelu", gelu, lower_gelu),
    one("com.microsoft:Gelu", gelu, lower_unary<gelu>),
    one("com.microsoft:QuickGelu", swish, lower_swish),
    one("HardSigmoid", hard_sigmoid, lower_hard_sigmoid),
    one("HardSwish", hard_swish, lower_unary<hard_swish>),
    one("IsInf", is_infinite, lower_is_infinite),
    one("IsNaN", is_nan, lower_unary<is_nan>),
    one("LeakyRelu", leaky_relu, lower_leaky_relu),
    one("Log", log, lower_unary<log>),
    one("Mish", mish, lower_unary<mish>),
    one("Neg", neg, lower_unary<neg>),
    one("Not", logical_not, lower_unary<logical_not>),
    one("Reciprocal", reciprocal, lower_unary<reciprocal>),
    one("Relu", relu, lower_unary<relu>),
    one("Round", round, lower_unary<round>),
    one("Selu", selu, lower_selu),
    one("Sigmoid", sigmoid, lower_unary<sigmoid>),
    one("Sign", sign, lower_unary<sign>),
    one("Sin", sin, lower_unary<sin>),
    one("Sinh", sinh, lower_unary<sinh>),
    one("Softplus", softplus, lower_softplus),
    one("Softsign", softsign, lower_unary<softsign>),
    one("Sqrt", sqrt, lower_unary<sqrt>),
    one("Swish", swish, lower_swish),
    one("Tan", tan, lower_unary<tan>),
    one("Tanh", tanh, lower_unary<tanh>),
    one("ThresholdedRelu", thresholded_relu, lower_by_alpha<thresholded_relu>),
    {"Clip", kind::clamp, -1, lower_clip},
    pair("Add", arithmetic::add, lower_fold<arithmetic::add>),
    pair("And", arithmetic::logical_and, lower_fold<arithmetic::logical_and>),
    pair("Div", arithmetic::div, lower_fold<arithmetic::div>),
    pair("Equal", arithmetic::equal, lower_fold<arithmetic::equal>),
    pair("Greater", arithmetic::greater, lower_fold<arithmetic::greater>),
    pair("GreaterOrEqual", arithmetic::greater_or_equal, lower_fold<arithmetic::greater_or_equal>),
    pair("Less", arithmetic::less, lower_fold<arithmetic::less>),
    pair("LessOrEqual", arithmetic::less_or_equal, lower_fold<arithmetic::less_or_equal>),
    pair("Max", arithmetic::max, lower_fold<arithmetic::max>),
    {"Mean", kind::binary, int(arithmetic::add), lower_mean, false, true},
    pair("Min", arithmetic::min, lower_fold<arithmetic::min>),
    pair("Mod", arithmetic::floor_mod, lower_mod),
    pair("Mod", arithmetic::truncated_mod, lower_mod),
    pair("Mul", arithmetic::mul, lower_fold<arithmetic::mul>),
    pair("Or", arithmetic::logical_or, lower_fold<arithmetic::logical_or>),
    pair("PRelu", arithmetic::prelu, lower_fold<arithmetic::prelu>),
    pair("Pow", arithmetic::pow, lower_pow),
    pair("Sub", arithmetic::sub, lower_fold<arithmetic::sub>),
    pair("Sum", arithmetic::add, lower_fold<arithmetic::add>),
    pair("Xor", arithmetic::logical_xor, lower_fold<arithmetic::logical_xor>),
    {"Where", kind::select, -1, lower_where},
    {"Cast", kind::cast, -1, lower_cast},
};
}  // namespace element_wise
}  // namespace

std::span<const source> element_wise_sources() { return element_wise::sources; }
}  // namespace lowering
}  // namespace v1
}  // namespace inlay

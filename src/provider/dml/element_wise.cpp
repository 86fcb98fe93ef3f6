// Functions of one operand, and operators of two and more.
#include "writer.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace dml_graphs {
using namespace lowering;
namespace {
enum class form : std::uint8_t { plain, scaled, alpha, alpha_and_beta, rounding, infinity };
struct function_form {
    function does;
    DML_OPERATOR_TYPE type;
    form of;
};
constexpr function_form forms[] = {
    {function::abs, DML_OPERATOR_ELEMENT_WISE_ABS, form::scaled},
    {function::acos, DML_OPERATOR_ELEMENT_WISE_ACOS, form::scaled},
    {function::acosh, DML_OPERATOR_ELEMENT_WISE_ACOSH, form::scaled},
    {function::asin, DML_OPERATOR_ELEMENT_WISE_ASIN, form::scaled},
    {function::asinh, DML_OPERATOR_ELEMENT_WISE_ASINH, form::scaled},
    {function::atan, DML_OPERATOR_ELEMENT_WISE_ATAN, form::scaled},
    {function::atanh, DML_OPERATOR_ELEMENT_WISE_ATANH, form::scaled},
    {function::ceil, DML_OPERATOR_ELEMENT_WISE_CEIL, form::scaled},
    {function::celu, DML_OPERATOR_ACTIVATION_CELU, form::alpha},
    {function::cos, DML_OPERATOR_ELEMENT_WISE_COS, form::scaled},
    {function::cosh, DML_OPERATOR_ELEMENT_WISE_COSH, form::scaled},
    {function::elu, DML_OPERATOR_ACTIVATION_ELU, form::alpha},
    {function::erf, DML_OPERATOR_ELEMENT_WISE_ERF, form::scaled},
    {function::exp, DML_OPERATOR_ELEMENT_WISE_EXP, form::scaled},
    {function::floor, DML_OPERATOR_ELEMENT_WISE_FLOOR, form::scaled},
    {function::gelu, DML_OPERATOR_ACTIVATION_GELU, form::plain},
    {function::hard_sigmoid, DML_OPERATOR_ACTIVATION_HARD_SIGMOID, form::alpha_and_beta},
    {function::is_infinite, DML_OPERATOR_ELEMENT_WISE_IS_INFINITY, form::infinity},
    {function::is_nan, DML_OPERATOR_ELEMENT_WISE_IS_NAN, form::plain},
    {function::leaky_relu, DML_OPERATOR_ACTIVATION_LEAKY_RELU, form::alpha},
    {function::log, DML_OPERATOR_ELEMENT_WISE_LOG, form::scaled},
    {function::logical_not, DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT, form::plain},
    {function::neg, DML_OPERATOR_ELEMENT_WISE_NEGATE, form::plain},
    {function::reciprocal, DML_OPERATOR_ELEMENT_WISE_RECIP, form::scaled},
    {function::relu, DML_OPERATOR_ACTIVATION_RELU, form::plain},
    {function::round, DML_OPERATOR_ELEMENT_WISE_ROUND, form::rounding},
    {function::selu, DML_OPERATOR_ACTIVATION_SCALED_ELU, form::alpha_and_beta},
    {function::sigmoid, DML_OPERATOR_ACTIVATION_SIGMOID, form::plain},
    {function::sign, DML_OPERATOR_ELEMENT_WISE_SIGN, form::plain},
    {function::sin, DML_OPERATOR_ELEMENT_WISE_SIN, form::scaled},
    {function::sinh, DML_OPERATOR_ELEMENT_WISE_SINH, form::scaled},
    {function::softplus, DML_OPERATOR_ACTIVATION_SOFTPLUS, form::alpha},
    {function::softsign, DML_OPERATOR_ACTIVATION_SOFTSIGN, form::plain},
    {function::sqrt, DML_OPERATOR_ELEMENT_WISE_SQRT, form::scaled},
    {function::tan, DML_OPERATOR_ELEMENT_WISE_TAN, form::scaled},
    {function::tanh, DML_OPERATOR_ACTIVATION_TANH, form::plain},
    {function::thresholded_relu, DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU, form::alpha},
};
constexpr DML_OPERATOR_TYPE binaries[] = {
    DML_OPERATOR_ELEMENT_WISE_ADD,
    DML_OPERATOR_ELEMENT_WISE_SUBTRACT,
    DML_OPERATOR_ELEMENT_WISE_MULTIPLY,
    DML_OPERATOR_ELEMENT_WISE_DIVIDE,
    DML_OPERATOR_ELEMENT_WISE_MAX,
    DML_OPERATOR_ELEMENT_WISE_MIN,
    DML_OPERATOR_ELEMENT_WISE_POW,
    DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU,
    DML_OPERATOR_ELEMENT_WISE_MODULUS_FLOOR,
    DML_OPERATOR_ELEMENT_WISE_MODULUS_TRUNCATE,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_AND,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_OR,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_XOR,
};
static_assert(std::size(binaries) == std::size_t(arithmetic::logical_xor) + 1);
}  // namespace

void dml_writer::write(const unary_prim& p) {
    const auto [does, type, of] = *std::ranges::find(forms, p.does, &function_form::does);
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x), y = o.out(p.y);
    switch (of) {
        case form::plain: return o.make(type, dml_activation{x, y});
        case form::scaled: return o.make(type, dml_scaled{x, y, nullptr});
        case form::alpha: return o.make(type, dml_activation_of_one{x, y, p.alpha});
        case form::alpha_and_beta: return o.make(type, dml_activation_of_two{x, y, p.alpha, p.beta});
        case form::rounding: return o.make(type, dml_round{x, y, 0});
        case form::infinity: return o.make(type, dml_is_infinity{x, y, p.beta == 0 ? 1 : p.alpha == 0 ? 2 : 0});
    }
}
void dml_writer::write(const clamp_prim& p) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x), y = o.out(p.y);
    const element type = p.x.type;
    if (p.whole_bounds)
        return o.make(DML_OPERATOR_ELEMENT_WISE_CLIP1,
                      dml_clip_as{x, y, nullptr, type_of(type), scalar_of(type, (*p.whole_bounds)[0]),
                                  scalar_of(type, (*p.whole_bounds)[1])});
    o.make(DML_OPERATOR_ELEMENT_WISE_CLIP,
           dml_clip{x, y, nullptr, p.low == -no_bound ? -infinity : p.low, p.high == no_bound ? infinity : p.high});
}
void dml_writer::write(const binary_prim& p) {
    const DML_OPERATOR_TYPE type = binaries[std::size_t(p.does)];
    dml_operator o(*this);
    const dml_tensor a = o.in_as(p.a, p.y.dims), b = o.in_as(p.b, p.y.dims), y = o.out(p.y);
    if (p.does == arithmetic::pow) return o.make(type, dml_pow{a, b, y, nullptr});
    o.make(type, dml_binary{a, b, y});
}
void dml_writer::write(const select_prim& p) {
    dml_operator o(*this);
    const dml_tensor condition = o.in_as(p.condition, p.y.dims), a = o.in_as(p.a, p.y.dims), b = o.in_as(p.b, p.y.dims);
    o.make(DML_OPERATOR_ELEMENT_WISE_IF, dml_if{condition, a, b, o.out(p.y)});
}
// A truth value is whether the number is another one than 0.
void dml_writer::write(const cast_prim& p) {
    if (p.x.type == p.y.type) return rename(p.x, p.y);
    dml_operator o(*this);
    if (p.y.type != element::boolean) {
        const dml_tensor x = o.in(p.x);
        return o.make(DML_OPERATOR_CAST, dml_activation{x, o.out(p.y)});
    }
    const operand is_zero = temporary(p.y.dims, p.y.type);
    const dml_tensor x = o.in(p.x), zero = o.in(number(p.x.type, 0), p.x.dims, shape::of_rank(p.x.dims.rank, 0));
    o.make(DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, dml_binary{x, zero, o.out(is_zero)});
    dml_operator negation(*this);
    const dml_tensor from = negation.in(is_zero);
    negation.make(DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT, dml_activation{from, negation.out(p.y)});
}
}  // namespace dml_graphs
}  // namespace v1
}  // namespace inlay

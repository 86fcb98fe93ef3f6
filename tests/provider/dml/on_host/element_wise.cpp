// Functions of one operand, and of two whose strides may repeat elements.
#include "../../evaluator/functions.hpp"
#include "host.hpp"

namespace host {
namespace {
namespace f = evaluator::functions;
struct arguments {
    std::vector<dml_tensor> operands;
    dml_tensor result;
    numbers parameters{};
    type_set types = any;  // of which all of them are
};
arguments of(const dml_activation& d) { return {{d.InputTensor}, d.OutputTensor}; }
arguments of(const dml_activation_of_one& d) { return {{d.InputTensor}, d.OutputTensor, {d.Alpha}}; }
arguments of(const dml_activation_of_two& d) { return {{d.InputTensor}, d.OutputTensor, {d.Alpha, d.Beta}}; }
arguments of(const dml_binary& d) { return {{d.ATensor, d.BTensor}, d.OutputTensor}; }
arguments of(const dml_is_infinity& d) { return {{d.InputTensor}, d.OutputTensor, {double(d.InfinityMode)}}; }
arguments of(const dml_scaled& d) {
    require(!d.ScaleBias);
    return {{d.InputTensor}, d.OutputTensor};
}
arguments of(const dml_round& d) {
    require(d.RoundingMode == 0);
    return {{d.InputTensor}, d.OutputTensor};
}
arguments of(const dml_pow& d) {
    require(!d.ScaleBias);
    return {{d.InputTensor, d.ExponentTensor}, d.OutputTensor};
}
arguments of(const dml_clip& d) {
    require(!d.ScaleBias && d.Min <= d.Max);
    return {{d.InputTensor}, d.OutputTensor, {d.Min, d.Max}};
}
arguments of(const dml_clip_as& d) {
    const double low = number_of(d.MinMaxDataType, d.Min.Bytes), high = number_of(d.MinMaxDataType, d.Max.Bytes);
    require(!d.ScaleBias && low <= high);
    return {{d.InputTensor}, d.OutputTensor, {low, high}, of_type(d.MinMaxDataType)};
}
template <class D> arguments read(const void* description) { return of(*static_cast<const D*>(description)); }
double is_infinity(const numbers& v) { return double(std::isinf(v[0]) && (v[1] == 0 || (v[1] == 1) == (v[0] > 0))); }

struct rule {
    arguments (*read)(const void* description);
    function does;
    type_set types = floats, results = 0;  // results: 0: the operands' type
};
constexpr auto activation = read<dml_activation>, of_one = read<dml_activation_of_one>,
               of_two = read<dml_activation_of_two>, scaled = read<dml_scaled>, binary = read<dml_binary>;
const std::map<DML_OPERATOR_TYPE, rule> rules{
    {DML_OPERATOR_ELEMENT_WISE_IDENTITY, {scaled, f::identity, any}},
    {DML_OPERATOR_ELEMENT_WISE_ABS, {scaled, f::one<std::fabs>, floats | narrow_signed | i64}},
    {DML_OPERATOR_ELEMENT_WISE_ACOS, {scaled, f::one<std::acos>}},
    {DML_OPERATOR_ELEMENT_WISE_ACOSH, {scaled, f::one<std::acosh>}},
    {DML_OPERATOR_ELEMENT_WISE_ASIN, {scaled, f::one<std::asin>}},
    {DML_OPERATOR_ELEMENT_WISE_ASINH, {scaled, f::one<std::asinh>}},
    {DML_OPERATOR_ELEMENT_WISE_ATAN, {scaled, f::one<std::atan>}},
    {DML_OPERATOR_ELEMENT_WISE_ATANH, {scaled, f::one<std::atanh>}},
    {DML_OPERATOR_ELEMENT_WISE_CEIL, {scaled, f::one<std::ceil>}},
    {DML_OPERATOR_ELEMENT_WISE_COS, {scaled, f::one<std::cos>}},
    {DML_OPERATOR_ELEMENT_WISE_COSH, {scaled, f::one<std::cosh>}},
    {DML_OPERATOR_ELEMENT_WISE_ERF, {scaled, f::one<std::erf>}},
    {DML_OPERATOR_ELEMENT_WISE_EXP, {scaled, f::one<std::exp>}},
    {DML_OPERATOR_ELEMENT_WISE_FLOOR, {scaled, f::one<std::floor>}},
    {DML_OPERATOR_ELEMENT_WISE_LOG, {scaled, f::one<std::log>}},
    {DML_OPERATOR_ELEMENT_WISE_RECIP, {scaled, f::reciprocal}},
    {DML_OPERATOR_ELEMENT_WISE_SIN, {scaled, f::one<std::sin>}},
    {DML_OPERATOR_ELEMENT_WISE_SINH, {scaled, f::one<std::sinh>}},
    {DML_OPERATOR_ELEMENT_WISE_SQRT, {scaled, f::one<std::sqrt>}},
    {DML_OPERATOR_ELEMENT_WISE_TAN, {scaled, f::one<std::tan>}},
    {DML_OPERATOR_ELEMENT_WISE_NEGATE, {activation, f::negate, floats | narrow_signed | i64}},
    {DML_OPERATOR_ELEMENT_WISE_SIGN, {activation, f::sign, any}},
    {DML_OPERATOR_CAST, {activation, f::identity, any, any}},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT, {activation, f::is_zero, u8, u8}},
    {DML_OPERATOR_ELEMENT_WISE_IS_NAN, {activation, f::is_nan, floats, u8}},
    {DML_OPERATOR_ACTIVATION_GELU, {activation, f::gelu}},
    {DML_OPERATOR_ACTIVATION_RELU, {activation, f::relu, floats | narrow_signed}},
    {DML_OPERATOR_ACTIVATION_SIGMOID, {activation, f::sigmoid}},
    {DML_OPERATOR_ACTIVATION_SOFTSIGN, {activation, f::softsign}},
    {DML_OPERATOR_ACTIVATION_TANH, {activation, f::one<std::tanh>}},
    {DML_OPERATOR_ACTIVATION_ELU, {of_one, f::elu}},
    {DML_OPERATOR_ACTIVATION_CELU, {of_one, f::celu}},
    {DML_OPERATOR_ACTIVATION_LEAKY_RELU, {of_one, f::leaky_relu}},
    {DML_OPERATOR_ACTIVATION_SOFTPLUS, {of_one, f::softplus}},
    {DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU, {of_one, f::thresholded_relu}},
    {DML_OPERATOR_ACTIVATION_HARD_SIGMOID, {of_two, f::hard_sigmoid}},
    {DML_OPERATOR_ACTIVATION_SCALED_ELU, {of_two, f::selu}},
    {DML_OPERATOR_ELEMENT_WISE_CLIP, {read<dml_clip>, f::clip}},
    {DML_OPERATOR_ELEMENT_WISE_CLIP1, {read<dml_clip_as>, f::clip, any}},
    {DML_OPERATOR_ELEMENT_WISE_ROUND, {read<dml_round>, f::one<std::nearbyint>}},
    {DML_OPERATOR_ELEMENT_WISE_IS_INFINITY, {read<dml_is_infinity>, is_infinity, floats, u8}},
    {DML_OPERATOR_ELEMENT_WISE_POW, {read<dml_pow>, f::two<std::pow>}},
    {DML_OPERATOR_ELEMENT_WISE_ADD, {binary, f::pair<std::plus<>>, any}},
    {DML_OPERATOR_ELEMENT_WISE_DIVIDE, {binary, f::pair<std::divides<>>, any}},
    {DML_OPERATOR_ELEMENT_WISE_MAX, {binary, f::two<std::fmax>, any}},
    {DML_OPERATOR_ELEMENT_WISE_MIN, {binary, f::two<std::fmin>, any}},
    {DML_OPERATOR_ELEMENT_WISE_MODULUS_FLOOR, {binary, f::modulus_of_floor, any}},
    {DML_OPERATOR_ELEMENT_WISE_MODULUS_TRUNCATE, {binary, f::two<std::fmod>, any}},
    {DML_OPERATOR_ELEMENT_WISE_MULTIPLY, {binary, f::pair<std::multiplies<>>, any}},
    {DML_OPERATOR_ELEMENT_WISE_SUBTRACT, {binary, f::pair<std::minus<>>, any}},
    {DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU, {binary, f::leaky_relu, floats | narrow_signed}},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, {binary, f::pair<std::equal_to<>>, any, u8}},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN, {binary, f::pair<std::greater<>>, any, u8}},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL, {binary, f::pair<std::greater_equal<>>, any, u8}},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN, {binary, f::pair<std::less<>>, any, u8}},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL, {binary, f::pair<std::less_equal<>>, any, u8}},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_AND, {binary, f::pair<std::logical_and<>>, u8, u8}},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_OR, {binary, f::pair<std::logical_or<>>, u8, u8}},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_XOR, {binary, f::exclusive_or, u8, u8}}};

void where(const dml_if& d, planned& p) {
    const tensor c = p.in(d.ConditionTensor, u8), a = p.in(d.ATensor), b = p.in(d.BTensor, a.same());
    require(c.sizes == a.sizes && a.sizes == b.sizes);
    p.result(d.OutputTensor, a.same(), element_wise({c.sizes, a.sizes, b.sizes}, f::choice));
}
}  // namespace

bool plan_element_wise(const DML_OPERATOR_DESC& d, planned& p) {
    if (d.Type == DML_OPERATOR_ELEMENT_WISE_IF) return by<where>(d.Desc, p), true;
    const auto at = rules.find(d.Type);
    if (at == rules.end()) return false;
    const rule& r = at->second;
    const arguments a = r.read(d.Desc);
    const tensor x = p.in(a.operands[0], r.types & a.types);
    std::vector<list> operands{x.sizes};
    for (std::size_t k = 1; k < a.operands.size(); ++k) operands.push_back(p.in(a.operands[k], x.same()).sizes);
    require(operands.front() == operands.back());
    p.result(a.result, r.results ? r.results : x.same(), element_wise(operands, r.does, a.parameters));
    return true;
}
std::function<double(double)> function_of(const DML_OPERATOR_DESC& d) {
    constexpr DML_OPERATOR_TYPE allowed[] = {DML_OPERATOR_ACTIVATION_SIGMOID,     DML_OPERATOR_ACTIVATION_TANH,
                                             DML_OPERATOR_ACTIVATION_RELU,        DML_OPERATOR_ACTIVATION_SOFTSIGN,
                                             DML_OPERATOR_ACTIVATION_ELU,         DML_OPERATOR_ACTIVATION_LEAKY_RELU,
                                             DML_OPERATOR_ACTIVATION_HARD_SIGMOID};
    require(std::ranges::count(allowed, d.Type) == 1);
    const rule& r = rules.at(d.Type);
    const arguments a = r.read(d.Desc);
    require(!a.operands[0] && !a.result);
    return [=, v = a.parameters](double x) {
        numbers operands{x};
        operands.insert(operands.end(), v.begin(), v.end());
        return r.does(operands);
    };
}
}  // namespace host

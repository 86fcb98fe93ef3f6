// Functions of one operand, and of two whose strides may repeat elements.
#include "host.hpp"
#include <algorithm>
#include <cmath>

namespace host {
namespace {
using unary = double (*)(double);
using binary = double (*)(double, double);
const std::map<DML_OPERATOR_TYPE, unary> functions{
    {DML_OPERATOR_ELEMENT_WISE_IDENTITY, [](double x) { return x; }},
    {DML_OPERATOR_ELEMENT_WISE_ABS, [](double x) { return std::fabs(x); }},
    {DML_OPERATOR_ELEMENT_WISE_ACOS, [](double x) { return std::acos(x); }},
    {DML_OPERATOR_ELEMENT_WISE_ACOSH, [](double x) { return std::acosh(x); }},
    {DML_OPERATOR_ELEMENT_WISE_ASIN, [](double x) { return std::asin(x); }},
    {DML_OPERATOR_ELEMENT_WISE_ASINH, [](double x) { return std::asinh(x); }},
    {DML_OPERATOR_ELEMENT_WISE_ATAN, [](double x) { return std::atan(x); }},
    {DML_OPERATOR_ELEMENT_WISE_ATANH, [](double x) { return std::atanh(x); }},
    {DML_OPERATOR_ELEMENT_WISE_CEIL, [](double x) { return std::ceil(x); }},
    {DML_OPERATOR_ELEMENT_WISE_COS, [](double x) { return std::cos(x); }},
    {DML_OPERATOR_ELEMENT_WISE_COSH, [](double x) { return std::cosh(x); }},
    {DML_OPERATOR_ELEMENT_WISE_ERF, [](double x) { return std::erf(x); }},
    {DML_OPERATOR_ELEMENT_WISE_EXP, [](double x) { return std::exp(x); }},
    {DML_OPERATOR_ELEMENT_WISE_FLOOR, [](double x) { return std::floor(x); }},
    {DML_OPERATOR_ELEMENT_WISE_LOG, [](double x) { return std::log(x); }},
    {DML_OPERATOR_ELEMENT_WISE_RECIP, [](double x) { return 1 / x; }},
    {DML_OPERATOR_ELEMENT_WISE_SIN, [](double x) { return std::sin(x); }},
    {DML_OPERATOR_ELEMENT_WISE_SINH, [](double x) { return std::sinh(x); }},
    {DML_OPERATOR_ELEMENT_WISE_SQRT, [](double x) { return std::sqrt(x); }},
    {DML_OPERATOR_ELEMENT_WISE_TAN, [](double x) { return std::tan(x); }}};
const std::map<DML_OPERATOR_TYPE, unary> activations{
    {DML_OPERATOR_ELEMENT_WISE_NEGATE, [](double x) { return -x; }},
    {DML_OPERATOR_ELEMENT_WISE_SIGN, [](double x) { return double((x > 0) - (x < 0)); }},
    {DML_OPERATOR_ACTIVATION_GELU, [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.))); }},
    {DML_OPERATOR_ACTIVATION_RELU, [](double x) { return x < 0 ? 0 : x; }},
    {DML_OPERATOR_ACTIVATION_SIGMOID, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {DML_OPERATOR_ACTIVATION_SOFTSIGN, [](double x) { return x / (1 + std::fabs(x)); }},
    {DML_OPERATOR_ACTIVATION_TANH, [](double x) { return std::tanh(x); }},
    {DML_OPERATOR_CAST, [](double x) { return x; }}};
const std::map<DML_OPERATOR_TYPE, binary> of_one{
    {DML_OPERATOR_ACTIVATION_ELU, [](double x, double a) { return x < 0 ? a * std::expm1(x) : x; }},
    {DML_OPERATOR_ACTIVATION_CELU, [](double x, double a) { return x < 0 ? a * std::expm1(x / a) : x; }},
    {DML_OPERATOR_ACTIVATION_LEAKY_RELU, [](double x, double a) { return x < 0 ? a * x : x; }},
    {DML_OPERATOR_ACTIVATION_SOFTPLUS,
     [](double x, double s) { return (std::fmax(s * x, 0.) + std::log1p(std::exp(-std::fabs(s * x)))) / s; }},
    {DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU, [](double x, double a) { return x > a ? x : 0; }}};
const std::map<DML_OPERATOR_TYPE, binary> binaries{
    {DML_OPERATOR_ELEMENT_WISE_ADD, [](double a, double b) { return a + b; }},
    {DML_OPERATOR_ELEMENT_WISE_DIVIDE, [](double a, double b) { return a / b; }},
    {DML_OPERATOR_ELEMENT_WISE_MAX, [](double a, double b) { return std::fmax(a, b); }},
    {DML_OPERATOR_ELEMENT_WISE_MIN, [](double a, double b) { return std::fmin(a, b); }},
    {DML_OPERATOR_ELEMENT_WISE_MODULUS_FLOOR, [](double a, double b) { return a - std::floor(a / b) * b; }},
    {DML_OPERATOR_ELEMENT_WISE_MODULUS_TRUNCATE, [](double a, double b) { return std::fmod(a, b); }},
    {DML_OPERATOR_ELEMENT_WISE_MULTIPLY, [](double a, double b) { return a * b; }},
    {DML_OPERATOR_ELEMENT_WISE_SUBTRACT, [](double a, double b) { return a - b; }},
    {DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU, [](double a, double b) { return a < 0 ? a * b : a; }}};

const std::map<DML_OPERATOR_TYPE, binary> comparisons{
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS, [](double a, double b) { return double(a == b); }},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN, [](double a, double b) { return double(a > b); }},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL, [](double a, double b) { return double(a >= b); }},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN, [](double a, double b) { return double(a < b); }},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL, [](double a, double b) { return double(a <= b); }}};
const std::map<DML_OPERATOR_TYPE, binary> junctions{
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_AND, [](double a, double b) { return double(a != 0 && b != 0); }},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_OR, [](double a, double b) { return double(a != 0 || b != 0); }},
    {DML_OPERATOR_ELEMENT_WISE_LOGICAL_XOR, [](double a, double b) { return double((a != 0) != (b != 0)); }}};

// Of which types an operator of one operand is; those of many are told where they are.
type_set types_of(DML_OPERATOR_TYPE t) {
    switch (t) {
        case DML_OPERATOR_ELEMENT_WISE_ABS:
        case DML_OPERATOR_ELEMENT_WISE_NEGATE: return floats | narrow_signed | i64;
        case DML_OPERATOR_ACTIVATION_RELU:
        case DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU: return floats | narrow_signed;
        case DML_OPERATOR_ELEMENT_WISE_IDENTITY:
        case DML_OPERATOR_ELEMENT_WISE_SIGN:
        case DML_OPERATOR_CAST: return any;
        default: return floats;
    }
}
template <class F>
void each(planned& p, dml_tensor in, dml_tensor out, F f, type_set types = floats, type_set results = 0) {
    const tensor &x = p.in(in), y = p.out(out);
    require(is_of(x, types) && x.sizes == y.sizes && (results ? is_of(y, results) : x.type == y.type));
    p.one_result([f](const auto& values) {
        numbers all;
        for (double v : values[0]) all.push_back(f(v));
        return all;
    });
}
void pair(planned& p, dml_tensor a, dml_tensor b, dml_tensor out, binary f, type_set types, type_set results = 0) {
    const tensor &x = p.in(a), &w = p.in(b), y = p.out(out);
    require(is_of(x, types) && x.sizes == w.sizes && x.sizes == y.sizes && x.type == w.type);
    require(results ? is_of(y, results) : x.type == y.type);
    p.one_result([f](const auto& values) {
        numbers all;
        for (std::size_t k = 0; k < values[0].size(); ++k) all.push_back(f(values[0][k], values[1][k]));
        return all;
    });
}
template <class F> bool look_up(const std::map<DML_OPERATOR_TYPE, F>& in, DML_OPERATOR_TYPE t, F& f) {
    const auto at = in.find(t);
    if (at == in.end()) return false;
    f = at->second;
    return true;
}
bool plan_parameters(const DML_OPERATOR_DESC& d, planned& p) {
    switch (d.Type) {
        case DML_OPERATOR_ACTIVATION_HARD_SIGMOID: {
            const auto& o = *static_cast<const dml_activation_of_two*>(d.Desc);
            each(p, o.InputTensor, o.OutputTensor,
                 [a = o.Alpha, b = o.Beta](double x) { return std::fmax(0., std::fmin(1., a * x + b)); });
            return true;
        }
        case DML_OPERATOR_ACTIVATION_SCALED_ELU: {
            const auto& o = *static_cast<const dml_activation_of_two*>(d.Desc);
            each(p, o.InputTensor, o.OutputTensor,
                 [a = o.Alpha, g = o.Beta](double x) { return x > 0 ? g * x : g * (a * std::exp(x) - a); });
            return true;
        }
        case DML_OPERATOR_ELEMENT_WISE_CLIP: {
            const auto& o = *static_cast<const dml_clip*>(d.Desc);
            require(!o.ScaleBias && o.Min <= o.Max);
            each(p, o.InputTensor, o.OutputTensor,
                 [low = o.Min, high = o.Max](double x) { return std::fmin(std::fmax(x, low), high); });
            return true;
        }
        case DML_OPERATOR_ELEMENT_WISE_ROUND: {
            const auto& o = *static_cast<const dml_round*>(d.Desc);
            require(o.RoundingMode == 0);
            each(p, o.InputTensor, o.OutputTensor, [](double x) { return std::nearbyint(x); });
            return true;
        }
        case DML_OPERATOR_ELEMENT_WISE_POW: {
            const auto& o = *static_cast<const dml_pow*>(d.Desc);
            require(!o.ScaleBias);
            pair(
                p, o.InputTensor, o.ExponentTensor, o.OutputTensor, [](double a, double b) { return std::pow(a, b); },
                floats);
            return true;
        }
        default: return false;
    }
}
bool plan_tests(const DML_OPERATOR_DESC& d, planned& p) {
    switch (d.Type) {
        case DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT: {
            const auto& o = *static_cast<const dml_activation*>(d.Desc);
            each(
                p, o.InputTensor, o.OutputTensor, [](double x) { return double(x == 0); }, u8, u8);
            return true;
        }
        case DML_OPERATOR_ELEMENT_WISE_IS_NAN: {
            const auto& o = *static_cast<const dml_activation*>(d.Desc);
            each(
                p, o.InputTensor, o.OutputTensor, [](double x) { return double(std::isnan(x)); }, floats, u8);
            return true;
        }
        case DML_OPERATOR_ELEMENT_WISE_IS_INFINITY: {
            const auto& o = *static_cast<const dml_is_infinity*>(d.Desc);
            const auto test = [mode = o.InfinityMode](double x) {
                return double(std::isinf(x) && (mode == 0 || (mode == 1) == (x > 0)));
            };
            each(p, o.InputTensor, o.OutputTensor, test, floats, u8);
            return true;
        }
        case DML_OPERATOR_ELEMENT_WISE_CLIP1: {
            const auto& o = *static_cast<const dml_clip_as*>(d.Desc);
            const double low = number_of(o.MinMaxDataType, o.Min.Bytes),
                         high = number_of(o.MinMaxDataType, o.Max.Bytes);
            require(!o.ScaleBias && low <= high);
            each(
                p, o.InputTensor, o.OutputTensor, [=](double x) { return std::fmin(std::fmax(x, low), high); }, any);
            require(p.outputs[0].type == o.MinMaxDataType);
            return true;
        }
        case DML_OPERATOR_ELEMENT_WISE_IF: {
            const auto& o = *static_cast<const dml_if*>(d.Desc);
            const tensor c = p.in(o.ConditionTensor), a = p.in(o.ATensor), b = p.in(o.BTensor),
                         y = p.out(o.OutputTensor);
            require(is_of(c, u8) && a.type == b.type && a.type == y.type);
            for (const tensor& t : {c, a, b}) require(t.sizes == y.sizes);
            p.one_result([](const auto& v) {
                numbers all;
                for (std::size_t k = 0; k < v[0].size(); ++k) all.push_back(v[v[0][k] != 0 ? 1 : 2][k]);
                return all;
            });
            return true;
        }
        default: return false;
    }
}
}  // namespace

bool plan_element_wise(const DML_OPERATOR_DESC& d, planned& p) {
    unary one = nullptr;
    binary two = nullptr;
    if (look_up(functions, d.Type, one)) {
        const auto& o = *static_cast<const dml_scaled*>(d.Desc);
        require(!o.ScaleBias);
        each(p, o.InputTensor, o.OutputTensor, one, types_of(d.Type));
    } else if (look_up(activations, d.Type, one)) {
        const auto& o = *static_cast<const dml_activation*>(d.Desc);
        each(p, o.InputTensor, o.OutputTensor, one, types_of(d.Type), d.Type == DML_OPERATOR_CAST ? any : 0);
    } else if (look_up(of_one, d.Type, two)) {
        const auto& o = *static_cast<const dml_activation_of_one*>(d.Desc);
        each(p, o.InputTensor, o.OutputTensor, [f = two, a = o.Alpha](double x) { return f(x, a); });
    } else if (look_up(binaries, d.Type, two)) {
        const auto& o = *static_cast<const dml_binary*>(d.Desc);
        pair(p, o.ATensor, o.BTensor, o.OutputTensor, two,
             d.Type == DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU ? types_of(d.Type) : any);
    } else if (look_up(comparisons, d.Type, two) || look_up(junctions, d.Type, two)) {
        const auto& o = *static_cast<const dml_binary*>(d.Desc);
        pair(p, o.ATensor, o.BTensor, o.OutputTensor, two, junctions.contains(d.Type) ? u8 : any, u8);
    } else
        return plan_parameters(d, p) || plan_tests(d, p);
    return true;
}
}  // namespace host

// Functions of one operand, and of two whose strides may repeat elements.
#include "host.hpp"
#include <algorithm>
#include <cmath>

namespace host {
namespace {
using unary = float (*)(float);
using binary = float (*)(float, float);
const std::map<DML_OPERATOR_TYPE, unary> functions{
    {DML_OPERATOR_ELEMENT_WISE_IDENTITY, [](float x) { return x; }},
    {DML_OPERATOR_ELEMENT_WISE_ABS, [](float x) { return std::fabs(x); }},
    {DML_OPERATOR_ELEMENT_WISE_ACOS, [](float x) { return std::acos(x); }},
    {DML_OPERATOR_ELEMENT_WISE_ACOSH, [](float x) { return std::acosh(x); }},
    {DML_OPERATOR_ELEMENT_WISE_ASIN, [](float x) { return std::asin(x); }},
    {DML_OPERATOR_ELEMENT_WISE_ASINH, [](float x) { return std::asinh(x); }},
    {DML_OPERATOR_ELEMENT_WISE_ATAN, [](float x) { return std::atan(x); }},
    {DML_OPERATOR_ELEMENT_WISE_ATANH, [](float x) { return std::atanh(x); }},
    {DML_OPERATOR_ELEMENT_WISE_CEIL, [](float x) { return std::ceil(x); }},
    {DML_OPERATOR_ELEMENT_WISE_COS, [](float x) { return std::cos(x); }},
    {DML_OPERATOR_ELEMENT_WISE_COSH, [](float x) { return std::cosh(x); }},
    {DML_OPERATOR_ELEMENT_WISE_ERF, [](float x) { return std::erf(x); }},
    {DML_OPERATOR_ELEMENT_WISE_EXP, [](float x) { return std::exp(x); }},
    {DML_OPERATOR_ELEMENT_WISE_FLOOR, [](float x) { return std::floor(x); }},
    {DML_OPERATOR_ELEMENT_WISE_LOG, [](float x) { return std::log(x); }},
    {DML_OPERATOR_ELEMENT_WISE_RECIP, [](float x) { return 1 / x; }},
    {DML_OPERATOR_ELEMENT_WISE_SIN, [](float x) { return std::sin(x); }},
    {DML_OPERATOR_ELEMENT_WISE_SINH, [](float x) { return std::sinh(x); }},
    {DML_OPERATOR_ELEMENT_WISE_SQRT, [](float x) { return std::sqrt(x); }},
    {DML_OPERATOR_ELEMENT_WISE_TAN, [](float x) { return std::tan(x); }}};
const std::map<DML_OPERATOR_TYPE, unary> activations{
    {DML_OPERATOR_ELEMENT_WISE_NEGATE, [](float x) { return -x; }},
    {DML_OPERATOR_ELEMENT_WISE_SIGN, [](float x) { return float((x > 0) - (x < 0)); }},
    {DML_OPERATOR_ACTIVATION_GELU, [](float x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.f))); }},
    {DML_OPERATOR_ACTIVATION_RELU, [](float x) { return x < 0 ? 0 : x; }},
    {DML_OPERATOR_ACTIVATION_SIGMOID, [](float x) { return 1 / (1 + std::exp(-x)); }},
    {DML_OPERATOR_ACTIVATION_SOFTSIGN, [](float x) { return x / (1 + std::fabs(x)); }},
    {DML_OPERATOR_ACTIVATION_TANH, [](float x) { return std::tanh(x); }},
    {DML_OPERATOR_CAST, [](float x) { return x; }}};
const std::map<DML_OPERATOR_TYPE, binary> of_one{
    {DML_OPERATOR_ACTIVATION_ELU, [](float x, float a) { return x < 0 ? a * std::expm1(x) : x; }},
    {DML_OPERATOR_ACTIVATION_CELU, [](float x, float a) { return x < 0 ? a * std::expm1(x / a) : x; }},
    {DML_OPERATOR_ACTIVATION_LEAKY_RELU, [](float x, float a) { return x < 0 ? a * x : x; }},
    {DML_OPERATOR_ACTIVATION_SOFTPLUS,
     [](float x, float s) { return (std::fmax(s * x, 0.f) + std::log1p(std::exp(-std::fabs(s * x)))) / s; }},
    {DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU, [](float x, float a) { return x > a ? x : 0; }}};
const std::map<DML_OPERATOR_TYPE, binary> binaries{
    {DML_OPERATOR_ELEMENT_WISE_ADD, [](float a, float b) { return a + b; }},
    {DML_OPERATOR_ELEMENT_WISE_DIVIDE, [](float a, float b) { return a / b; }},
    {DML_OPERATOR_ELEMENT_WISE_MAX, [](float a, float b) { return std::fmax(a, b); }},
    {DML_OPERATOR_ELEMENT_WISE_MIN, [](float a, float b) { return std::fmin(a, b); }},
    {DML_OPERATOR_ELEMENT_WISE_MULTIPLY, [](float a, float b) { return a * b; }},
    {DML_OPERATOR_ELEMENT_WISE_SUBTRACT, [](float a, float b) { return a - b; }},
    {DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU, [](float a, float b) { return a < 0 ? a * b : a; }}};

template <class F> void each(planned& p, dml_tensor in, dml_tensor out, F f, bool same_type = true) {
    const tensor &x = p.in(in), y = p.out(out);
    require(is_float(x) && is_float(y) && x.sizes == y.sizes && (!same_type || x.type == y.type));
    p.one_result([f](const auto& values) {
        numbers all;
        for (float v : values[0]) all.push_back(f(v));
        return all;
    });
}
void pair(planned& p, dml_tensor a, dml_tensor b, dml_tensor out, binary f) {
    const tensor &x = p.in(a), &w = p.in(b), y = p.out(out);
    require(is_float(x) && x.sizes == w.sizes && x.sizes == y.sizes && x.type == w.type && x.type == y.type);
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
                 [a = o.Alpha, b = o.Beta](float x) { return std::fmax(0.f, std::fmin(1.f, a * x + b)); });
            return true;
        }
        case DML_OPERATOR_ACTIVATION_SCALED_ELU: {
            const auto& o = *static_cast<const dml_activation_of_two*>(d.Desc);
            each(p, o.InputTensor, o.OutputTensor,
                 [a = o.Alpha, g = o.Beta](float x) { return x > 0 ? g * x : g * (a * std::exp(x) - a); });
            return true;
        }
        case DML_OPERATOR_ELEMENT_WISE_CLIP: {
            const auto& o = *static_cast<const dml_clip*>(d.Desc);
            require(!o.ScaleBias && o.Min <= o.Max);
            each(p, o.InputTensor, o.OutputTensor,
                 [low = o.Min, high = o.Max](float x) { return std::fmin(std::fmax(x, low), high); });
            return true;
        }
        case DML_OPERATOR_ELEMENT_WISE_ROUND: {
            const auto& o = *static_cast<const dml_round*>(d.Desc);
            require(o.RoundingMode == 0);
            each(p, o.InputTensor, o.OutputTensor, [](float x) { return std::nearbyint(x); });
            return true;
        }
        case DML_OPERATOR_ELEMENT_WISE_POW: {
            const auto& o = *static_cast<const dml_pow*>(d.Desc);
            require(!o.ScaleBias);
            pair(p, o.InputTensor, o.ExponentTensor, o.OutputTensor, [](float a, float b) { return std::pow(a, b); });
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
        each(p, o.InputTensor, o.OutputTensor, one);
    } else if (look_up(activations, d.Type, one)) {
        const auto& o = *static_cast<const dml_activation*>(d.Desc);
        each(p, o.InputTensor, o.OutputTensor, one, d.Type != DML_OPERATOR_CAST);
    } else if (look_up(of_one, d.Type, two)) {
        const auto& o = *static_cast<const dml_activation_of_one*>(d.Desc);
        each(p, o.InputTensor, o.OutputTensor, [f = two, a = o.Alpha](float x) { return f(x, a); });
    } else if (look_up(binaries, d.Type, two)) {
        const auto& o = *static_cast<const dml_binary*>(d.Desc);
        pair(p, o.ATensor, o.BTensor, o.OutputTensor, two);
    } else
        return plan_parameters(d, p);
    return true;
}
}  // namespace host

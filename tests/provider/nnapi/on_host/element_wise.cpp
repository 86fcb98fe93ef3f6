// Element by element: functions of one operand, and of two that broadcast.
#include "host.hpp"
#include <algorithm>
#include <map>

namespace host {
namespace {
using unary = float (*)(float);
using binary = float (*)(float, float);
enum class scales : std::uint8_t { none, same, unit, both_signs, any, more_than_product };
struct unary_rule {
    unary f;
    scales in_bytes = scales::none;
};
const std::map<std::int32_t, unary_rule> unaries{
    {ABS, {[](float x) { return std::fabs(x); }}},
    {EXP, {[](float x) { return std::exp(x); }}},
    {FLOOR, {[](float x) { return std::floor(x); }}},
    {HARD_SWISH, {[](float x) { return x * std::fmin(std::fmax(x + 3, 0.f), 6.f) / 6; }, scales::any}},
    {LOG, {[](float x) { return std::log(x); }}},
    {LOGISTIC, {[](float x) { return 1 / (1 + std::exp(-x)); }, scales::unit}},
    {NEG, {[](float x) { return -x; }}},
    {RELU, {[](float x) { return x < 0 ? 0 : x; }, scales::same}},
    {RELU1, {[](float x) { return std::clamp(x, -1.f, 1.f); }, scales::same}},
    {RELU6, {[](float x) { return std::clamp(x, 0.f, 6.f); }, scales::same}},
    {SIN, {[](float x) { return std::sin(x); }}},
    {SQRT, {[](float x) { return std::sqrt(x); }}},
    {TANH, {[](float x) { return std::tanh(x); }, scales::both_signs}},
};
struct binary_rule {
    binary f;
    bool fuses;  // a third input is the activation
    scales in_bytes = scales::any;
};
const std::map<std::int32_t, binary_rule> binaries{
    {ADD, {[](float a, float b) { return a + b; }, true}},
    {DIV, {[](float a, float b) { return a / b; }, true, scales::none}},
    {MAXIMUM, {[](float a, float b) { return std::fmax(a, b); }, false}},
    {MINIMUM, {[](float a, float b) { return std::fmin(a, b); }, false}},
    {MUL, {[](float a, float b) { return a * b; }, true, scales::more_than_product}},
    {POW, {[](float a, float b) { return std::pow(a, b); }, false, scales::none}},
    {PRELU, {[](float a, float b) { return a < 0 ? a * b : a; }, false}},
    {SUB, {[](float a, float b) { return a - b; }, true}},
};
void check_scales(const call& c, scales rule) {
    const operand& y = c.output();
    if (!c.tensor(0).in_bytes()) return;
    const bool has_sign = y.type == TENSOR_QUANT8_ASYMM_SIGNED;
    switch (rule) {
        case scales::none: throw bad_data();
        case scales::same: return c.require_same_scale();
        case scales::unit: return require(y.scale == 1.f / 256 && y.zero == (has_sign ? -128 : 0));
        case scales::both_signs: return require(y.scale == 1.f / 128 && y.zero == (has_sign ? 0 : 128));
        case scales::more_than_product: return require(y.scale > c.tensor(0).scale * c.tensor(1).scale);
        default: return;
    }
}
planned of_one(const call& c, std::size_t inputs, scales rule, std::function<float(float)> f) {
    require(c.count() == inputs);
    c.require_one_type(1);
    check_scales(c, rule);
    return {c.shape(0), [f](const auto& in) {
                numbers y;
                for (float x : *in[0]) y.push_back(f(x));
                return y;
            }};
}
dims broadcast(const dims& a, const dims& b) {
    dims y(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < y.size(); ++i) {  // from the last one on
        const std::uint32_t p = i < a.size() ? a[a.size() - 1 - i] : 1, q = i < b.size() ? b[b.size() - 1 - i] : 1;
        require(p == q || p == 1 || q == 1);
        y[y.size() - 1 - i] = std::max(p, q);
    }
    return y;
}
std::size_t broadcast_place(const dims& d, const std::vector<std::int64_t>& at) {
    std::int64_t k = 0;
    for (std::size_t i = 0; i < d.size(); ++i) k = k * d[i] + (d[i] == 1 ? 0 : at[at.size() - d.size() + i]);
    return std::size_t(k);
}
planned of_two(const call& c, const binary_rule& rule) {
    require(c.count() == (rule.fuses ? 3u : 2u));
    c.require_one_type(2);
    check_scales(c, rule.in_bytes);
    if (rule.fuses) c.require_no_activation(2);
    const dims a = c.shape(0), b = c.shape(1), y = broadcast(a, b);
    return {y, [=, f = rule.f](const auto& in) {
                numbers all;
                for_each_index(y, [&](const auto& at) {
                    all.push_back(f((*in[0])[broadcast_place(a, at)], (*in[1])[broadcast_place(b, at)]));
                });
                return all;
            }};
}
}  // namespace

planned plan_element_wise(const call& c) {
    if (const auto u = unaries.find(c.op.code); u != unaries.end())
        return of_one(c, 1, u->second.in_bytes, u->second.f);
    if (const auto b = binaries.find(c.op.code); b != binaries.end()) return of_two(c, b->second);
    if (c.op.code == ELU)
        return of_one(c, 2, scales::none, [alpha = c.real(1)](float x) { return x < 0 ? alpha * std::expm1(x) : x; });
    require(c.op.code == QUANTIZE || c.op.code == DEQUANTIZE);
    require(c.count() == 1 && c.tensor(0).in_bytes() == (c.op.code == DEQUANTIZE) &&
            c.output().in_bytes() == (c.op.code == QUANTIZE));
    return {c.shape(0), [](const auto& in) { return *in[0]; }};
}
}  // namespace host

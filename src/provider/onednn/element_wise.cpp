// Functions and operators element by element.
#include "rules.hpp"
#include <inlay/support/activation.hpp>
#include <cmath>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace onednn_rules {
namespace {
constexpr float endless = std::numeric_limits<float>::infinity();

struct function_rule {
    std::string_view op;
    dnnl_alg_kind_t algorithm;
    float alpha = 0, beta = 0;
    std::string_view alpha_name{}, beta_name{};  // attributes that say otherwise
};
constexpr function_rule functions[] = {
    {"Abs", dnnl_eltwise_abs},
    {"Elu", dnnl_eltwise_elu, 1, 0, "alpha"},
    {"Exp", dnnl_eltwise_exp},
    {"HardSigmoid", dnnl_eltwise_hardsigmoid, .2f, .5f, "alpha", "beta"},
    {"HardSwish", dnnl_eltwise_hardswish, 1.f / 6, .5f},
    {"LeakyRelu", dnnl_eltwise_relu, .01f, 0, "alpha"},
    {"Log", dnnl_eltwise_log},
    {"Mish", dnnl_eltwise_mish},
    {"Neg", dnnl_eltwise_linear, -1},
    {"Reciprocal", dnnl_eltwise_pow, 1, -1},
    {"Relu", dnnl_eltwise_relu},
    {"Round", dnnl_eltwise_round},
    {"Sigmoid", dnnl_eltwise_logistic},
    {"Softplus", dnnl_eltwise_soft_relu, 1},
    {"Sqrt", dnnl_eltwise_sqrt},
    {"Tanh", dnnl_eltwise_tanh},
};
ending function_of(const node_view& n) {
    const auto at = std::ranges::find(functions, n.record.op, &function_rule::op);
    const auto number = [&](std::string_view name, float otherwise) {
        return name.empty() ? otherwise : float(n.real(name, otherwise));
    };
    return {at->algorithm, number(at->alpha_name, at->alpha), number(at->beta_name, at->beta)};
}
int add_function(lowering& l, const node_view& n, const ending& e, int slot) {
    return in_some_layout(l, slot, [&](int x) {
        const planned_primitive planned = plan_primitive(
            dnnl().dnnl_eltwise_forward_primitive_desc_create, dnnl_forward_inference, e.algorithm, l.layout(x).get(),
            any_layout(l.dims(x)).get(), e.alpha, e.beta, const_dnnl_primitive_attr_t(attributes().get()));
        const int y = l.result(n, 0, planned.argument(DNNL_ARG_DST));
        l.add(planned, {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
        return y;
    });
}
int add_binary(lowering& l, const node_view& n, dnnl_alg_kind_t algorithm, int a, int b) {
    const bool alike = l.dims(a) == l.dims(b);
    const auto is_plain = [&](int slot) { return same_layout(l.layout(slot), plain_layout(l.dims(slot))); };
    if (alike && is_plain(a) && !is_plain(b) && is_whole(l.layout(b))) a = l.as(a, l.layout(b));
    return in_some_layout(l, a, [&](int x) {
        const int y = alike && is_whole(l.layout(x)) ? l.as(b, l.layout(x)) : l.plain(b);
        const planned_primitive planned =
            plan_primitive(dnnl().dnnl_binary_primitive_desc_create, algorithm, l.layout(x).get(), l.layout(y).get(),
                           any_layout(l.dims(x)).get(), const_dnnl_primitive_attr_t(attributes().get()));
        const int out = l.result(n, 0, planned.argument(DNNL_ARG_DST));
        l.add(planned, {{DNNL_ARG_SRC_0, x}, {DNNL_ARG_SRC_1, y}, {DNNL_ARG_DST, out}});
        return out;
    });
}

void lower_function(lowering& l, const node_view& n) {
    if (n.record.op == "Elu" && n.real("alpha", 1) < 0) refuse("oneDNN's Elu has no negative alpha");
    l.give(n, 0, add_function(l, n, function_of(n), l.input(n, 0)));
}
void lower_clip(lowering& l, const node_view& n) {
    std::array<float, 2> limits{-endless, endless};
    for (const int k : {0, 1})
        if (n.version() < 11)
            limits[std::size_t(k)] = float(n.real(k ? "max" : "min", limits[std::size_t(k)]));
        else if (n.has_input(k + 1)) {
            const auto known = n.input_reals(k + 1);
            if (!known || known->size() != 1) refuse("oneDNN's limits are constants");
            limits[std::size_t(k)] = float((*known)[0]);
        }
    if (!(limits[0] <= limits[1])) refuse("its lower limit is above the upper one");
    l.give(n, 0, add_function(l, n, {dnnl_eltwise_clip, limits[0], limits[1]}, l.input(n, 0)));
}
void lower_gelu(lowering& l, const node_view& n) {
    const bool tanh = n.text("approximate", "none") == "tanh";
    l.give(n, 0, add_function(l, n, {tanh ? dnnl_eltwise_gelu_tanh : dnnl_eltwise_gelu_erf}, l.input(n, 0)));
}
void lower_power(lowering& l, const node_view& n) {
    const auto exponent = n.input_reals(1);
    if (!exponent || exponent->size() != 1 || n.output(0).dims != n.input(0).dims)
        refuse("oneDNN's exponent is one constant");
    l.give(n, 0, add_function(l, n, {dnnl_eltwise_pow, 1, float((*exponent)[0])}, l.input(n, 0)));
}

dnnl_alg_kind_t algorithm_of(std::string_view op) {
    return op == "Add" || op == "Sum" ? dnnl_binary_add
           : op == "Sub"              ? dnnl_binary_sub
           : op == "Mul"              ? dnnl_binary_mul
           : op == "Div"              ? dnnl_binary_div
           : op == "Max"              ? dnnl_binary_max
                                      : dnnl_binary_min;
}
// c - x and c / x, whose first operand oneDNN would have to broadcast.
std::optional<ending> function_of_number(const node_view& n) {
    const auto c = n.input_reals(0);
    if (!c || c->size() != 1 || n.input(1).dims != n.output(0).dims) return std::nullopt;
    if (n.record.op == "Sub") return ending{dnnl_eltwise_linear, -1, float((*c)[0])};
    if (n.record.op == "Div") return ending{dnnl_eltwise_pow, float((*c)[0]), -1};
    return std::nullopt;
}
void lower_binary(lowering& l, const node_view& n) {
    if (n.input_count() < 2) refuse("oneDNN has it for two inputs or more");
    if (n.version() < 7 && n.integer("broadcast", 0)) refuse("it broadcasts along an axis that its attributes name");
    const shape dims = padded(n.output(0).dims, 1);
    if (const auto e = function_of_number(n)) return l.give(n, 0, add_function(l, n, *e, l.input(n, 1)));
    const auto operand = [&](int k) { return l.reshaped(l.input(n, k), padded(n.input(k).dims, dims.rank)); };
    int y = operand(0);
    for (int k = 1; k < n.input_count(); ++k) {
        int a = y, b = operand(k);
        if (l.dims(a) != dims && n.record.op != "Sub" && n.record.op != "Div") std::swap(a, b);
        if (l.dims(a) != dims) refuse("oneDNN broadcasts its second operand only");
        y = add_binary(l, n, algorithm_of(n.record.op), a, b);
    }
    l.give(n, 0, y);
}
void lower_prelu(lowering& l, const node_view& n) {
    const shape& dims = n.input(0).dims;
    const int slopes = l.reshaped(l.input(n, 1), padded(n.input(1).dims, dims.rank));
    const int y = in_some_layout(l, l.input(n, 0), [&](int x) {
        const planned_primitive planned = plan_primitive(
            dnnl().dnnl_prelu_forward_primitive_desc_create, dnnl_forward_inference, l.layout(x).get(),
            any_layout(l.dims(slopes)).get(), any_layout(dims).get(), const_dnnl_primitive_attr_t(attributes().get()));
        const int w = l.as(slopes, planned.argument(DNNL_ARG_WEIGHTS)),
                  out = l.result(n, 0, planned.argument(DNNL_ARG_DST));
        l.add(planned, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, out}});
        return out;
    });
    l.give(n, 0, y);
}
}  // namespace

int add_ending(lowering& l, const node_view& n, const ending& e, int slot) {
    return e.operand < 0 ? add_function(l, n, e, slot) : add_binary(l, n, e.algorithm, slot, e.operand);
}
ending addend(lowering& l, int slot, int rank) {
    return {dnnl_binary_add, 0, 0, l.reshaped(slot, padded(l.dims(slot), rank))};
}
endings activation_of(const node_view& n) {
    plain_activation a;
    if (!plain_activation::read(n, a)) refuse("its activation is unknown");
    switch (a.kind) {
        case plain_activation::none: return {};
        case plain_activation::clip: return {{dnnl_eltwise_clip, float(a.a), float(a.b)}};
        case plain_activation::sigmoid: return {{dnnl_eltwise_logistic}};
        case plain_activation::hard_sigmoid: return {{dnnl_eltwise_hardsigmoid, float(a.a), float(a.b)}};
        case plain_activation::hard_swish: return {{dnnl_eltwise_hardswish, 1.f / 6, .5f}};
        case plain_activation::silu: return {{dnnl_eltwise_swish, 1}};
        case plain_activation::gelu: return {{dnnl_eltwise_gelu_erf}};
        case plain_activation::gelu_tanh: return {{dnnl_eltwise_gelu_tanh}};
    }
    return {};
}
std::span<const rule> element_wise_rules() {
    static const std::vector<rule> rules = [] {
        std::vector<rule> all{
            {"Clip", lower_clip, 1}, {"Gelu", lower_gelu}, {"Pow", lower_power, 1}, {"PRelu", lower_prelu}};
        for (const std::string_view op : {"Add", "Div", "Max", "Min", "Mul", "Sub", "Sum"})
            all.push_back({op, lower_binary});
        for (const function_rule& f : functions) all.push_back({f.op, lower_function});
        return all;
    }();
    return rules;
}
}  // namespace onednn_rules
}  // namespace v1
}  // namespace inlay

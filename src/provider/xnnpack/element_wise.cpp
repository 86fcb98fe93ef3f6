// Activations, and operators element by element.
#include "rules.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace xnnpack_rules {
namespace {
std::string no_refusal(const node_view&) { return {}; }

using unary_function = xnn_status (*)(xnn_subgraph_t, std::uint32_t from, std::uint32_t to, float a);
struct unary_rule {
    std::string_view op;
    unary_function define;
    float a = 0;  // default of the attribute
    std::string_view attribute{};
};
const unary_rule unary_rules[] = {
    {"Abs", [](auto g, auto x, auto y, float) { return xnn().xnn_define_abs(g, x, y, 0); }},
    {"Ceil", [](auto g, auto x, auto y, float) { return xnn().xnn_define_ceiling(g, x, y, 0); }},
    {"Elu", [](auto g, auto x, auto y, float a) { return xnn().xnn_define_elu(g, a, x, y, 0); }, 1, "alpha"},
    {"Floor", [](auto g, auto x, auto y, float) { return xnn().xnn_define_floor(g, x, y, 0); }},
    {"GlobalAveragePool",
     [](auto g, auto x, auto y, float) {
         return xnn().xnn_define_global_average_pooling_2d(g, -endless, endless, x, y, xnnpack_keeps_dims);
     }},
    {"HardSwish", [](auto g, auto x, auto y, float) { return xnn().xnn_define_hardswish(g, x, y, 0); }},
    {"LeakyRelu", [](auto g, auto x, auto y, float a) { return xnn().xnn_define_leaky_relu(g, a, x, y, 0); }, .01f,
     "alpha"},
    {"Neg", [](auto g, auto x, auto y, float) { return xnn().xnn_define_negate(g, x, y, 0); }},
    {"Relu", [](auto g, auto x, auto y, float) { return xnn().xnn_define_clamp(g, 0, endless, x, y, 0); }},
    {"Round", [](auto g, auto x, auto y, float) { return xnn().xnn_define_bankers_rounding(g, x, y, 0); }},
    {"Sigmoid", [](auto g, auto x, auto y, float) { return xnn().xnn_define_sigmoid(g, x, y, 0); }},
    {"Softmax", [](auto g, auto x, auto y, float) { return xnn().xnn_define_softmax(g, x, y, 0); }},
    {"Sqrt", [](auto g, auto x, auto y, float) { return xnn().xnn_define_square_root(g, x, y, 0); }},
};
const unary_rule* unary_of(std::string_view op) {
    const auto at = std::ranges::find(unary_rules, op, &unary_rule::op);
    return at == std::end(unary_rules) ? nullptr : at;
}
std::string refuse_unary(const node_view& n) {
    const shape& x = n.input(0).dims;
    if (n.record.op == "GlobalAveragePool") return needs_image(n);
    if (n.record.op == "Elu" && n.real("alpha", 1) <= 0) return "XNNPACK's Elu needs a positive alpha";
    if (n.record.op != "Softmax") return {};
    std::int64_t axis = n.integer("axis", n.version() < 13 ? 1 : -1);
    if (axis < 0) axis += x.rank;
    const bool last = is_image(x) ? axis == 1 : axis == x.rank - 1;
    const bool whole = n.version() < 13 && x.elements(int(axis) + 1) != 1;  // over all that follows the axis
    return last && !whole ? "" : "XNNPACK's Softmax is along the channels, not along axis " + std::to_string(axis);
}
void lower_unary(lowering& l, const node_view& n) {
    const unary_rule& rule = *unary_of(n.record.op);
    const float a = rule.attribute.empty() ? rule.a : float(n.real(rule.attribute, rule.a));
    const int in = l.input(n, 0), out = l.output(n);
    l.add([=, define = rule.define](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        return define(g, ids[std::size_t(in)], ids[std::size_t(out)], a);
    });
}

// Of Clip; nothing where a limit is not known.
std::optional<std::pair<float, float>> limits_of(const node_view& n) {
    std::pair<float, float> limits{-endless, endless};
    if (n.version() < 11) return std::pair{float(n.real("min", -endless)), float(n.real("max", endless))};
    for (int k : {1, 2}) {
        if (!n.has_input(k)) continue;
        const auto known = n.input_reals(k);
        if (!known || known->size() != 1) return std::nullopt;
        (k == 1 ? limits.first : limits.second) = float((*known)[0]);
    }
    return limits;
}
std::string refuse_clip(const node_view& n) {
    const auto limits = limits_of(n);
    if (!limits) return "XNNPACK's limits are constants";
    return limits->first < limits->second ? "" : "XNNPACK needs the lower limit to be below the upper one";
}
void lower_clip(lowering& l, const node_view& n) {
    const auto limits = *limits_of(n);
    const int in = l.input(n, 0), out = l.output(n);
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        return xnn().xnn_define_clamp(g, limits.first, limits.second, ids[std::size_t(in)], ids[std::size_t(out)], 0);
    });
}
void lower_hard_sigmoid(lowering& l, const node_view& n) {  // max(0, min(1, alpha x + beta))
    const int in = l.input(n, 0), out = l.output(n), scaled = l.inner(dims_of(n.input(0).dims)),
              alpha = l.constant({1}, {float(n.real("alpha", .2))}),
              beta = l.constant({1}, {float(n.real("beta", .5))});
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        const auto id = [&](int k) { return ids[std::size_t(k)]; };
        const xnn_status s = xnn().xnn_define_multiply2(g, -endless, endless, id(in), id(alpha), id(scaled), 0);
        return s == xnn_status_success ? xnn().xnn_define_add2(g, 0, 1, id(scaled), id(beta), id(out), 0) : s;
    });
}

std::string refuse_binary(const node_view& n) {
    const shape& y = n.output(0).dims;
    if (n.is_constant(0) && n.is_constant(1)) return "both inputs are constants";
    for (int k : {0, 1}) {
        const shape& x = n.input(k).dims;
        if (n.is_constant(k) || is_image(x) == is_image(y) || x.elements() == 1) continue;
        return "input " + std::to_string(k) + " is " + shape_text(n, k) + ", beside images of 4 dimensions";
    }
    return {};
}
void lower_binary(lowering& l, const node_view& n) {
    const std::string_view op = n.record.op;
    const int rank = n.output(0).dims.rank, a = l.operand(n, 0, rank), b = l.operand(n, 1, rank), y = l.output(n);
    const auto limited = op == "Add"   ? xnn().xnn_define_add2
                         : op == "Sub" ? xnn().xnn_define_subtract
                         : op == "Mul" ? xnn().xnn_define_multiply2
                         : op == "Div" ? xnn().xnn_define_divide
                                       : nullptr;
    const auto free = op == "Max" ? xnn().xnn_define_maximum2 : xnn().xnn_define_minimum2;
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        const auto id = [&](int k) { return ids[std::size_t(k)]; };
        return limited ? limited(g, -endless, endless, id(a), id(b), id(y), 0) : free(g, id(a), id(b), id(y), 0);
    });
}

std::string refuse_prelu(const node_view& n) {
    if (std::string why = needs_constant(n, 1); !why.empty()) return why;
    const shape &x = n.input(0).dims, &s = n.input(1).dims;
    const std::int64_t channels = is_image(x) ? x[1] : x.rank > 0 ? x[x.rank - 1] : 0;
    const int behind = is_image(x) ? 2 : 0;  // dimensions behind the channels
    bool fits = s.elements() == channels && s.rank > behind && s[s.rank - 1 - behind] == channels;
    return fits ? "" : "XNNPACK's slopes are one for each channel, not " + shape_text(n, 1);
}
void lower_prelu(lowering& l, const node_view& n) {
    const auto count = std::size_t(n.input(1).dims.elements());
    const float* s = l.elements(n, 1);
    const int in = l.input(n, 0), slopes = l.constant({count}, {s, s + count}), out = l.output(n);
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        return xnn().xnn_define_prelu(g, ids[std::size_t(in)], ids[std::size_t(slopes)], ids[std::size_t(out)], 0);
    });
}
}  // namespace

std::span<const rule> element_wise_rules() {
    static const std::vector<rule> rules = [] {
        std::vector<rule> all{
            {"Add", refuse_binary, lower_binary, operands::pair}, {"Clip", refuse_clip, lower_clip, operands::first},
            {"Div", refuse_binary, lower_binary, operands::pair}, {"HardSigmoid", no_refusal, lower_hard_sigmoid},
            {"Max", refuse_binary, lower_binary, operands::pair}, {"Min", refuse_binary, lower_binary, operands::pair},
            {"Mul", refuse_binary, lower_binary, operands::pair}, {"PRelu", refuse_prelu, lower_prelu},
            {"Sub", refuse_binary, lower_binary, operands::pair},
        };
        for (const unary_rule& one : unary_rules) all.push_back({one.op, refuse_unary, lower_unary});
        return all;
    }();
    return rules;
}
}  // namespace xnnpack_rules
}  // namespace v1
}  // namespace inlay

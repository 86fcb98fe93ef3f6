// Functions of each element, and of the elements of two and three operands.
#include "program.hpp"
#include <map>

namespace inlay {
inline namespace v1 {
namespace mil {
namespace {
constexpr double most_half = 65504;

struct plain_function {
    std::string_view op, operation;
    bool integers = false;
};
constexpr plain_function functions[] = {
    {"Abs", "abs", true}, {"Acos", "acos"}, {"Asin", "asin"},         {"Atan", "atan"},         {"Atanh", "atanh"},
    {"Ceil", "ceil"},     {"Cos", "cos"},   {"Cosh", "cosh"},         {"Erf", "erf"},           {"Exp", "exp"},
    {"Floor", "floor"},   {"Log", "log"},   {"Relu", "relu"},         {"Sigmoid", "sigmoid"},   {"Sign", "sign", true},
    {"Sin", "sin"},       {"Sinh", "sinh"}, {"Softplus", "softplus"}, {"Softsign", "softsign"}, {"Sqrt", "sqrt"},
    {"Tan", "tan"},       {"Tanh", "tanh"}};
void write_function(const mil_node& a) {
    const auto& f = *std::ranges::find(functions, a.n.record.op, &plain_function::op);
    if (!f.integers) require_floats(a);
    a.put_operation(f.operation);
}
void require_numbers(const mil_node& a) {
    if (a.type() == element::boolean) refuse("Core ML has no such operation on bool");
}
void write_neg(const mil_node& a) {
    require_numbers(a);
    const variable x = a.input(0);
    if (is_float(a.type())) return a.put(a.to.operation("mul", {{"x", x}, {"y", a.number(-1)}}, x.info));
    a.put(a.to.operation("mul", {{"x", x}, {"y", std::int64_t(-1)}}, x.info));
}
void write_reciprocal(const mil_node& a) {
    require_floats(a);
    const variable x = a.input(0);
    a.put(a.to.operation("real_div", {{"x", a.number(1)}, {"y", x}}, x.info));
}
void write_leaky_relu(const mil_node& a) {
    require_floats(a);
    a.put_operation("leaky_relu", {{"alpha", a.number("alpha", 0.01)}});
}
void write_elu(const mil_node& a) {
    require_floats(a);
    a.put_operation("elu", {{"alpha", a.number("alpha", 1)}});
}
void write_hard_sigmoid(const mil_node& a) {
    require_floats(a);
    a.put_operation("sigmoid_hard", {{"alpha", a.number("alpha", 0.2)}, {"beta", a.number("beta", 0.5)}});
}
void write_hard_swish(const mil_node& a) {
    require_floats(a);
    const variable x = a.input(0),
                   gate = a.to.operation("sigmoid_hard",
                                         {{"x", x}, {"alpha", a.number(1. / 6)}, {"beta", a.number(0.5)}}, x.info);
    a.put(combined(a.to, "mul", x, gate));
}
void write_mish(const mil_node& a) {
    require_floats(a);
    const variable x = a.input(0), soft = a.to.operation("softplus", {{"x", x}}, x.info);
    a.put(combined(a.to, "mul", x, a.to.operation("tanh", {{"x", soft}}, x.info)));
}
void write_gelu(const mil_node& a) {
    require_floats(a);
    const bool tanh = a.n.text("approximate", "none") == "tanh";
    a.put_operation("gelu", {{"mode", std::string_view(tanh ? "TANH_APPROXIMATION" : "EXACT")}});
}
void write_prelu(const mil_node& a) {
    require_floats(a);
    if (a.n.version() < 7) refuse("version " + std::to_string(a.n.version()) + " of it broadcasts in its own way");
    const variable x = a.input(0);
    const variable below = a.to.operation("minimum", {{"x", x}, {"y", a.number(0)}}, x.info);
    a.put(combined(a.to, "add", a.to.operation("relu", {{"x", x}}, x.info), combined(a.to, "mul", below, a.input(1))));
}
void write_clip(const mil_node& a) {
    require_floats(a);
    auto [low, high] = a.bounds_of_clip();
    if (a.type() == element::f16) {
        low = std::max(low, -float(most_half));
        high = std::min(high, float(most_half));
    }
    a.put_operation("clip", {{"alpha", a.number(low)}, {"beta", a.number(high)}});
}
void write_cast(const mil_node& a) {
    const tensor_info to = a.output_info();
    const variable x = a.input(0);
    if (x.info.type == to.type) return a.put(x);
    const std::string_view name = to.type == element::f32   ? "fp32"
                                  : to.type == element::f16 ? "fp16"
                                  : to.type == element::i32 ? "int32"
                                                            : "bool";
    a.put(a.to.operation("cast", {{"x", x}, {"dtype", name}}, with_dims(to, x.info.dims)));
}

// Operands from the left; each may have a shape of its own that broadcasts.
struct fold {
    std::string_view op, operation;
    bool integers = true;
};
constexpr fold folds[] = {{"Add", "add"},     {"Sub", "sub"},     {"Mul", "mul"},        {"Div", "real_div", false},
                          {"Max", "maximum"}, {"Min", "minimum"}, {"Pow", "pow", false}, {"Sum", "add"}};
void write_fold(const mil_node& a) {
    const auto& f = *std::ranges::find(folds, a.n.record.op, &fold::op);
    if (a.n.version() < 7 && a.n.has("broadcast"))
        refuse("version " + std::to_string(a.n.version()) + " of it broadcasts in its own way");
    require_numbers(a);
    if (!f.integers) require_floats(a);
    variable all = a.input(0);
    for (int k = 1; k < a.n.input_count(); ++k) {
        if (a.n.input(k).type != a.type()) refuse("its operands are of different types");
        all = combined(a.to, f.operation, all, a.input(k));
    }
    a.put(all);
}
constexpr std::pair<std::string_view, std::string_view> comparisons[] = {{"Equal", "equal"},
                                                                         {"Greater", "greater"},
                                                                         {"GreaterOrEqual", "greater_equal"},
                                                                         {"Less", "less"},
                                                                         {"LessOrEqual", "less_equal"}};
constexpr std::pair<std::string_view, std::string_view> connectives[] = {
    {"And", "logical_and"}, {"Or", "logical_or"}, {"Xor", "logical_xor"}};
template <auto& List> void write_pair(const mil_node& a) {
    if (a.n.version() < 7) refuse("version " + std::to_string(a.n.version()) + " of it broadcasts in its own way");
    if (std::begin(List) == std::begin(comparisons)) require_numbers(a);
    const auto& [op, operation] =
        *std::ranges::find(List, a.n.record.op, &std::pair<std::string_view, std::string_view>::first);
    const variable x = a.input(0), y = a.input(1);
    shape dims;
    if (!broadcast(x.info.dims, y.info.dims, dims)) refuse("its operands do not broadcast");
    a.put(a.to.operation(operation, {{"x", x}, {"y", y}}, info_of(dims, element::boolean)));
}
void write_not(const mil_node& a) { a.put_operation("logical_not"); }
// Core ML's select has one shape for all three.
void write_where(const mil_node& a) {
    const tensor_info y = a.output_info();
    const auto whole = [&](int k) { return a.to.broadcast_to(a.input(k), y.dims); };
    a.put(a.to.operation("select", {{"cond", whole(0)}, {"a", whole(1)}, {"b", whole(2)}}, y));
}
}  // namespace

std::span<const mil_rule> element_wise_rules() {
    static const std::vector<mil_rule> all = [] {
        std::vector<mil_rule> rules{{"Neg", write_neg},
                                    {"Reciprocal", write_reciprocal},
                                    {"LeakyRelu", write_leaky_relu},
                                    {"Elu", write_elu},
                                    {"HardSigmoid", write_hard_sigmoid},
                                    {"HardSwish", write_hard_swish},
                                    {"Mish", write_mish},
                                    {"Gelu", write_gelu},
                                    {"PRelu", write_prelu},
                                    {"Clip", write_clip},
                                    {"Cast", write_cast},
                                    {"Not", write_not},
                                    {"Where", write_where}};
        for (const plain_function& f : functions) rules.push_back({f.op, write_function});
        for (const fold& f : folds) rules.push_back({f.op, write_fold});
        for (const auto& pair : comparisons) rules.push_back({pair.first, write_pair<comparisons>});
        for (const auto& pair : connectives) rules.push_back({pair.first, write_pair<connectives>});
        return rules;
    }();
    return all;
}
}  // namespace mil
}  // namespace v1
}  // namespace inlay

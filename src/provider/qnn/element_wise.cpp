// Functions and operators element by element.
#include "lowering.hpp"
#include <algorithm>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace {
using order = qnn_lowering::order;

constexpr qnn_operation functions[] = {
    {"Abs", "ElementWiseAbs"},         {"Atan", "ElementWiseAtan"},
    {"Ceil", "ElementWiseCeil"},       {"Cos", "ElementWiseCos"},
    {"Exp", "ElementWiseExp"},         {"Floor", "ElementWiseFloor"},
    {"HardSwish", "HardSwish"},        {"Log", "ElementWiseLog"},
    {"Neg", "ElementWiseNeg"},         {"Relu", "Relu"},
    {"Round", "ElementWiseRound"},     {"Sigmoid", "Sigmoid"},
    {"Sign", "ElementWiseSign"},       {"Sin", "ElementWiseSin"},
    {"Sqrt", "ElementWiseSquareRoot"}, {"Tanh", "Tanh"},
};
constexpr qnn_operation operators[] = {
    {"Add", "ElementWiseAdd"},      {"Div", "ElementWiseDivide"},   {"Max", "ElementWiseMaximum"},
    {"Min", "ElementWiseMinimum"},  {"Mul", "ElementWiseMultiply"}, {"Pow", "ElementWisePower"},
    {"Sub", "ElementWiseSubtract"},
};
// Of integers too; a division by a zero would end the process of the simulator.
constexpr std::string_view of_integers[] = {"Abs", "Add", "Max", "Min", "Mul", "Sub"};
// Made for processors that have them for floats of 16 bits; a graph with one of them for another cannot be finished,
// which QNN does not tell before.
constexpr std::string_view functions_of_half_floats[] = {"Atan", "Elu", "Gelu", "Round"};
// One operation from input 0 to the result, in the order that is there.
void add_function(qnn_lowering& l, const node_view& n, std::string_view type, qnn_lowering::parameters list = {}) {
    if (std::ranges::find(functions_of_half_floats, n.record.op) != std::end(functions_of_half_floats) && !l.on_codes())
        l.require_half_floats();
    const order o = l.order_of(n);
    const int x = l.input(n, 0, o);
    l.add(type, {x}, {l.output(n, 0, o)}, std::move(list));
}
void lower_function(qnn_lowering& l, const node_view& n) { add_function(l, n, qnn_type_of(functions, n.record.op)); }
// Functions of one input that are several operations: each gives a tensor of its shape.
class chain {
    qnn_lowering& l_;
    const node_view& n_;
    order o_;

  public:
    const int x;
    chain(qnn_lowering& l, const node_view& n) : l_(l), n_(n), o_(l.order_of(n)), x(l.input(n, 0, o_)) {}
    int number(double value) { return l_.number(float(value), x); }
    int add(std::string_view type, std::vector<int> from, qnn_lowering::parameters list = {}) {
        const int y = l_.inner(l_.dims(x), x);
        l_.add(type, std::move(from), {y}, std::move(list));
        return y;
    }
    int sum(int a, int b) { return add("ElementWiseAdd", {a, b}); }
    int product(int a, int b) { return add("ElementWiseMultiply", {a, b}); }
    void give(std::string_view type, std::vector<int> from, qnn_lowering::parameters list = {}) {
        l_.add(type, std::move(from), {l_.output(n_, 0, o_)}, std::move(list));
    }
};
// Of the error function, or of the tangent that is near it: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
void lower_gelu(qnn_lowering& l, const node_view& n) {
    if (n.text("approximate", "none") == "none") return add_function(l, n, "Gelu");
    if (l.on_codes()) refuse("QNN's Gelu of codes is that of the error function");
    constexpr double root = 0.7978845608028654, third = 0.044715;
    chain c(l, n);
    const int cube = c.product(c.product(c.product(c.x, c.x), c.x), c.number(third));
    const int tangent = c.add("Tanh", {c.product(c.sum(c.x, cube), c.number(root))});
    c.give("ElementWiseMultiply", {c.product(c.sum(tangent, c.number(1)), c.number(.5)), c.x});
}
// x sigmoid(alpha x).
void lower_swish(qnn_lowering& l, const node_view& n) {
    chain c(l, n);
    c.give("ElementWiseMultiply", {c.x, c.add("Sigmoid", {c.product(c.x, c.number(n.real("alpha", 1)))})});
}
void lower_reciprocal(qnn_lowering& l, const node_view& n) {
    chain c(l, n);
    c.give("ElementWiseDivide", {c.number(1), c.x});
}
void lower_clip(qnn_lowering& l, const node_view& n) {
    constexpr float most = std::numeric_limits<float>::max();
    std::array<float, 2> limits{-most, most};
    for (const int k : {0, 1})
        if (n.version() < 11)
            limits[std::size_t(k)] = float(n.real(k ? "max" : "min", limits[std::size_t(k)]));
        else if (n.has_input(k + 1)) {
            const auto known = n.input_reals(k + 1);
            if (!known || known->size() != 1) refuse("QNN's limits are constants");
            limits[std::size_t(k)] = float((*known)[0]);
        }
    if (!(limits[0] <= limits[1])) refuse("its lower limit is above the upper one");
    add_function(l, n, "ReluMinMax", {l.real("min_value", limits[0]), l.real("max_value", limits[1])});
}
void lower_elu(qnn_lowering& l, const node_view& n) {
    add_function(l, n, "Elu", {l.real("alpha", n.real("alpha", 1))});
}
// QNN's own is for floats of 16 bits.
void lower_hard_sigmoid(qnn_lowering& l, const node_view& n) {
    chain c(l, n);
    const int line = c.sum(c.product(c.x, c.number(n.real("alpha", .2))), c.number(n.real("beta", .5)));
    c.give("ReluMinMax", {line}, {l.real("min_value", 0), l.real("max_value", 1)});
}
void lower_leaky_relu(qnn_lowering& l, const node_view& n) {
    const order o = l.order_of(n);
    const int x = l.input(n, 0, o);
    const float slope[] = {float(n.real("alpha", .01))};
    l.add("Prelu", {x, l.constant({1}, slope)}, {l.output(n, 0, o)});
}
void lower_binary(qnn_lowering& l, const node_view& n) {
    if (n.input_count() != 2) refuse("QNN has it for two inputs");
    if (n.version() < 7 && n.integer("broadcast", 0)) refuse("it broadcasts along an axis that its attributes name");
    if (n.is_constant(0) && n.is_constant(1)) refuse("both inputs are constants");
    const int rank = n.output(0).dims.rank;
    const order o = rank == 4 ? l.order_of(n) : order::plain;
    const int a = l.operand(n, 0, rank, o), b = l.operand(n, 1, rank, o);
    const bool of_integers = n.output(0).type == element::i32;
    if (n.record.op == "Sub" && !n.is_constant(1) && !l.on_codes() && !of_integers)
        return l.give_difference(a, b, l.output(n, 0, o));
    l.add(qnn_type_of(operators, n.record.op), {a, b}, {l.output(n, 0, o)});
}
// The inputs are added one after another, constants behind the others.
void lower_sum(qnn_lowering& l, const node_view& n) {
    const shape& whole = n.output(0).dims;
    const order o = whole.rank == 4 ? l.order_of(n) : order::plain;
    std::vector<int> addends;
    for (const bool constants : {false, true}) {
        for (int k = 0; k < n.input_count(); ++k)
            if (n.is_constant(k) == constants) addends.push_back(l.operand(n, k, whole.rank, o));
        if (addends.empty()) refuse("all inputs are constants");
    }
    const bool mean = n.record.op == "Mean";
    const int y = l.output(n, 0, o);
    int sum = addends[0];
    for (std::size_t k = 1; k < addends.size(); ++k) {
        shape dims = l.dims(sum);
        for (int i = 0; i < dims.rank; ++i) dims[i] = std::max(dims[i], l.dims(addends[k])[i]);
        const int next = mean || k + 1 < addends.size() ? l.inner(dims, y) : y;
        l.add("ElementWiseAdd", {sum, addends[k]}, {next});
        sum = next;
    }
    const float part[] = {1 / float(addends.size())};
    if (mean)
        l.add("ElementWiseMultiply", {sum, l.constant({1}, part)}, {y});
    else if (addends.size() == 1)
        l.add("Reshape", {sum}, {y});
}
void lower_prelu(qnn_lowering& l, const node_view& n) {
    const int rank = n.output(0).dims.rank;
    const order o = rank == 4 ? l.order_of(n) : order::plain;
    const int x = l.input(n, 0, o), slopes = l.operand(n, 1, rank, o);
    l.add("Prelu", {x, slopes}, {l.output(n, 0, o)});
}
}  // namespace

std::span<const qnn_rule> qnn_element_wise_rules() {
    static const std::vector<qnn_rule> rules = [] {
        std::vector<qnn_rule> all{{"Clip", lower_clip},
                                  {"Elu", lower_elu},
                                  {"Gelu", lower_gelu},
                                  {"HardSigmoid", lower_hard_sigmoid},
                                  {"LeakyRelu", lower_leaky_relu},
                                  {"Mean", lower_sum},
                                  {"PRelu", lower_prelu},
                                  {"Reciprocal", lower_reciprocal},
                                  {"Sum", lower_sum},
                                  {"Swish", lower_swish}};
        const auto types_of = [](std::string_view op) {
            return std::ranges::find(of_integers, op) != std::end(of_integers) ? qnn_integers : element_set{};
        };
        for (const qnn_operation& f : functions) all.push_back({f.op, lower_function, types_of(f.op)});
        for (const qnn_operation& f : operators) all.push_back({f.op, lower_binary, types_of(f.op)});
        return all;
    }();
    return rules;
}
}  // namespace v1
}  // namespace inlay

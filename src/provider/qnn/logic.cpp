// Comparisons, what is true, what is chosen by it, and other types.
#include "lowering.hpp"

namespace inlay {
inline namespace v1 {
namespace {
using order = qnn_lowering::order;

constexpr qnn_operation functions[] = {
    {"And", "ElementWiseAnd"},         {"Equal", "ElementWiseEqual"},
    {"Greater", "ElementWiseGreater"}, {"GreaterOrEqual", "ElementWiseGreaterEqual"},
    {"Less", "ElementWiseLess"},       {"LessOrEqual", "ElementWiseLessEqual"},
    {"Or", "ElementWiseOr"},           {"Xor", "ElementWiseXor"},
};
void lower_pair(qnn_lowering& l, const node_view& n) {
    if (n.version() < 7 && n.integer("broadcast", 0)) refuse("it broadcasts along an axis that its attributes name");
    if (n.is_constant(0) && n.is_constant(1)) refuse("both inputs are constants");
    const int rank = n.output(0).dims.rank;
    const order o = rank == 4 ? l.order_of(n) : order::plain;
    const int a = l.operand(n, 0, rank, o), b = l.operand(n, 1, rank, o);
    l.add(qnn_type_of(functions, n.record.op), {a, b}, {l.output(n, 0, o)});
}
void lower_not(qnn_lowering& l, const node_view& n) {
    const order o = l.order_of(n);
    const int x = l.input(n, 0, o);
    l.add("ElementWiseNot", {x}, {l.output(n, 0, o)});
}
void lower_where(qnn_lowering& l, const node_view& n) {
    if (n.output(0).type != element::i32) l.require_half_floats();
    const int rank = n.output(0).dims.rank;
    const order o = rank == 4 ? l.order_of(n) : order::plain;
    const int condition = l.operand(n, 0, rank, o), x = l.operand(n, 1, rank, o), y = l.operand(n, 2, rank, o);
    l.add("ElementWiseSelect", {condition, x, y}, {l.output(n, 0, o)});
}
// Without what is behind the point: QNN makes one of several casts in a row, which does not cut it off.
int truncated(qnn_lowering& l, int x) {
    const auto made = [&](std::string_view type, std::vector<int> from) {
        const int y = l.inner(l.dims(x), x);
        l.add(type, std::move(from), {y});
        return y;
    };
    const int whole = made("ElementWiseFloor", {made("ElementWiseAbs", {x})});
    return made("ElementWiseMultiply", {whole, made("ElementWiseSign", {x})});
}
// QNN computes with integers of 32 bits. Those of 64 are read where their low half is what ONNX wants, and written from
// such as fit.
void lower_cast(qnn_lowering& l, const node_view& n) {
    const element from = n.input(0).type, to = n.output(0).type;
    if (is_byte(from) || is_byte(to)) refuse("its integers of 8 bits are no codes");
    if (from == element::i64 && to != element::i32 && to != element::i64)
        refuse("QNN reads the low half of integers of 64 bits");
    const bool from_float = from == element::f32 || from == element::f16;
    if (to == element::i64 && from_float) refuse("QNN has no integers that are longer than 32 bits");
    const order o = to == element::i64 ? order::plain : l.order_of(n);  // those of 64 bits are not turned
    const int x = l.input(n, 0, o), y = l.output(n, 0, o);
    if (from == to) return l.add("Reshape", {x}, {y});
    if (to == element::boolean) {
        const std::int64_t none[] = {0};
        const int zero = from_float ? l.number(0, x) : l.signed_list("zero", none).tensor;
        return l.add("ElementWiseNotEqual", {x, zero}, {y});
    }
    int middle = x;
    if (from == element::boolean && to == element::i64) {
        middle = l.inner(l.dims(y), element::i32);
        l.add("Cast", {x}, {middle});
    }
    if (from_float && to == element::i32) middle = truncated(l, x);
    l.add("Cast", {middle}, {y});
}
}  // namespace

std::span<const qnn_rule> qnn_logic_rules() {
    static const std::vector<qnn_rule> rules = [] {
        std::vector<qnn_rule> all{{"Cast", lower_cast, element_set::of({element::i32, element::i64, element::boolean})},
                                  {"Not", lower_not, qnn_integers_and_truth},
                                  {"Where", lower_where, qnn_integers_and_truth}};
        for (const qnn_operation& f : functions) all.push_back({f.op, lower_pair, qnn_integers_and_truth});
        return all;
    }();
    return rules;
}
}  // namespace v1
}  // namespace inlay

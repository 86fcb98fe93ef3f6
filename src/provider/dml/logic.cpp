// Comparisons, truth values, and what is chosen by them. A truth value is a byte, 0 or 1.
#include "graph.hpp"

namespace inlay {
inline namespace v1 {
namespace dml_rules {
namespace {
void require_broadcast_of_today(const node_writer& a) {
    if (a.n.version() < 7) refuse("version " + std::to_string(a.n.version()) + " of it broadcasts in its own way");
}
template <DML_OPERATOR_TYPE Type> void write_comparison(const node_writer& a) {
    require_broadcast_of_today(a);
    const stream x = a.input(0), w = a.input(1);
    if (x.info.type != w.info.type) refuse("its operands are of different types");
    const tensor_info y = a.output_info();
    operator_maker m(a.to);
    const dml_tensor left = m.in_as(x, y.dims), right = m.in_as(w, y.dims);
    const dml_binary d{left, right, m.out(y)};
    a.put(m.made(Type, &d));
}
template <DML_OPERATOR_TYPE Type> void write_test(const node_writer& a) {
    const stream x = a.input(0);
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const dml_activation d{in, m.out({x.info.dims, element::boolean})};
    a.put(m.made(Type, &d));
}
void write_is_infinite(const node_writer& a) {
    const bool above = a.n.integer("detect_positive", 1) != 0, below = a.n.integer("detect_negative", 1) != 0;
    if (!above && !below) refuse("it detects nothing");
    const stream x = a.input(0);
    operator_maker m(a.to);
    const dml_tensor in = m.in(x);
    const dml_is_infinity d{in, m.out({x.info.dims, element::boolean}), above && below ? 0 : above ? 1 : 2};
    a.put(m.made(DML_OPERATOR_ELEMENT_WISE_IS_INFINITY, &d));
}
void write_where(const node_writer& a) {
    const tensor_info y = a.output_info();
    const stream condition = a.input(0), x = a.input(1), w = a.input(2);
    if (x.info.type != w.info.type) refuse("its operands are of different types");
    operator_maker m(a.to);
    const dml_tensor which = m.in_as(condition, y.dims), left = m.in_as(x, y.dims), right = m.in_as(w, y.dims);
    const dml_if d{which, left, right, m.out(y)};
    a.put(m.made(DML_OPERATOR_ELEMENT_WISE_IF, &d));
}
}  // namespace

std::span<const named_writer> logic_writers() {
    static constexpr named_writer all[] = {
        {"And", write_comparison<DML_OPERATOR_ELEMENT_WISE_LOGICAL_AND>},
        {"Equal", write_comparison<DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS>},
        {"Greater", write_comparison<DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN>},
        {"GreaterOrEqual", write_comparison<DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL>},
        {"IsInf", write_is_infinite},
        {"IsNaN", write_test<DML_OPERATOR_ELEMENT_WISE_IS_NAN>},
        {"Less", write_comparison<DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN>},
        {"LessOrEqual", write_comparison<DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL>},
        {"Not", write_test<DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT>},
        {"Or", write_comparison<DML_OPERATOR_ELEMENT_WISE_LOGICAL_OR>},
        {"Where", write_where},
        {"Xor", write_comparison<DML_OPERATOR_ELEMENT_WISE_LOGICAL_XOR>},
    };
    return all;
}
}  // namespace dml_rules
}  // namespace v1
}  // namespace inlay

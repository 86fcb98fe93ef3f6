// Functions of one operand, and of the elements of two and more, as primitives.
#include "canonical.hpp"

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
template <function Does> void lower_unary(node_lowering& a) { a.add(unary_prim{Does, a.input(0), a.result()}); }
void lower_elu(node_lowering& a) { a.add(unary_prim{function::elu, a.input(0), a.result(), a.real("alpha", 1)}); }
void lower_leaky_relu(node_lowering& a) {
    a.add(unary_prim{function::leaky_relu, a.input(0), a.result(), a.real("alpha", 0.01)});
}
void lower_hard_sigmoid(node_lowering& a) {
    a.add(unary_prim{function::hard_sigmoid, a.input(0), a.result(), a.real("alpha", 0.2), a.real("beta", 0.5)});
}
// A bound of Clip: an attribute before version 11, else an input; `otherwise` where there is none.
float bound(const node_lowering& a, int k, std::string_view name, float otherwise) {
    if (a.n.version() < 11) return a.real(name, otherwise);
    if (!a.n.has_input(k)) return otherwise;
    const auto value = a.n.input_reals(k);
    if (!value || value->size() != 1) refuse(std::string(name) + " is not a constant");
    return float((*value)[0]);
}
void lower_clip(node_lowering& a) {
    const float low = bound(a, 1, "min", -no_bound), high = bound(a, 2, "max", no_bound);
    if (!(low <= high)) refuse("its bounds are " + std::to_string(low) + " and " + std::to_string(high));
    a.add(clamp_prim{a.input(0), a.result(), low, high});
}
// Operands from the left; each may have a shape of its own that broadcasts.
template <arithmetic Does> void lower_fold(node_lowering& a) {
    if (a.n.version() < 7) refuse("version " + std::to_string(a.n.version()) + " of it broadcasts in its own way");
    const operand y = a.result();
    operand all = a.input(0);
    const int count = a.n.input_count();
    if (count == 1) return a.add(reshape_prim{all, y});
    for (int k = 1; k < count; ++k) {
        const operand next = a.input(k);
        shape dims;
        if (!broadcast(all.dims, next.dims, dims)) refuse("its operands do not broadcast");
        const operand to = k == count - 1 ? y : a.between(dims, y);
        a.add(binary_prim{Does, all, next, to});
        all = to;
    }
}
}  // namespace

std::span<const source> element_wise_sources() {
    using enum function;
    static constexpr auto one = [](std::string_view op, function f, void (*lower)(node_lowering&)) {
        return source{op, kind::unary, int(f), lower};
    };
    static constexpr auto fold = [](std::string_view op, arithmetic f, void (*lower)(node_lowering&)) {
        return source{op, kind::binary, int(f), lower};
    };
    static constexpr source all[] = {
        one("Abs", abs, lower_unary<abs>),
        one("Elu", elu, lower_elu),
        one("Exp", exp, lower_unary<exp>),
        one("Floor", floor, lower_unary<floor>),
        one("HardSigmoid", hard_sigmoid, lower_hard_sigmoid),
        one("HardSwish", hard_swish, lower_unary<hard_swish>),
        one("LeakyRelu", leaky_relu, lower_leaky_relu),
        one("Log", log, lower_unary<log>),
        one("Neg", neg, lower_unary<neg>),
        one("Reciprocal", reciprocal, lower_unary<reciprocal>),
        one("Relu", relu, lower_unary<relu>),
        one("Sigmoid", sigmoid, lower_unary<sigmoid>),
        one("Sin", sin, lower_unary<sin>),
        one("Sqrt", sqrt, lower_unary<sqrt>),
        one("Tanh", tanh, lower_unary<tanh>),
        {"Clip", kind::clamp, -1, lower_clip},
        fold("Add", arithmetic::add, lower_fold<arithmetic::add>),
        fold("Div", arithmetic::div, lower_fold<arithmetic::div>),
        fold("Max", arithmetic::max, lower_fold<arithmetic::max>),
        fold("Min", arithmetic::min, lower_fold<arithmetic::min>),
        fold("Mul", arithmetic::mul, lower_fold<arithmetic::mul>),
        fold("PRelu", arithmetic::prelu, lower_fold<arithmetic::prelu>),
        fold("Pow", arithmetic::pow, lower_fold<arithmetic::pow>),
        fold("Sub", arithmetic::sub, lower_fold<arithmetic::sub>),
        fold("Sum", arithmetic::add, lower_fold<arithmetic::add>),
    };
    return all;
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay

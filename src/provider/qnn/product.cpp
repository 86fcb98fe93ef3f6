// Products of matrices.
#include "lowering.hpp"

namespace inlay {
inline namespace v1 {
namespace {
constexpr std::array<int, 2> turned{1, 0};
constexpr std::array<int, 5> as_it_is{0, 1, 2, 3, 4};

// Rows by a constant matrix [depth, columns] or, `by_column`, [columns, depth].
void add_layer(qnn_lowering& l, const node_view& n, int rows, bool by_column, int bias) {
    const shape& b = n.input(1).dims;
    const std::int64_t columns = b[by_column ? 0 : 1];
    const int weights = l.weights(n, 1, b, by_column ? std::span(as_it_is).first(2) : std::span<const int>(turned));
    std::vector<int> inputs{rows, weights};
    if (bias >= 0) inputs.push_back(l.bias(n, bias, weights, columns));
    const int y = l.output(n);
    const shape flat{l.dims(rows)[0], columns}, whole = l.dims(y);
    if (whole == flat) return l.add("FullyConnected", std::move(inputs), {y});
    const int made = l.inner(flat, y);
    l.add("FullyConnected", std::move(inputs), {made});
    l.add("Reshape", {made}, {y});
}
void lower_matmul(qnn_lowering& l, const node_view& n) {
    const shape &a = n.input(0).dims, &b = n.input(1).dims;
    if (a.rank < 2 || b.rank < 2) refuse("QNN multiplies matrices, not rows");
    if (n.is_constant(1) && b.rank == 2 && !n.is_constant(0))
        return add_layer(l, n, l.reshaped(l.input(n, 0), {a.elements(0, a.rank - 1), b[0]}), false, -1);
    const int rank = n.output(0).dims.rank, x = l.operand(n, 0, rank, qnn_lowering::order::plain),
              y = l.operand(n, 1, rank, qnn_lowering::order::plain);
    l.add("MatMul", {x, y}, {l.output(n)});
}
void lower_gemm(qnn_lowering& l, const node_view& n) {
    if (n.real("alpha", 1) != 1 || (n.has_input(2) && n.real("beta", 1) != 1))
        refuse("QNN's products have no alpha and beta");
    if (n.integer("transA", 0)) refuse("QNN's layers read rows");
    if (!n.is_constant(1)) refuse("QNN's layers have constant weights");
    const bool by_column = n.integer("transB", 0) != 0;
    add_layer(l, n, l.input(n, 0), by_column, n.has_input(2) ? 2 : -1);
}
}  // namespace

std::span<const qnn_rule> qnn_product_rules() {
    static constexpr qnn_rule rules[] = {
        {"Gemm", lower_gemm},
        {"MatMul", lower_matmul},
    };
    return rules;
}
}  // namespace v1
}  // namespace inlay

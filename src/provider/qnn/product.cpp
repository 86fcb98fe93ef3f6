// Products of matrices.
#include "lowering.hpp"

namespace inlay {
inline namespace v1 {
namespace {
constexpr std::array<int, 2> turned{1, 0};
constexpr std::array<int, 5> as_it_is{0, 1, 2, 3, 4};

struct layer {
    bool by_column = false;     // the constant matrix is [columns, depth], else [depth, columns]
    int bias = -1;              // an input
    float alpha = 1, beta = 1;  // of the matrix, and of the bias
};
// Rows by a constant matrix.
void add_layer(qnn_lowering& l, const node_view& n, int rows, const layer& f) {
    const shape& b = n.input(1).dims;
    const std::int64_t columns = b[f.by_column ? 0 : 1];
    const int weights =
        l.weights(n, 1, b, f.by_column ? std::span(as_it_is).first(2) : std::span<const int>(turned), f.alpha);
    std::vector<int> inputs{rows, weights};
    if (f.bias >= 0) inputs.push_back(l.bias(n, f.bias, weights, columns, f.beta));
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
        return add_layer(l, n, l.reshaped(l.input(n, 0), {a.elements(0, a.rank - 1), b[0]}), {});
    const int rank = n.output(0).dims.rank, x = l.operand(n, 0, rank, qnn_lowering::order::plain),
              y = l.operand(n, 1, rank, qnn_lowering::order::plain);
    l.add("MatMul", {x, y}, {l.output(n)});
}
void lower_gemm(qnn_lowering& l, const node_view& n) {
    if (n.integer("transA", 0)) refuse("QNN's layers read rows");
    if (!n.is_constant(1)) refuse("QNN's layers have constant weights");
    layer f{n.integer("transB", 0) != 0, -1, float(n.real("alpha", 1)), float(n.real("beta", 1))};
    if (n.has_input(2) && f.beta != 0) {
        const shape& c = n.input(2).dims;
        if (c.rank > 0 && c[c.rank - 1] != c.elements()) refuse("C of " + to_string(c) + " is not one row");
        f.bias = 2;
    }
    add_layer(l, n, l.input(n, 0), f);
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

// Products of matrices.
#include "rules.hpp"

namespace inlay {
inline namespace v1 {
namespace onednn_rules {
namespace {
using arguments = std::vector<dnnl_program::argument>;

int transposed(lowering& l, int slot) {
    constexpr std::array places{1, 0};
    return l.permuted(slot, places);
}
// a b, over matrices of one rank; b: as it lies, or as oneDNN wants it where it is constant. bias: one row, or -1.
// Returns a slot with the product's dimensions.
int add_product(lowering& l, const node_view& n, int a, int b, int bias, const endings& ends) {
    a = l.from_first(a);
    b = l.from_first(b);
    shape dims = l.dims(a);
    const shape of_b = l.dims(b);
    for (int i = 0; i < dims.rank - 2; ++i) dims[i] = std::max(dims[i], of_b[i]);
    dims[dims.rank - 1] = of_b[dims.rank - 1];
    const dnnl_layout weights = l.is_constant(b) && dims.rank == 2 ? any_layout(of_b) : l.layout(b),
                      row = bias < 0 ? nullptr : l.layout(bias), result = plain_layout(dims);
    return as_it_lies_or_plain(l, a, [&](int x) {
        const auto multiply = [&](const dnnl_layout& w) {
            return add_with_endings(
                l, n, ends, dims,
                [&](const_dnnl_primitive_attr_t attr) {
                    return plan_primitive(dnnl().dnnl_matmul_primitive_desc_create, l.layout(x).get(), w.get(),
                                          row.get(), result.get(), attr);
                },
                [&](const planned_primitive& p) {
                    arguments all{{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, l.as(b, p.argument(DNNL_ARG_WEIGHTS))}};
                    if (row) all.push_back({DNNL_ARG_BIAS, bias});
                    return all;
                });
        };
        try {
            return multiply(weights);
        } catch (const onednn_refusal&) {
            return multiply(plain_layout(of_b));
        }
    });
}
shape flattened(const shape& s, int axis) { return {s.elements(0, axis), s.elements(axis)}; }

void lower_matmul(lowering& l, const node_view& n) {
    const shape &of_a = n.input(0).dims, &of_b = n.input(1).dims;
    endings ends = activation_of(n);
    if (of_b.rank <= 2) {  // rows of all matrices by one
        const int a = l.reshaped(l.input(n, 0), flattened(padded(of_a, 2), std::max(of_a.rank, 2) - 1)),
                  b = l.reshaped(l.input(n, 1), of_b.rank == 2 ? of_b : shape{of_b[0], 1});
        const std::int64_t columns = l.dims(b)[1];
        const int bias = n.has_input(2) ? l.reshaped(l.plain(l.input(n, 2)), {1, columns}) : -1;
        if (n.has_input(3)) {
            const int z = l.reshaped(l.input(n, 3), {l.dims(a)[0], columns});
            ends.insert(ends.begin(), addend(l, z, 2));
        }
        return l.give(n, 0, add_product(l, n, a, b, bias, ends));
    }
    const int rank = std::max(of_a.rank, of_b.rank);
    const int a = l.reshaped(l.input(n, 0), padded(of_a, rank)), b = l.reshaped(l.input(n, 1), padded(of_b, rank));
    const int bias = n.has_input(2) ? l.reshaped(l.plain(l.input(n, 2)), padded({of_b[of_b.rank - 1]}, rank)) : -1;
    if (n.has_input(3)) ends.insert(ends.begin(), addend(l, l.input(n, 3), rank));
    l.give(n, 0, add_product(l, n, a, b, bias, ends));
}
void lower_gemm(lowering& l, const node_view& n) {
    const float alpha = float(n.real("alpha", 1)), beta = float(n.real("beta", 1));
    int a = l.input(n, 0), b = l.input(n, 1), bias = -1;
    if (n.integer("transA", 0)) a = transposed(l, a);
    if (n.integer("transB", 0)) b = transposed(l, b);
    endings ends;
    const auto multiply = [&](float factor) {
        if (factor != 1) ends.push_back({dnnl_eltwise_linear, factor, 0});
    };
    if (n.has_input(2) && beta != 0) {  // ((alpha / beta) A B + C) beta
        const shape c = padded(n.input(2).dims, 2);
        const int addend_slot = l.reshaped(l.input(n, 2), c);
        multiply(alpha / beta);
        if (ends.empty() && c[0] == 1 && c[1] == n.output(0).dims[1])
            bias = l.plain(addend_slot);
        else
            ends.push_back(addend(l, addend_slot, 2));
        multiply(beta);
    } else
        multiply(alpha);
    for (const ending& e : activation_of(n)) ends.push_back(e);
    l.give(n, 0, add_product(l, n, a, b, bias, ends));
}
}  // namespace

std::span<const rule> product_rules() {
    static constexpr rule rules[] = {
        {"Gemm", lower_gemm},
        {"MatMul", lower_matmul},
        {"FusedGemm", lower_gemm, rule::all_inputs, "inlay"},
        {"FusedMatMul", lower_matmul, rule::all_inputs, "inlay"},
    };
    return rules;
}
}  // namespace onednn_rules
}  // namespace v1
}  // namespace inlay

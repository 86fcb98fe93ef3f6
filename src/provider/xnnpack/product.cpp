// Products with matrices of constants.
#include "rules.hpp"

namespace inlay {
inline namespace v1 {
namespace xnnpack_rules {
namespace {
std::string refuse_product(const node_view& n) {
    const int weights = weights_of(n);
    if (std::string why = needs_constant(n, weights); !why.empty()) return why;
    const shape &a = n.input(0).dims, &b = n.input(weights).dims;
    if (b.rank != 2) return "XNNPACK multiplies by a matrix, not by " + shape_text(n, weights);
    if (a.rank < 2 || is_image(a)) return "XNNPACK's fully connected layers do not take " + shape_text(n, 0) + " here";
    if (n.record.op != "Gemm") return {};
    if (n.integer("transA", 0)) return "XNNPACK does not transpose the input of a fully connected layer";
    if (!n.has_input(2)) return {};
    if (std::string why = needs_constant(n, 2); !why.empty()) return why;
    const shape& c = n.input(2).dims;
    return c.rank == 2 && c[0] != 1 ? "XNNPACK's bias has one row, not " + std::to_string(c[0]) : "";
}
void lower_product(lowering& l, const node_view& n) {
    const bool gemm = n.record.op == "Gemm", transposed = gemm && n.integer("transB", 0) != 0;
    const int weights = weights_of(n);
    const shape& b = n.input(weights).dims;
    const std::int64_t columns = b[transposed ? 0 : 1], depth = b[transposed ? 1 : 0];
    const float alpha = gemm ? float(n.real("alpha", 1)) : 1, beta = gemm ? float(n.real("beta", 1)) : 1;
    const float* w = l.elements(n, weights);
    std::vector<float> filter(std::size_t(columns * depth));
    for (std::int64_t o = 0; o < columns; ++o)
        for (std::int64_t i = 0; i < depth; ++i)
            filter[std::size_t(o * depth + i)] = alpha * w[transposed ? o * depth + i : i * columns + o];
    int bias = -1;
    if (gemm && n.has_input(2)) {
        std::vector<float> all(static_cast<std::size_t>(columns));
        const bool single = n.input(2).dims.elements() == 1;
        const float* b = l.elements(n, 2);
        for (std::int64_t o = 0; o < columns; ++o) all[std::size_t(o)] = beta * b[single ? 0 : o];
        bias = l.bias(n, std::move(all));
    }
    const int in = l.input(n, 0), out = l.output(n),
              weight = l.weights(n, {std::size_t(columns), std::size_t(depth)}, std::move(filter), 0);
    l.add([=](xnn_subgraph_t g, const std::vector<std::uint32_t>& ids) {
        return xnn().xnn_define_fully_connected(g, -endless, endless, ids[std::size_t(in)], ids[std::size_t(weight)],
                                                bias < 0 ? XNN_INVALID_VALUE_ID : ids[std::size_t(bias)],
                                                ids[std::size_t(out)], 0);
    });
}
}  // namespace

std::span<const rule> product_rules() {
    static constexpr rule rules[] = {
        {"Gemm", refuse_product, lower_product},
        {"MatMul", refuse_product, lower_product},
        {"QLinearMatMul", refuse_product, lower_product, operands::bytes},
    };
    return rules;
}
}  // namespace xnnpack_rules
}  // namespace v1
}  // namespace inlay

#include "flop.hpp"

namespace inlay {
inline namespace v1 {
double flop_of(const node_view& n, std::span<const shape> in, std::span<const shape> out) {
    const std::string_view op = n.record.op, domain = n.record.domain;
    if ((!domain.empty() && domain != "inlay") || in.size() < 2 || out.empty() || !in[0].known() || !in[1].known())
        return 0;
    const shape &x = in[0], &w = in[1], &y = out[0];
    const auto count = [](const shape& s) { return s.known() ? double(s.elements()) : 0; };
    if (op == "ConvTranspose")
        return w.rank > 0 && w[0] > 0 ? 2 * count(x) * count(w) / double(w[0])
                                      : 0;  // w: [inputs, outputs / group, kernel...]
    if (op == "Conv" || op == "FusedConv" || op == "ScaledConv")
        return w.rank > 0 && w[0] > 0 ? 2 * count(y) * count(w) / double(w[0])
                                      : 0;  // w: [outputs, inputs / group, kernel...]
    if (op == "MatMul" || op == "FusedMatMul" || op == "JoinedMatMul" || op == "MatMulInteger" ||
        op == "FusedMatMulInteger") {
        double made = 0;
        for (const shape& s : out) made += count(s);
        return x.rank > 0 ? 2 * made * double(x[x.rank - 1]) : 0;
    }
    if (op == "Gemm" || op == "FusedGemm")
        return x.rank == 2 ? 2 * count(y) * double(x[n.integer("transA", 0) != 0 ? 0 : 1]) : 0;
    if ((op == "LSTM" || op == "GRU" || op == "RNN") && in.size() > 2)
        return x.rank == 3 ? 2 * double(x[0]) * double(x[1]) * (count(w) + count(in[2]))
                           : 0;  // each weight once per step and sample
    if (op == "Attention" && domain == "inlay" && y.rank == 3 && w.rank >= 3) {
        const double keys = double(w[n.integer("k_at", 0) == -1 ? 2 : 1]), heads = double(n.integer("heads", 0));
        return 2 * double(y[0]) * double(y[1]) * keys * heads *
               double(n.integer("size", 0) + n.integer("value_size", 0));
    }
    return 0;
}
}  // namespace v1
}  // namespace inlay

// fold_constants: nodes whose inputs are all constant are computed now, by the operators' plain loops.
#include "rewrite.hpp"

namespace inlay::inline v1::passes {
// Weights are transposed, reshaped and cast here, but no constant grows to much more than its inputs.
constexpr std::int64_t always = 64 * 1024;

// Bytes of a node's results where its inputs tell, or -1: then only operators that do not grow are computed.
static std::int64_t result_bytes(const rewriter& r, const node& n) {
    std::int64_t total = 0;
    for (int k = 0; k < n.outputs.count; ++k) {
        const int v = r.output(n, k);
        if (v < 0) continue;
        const value& y = r.g.values[std::size_t(v)];
        shape dims = y.dims;
        if (!dims.known()) {
            const value* target = r.input_value(n, n.op == "Expand" ? 1 : 0);
            if ((n.op != "ConstantOfShape" && n.op != "Expand") || !target || target->kind != contents::integers || target->list.count > max_rank) return -1;
            dims = {};
            for (int i = 0; i < target->list.count; ++i) dims.push_back(r.g.integers[std::size_t(target->list.first + i)]);
            if (n.op == "Expand" && !broadcast(r.input_value(n, 0)->dims, dims, dims)) return -1;
        }
        std::int64_t bytes = std::max(bits_of(y.type), 8) / 8;
        for (std::int64_t d : dims) if (d < 0 || __builtin_mul_overflow(bytes, d, &bytes)) return std::numeric_limits<std::int64_t>::max();
        if (__builtin_add_overflow(total, bytes, &total)) return std::numeric_limits<std::int64_t>::max();
    }
    return total;
}
static bool may_grow(const node& n) {
    constexpr std::string_view ops[] = {"ConstantOfShape", "Expand", "Tile", "Range", "Pad", "Resize", "Upsample", "OneHot", "EyeLike", "GridSample", "AffineGrid", "Col2Im", "CenterCropPad", "MaxUnpool", "MaxRoiPool",
                                        "RoiAlign", "ConvTranspose", "MelWeightMatrix", "HannWindow", "HammingWindow", "BlackmanWindow", "MatMul", "Gemm", "Einsum", "STFT", "DFT", "Gather", "GatherND", "GatherElements", "Concat"};
    return std::find(std::begin(ops), std::end(ops), n.op) != std::end(ops);
}

static bool may_fold(const rewriter& r, const node& n) {
    if (!is_pure(n) || n.captures.count || n.op == "DequantizeLinear") return false;  // integer kernels look for DequantizeLinear
    for (const attribute& a : r.attributes(n)) if (a.kind == attribute_kind::graph) return false;
    std::int64_t given = 0;
    for (int v : r.list(n.inputs)) {
        const tensor* t = r.constant(v);
        if (v >= 0 && !t) return false;
        if (t) given += t->bytes();
    }
    for (int v : r.list(n.outputs)) if (v >= 0 && (r.is_output(v) || r.g.values[std::size_t(v)].type == element::object)) return false;  // outputs keep their node
    const std::int64_t bytes = result_bytes(r, n);
    return bytes < 0 ? !may_grow(n) : bytes <= std::max(always, 2 * given);
}

// Constants that a node's subgraphs read become constants of the subgraphs.
static int move_into_subgraphs(rewriter& r, node& n) {
    int moved = 0;
    for (int k = 0; k < n.captures.count;) {
        const tensor* t = r.constant(r.list(n.captures)[std::size_t(k)]);
        if (!t) { ++k; continue; }
        for (const attribute& a : r.attributes(n)) {
            if (a.kind != attribute_kind::graph) continue;
            graph_data& s = r.g.subgraphs[std::size_t(a.integer)];
            const std::size_t at = s.inputs.size() - std::size_t(n.captures.count - k);
            s.set_constant(s.inputs[at], *t);
            s.inputs.erase(s.inputs.begin() + std::ptrdiff_t(at));
        }
        const auto list = r.list(n.captures);
        std::copy(list.begin() + k + 1, list.end(), list.begin() + k);
        --n.captures.count;
        ++moved;
    }
    return moved;
}

int fold_constants(graph_data& g, const evaluator& evaluate) {
    rewriter r(g);
    int count = 0;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        node& n = g.nodes[i];
        count += move_into_subgraphs(r, n);
        if (!evaluate || !may_fold(r, n)) continue;
        std::vector<tensor> inputs;
        for (int v : r.list(n.inputs)) inputs.push_back(v < 0 ? tensor() : *r.constant(v));
        auto y = evaluate(g.view(), n, inputs);
        if (!y) continue;  // a node that fails does so when the model runs, if it runs
        bool fits = int(y->size()) >= n.outputs.count;
        for (int k = 0; fits && k < n.outputs.count; ++k) if (const int v = r.output(n, k); v >= 0) {
            const value& declared = g.values[std::size_t(v)];
            fits = bool((*y)[std::size_t(k)]) && (declared.type == element::undefined || declared.type == (*y)[std::size_t(k)].type());
        }
        if (!fits) continue;
        for (int k = 0; k < n.outputs.count; ++k) if (const int v = r.output(n, k); v >= 0) g.set_constant(v, std::move((*y)[std::size_t(k)]));
        r.drop(int(i));
        ++count;
    }
    r.apply();
    return count;
}
}  // namespace inlay::inline v1::passes

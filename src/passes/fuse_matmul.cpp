// fuse_blocked_matmul, fuse_gated_matmul, fuse_joined_matmul, fuse_matmul, fuse_matmul_integer: MatMul with the nodes
// after it, as candidates. "-1": the input may be absent. C is one number per column.
//   BlockedMatMul(A, Wq, scales, zero points or -1, C or -1) = A W + C, where W is the DequantizeLinear, and perhaps
// Transpose, of the 4-bit values Wq; with the integers `axis` and `block_size`.
//   GatedMatMulNBits(A, B, scales, zero points or -1, bias or -1, and the same of another) = activation(the first
// MatMulNBits) * the second, with their attributes: the first part of SwiGLU and GeGLU.
//   JoinedMatMul(A, B, C or -1, B, C or -1, ...) = A B + C for each B, all of them constant: Q, K and V.
//   FusedMatMul(A, B, C or -1, Z or -1) = activation(A B + C + Z), where Z has the shape of the result, with the text
// `activation` (empty: none) and the reals `activation_params`.
//   FusedMatMulInteger(A, B, zero points of A or -1, of B or -1, S, C or -1) = S MatMulInteger(A, B, zero points) + C
// in float32, where B and its zero points are constant, and S is one number or one per column: the result of dynamic
// quantisation of MatMul and Add.
#include "fuse.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
namespace {
// A MatMul of matrices as a FusedMatMul without attributes.
std::optional<candidate> product(const rewriter& r, int i) {
    const node& n = r.g.nodes[std::size_t(i)];
    const int a = r.input(n, 0), b = r.input(n, 1), y = r.output(n);
    if (!is(n, "MatMul") || !is_float(r, a) || dims_of(r, a).rank < 2 || dims_of(r, b).rank < 2 ||
        dims_of(r, y).rank < 2)
        return {};
    return candidate{{i}, {a, b, -1, -1}, y};
}
// Takes the Add that alone uses the candidate's output, where its other operand fits: that becomes input k.
template <class F> bool add_to(const rewriter& r, candidate& c, std::size_t k, F fits) {
    const int i = only_user(r, c.output);
    if (i < 0) return false;
    const node& add = r.g.nodes[std::size_t(i)];
    const int addend = is(add, "Add") && add.version >= 7 && r.output(add) >= 0 ? other_input(r, add, c.output) : -1;
    if (addend < 0 || !is_float(r, addend) || !fits(dims_of(r, addend))) return false;
    c.nodes.push_back(i);
    c.inputs[k] = addend;
    c.output = r.output(add);
    return true;
}
bool one_per_column(const shape& s, const shape& y) {
    if (s.rank < 1 || s.rank > y.rank || s[s.rank - 1] < 0 || s[s.rank - 1] != y[y.rank - 1]) return false;
    return std::all_of(s.begin(), s.end() - 1, [](std::int64_t d) { return d == 1; });
}
bool add_bias(const rewriter& r, candidate& c, std::size_t k = 2) {
    return add_to(r, c, k, [&](const shape& s) { return one_per_column(s, dims_of(r, c.output)); });
}
bool add_residual(const rewriter& r, candidate& c) {
    return add_to(r, c, 3, [&](const shape& s) { return same_dims(s, dims_of(r, c.output)); });
}
}  // namespace

int fuse_blocked_matmul(graph_data& g, const evaluator&) {
    rewriter r(g);
    std::vector<candidate> candidates;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const auto match = blocked_product_of(r, int(i));
        const auto matmul = match ? product(r, match->matmul) : std::nullopt;
        if (!matmul) continue;
        const node& decode = g.nodes[i];
        candidate c{{int(i)},
                    {matmul->inputs[0], r.input(decode, 0), r.input(decode, 1), r.input(decode, 2), -1},
                    matmul->output,
                    {g.make("axis", std::int64_t(match->axis)), g.make("block_size", match->block)}};
        if (match->transpose >= 0) c.nodes.push_back(match->transpose);
        c.nodes.push_back(match->matmul);
        candidates.push_back(c);
        if (add_bias(r, c, 4) && r.constant(c.inputs[4])) candidates.push_back(std::move(c));
    }
    add_all(r, "inlay", "BlockedMatMul", 1, candidates);
    return int(candidates.size());
}

namespace {
// A MatMulNBits by constants.
const node* product_of_codes(const rewriter& r, int i) {
    const node* const n = i < 0 ? nullptr : &r.g.nodes[std::size_t(i)];
    if (!n || n->op != "MatMulNBits" || n->domain != "com.microsoft" || r.input(*n, 4) >= 0 || r.output(*n) < 0)
        return nullptr;
    for (int k : {1, 2, 3, 5})
        if (r.input(*n, k) >= 0 && !r.constant(r.input(*n, k))) return nullptr;
    return r.input(*n, 0) >= 0 && r.input(*n, 1) >= 0 && r.input(*n, 2) >= 0 ? n : nullptr;
}
bool multiply_alike(const rewriter& r, const node& a, const node& b) {
    if (r.input(a, 0) != r.input(b, 0)) return false;
    for (const auto& [name, otherwise] : std::initializer_list<std::pair<std::string_view, std::int64_t>>{
             {"N", 0}, {"K", 0}, {"bits", 4}, {"block_size", 0}, {"accuracy_level", 0}, {"weight_prepacked", 0}})
        if (r.integer(a, name, otherwise) != r.integer(b, name, otherwise)) return false;
    return true;
}
}  // namespace

int fuse_gated_matmul(graph_data& g, const evaluator&) {
    rewriter r(g);
    std::vector<candidate> candidates;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const node* const gate = product_of_codes(r, int(i));
        const auto a = gate ? activation_of(r, r.output(*gate)) : std::nullopt;
        const int mul = a ? only_user(r, a->output) : -1;
        if (mul < 0 || !is(g.nodes[std::size_t(mul)], "Mul") || r.output(g.nodes[std::size_t(mul)]) < 0) continue;
        const int factor = other_input(r, g.nodes[std::size_t(mul)], a->output);
        const int maker = factor < 0 || only_user(r, factor) != mul ? -1 : r.maker(factor);
        const node* const up = product_of_codes(r, maker);
        if (!up || !multiply_alike(r, *gate, *up)) continue;
        candidate c{joined(joined({int(i), maker}, a->nodes), {mul}),
                    {r.input(*gate, 0)},
                    r.output(g.nodes[std::size_t(mul)]),
                    with_activation(r, r.attributes(*up), *a)};
        for (const node* n : {gate, up})
            for (int k : {1, 2, 3, 5}) c.inputs.push_back(r.input(*n, k));
        candidates.push_back(std::move(c));
    }
    add_all(r, "inlay", "GatedMatMulNBits", 1, candidates);
    return int(candidates.size());
}

int fuse_joined_matmul(graph_data& g, const evaluator&) {
    constexpr std::size_t most = 4;
    rewriter r(g);
    std::vector<candidate> products;  // with nothing after the bias that could be part of FusedMatMul
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        auto c = product(r, int(i));
        if (!c || !r.constant(c->inputs[1]) || dims_of(r, c->inputs[1]).rank != 2) continue;
        // A bias that a node computes may depend on another of the MatMuls.
        if (candidate biased = *c; add_bias(r, biased) && r.maker(biased.inputs[2]) < 0) c = std::move(biased);
        if (candidate further = *c; !activation_of(r, c->output) && !add_residual(r, further))
            products.push_back(std::move(*c));
    }
    std::stable_sort(products.begin(), products.end(),
                     [](const candidate& a, const candidate& b) { return a.inputs[0] < b.inputs[0]; });
    std::vector<candidate> candidates;
    for (std::size_t first = 0, end; first < products.size(); first = end) {
        candidate join = products[first];
        join.inputs.pop_back();
        for (end = first + 1; end < products.size() && end - first < most && products[end].inputs[0] == join.inputs[0];
             ++end) {
            const candidate& next = products[end];
            join.nodes.insert(join.nodes.end(), next.nodes.begin(), next.nodes.end());
            join.inputs.insert(join.inputs.end(), {next.inputs[1], next.inputs[2]});
            join.more_outputs.push_back(next.output);
        }
        if (end - first > 1) candidates.push_back(std::move(join));
    }
    add_all(r, "inlay", "JoinedMatMul", 1, candidates);
    return int(candidates.size());
}

int fuse_matmul(graph_data& g, const evaluator&) {
    rewriter r(g);
    std::vector<candidate> candidates;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        auto c = product(r, int(i));
        if (!c) continue;
        const auto offer = [&](bool alone) {
            if (auto a = activation_of(r, c->output))
                candidates.push_back({joined(c->nodes, a->nodes), c->inputs, a->output, with_activation(r, {}, *a)});
            if (alone) candidates.push_back({c->nodes, c->inputs, c->output, with_activation(r, {}, {})});
        };
        offer(add_bias(r, *c));
        if (add_residual(r, *c)) offer(true);
    }
    add_all(r, "inlay", "FusedMatMul", 1, candidates);
    return int(candidates.size());
}

int fuse_matmul_integer(graph_data& g, const evaluator&) {
    rewriter r(g);
    std::vector<candidate> candidates;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const node& n = g.nodes[i];
        const int a = r.input(n, 0), b = r.input(n, 1), a_zero = r.input(n, 2), b_zero = r.input(n, 3), y = r.output(n),
                  cast = only_user(r, y);
        if (!is(n, "MatMulInteger") || a < 0 || !r.constant(b) || (b_zero >= 0 && !r.constant(b_zero)) || cast < 0 ||
            !is(g.nodes[std::size_t(cast)], "Cast"))
            continue;
        if (dims_of(r, a).rank < 2 || dims_of(r, b).rank < 2 || dims_of(r, y).rank < 2) continue;
        const int numbers = r.output(g.nodes[std::size_t(cast)]), mul = only_user(r, numbers);
        if (mul < 0 || g.values[std::size_t(numbers)].type != element::f32 || !is(g.nodes[std::size_t(mul)], "Mul") ||
            g.nodes[std::size_t(mul)].version < 7)
            continue;
        const int scale = other_input(r, g.nodes[std::size_t(mul)], numbers),
                  scaled = r.output(g.nodes[std::size_t(mul)]);
        if (scale < 0 || scaled < 0) continue;
        const shape& s = dims_of(r, scale);
        const bool scalar = s.rank >= 0 && s.rank <= dims_of(r, y).rank &&
                            std::all_of(s.begin(), s.end(), [](std::int64_t d) { return d == 1; });
        if (!scalar && !one_per_column(s, dims_of(r, y))) continue;
        candidates.push_back({{int(i), cast, mul}, {a, b, a_zero, b_zero, scale, -1}, scaled});
        if (candidate with_bias = candidates.back(); add_bias(r, with_bias, 5))
            candidates.push_back(std::move(with_bias));
    }
    add_all(r, "inlay", "FusedMatMulInteger", 1, candidates);
    return int(candidates.size());
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay

// fuse_conv_activation, fuse_gemm_activation: Conv (with a residual) and an activation, Gemm and an activation, as candidates.
//   FusedConv(X, W, B or -1, Z or -1) = activation(Conv(X, W, B) + Z), FusedGemm(A, B, C or -1) = activation(Gemm(A, B, C))
// with the attributes of Conv or Gemm, the text `activation` (empty: none) and the reals `activation_params`.
#include "rewrite.hpp"
#include <cfloat>
#include <cmath>

namespace inlay::inline v1::passes {
namespace {
struct activation {
    std::string_view name{};
    std::vector<double> params{};
    std::vector<int> nodes{};  // in order
    int output = -1;
};

// The number in a constant of one element, `otherwise` where the input is absent.
std::optional<double> number(const rewriter& r, const node& n, int k, double otherwise) {
    if (r.input(n, k) < 0) return otherwise;
    const tensor* t = r.constant(r.input(n, k));
    if (!t || t->type() != element::f32 || t->elements() != 1) return {};
    return double(t->as<float>()[0]);
}

// What is done to v, where nothing else uses it: by one node, or by the two of x * Sigmoid(x) and x * HardSigmoid(x).
std::optional<activation> activation_of(const rewriter& r, int v) {
    const auto& users = r.users(v);
    if (r.is_output(v) || users.empty() || users.size() > 2) return {};
    const node& n = r.g.nodes[std::size_t(users[0])];
    const int y = r.output(n);
    if (y < 0 || !n.domain.empty() || r.input(n, 0) != v) return {};
    activation a{n.op, {}, {users[0]}, y};
    if (n.op == "HardSigmoid") a.params = {r.real(n, "alpha", double(.2f)), r.real(n, "beta", .5)};
    if (users.size() == 2) {
        const int last = users[1];
        const node& m = r.g.nodes[std::size_t(last)];
        const bool product = is(m, "Mul") && r.output(m) >= 0 && ((r.input(m, 0) == v && r.input(m, 1) == y) || (r.input(m, 0) == y && r.input(m, 1) == v));
        if (!product || !r.only_used_by(y, last)) return {};
        if (n.op == "HardSigmoid" && (std::abs(a.params[0] - 1. / 6) > 1e-7 || a.params[1] != .5)) return {};
        if (n.op != "Sigmoid" && n.op != "HardSigmoid") return {};
        return activation{n.op == "Sigmoid" ? "Silu" : "HardSwish", {}, {users[0], last}, r.output(m)};
    }
    if (n.op == "Relu" || n.op == "Sigmoid" || n.op == "HardSigmoid" || n.op == "HardSwish") return a;
    if (n.op == "Clip") {
        const auto low = n.version < 11 ? r.real(n, "min", -FLT_MAX) : number(r, n, 1, -FLT_MAX), high = n.version < 11 ? r.real(n, "max", FLT_MAX) : number(r, n, 2, FLT_MAX);
        if (!low || !high) return {};
        a.params = {*low, *high};
        return a;
    }
    return {};
}

struct candidate { std::vector<int> nodes; std::vector<int> inputs; activation done; };

void add(rewriter& r, std::string_view op, const candidate& c) {
    graph_data& g = r.g;
    const node head = g.nodes[std::size_t(c.nodes[0])];
    std::vector<attribute> list(r.attributes(head).begin(), r.attributes(head).end());
    list.push_back(g.make("activation", c.done.name));
    list.push_back(g.make("activation_params", std::span<const double>(c.done.params)));
    std::string name(head.name);
    for (std::size_t k = 1; k < c.nodes.size(); ++k) name += "+" + std::string(g.nodes[std::size_t(c.nodes[k])].name);
    const int y = c.done.output;
    g.add_node("inlay", op, 1, name, list, c.inputs, std::span(&y, 1));
    node made = g.nodes.back();
    g.nodes.pop_back();
    std::vector<int> sources = c.nodes;
    std::sort(sources.begin(), sources.end());
    made.sources = g.add_edges(sources);
    g.fused.push_back(made);
}

// Longer candidates first; of those that end at the same node, the one whose head is nearest.
void add_all(rewriter& r, std::string_view op, std::vector<candidate>& all) {
    std::stable_sort(all.begin(), all.end(), [](const candidate& a, const candidate& b) {
        if (a.nodes.size() != b.nodes.size()) return a.nodes.size() > b.nodes.size();
        return a.nodes.back() != b.nodes.back() ? a.nodes.back() < b.nodes.back() : a.nodes[0] > b.nodes[0];
    });
    for (const candidate& c : all) add(r, op, c);
}

bool is_float(const rewriter& r, const node& n) { const value* x = r.input_value(n, 0); return x && x->type == element::f32; }
std::vector<int> joined(int head, std::initializer_list<int> middle, const std::vector<int>& tail) {
    std::vector<int> all{head};
    all.insert(all.end(), middle);
    all.insert(all.end(), tail.begin(), tail.end());
    return all;
}
}  // namespace

int fuse_conv_activation(graph_data& g, const evaluator&) {
    rewriter r(g);
    std::vector<candidate> all;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const node& n = g.nodes[i];
        const int y = r.output(n), head = int(i);
        if (!is(n, "Conv") || !is_float(r, n) || y < 0 || r.is_output(y)) continue;
        std::vector<int> inputs{r.input(n, 0), r.input(n, 1), r.input(n, 2)};
        if (auto a = activation_of(r, y)) {
            all.push_back({joined(head, {}, a->nodes), {inputs[0], inputs[1], inputs[2], -1}, *a});
            continue;
        }
        if (r.users(y).size() != 1) continue;
        const int sum = r.users(y)[0];
        const node& add = g.nodes[std::size_t(sum)];
        if (!is(add, "Add") || add.version < 7 || r.output(add) < 0) continue;
        const int z = r.input(add, r.input(add, 0) == y ? 1 : 0);
        if (z < 0 || g.values[std::size_t(z)].type != element::f32 || !same_dims(g.values[std::size_t(y)].dims, g.values[std::size_t(z)].dims)) continue;
        inputs.push_back(z);
        if (auto a = activation_of(r, r.output(add))) all.push_back({joined(head, {sum}, a->nodes), inputs, *a});
        all.push_back({{head, sum}, inputs, {"", {}, {}, r.output(add)}});
    }
    add_all(r, "FusedConv", all);
    return int(all.size());
}

int fuse_gemm_activation(graph_data& g, const evaluator&) {
    rewriter r(g);
    std::vector<candidate> all;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const node& n = g.nodes[i];
        const int y = r.output(n);
        if (!is(n, "Gemm") || !is_float(r, n) || y < 0) continue;
        if (auto a = activation_of(r, y)) all.push_back({joined(int(i), {}, a->nodes), {r.input(n, 0), r.input(n, 1), r.input(n, 2)}, *a});
    }
    add_all(r, "FusedGemm", all);
    return int(all.size());
}
}  // namespace inlay::inline v1::passes

// The activations that end a fused node: one operator, or the nodes that exporters write for it.
#include "fuse.hpp"
#include <inlay/onnx/clip.hpp>
#include <cmath>
#include <numbers>

namespace inlay {
inline namespace v1 {
namespace passes {
bool stays_within(const rewriter& r, int v, const std::vector<int>& nodes) {
    return !r.is_output(v) && std::all_of(r.users(v).begin(), r.users(v).end(), [&](int u) {
        return std::find(nodes.begin(), nodes.end(), u) != nodes.end();
    });
}

namespace {
// v * scale * term, by nodes that multiply in any order: from `term` to the final Mul, whose nodes are appended.
int product_of(const rewriter& r, int v, int term, double scale, std::vector<int>& nodes) {
    bool has_v = false;
    double product = 1;
    while (!has_v || !near(r, v, product, scale)) {
        const int user = only_user(r, term);
        if (user < 0) return -1;
        const node& n = r.g.nodes[std::size_t(user)];
        const int operand = other_input(r, n, term);
        if (const auto f = factor(r, n, term))
            product *= *f;
        else if (!is(n, "Mul") || has_v || operand < 0)
            return -1;
        else {
            has_v = true;
            const int maker = r.maker(operand);
            if (operand != v) {  // v times a number
                const auto f = maker < 0 || only_user(r, operand) != user ? std::nullopt
                                                                          : factor(r, r.g.nodes[std::size_t(maker)], v);
                if (!f) return -1;
                product *= *f;
                nodes.push_back(maker);
            }
        }
        nodes.push_back(user);
        term = r.output(n);
    }
    return term;
}

// v^3, by Pow or by Mul; the nodes are appended.
bool is_cube(const rewriter& r, int v, int cube, std::vector<int>& nodes) {
    const int maker = r.maker(cube);
    if (maker < 0 || r.is_output(cube)) return false;
    const node& n = r.g.nodes[std::size_t(maker)];
    nodes.push_back(maker);
    if (is(n, "Pow")) return operand(r, n, "Pow", v) == 3.;
    const int square = is(n, "Mul") ? other_input(r, n, v) : -1, inner = square < 0 ? -1 : r.maker(square);
    if (inner < 0) return false;
    const node& s = r.g.nodes[std::size_t(inner)];
    nodes.push_back(inner);
    return (is(s, "Mul") && r.input(s, 0) == v && r.input(s, 1) == v) || operand(r, s, "Pow", v) == 2.;
}

// sqrt(2 / pi) (v + 0.044715 v^3), as the argument of tanh.
bool is_tanh_argument(const rewriter& r, int v, int x, std::vector<int>& nodes) {
    const auto maker = [&](int y) -> const node* {
        if (y < 0 || r.maker(y) < 0) return nullptr;
        nodes.push_back(r.maker(y));
        return &r.g.nodes[std::size_t(r.maker(y))];
    };
    const node* scaled = maker(x);
    if (!scaled) return false;
    int sum = r.input(*scaled, number(r, r.input(*scaled, 0)) ? 1 : 0);
    const auto f = sum < 0 ? std::nullopt : factor(r, *scaled, sum);
    const node* add = f && near(r, v, *f, std::sqrt(2 / std::numbers::pi)) ? maker(sum) : nullptr;
    const int term = add && is(*add, "Add") && add->version >= 7 ? other_input(r, *add, v) : -1;
    const node* times = maker(term);
    if (!times) return false;
    const int cube = r.input(*times, number(r, r.input(*times, 0)) ? 1 : 0);
    const auto c = cube < 0 ? std::nullopt : factor(r, *times, cube);
    return c && near(r, v, *c, 0.044715) && is_cube(r, v, cube, nodes);
}

// The activation, if only its nodes read v and the values in between.
std::optional<activation> closed(const rewriter& r, int v, activation a) {
    std::sort(a.nodes.begin(), a.nodes.end());
    if (a.output < 0 || !stays_within(r, v, a.nodes)) return {};
    for (int i : a.nodes)
        if (const int y = r.output(r.g.nodes[std::size_t(i)]); y != a.output && !stays_within(r, y, a.nodes)) return {};
    return a;
}

// v min(max(v + 3, 0), 6) / 6, or without the first v. `inner`: the node of Add.
std::optional<activation> hard_swish_or_sigmoid(const rewriter& r, int v, int inner, bool swish) {
    const node& add = r.g.nodes[std::size_t(inner)];
    if (operand(r, add, "Add", v) != 3.) return {};
    const int clip = only_user(r, r.output(add));
    const auto clipped = clip < 0 ? std::nullopt : by_one_node(r, r.output(add), clip);
    if (!clipped || clipped->name != "Clip" || clipped->params != std::vector{0., 6.}) return {};
    activation a{swish ? "HardSwish" : "HardSigmoid", {}, {inner, clip}, -1};
    if (swish) {
        a.output = product_of(r, v, clipped->output, 1. / 6, a.nodes);
        return closed(r, v, std::move(a));
    }
    const int scaling = only_user(r, clipped->output);
    const auto f = scaling < 0 ? std::nullopt : factor(r, r.g.nodes[std::size_t(scaling)], clipped->output);
    if (!f || !near(r, v, *f, 1. / 6)) return {};
    a.params = {1. / 6, 0.5};
    a.nodes.push_back(scaling);
    a.output = r.output(r.g.nodes[std::size_t(scaling)]);
    return closed(r, v, std::move(a));
}

// 0.5 v (1 + erf(v / sqrt(2))), or with tanh as its approximation. `inner`: the node of Erf or Tanh.
std::optional<activation> gelu(const rewriter& r, int v, int inner) {
    const node& n = r.g.nodes[std::size_t(inner)];
    activation a;
    if (is(n, "Erf")) {
        const int scaled = r.input(n, 0), maker = scaled < 0 ? -1 : r.maker(scaled);
        const auto f = maker < 0 ? std::nullopt : factor(r, r.g.nodes[std::size_t(maker)], v);
        if (!f || !near(r, v, *f, std::sqrt(0.5))) return {};
        a = {"Gelu", {}, {maker}, -1};
    } else if (is(n, "Tanh")) {
        a.name = "GeluTanh";
        if (!is_tanh_argument(r, v, r.input(n, 0), a.nodes)) return {};
    } else
        return {};
    a.nodes.push_back(inner);
    const int add = only_user(r, r.output(n));
    if (add < 0 || operand(r, r.g.nodes[std::size_t(add)], "Add", r.output(n)) != 1.) return {};
    a.nodes.push_back(add);
    a.output = product_of(r, v, r.output(r.g.nodes[std::size_t(add)]), 0.5, a.nodes);
    return closed(r, v, std::move(a));
}
// Erf is two nodes after v, Tanh three: the shorter of its paths, past Pow and its Mul, is through Add.
std::optional<activation> gelu_after(const rewriter& r, int v, int at, int steps) {
    for (int user : r.users(at)) {
        const node& n = r.g.nodes[std::size_t(user)];
        std::optional<activation> match;
        if (is(n, "Erf") || is(n, "Tanh"))
            match = gelu(r, v, user);
        else if (steps > 1 && r.output(n) >= 0 && (is(n, "Mul") || is(n, "Div") || is(n, "Add")))
            match = gelu_after(r, v, r.output(n), steps - 1);
        if (match) return match;
    }
    return {};
}

// x * Sigmoid(x) and x * HardSigmoid(x): `inner` is the node of the function, `mul` the Mul.
std::optional<activation> product_with_itself(const rewriter& r, int v, int inner, int mul) {
    const node &n = r.g.nodes[std::size_t(inner)], &m = r.g.nodes[std::size_t(mul)];
    const int y = r.output(n);
    if (!is(m, "Mul") || r.output(m) < 0 || other_input(r, m, v) != y || !r.only_used_by(y, mul)) return {};
    if (is(n, "HardSigmoid") &&
        (std::abs(r.real(n, "alpha", double(.2f)) - 1. / 6) > 1e-7 || r.real(n, "beta", .5) != .5))
        return {};
    if (!is(n, "Sigmoid") && !is(n, "HardSigmoid")) return {};
    return activation{n.op == "Sigmoid" ? "Silu" : "HardSwish", {}, {inner, mul}, r.output(m)};
}

// The bound of a Clip, `otherwise` where the input is absent.
std::optional<double> bound(const rewriter& r, const node& n, int k, double otherwise) {
    return r.input(n, k) < 0 ? std::optional(otherwise) : number(r, r.input(n, k));
}
double greatest_of(element type) {
    return type == element::f16    ? float(greatest<float16>())
           : type == element::bf16 ? float(greatest<bfloat16>())
                                   : greatest<float>();
}
}  // namespace

std::optional<activation> by_one_node(const rewriter& r, int v, int at) {
    const node& n = r.g.nodes[std::size_t(at)];
    if (!n.domain.empty() || r.input(n, 0) != v || r.output(n) < 0) return {};
    activation a{n.op, {}, {at}, r.output(n)};
    if (n.op == "Relu" || n.op == "Sigmoid" || n.op == "HardSwish") return a;
    if (n.op == "HardSigmoid") {
        a.params = {r.real(n, "alpha", double(.2f)), r.real(n, "beta", .5)};
        return a;
    }
    if (n.op == "Clip") {
        const double most = greatest_of(r.g.values[std::size_t(v)].type);
        const auto low = n.version < 11 ? r.real(n, "min", -most) : bound(r, n, 1, -most),
                   high = n.version < 11 ? r.real(n, "max", most) : bound(r, n, 2, most);
        if (!low || !high) return {};
        a.params = {*low, *high};
        return a;
    }
    return {};
}

std::optional<activation> activation_of(const rewriter& r, int v) {
    const auto& users = r.users(v);
    if (r.is_output(v) || users.empty()) return {};
    if (users.size() == 1) {
        if (auto a = by_one_node(r, v, users[0])) return a;
        return hard_swish_or_sigmoid(r, v, users[0], false);
    }
    if (users.size() == 2)
        if (auto a = product_with_itself(r, v, users[0], users[1])) return a;
    for (int user : users)
        if (auto a = hard_swish_or_sigmoid(r, v, user, true)) return a;
    return gelu_after(r, v, v, 3);
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay

// Shared by the fusion passes: the function applied to a value, and how candidates are added.
#pragma once
#include "rewrite.hpp"
#include <cmath>
#include <optional>

namespace inlay {
inline namespace v1 {
namespace passes {
struct activation {
    std::string_view name{};
    std::vector<double> params{};
    std::vector<int> nodes{};  // in order
    int output = -1;
};
// The activation applied to v, if nothing else uses v: by one node, or by several that form one function, such as x *
// Sigmoid(x).
std::optional<activation> activation_of(const rewriter& r, int v);
// The same, where node `at` is such a function by itself, whatever else reads v.
std::optional<activation> by_one_node(const rewriter& r, int v, int at);
// Whether all uses of v are by these nodes, so that v may be dropped with them.
bool stays_within(const rewriter& r, int v, const std::vector<int>& nodes);

struct candidate {
    std::vector<int> nodes, inputs;
    int output = -1;
    std::vector<attribute> attributes{};
    std::vector<int> more_outputs{};
};
// Longer candidates first; of those that end at the same node, the one whose first node is nearest.
void add_all(rewriter& r, std::string_view domain, std::string_view op, int version,
             std::vector<candidate>& candidates);
// A Conv with the addend and the activation that follow it, as FusedConv(X, W, B or -1, Z or -1).
std::vector<candidate> convolution_with_end(rewriter& r, int conv);
// The attributes with those of the activation.
std::vector<attribute> with_activation(rewriter& r, std::span<const attribute> list, const activation& a);
inline std::vector<int> joined(std::vector<int> head, const std::vector<int>& tail) {
    head.insert(head.end(), tail.begin(), tail.end());
    return head;
}

inline bool is_float(const rewriter& r,
                     int v) {  // of a type that fused nodes support; a provider takes those it has kernels for
    return v >= 0 && element_set::of({element::f32, element::f16, element::bf16}).has(r.g.values[std::size_t(v)].type);
}
inline const shape& dims_of(const rewriter& r, int v) { return r.g.values[std::size_t(v)].dims; }
// The only node that uses v, as one input of it; -1 where there is none or v is an output of the graph.
inline int only_user(const rewriter& r, int v) {
    return v >= 0 && !r.is_output(v) && r.users(v).size() == 1 ? r.users(v)[0] : -1;
}
// The number in a constant of one element.
inline std::optional<double> number(const rewriter& r, int v) {
    if (v < 0 || !r.constant(v)) return {};
    const value& c = r.g.values[std::size_t(v)];
    if (c.list.count != 1 || c.kind == contents::none) return {};
    return c.kind == contents::reals ? r.g.reals[std::size_t(c.list.first)]
                                     : double(r.g.integers[std::size_t(c.list.first)]);
}
// The other input of a binary node that reads v once; -1 where it does not.
inline int other_input(const rewriter& r, const node& n, int v) {
    const int a = r.input(n, 0), b = r.input(n, 1);
    return n.inputs.count != 2 || (a == v) == (b == v) ? -1 : a == v ? b : a;
}
// The number that node n adds to v, or multiplies or divides v by, without changing its shape.
inline std::optional<double> operand(const rewriter& r, const node& n, std::string_view op, int v) {
    if (!is(n, op) || n.version < 7) return {};
    const int c = other_input(r, n, v);
    if (c < 0 || (op != "Add" && op != "Mul" && r.input(n, 0) != v) ||
        dims_of(r, c).rank > std::max(0, dims_of(r, v).rank))
        return {};
    return number(r, c);
}
// The factor that node n multiplies v with, by Mul or Div.
inline std::optional<double> factor(const rewriter& r, const node& n, int v) {
    if (const auto f = operand(r, n, "Mul", v)) return f;
    if (const auto d = operand(r, n, "Div", v); d && *d != 0) return 1 / *d;
    return {};
}
// Whether a number that an exporter wrote as constants of v's type means b: one rounding away from it, or two.
inline bool near(const rewriter& r, int v, double a, double b) {
    const element type = r.g.values[std::size_t(v)].type;
    return std::abs(a - b) <= (type == element::bf16 ? 8e-3 : type == element::f16 ? 1e-3 : 1e-6) * std::abs(b);
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay

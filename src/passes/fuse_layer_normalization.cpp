// fuse_layer_normalization: (x - mean) / sqrt(mean((x - mean)^2) + epsilon) * scale + shift, in the nodes of models
// before opset 17, offered as ONNX's LayerNormalization.
#include "fuse.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
namespace {
// How many of the last axes a ReduceMean that keeps them reduces; 0 where it reduces others.
int last_axes(const rewriter& r, const node& n) {
    const value* x = r.input_value(n, 0);
    if (!is(n, "ReduceMean") || !x || x->dims.rank < 1 || r.integer(n, "keepdims", 1) != 1) return 0;
    range list{};
    if (const attribute* a = r.find(n, "axes"); a && a->kind == attribute_kind::integers)
        list = a->list;
    else if (const value* v = r.input_value(n, 1); v && v->kind == contents::integers)
        list = v->list;
    std::vector<bool> reduced(std::size_t(x->dims.rank));
    for (int i = 0; i < list.count; ++i) {
        std::int64_t axis = r.g.integers[std::size_t(list.first + i)];
        if (axis < 0) axis += x->dims.rank;
        if (axis < 0 || axis >= x->dims.rank) return 0;
        reduced[std::size_t(axis)] = true;
    }
    const auto count = int(std::count(reduced.begin(), reduced.end(), true));
    return std::all_of(reduced.end() - count, reduced.end(), [](bool b) { return b; }) ? count : 0;
}
// One number per element of the last `count` axes of x, or of more axes that are 1.
bool per_element(const rewriter& r, int factor, int x, int count) {
    const shape &s = dims_of(r, factor), &d = dims_of(r, x);
    if (!is_float(r, factor) || s.rank < count || s.rank > d.rank) return false;
    for (int i = 1; i <= s.rank; ++i)
        if (i <= count ? s[s.rank - i] < 0 || s[s.rank - i] != d[d.rank - i] : s[s.rank - i] != 1) return false;
    return true;
}

// The node that squares x - mean, and the one that divides or multiplies it; -1 where other nodes read it too.
std::pair<int, int> users_of_difference(const rewriter& r, int d) {
    int square = -1, division = -1;
    for (int u : r.users(d)) {
        const node& n = r.g.nodes[std::size_t(u)];
        const bool squares =
            operand(r, n, "Pow", d) == 2. || (is(n, "Mul") && r.input(n, 0) == d && r.input(n, 1) == d);
        int& place = squares ? square : division;
        if (place >= 0 && place != u) return {-1, -1};
        place = u;
    }
    return {square, division};
}
// An Add that ends the normalisation becomes part of it.
void add_shift(const rewriter& r, candidate& c, int x, int axes) {
    const int add = only_user(r, c.output);
    if (add < 0) return;
    const node& n = r.g.nodes[std::size_t(add)];
    if (!is(n, "Add") || n.version < 7) return;
    const int shift = other_input(r, n, c.output);
    if (shift < 0 || !per_element(r, shift, x, axes)) return;
    c.nodes.push_back(add);
    c.inputs.push_back(shift);
    c.output = r.output(n);
}

std::optional<candidate> from_mean(rewriter& r, int mean) {
    const auto at = [&](int i) -> const node& { return r.g.nodes[std::size_t(i)]; };
    const int x = r.input(at(mean), 0), axes = last_axes(r, at(mean));
    if (axes == 0 || !is_float(r, x)) return {};
    candidate c{{mean}, {x}, -1, {}};
    const auto follow = [&](int v, std::string_view op) {  // the only user of v, if it is an `op`
        const int i = only_user(r, v);
        if (i < 0 || !is(at(i), op) || r.output(at(i)) < 0) return -1;
        c.nodes.push_back(i);
        return r.output(at(i));
    };
    const int d = follow(r.output(at(mean)), "Sub");
    if (d < 0 || r.is_output(d) || r.input(at(c.nodes.back()), 0) != x) return {};
    const auto [square, division] = users_of_difference(r, d);
    if (square < 0 || division < 0) return {};
    c.nodes.push_back(square);
    const int variance = follow(r.output(at(square)), "ReduceMean");
    if (variance < 0 || last_axes(r, at(c.nodes.back())) != axes) return {};
    const int sum = follow(variance, "Add");
    const auto epsilon = sum < 0 ? std::nullopt : operand(r, at(c.nodes.back()), "Add", variance);
    if (!epsilon || *epsilon < 0) return {};
    int root = follow(sum, "Sqrt");
    if (root < 0) {
        root = follow(sum, "Pow");
        if (root < 0 || operand(r, at(c.nodes.back()), "Pow", sum) != .5) return {};
    }
    int normal = -1;
    if (is(at(division), "Div"))
        normal = r.input(at(division), 0) == d && r.input(at(division), 1) == root && only_user(r, root) == division
                     ? r.output(at(division))
                     : -1;
    else if (is(at(division), "Mul")) {
        const int inverse = follow(root, "Reciprocal");
        normal = inverse >= 0 && other_input(r, at(division), d) == inverse && only_user(r, inverse) == division
                     ? r.output(at(division))
                     : -1;
    }
    if (normal < 0) return {};
    c.nodes.push_back(division);
    c.output = follow(normal, "Mul");
    const int scale = c.output < 0 || at(c.nodes.back()).version < 7 ? -1 : other_input(r, at(c.nodes.back()), normal);
    if (scale < 0 || !per_element(r, scale, x, axes)) return {};
    c.inputs.push_back(scale);
    add_shift(r, c, x, axes);
    c.attributes = {r.g.make("axis", -std::int64_t(axes)), r.g.make("epsilon", *epsilon)};
    return c;
}
}  // namespace

int fuse_layer_normalization(graph_data& g, const evaluator&) {
    rewriter r(g);
    std::vector<candidate> candidates;
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
        if (is(g.nodes[i], "ReduceMean"))
            if (auto c = from_mean(r, int(i))) candidates.push_back(std::move(*c));
    add_all(r, "", "LayerNormalization", 17, candidates);
    return int(candidates.size());
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay

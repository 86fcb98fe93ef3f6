// fold_shapes: follows the sizes that Shape gives through Gather, Concat and arithmetic, and from there into the shapes
// of later values, names of dimensions included. What is then known is a constant; a Reshape whose target is known,
// except for sizes that it can copy or infer, gets a constant target, and the arithmetic becomes dead.
#include "rewrite.hpp"
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace passes {
namespace {
// A number, a dimension that only has a name, or unknown.
struct term {
    enum { number, symbol, unknown } kind = unknown;
    std::int64_t n = 0;  // symbol: as in shape::dims
    bool operator==(const term&) const = default;
    bool is(std::int64_t x) const { return kind == number && n == x; }
};
struct list {
    bool has_size = false;  // how many there are is known
    bool scalar = false;
    std::vector<term> terms;
};
term of_dim(std::int64_t d) { return d >= 0 ? term{term::number, d} : d < -1 ? term{term::symbol, d} : term{}; }

class folder {
    rewriter& r_;
    graph_data& g_;
    std::vector<list> lists_;
    std::vector<std::int64_t> input_dims_;  // sorted

    static constexpr std::size_t most = 64;
    const list* get(const node& n, int k) {
        const int v = r_.input(n, k);
        return v >= 0 && lists_[std::size_t(v)].has_size ? &lists_[std::size_t(v)] : nullptr;
    }
    std::optional<std::vector<std::int64_t>> numbers(const node& n, int k) {
        const list* l = get(n, k);
        if (!l) return {};
        std::vector<std::int64_t> integers;
        for (const term& t : l->terms) {
            if (t.kind != term::number) return {};
            integers.push_back(t.n);
        }
        return integers;
    }
    static std::optional<std::int64_t> compute(std::string_view op, std::int64_t a, std::int64_t b) {
        std::int64_t y = 0;
        if (op == "Add") return __builtin_add_overflow(a, b, &y) ? std::nullopt : std::optional(y);
        if (op == "Sub") return __builtin_sub_overflow(a, b, &y) ? std::nullopt : std::optional(y);
        if (op == "Mul") return __builtin_mul_overflow(a, b, &y) ? std::nullopt : std::optional(y);
        if (b > 0 && a >= 0) return a / b;  // Div
        return {};
    }
    static term combine(std::string_view op, const term& a, const term& b) {
        if (a.kind == term::number && b.kind == term::number) {
            const auto y = compute(op, a.n, b.n);
            return y ? term{term::number, *y} : term{};
        }
        if ((op == "Add" || op == "Sub") && b.is(0)) return a;
        if ((op == "Mul" || op == "Div") && b.is(1)) return a;
        if ((op == "Add" && a.is(0)) || (op == "Mul" && a.is(1))) return b;
        return {};
    }
    list slice(const node& n, const list& x) {
        std::vector<std::int64_t> starts, ends, axes{0}, steps{1};
        const auto fetch = [&](std::string_view name, int k, std::vector<std::int64_t>& to) {
            if (n.version < 10) {
                const attribute* a = r_.find(n, name);
                if (a && a->kind == attribute_kind::integers)
                    to.assign(g_.integers.begin() + a->list.first, g_.integers.begin() + a->list.first + a->list.count);
            } else if (r_.input(n, k) >= 0) {
                const auto v = numbers(n, k);
                to = v ? *v : std::vector<std::int64_t>{};
            }
            return to.size() == 1;
        };
        const auto size = std::int64_t(x.terms.size());
        if (x.scalar || !fetch("starts", 1, starts) || !fetch("ends", 2, ends) || !fetch("axes", 3, axes) ||
            !fetch("steps", 4, steps) || (axes[0] != 0 && axes[0] != -1) || steps[0] != 1)
            return {};
        const auto place = [&](std::int64_t at) { return std::clamp(at < 0 ? at + size : at, std::int64_t(0), size); };
        list y{true, false, {}};
        for (std::int64_t i = place(std::max(starts[0], -size)); i < place(std::max(ends[0], -size - 1)); ++i)
            y.terms.push_back(x.terms[std::size_t(i)]);
        return y;
    }
    list gather(const node& n, const list& x) {
        const list* at = get(n, 1);
        const auto indices = numbers(n, 1);
        if (x.scalar || !indices || (r_.integer(n, "axis", 0) != 0 && r_.integer(n, "axis", 0) != -1)) return {};
        list y{true, at->scalar, {}};
        const auto size = std::int64_t(x.terms.size());
        for (std::int64_t i : *indices) {
            if (i < -size || i >= size) return {};
            y.terms.push_back(x.terms[std::size_t(i < 0 ? i + size : i)]);
        }
        return y;
    }
    list dims_of_input(const node& n) {  // the results of Shape and Size
        const value* x = r_.input_value(n, 0);
        if (!x || x->type == element::object || x->dims.rank < 0) return {};
        const int rank = x->dims.rank;
        if (n.op == "Size") return {true, true, {x->dims.known() ? term{term::number, x->dims.elements()} : term{}}};
        const auto place = [&](std::int64_t at) {
            return int(std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank));
        };
        list y{true, false, {}};
        for (int i = place(r_.integer(n, "start", 0)); i < place(r_.integer(n, "end", rank)); ++i)
            y.terms.push_back(of_dim(x->dims[i]));
        return y;
    }
    list result(const node& n) {
        if (!n.domain.empty()) return {};
        if (n.op == "Shape" || n.op == "Size") return dims_of_input(n);
        const list* x = get(n, 0);
        if (!x) return {};
        if (n.op == "Identity" || n.op == "Cast") return *x;
        if (n.op == "Gather") return gather(n, *x);
        if (n.op == "Slice") return slice(n, *x);
        if (n.op == "Concat") {
            list y{true, false, {}};
            for (int k = 0; k < n.inputs.count; ++k) {
                const list* part = get(n, k);
                if (!part || part->scalar || y.terms.size() + part->terms.size() > most) return {};
                y.terms.insert(y.terms.end(), part->terms.begin(), part->terms.end());
            }
            return y;
        }
        if (n.op == "Unsqueeze" || n.op == "Squeeze" ||
            n.op == "Reshape") {  // of a scalar or one element, or without effect
            const shape& to = g_.values[std::size_t(r_.output(n))].dims;
            if (to.rank < 0 || to.rank > 1 || (to.rank == 0 && x->terms.size() != 1) ||
                (to.rank == 1 && to[0] != std::int64_t(x->terms.size())))
                return {};
            return {true, to.rank == 0, x->terms};
        }
        if (n.op == "Add" || n.op == "Sub" || n.op == "Mul" || n.op == "Div") {
            const list* y = get(n, 1);
            if (!y || (x->terms.size() != y->terms.size() && x->terms.size() != 1 && y->terms.size() != 1)) return {};
            list z{true, x->scalar && y->scalar, {}};
            const std::size_t size =
                x->terms.empty() || y->terms.empty() ? 0 : std::max(x->terms.size(), y->terms.size());
            for (std::size_t i = 0; i < size; ++i)
                z.terms.push_back(
                    combine(n.op, x->terms[x->terms.size() == 1 ? 0 : i], y->terms[y->terms.size() == 1 ? 0 : i]));
            return z;
        }
        return {};
    }
    // The terms as a tensor of integers, if all are numbers that fit.
    static std::optional<tensor> whole(const list& l, element type) {
        tensor t(type, l.scalar ? shape{} : shape{std::int64_t(l.terms.size())});
        for (std::size_t i = 0; i < l.terms.size(); ++i) {
            const term& x = l.terms[i];
            if (x.kind != term::number) return {};
            if (type == element::i64)
                t.as<std::int64_t>()[i] = x.n;
            else
                t.as<std::int32_t>()[i] = std::int32_t(x.n);
        }
        return t;
    }
    bool fold_reshape(node& n) {
        const list* target = get(n, 1);
        const value* x = r_.input_value(n, 0);
        if (!is(n, "Reshape") || n.version < 5 || !target || target->scalar || !x || r_.constant(r_.input(n, 1)) ||
            target->terms.size() > max_rank)
            return false;
        std::vector<std::int64_t> dims;
        int inferred = 0;
        for (std::size_t i = 0; i < target->terms.size(); ++i) {
            const term& t = target->terms[i];
            if (t.kind == term::number && t.n <= 0) return false;  // -1 may be present, and 0 has two meanings
            const bool copied = t.kind == term::symbol && int(i) < x->dims.rank && x->dims[int(i)] == t.n &&
                                r_.integer(n, "allowzero", 0) == 0;
            dims.push_back(t.kind == term::number ? t.n : copied ? 0 : -1);
            inferred += dims.back() < 0;
        }
        if (inferred > 1) return false;
        const int to = g_.add_constant(std::string(n.name) + "/shape", tensor({std::int64_t(dims.size())}, dims));
        lists_.resize(g_.values.size());
        r_.list(n.inputs)[1] = to;
        return true;
    }
    // The shape of x after a Reshape to a list of sizes.
    std::optional<shape> reshaped(const node& n, const value& x, const list& target) {
        if (target.scalar || target.terms.size() > max_rank) return {};
        const bool zero_is_zero = r_.integer(n, "allowzero", 0) != 0;
        shape y;
        int inferred = -1;
        for (std::size_t i = 0; i < target.terms.size(); ++i) {
            const term& t = target.terms[i];
            if (t.kind == term::number && t.n == -1) inferred = int(i);
            if (t.kind == term::number && t.n < -1) return {};
            y.push_back(t.kind != term::number     ? (t.kind == term::symbol ? t.n : -1)
                        : t.n != 0 || zero_is_zero ? t.n
                        : int(i) < x.dims.rank     ? x.dims[int(i)]
                                                   : -1);
        }
        if (inferred < 0 || x.dims.rank < 0) return y;
        // The size of x that the other dimensions leave over: one name, or a number.
        std::int64_t left = 1, product = 1;
        std::vector<std::int64_t> names;
        for (std::int64_t d : x.dims)
            if (d >= 0) {
                if (__builtin_mul_overflow(left, d, &left)) return y;
            } else
                names.push_back(d);
        for (int i = 0; i < y.rank; ++i) {
            if (i == inferred) continue;
            if (y[i] >= 0) {
                if (__builtin_mul_overflow(product, y[i], &product)) return y;
            } else if (const auto at = std::find(names.begin(), names.end(), y[i]); y[i] != -1 && at != names.end())
                names.erase(at);
            else
                return y;
        }
        if (names.empty() && product > 0 && left % product == 0)
            y[inferred] = left / product;
        else if (names.size() == 1 && left == product)
            y[inferred] = names[0];
        return y;
    }
    // A name that the caller gives a size; names from inference may stand for the same size.
    bool is_of_input(std::int64_t name) const { return std::ranges::binary_search(input_dims_, name); }
    // Sets the outputs' shapes where they are not known yet.
    void refine(const node& n) {
        bool open = false;
        for (int k = 0; k < n.outputs.count; ++k) {
            const int v = r_.output(n, k);
            if (v < 0 || g_.values[std::size_t(v)].type == element::object) continue;
            const shape& d = g_.values[std::size_t(v)].dims;
            open |=
                d.rank < 0 || std::any_of(d.begin(), d.end(), [&](std::int64_t x) { return x < 0 && !is_of_input(x); });
        }
        if (!open) return;
        std::vector<shape> dims(std::size_t(n.outputs.count), shape::unknown());
        const value* x = r_.input_value(n, 0);
        bool copied = false;  // from x, by a constant target: the shape from arithmetic may be better
        if (is(n, "Reshape") && n.version >= 5 && x && get(n, 1)) {
            copied = std::none_of(get(n, 1)->terms.begin(), get(n, 1)->terms.end(),
                                  [](const term& t) { return t.kind == term::symbol; });
            if (const auto y = reshaped(n, *x, *get(n, 1))) dims[0] = *y;
        } else if (is(n, "ConstantOfShape") && get(n, 0) && !get(n, 0)->scalar && get(n, 0)->terms.size() <= max_rank) {
            dims[0] = shape{};
            for (const term& t : get(n, 0)->terms)
                dims[0].push_back(t.kind == term::unknown || (t.kind == term::number && t.n < 0) ? -1 : t.n);
        } else if (operator_of(n).facts.keeps_names) {
            for (int k = 0; k < n.inputs.count; ++k)
                if (const value* i = r_.input_value(n, k); i && (i->type == element::object || i->dims.rank < 0))
                    return;
            const entry* e = find_entry(reference_kernels(), n);
            for (int k = 0; e && k < e->required_inputs; ++k)
                if (r_.input(n, k) < 0) return;
            if (!e || !e->shapes(node_view{g_.view(), n}, dims)) return;
        }
        for (int k = 0; k < n.outputs.count; ++k) {
            const int v = r_.output(n, k);
            if (v < 0 || dims[std::size_t(k)].rank < 0 || !countable(dims[std::size_t(k)])) continue;
            shape& target = g_.values[std::size_t(v)].dims;
            const shape& rule_dims = dims[std::size_t(k)];
            if (target.rank < 0)
                target = rule_dims;
            else if (target.rank == rule_dims.rank)
                for (int i = 0; i < target.rank; ++i) {
                    const bool better =
                        rule_dims[i] >= 0 || is_of_input(rule_dims[i]) || (rule_dims[i] != -1 && !copied);
                    if (target[i] < 0 && !is_of_input(target[i]) && (better || target[i] == -1))
                        target[i] = rule_dims[i];
                }
        }
    }

  public:
    folder(rewriter& r) : r_(r), g_(r.g), lists_(g_.values.size()) {
        for (std::size_t v = 0; v < g_.values.size(); ++v) {
            const value& x = g_.values[v];
            if (x.kind != contents::integers || x.dims.rank > 1 || x.dims.rank < 0 || x.list.count > int(most) ||
                (x.type != element::i64 && x.type != element::i32))
                continue;
            lists_[v] = {true, x.dims.rank == 0, {}};
            for (int i = 0; i < x.list.count; ++i)
                lists_[v].terms.push_back({term::number, g_.integers[std::size_t(x.list.first + i)]});
        }
        for (int v : g_.inputs)
            input_dims_.insert(input_dims_.end(), g_.values[std::size_t(v)].dims.begin(),
                               g_.values[std::size_t(v)].dims.end());
        std::ranges::sort(input_dims_);
    }
    int run() {
        int count = 0;
        for (std::size_t i = 0; i < g_.nodes.size(); ++i) {
            refine(g_.nodes[i]);
            count += fold_reshape(g_.nodes[i]);
            const node& n = g_.nodes[i];
            const int y = r_.output(n);
            if (n.outputs.count != 1 || y < 0) continue;
            const element type = g_.values[std::size_t(y)].type;
            if (type != element::i64 && type != element::i32) continue;
            list l = result(n);
            if (!l.has_size || l.terms.size() > most) continue;
            for (term& t : l.terms)
                if (type == element::i32 && t.kind == term::number && t.n != std::int32_t(t.n)) t = {};
            if (!r_.is_output(y)) {
                if (auto t = whole(l, type)) {
                    g_.set_constant(y, std::move(*t));
                    r_.drop(int(i));
                    ++count;
                }
            }
            lists_[std::size_t(y)] = std::move(l);
        }
        r_.apply();
        return count;
    }
};
}  // namespace

int fold_shapes(graph_data& g, const evaluator&) {
    rewriter r(g);
    return folder(r).run();
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay

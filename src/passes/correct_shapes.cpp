// Shapes as the operators' own rules tell them, where they contradict what the onnx library inferred: a graph is
// computed by these operators, and what passes make of a size must be what the kernels make. Where sizes are not known
// the rules are asked with examples.
#include "engine/run_node.hpp"
#include "rewrite.hpp"
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace passes {
namespace {
constexpr std::int64_t examples[] = {0, 1, 240};  // 240 has many divisors and is larger than most windows

class corrector {
    graph_data& g_;
    std::vector<value> values_;  // as in the graph, but for the inputs of the node that is asked about
    graph_view view_;
    std::vector<char> contradicted_;  // by value: what was inferred from it may be wrong

    value& record(int v) { return g_.values[std::size_t(v)]; }
    std::span<const int> list(range r) const {
        return std::span(g_.edges).subspan(std::size_t(r.first), std::size_t(r.count));
    }
    bool may_ask(const entry* e, const node& n) {
        if (!e || e->data_dependent || e->required_inputs > n.inputs.count) return false;
        for (int k = 0; k < n.inputs.count; ++k) {
            const int v = list(n.inputs)[std::size_t(k)];
            if (v < 0 ? k < e->required_inputs : record(v).type == element::object || record(v).dims.rank < 0)
                return false;
        }
        return true;
    }
    // The outputs' shapes where all open dimensions of the inputs have this size.
    std::optional<std::vector<shape>> answer_for(const entry& e, const node& n, std::int64_t size) {
        for (int v : list(n.inputs))
            if (v >= 0)
                for (int i = 0; i < record(v).dims.rank; ++i)
                    if (std::int64_t& d = values_[std::size_t(v)].dims[i]; d < 0) d = size;
        std::vector<shape> y(std::size_t(n.outputs.count), shape::unknown());
        const verdict answer = e.shapes(node_view{view_, n}, y);
        for (int v : list(n.inputs))
            if (v >= 0) values_[std::size_t(v)].dims = record(v).dims;
        return answer ? std::optional(std::move(y)) : std::nullopt;
    }
    void set(int v, const shape& dims, bool contradicts) {
        values_[std::size_t(v)].dims = record(v).dims = dims;
        contradicted_[std::size_t(v)] |= contradicts;
    }
    // Nothing tells the shape but what followed from a wrong one.
    void forget(int v) {
        if (v < 0 || record(v).is_constant() || record(v).type == element::object || record(v).dims.rank < 0) return;
        set(v, shape::unknown(), true);
    }
    // One shape from several answers: a dimension that is not the same in all is open.
    static shape common(const std::vector<std::vector<shape>>& answers, std::size_t k) {
        shape y = answers.empty() ? shape::unknown() : answers.front()[k];
        for (const auto& one : answers) {
            if (one[k].rank != y.rank) return shape::unknown();
            for (int i = 0; i < y.rank; ++i)
                if (one[k][i] != y[i]) y[i] = -1;
        }
        return y;
    }
    void correct(int v, const shape& own, bool complete, bool sure) {
        const shape before = record(v).dims;
        if (complete) {
            bool contradicts = before.rank >= 0 && before.rank != own.rank;
            for (int i = 0; !contradicts && i < before.rank; ++i)
                contradicts = before[i] >= 0 && own[i] >= 0 && before[i] != own[i];
            if (own.known() || contradicts) set(v, own, contradicts);
            return;
        }
        if (before.rank < 0) return;
        shape now = before.rank == own.rank ? before : shape::of_rank(own.rank, -1);
        for (int i = 0; i < now.rank; ++i)
            if (now[i] >= 0 && now[i] != own[i]) now[i] = sure ? own[i] : -1;
        if (now != before) set(v, now, true);
    }
    void ask(const node& n) {
        const auto outputs = list(n.outputs);
        const bool shaken =
            std::ranges::any_of(list(n.inputs), [&](int v) { return v >= 0 && contradicted_[std::size_t(v)]; });
        const entry* e = find_entry(reference_kernels(), n);
        std::vector<std::vector<shape>> answers;
        bool complete = true;
        if (may_ask(e, n)) {
            for (int v : list(n.inputs)) complete &= v < 0 || record(v).dims.known();
            for (std::int64_t size : examples) {
                if (auto y = answer_for(*e, n, size)) answers.push_back(std::move(*y));
                if (complete) break;
            }
        }
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            const int v = outputs[k];
            if (v < 0 || record(v).is_constant() || record(v).type == element::object) continue;
            const shape own = common(answers, k);
            if (own.rank >= 0 && countable(own))
                correct(v, own, complete, answers.size() > 1);
            else if (shaken)
                forget(v);
        }
    }
    // An If's output is known as far as its branches agree; the onnx library takes a size that one of them leaves open
    // from the other.
    void agree(const node& n, const std::vector<const graph_data*>& branches) {
        const auto outputs = list(n.outputs);
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            const int v = outputs[k];
            if (v < 0 || record(v).dims.rank < 0) continue;
            shape dims = record(v).dims;
            for (const graph_data* b : branches) {
                if (k >= b->outputs.size()) continue;
                const shape& own = b->values[std::size_t(b->outputs[k])].dims;
                if (own.rank != dims.rank) dims = shape::unknown();
                for (int i = 0; i < dims.rank; ++i)
                    if (dims[i] >= 0 && own[i] != dims[i]) dims[i] = -1;
            }
            if (dims != record(v).dims) set(v, dims, true);
        }
    }
    // Bodies read what is outside by the last of their inputs.
    void visit_bodies(const node& n) {
        bool shaken = false;
        std::vector<const graph_data*> bodies;
        const auto is_contradicted = [&](int v) { return v >= 0 && contradicted_[std::size_t(v)]; };
        const bool arguments = std::ranges::any_of(list(n.inputs), is_contradicted);
        for (int i = 0; i < n.attributes.count; ++i) {
            const attribute& a = g_.attributes[std::size_t(n.attributes.first + i)];
            if (a.kind != attribute_kind::graph) continue;
            graph_data& body = g_.subgraphs[std::size_t(a.integer)];
            corrector inside(body);
            const std::size_t formal = body.inputs.size() - std::size_t(n.captures.count);
            for (std::size_t k = 0; k < body.inputs.size(); ++k) {
                const int outer = k < formal ? -1 : list(n.captures)[k - formal];
                if (!(k < formal ? arguments : is_contradicted(outer))) continue;
                inside.forget(body.inputs[k]);
                if (outer < 0) continue;
                shape dims = record(outer).dims;
                for (int i = 0; i < dims.rank; ++i) dims[i] = std::max<std::int64_t>(dims[i], -1);  // without names
                inside.set(body.inputs[k], dims, true);
            }
            inside.run();
            bodies.push_back(&body);
            for (int v : body.outputs) shaken |= inside.contradicted_[std::size_t(v)] != 0;
        }
        if (shaken)
            for (int v : list(n.outputs)) forget(v);
        if (n.op == "If" && n.domain.empty()) agree(n, bodies);
    }

  public:
    explicit corrector(graph_data& g) : g_(g), values_(g.values), view_(g.view()), contradicted_(g.values.size(), 0) {
        view_.values = values_;
    }
    void run() {
        for (const node& n : g_.nodes) {
            visit_bodies(n);
            ask(n);
        }
    }
};
}  // namespace

void correct_shapes(graph_data& g) { corrector(g).run(); }
}  // namespace passes
}  // namespace v1
}  // namespace inlay

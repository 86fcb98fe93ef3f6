// eliminate_dead: nodes and outputs that nothing uses; then every record that nothing refers to.
#include "rewrite.hpp"

namespace inlay::inline v1::passes {
// Whether output k may be absent; kernels may then leave it out.
static bool may_lack(const node& n, int k) {
    if (!n.domain.empty()) return false;
    if (n.op == "LSTM" || n.op == "GRU" || n.op == "RNN") return true;
    return k > 0 && (n.op == "Dropout" || n.op == "MaxPool" || n.op == "LayerNormalization" || n.op == "BatchNormalization");
}

// Copies what is referred to, in order, and says where it went.
template <class T> class compactor {
    std::vector<T> old_;
    std::vector<T>& now_;
    std::vector<int> place_;
public:
    explicit compactor(std::vector<T>& pool) : old_(std::move(pool)), now_(pool), place_(old_.size(), -1) { now_.clear(); }
    int operator()(int i) {
        if (i < 0) return i;
        int& p = place_[std::size_t(i)];
        if (p < 0) { p = int(now_.size()); now_.push_back(std::move(old_[std::size_t(i)])); }
        return p;
    }
    range operator()(range r) {  // of a pool whose ranges never overlap
        if (!r.count) return {};
        const range moved{int(now_.size()), r.count};
        for (int i = 0; i < r.count; ++i) now_.push_back(old_[std::size_t(r.first + i)]);
        return moved;
    }
    std::size_t lost() const { return old_.size() - now_.size(); }
};

static int compact(graph_data& g) {
    compactor values(g.values);
    const auto ids = [&](std::vector<int>& list) { for (int& v : list) v = values(v); };
    ids(g.inputs);
    compactor attributes(g.attributes);
    const std::vector<int> edges = std::move(g.edges);
    g.edges.clear();
    const auto moved = [&](range r) {
        const range now{int(g.edges.size()), r.count};
        for (int i = 0; i < r.count; ++i) g.edges.push_back(values(edges[std::size_t(r.first + i)]));
        return now;
    };
    std::deque<graph_data> subgraphs = std::move(g.subgraphs);
    g.subgraphs.clear();
    for (auto* list : {&g.nodes, &g.fused}) for (node& n : *list) {
        n.inputs = moved(n.inputs);
        n.outputs = moved(n.outputs);
        n.captures = moved(n.captures);
        const range sources{int(g.edges.size()), n.sources.count};
        for (int i = 0; i < n.sources.count; ++i) g.edges.push_back(edges[std::size_t(n.sources.first + i)]);
        n.sources = sources;
        n.attributes = attributes(n.attributes);
        for (int i = 0; i < n.attributes.count; ++i) {
            attribute& a = g.attributes[std::size_t(n.attributes.first + i)];
            if (a.kind == attribute_kind::tensor) a.integer = values(int(a.integer));
            if (a.kind == attribute_kind::graph) {
                g.subgraphs.push_back(std::move(subgraphs[std::size_t(a.integer)]));
                a.integer = std::int64_t(g.subgraphs.size()) - 1;
            }
        }
    }
    ids(g.outputs);
    compactor constants(g.constants);
    compactor integers(g.integers);
    compactor reals(g.reals);
    compactor texts(g.texts);
    for (value& v : g.values) {
        v.constant = constants(v.constant);
        v.list = v.kind == contents::integers ? integers(v.list) : v.kind == contents::reals ? reals(v.list) : range{};
    }
    for (attribute& a : g.attributes)
        a.list = a.kind == attribute_kind::integers ? integers(a.list) : a.kind == attribute_kind::reals ? reals(a.list) : a.kind == attribute_kind::texts ? texts(a.list) : range{};
    return int(constants.lost());
}

int eliminate_dead(graph_data& g, const evaluator&) {
    rewriter r(g);
    std::vector<char> used(g.values.size());
    for (int v : g.outputs) used[std::size_t(v)] = true;
    int count = 0;
    for (std::size_t i = g.nodes.size(); i-- > 0;) {
        node& n = g.nodes[i];
        const auto outputs = r.list(n.outputs);
        if (std::none_of(outputs.begin(), outputs.end(), [&](int v) { return v >= 0 && used[std::size_t(v)]; })) {
            r.drop(int(i));
            ++count;
            continue;
        }
        for (int k = 0; k < n.outputs.count; ++k) if (int& v = outputs[std::size_t(k)]; v >= 0 && !used[std::size_t(v)] && may_lack(n, k)) { v = -1; ++count; }
        while (n.outputs.count && r.output(n, n.outputs.count - 1) < 0) --n.outputs.count;
        for (range list : {n.inputs, n.captures}) for (int v : r.list(list)) if (v >= 0) used[std::size_t(v)] = true;
    }
    r.apply();
    return count + compact(g);
}
}  // namespace inlay::inline v1::passes

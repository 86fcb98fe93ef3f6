// Drops the records of a graph that nothing refers to any more.
#include "rewrite.hpp"

namespace inlay {
inline namespace v1 {
namespace passes {
namespace {
// Copies what is referred to and returns the new positions.
template <class T> class compactor {
    std::vector<T> old_;
    std::vector<T>& now_;
    std::vector<int> place_;

  public:
    explicit compactor(std::vector<T>& pool) : old_(std::move(pool)), now_(pool), place_(old_.size(), -1) {
        now_.clear();
    }
    int operator()(int i) {
        if (i < 0) return i;
        int& p = place_[std::size_t(i)];
        if (p < 0) {
            p = int(now_.size());
            now_.push_back(std::move(old_[std::size_t(i)]));
        }
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

std::vector<char> values_in_use(const graph_data& g) {
    std::vector<char> used(g.values.size());
    const auto use = [&](auto first, auto end) {
        for (; first != end; ++first)
            if (*first >= 0) used[std::size_t(*first)] = true;
    };
    use(g.inputs.begin(), g.inputs.end());
    use(g.outputs.begin(), g.outputs.end());
    for (const auto* list : {&g.nodes, &g.fused})
        for (const node& n : *list) {
            for (range r : {n.inputs, n.outputs, n.captures})
                use(g.edges.begin() + r.first, g.edges.begin() + r.first + r.count);
            for (int i = 0; i < n.attributes.count; ++i)
                if (const attribute& a = g.attributes[std::size_t(n.attributes.first + i)];
                    a.kind == attribute_kind::tensor)
                    used[std::size_t(a.integer)] = true;
        }
    return used;
}
}  // namespace

int compact(graph_data& g) {
    const std::vector<char> used = values_in_use(g);
    compactor values(g.values);
    for (std::size_t v = 0; v < used.size(); ++v)
        if (used[v]) values(int(v));
    compactor attributes(g.attributes);
    const std::vector<int> edges = std::move(g.edges);
    g.edges.clear();
    const auto moved = [&](range r, auto place) {
        const range now{int(g.edges.size()), r.count};
        for (int i = 0; i < r.count; ++i) g.edges.push_back(place(edges[std::size_t(r.first + i)]));
        return now;
    };
    std::deque<graph_data> subgraphs = std::move(g.subgraphs);
    g.subgraphs.clear();
    for (auto* list : {&g.inputs, &g.outputs})
        for (int& v : *list) v = values(v);
    for (auto* list : {&g.nodes, &g.fused})
        for (node& n : *list) {
            for (range* r : {&n.inputs, &n.outputs, &n.captures}) *r = moved(*r, std::ref(values));
            n.sources = moved(n.sources, std::identity{});
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
    compactor constants(g.constants);
    compactor containers(g.containers);
    compactor integers(g.integers);
    compactor reals(g.reals);
    compactor texts(g.texts);
    for (value& v : g.values) {
        v.constant = constants(v.constant);
        v.container = containers(v.container);
        v.list = v.kind == contents::integers ? integers(v.list)
                 : v.kind == contents::reals  ? reals(v.list)
                 : v.kind == contents::texts  ? texts(v.list)
                                              : range{};
    }
    for (attribute& a : g.attributes)
        a.list = a.kind == attribute_kind::integers ? integers(a.list)
                 : a.kind == attribute_kind::reals  ? reals(a.list)
                 : a.kind == attribute_kind::texts  ? texts(a.list)
                                                    : range{};
    return int(constants.lost());
}
}  // namespace passes
}  // namespace v1
}  // namespace inlay

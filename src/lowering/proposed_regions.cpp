#include "proposed_regions.hpp"

namespace inlay {
inline namespace v1 {
namespace lowering {
namespace {
// A region's structure, field by field.
class structure_text {
    const graph_view& g_;
    std::string text_{};
    bool complete_ = true;

    template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
    void add(T x) { text_.append(reinterpret_cast<const char*>(&x), sizeof x); }
    void add(std::string_view text) {
        add(text.size());
        text_ += text;
    }
    template <class T> void add_all(std::span<const T> items) {
        add(items.size());
        for (const T& item : items) add(item);
    }
    template <class T> void add_list(std::span<const T> pool, range list) {
        add_all(pool.subspan(std::size_t(list.first), std::size_t(list.count)));
    }
    void add_contents(const value& v) {
        add(v.kind);
        if (v.kind == contents::integers) add_list(g_.integers, v.list);
        if (v.kind == contents::reals) add_list(g_.reals, v.list);
        if (v.kind == contents::texts) add_list(g_.texts, v.list);
    }
    void add(const attribute& a) {
        add(a.name);
        add(a.kind);
        add(a.real);
        add(a.text);
        if (a.kind == attribute_kind::integers) add_list(g_.integers, a.list);
        if (a.kind == attribute_kind::reals) add_list(g_.reals, a.list);
        if (a.kind == attribute_kind::texts) add_list(g_.texts, a.list);
        if (a.kind != attribute_kind::tensor) return add(a.integer);
        complete_ &= g_.values[std::size_t(a.integer)].kind != contents::none;
        add_value(int(a.integer));
    }

  public:
    explicit structure_text(const graph_view& g) : g_(g) {}
    void add_value(int id) {
        add(id);
        if (id < 0) return;
        const value& v = g_.values[std::size_t(id)];
        add(v.type);
        add_all(std::span<const std::int64_t>(v.dims.begin(), v.dims.end()));
        add(v.dims.rank);
        add(v.is_constant());
        add_contents(v);
        complete_ &= v.container < 0;
    }
    void add_node(const node& n) {
        for (const std::string_view text : {n.name, n.domain, n.op}) add(text);
        add(n.version);
        add(n.attributes.count);
        for (const attribute& a :
             g_.attributes.subspan(std::size_t(n.attributes.first), std::size_t(n.attributes.count)))
            add(a);
        for (const range list : {n.inputs, n.outputs}) {
            add(list.count);
            for (const int v : g_.list(list)) add_value(v);
        }
    }
    void add_ends(std::span<const int> ids) { add_all(ids); }
    std::optional<std::string> finish() {
        if (!complete_) return {};
        return std::move(text_);
    }
};
}  // namespace

std::optional<std::string> structure_of(const region& r) {
    structure_text text(r.graph);
    text.add_ends(r.nodes);
    text.add_ends(r.inputs);
    text.add_ends(r.outputs);
    for (const int i : r.nodes) text.add_node(r.graph.nodes[std::size_t(i)]);
    return text.finish();
}
}  // namespace lowering
}  // namespace v1
}  // namespace inlay

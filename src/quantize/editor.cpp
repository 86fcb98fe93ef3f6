#include "editor.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace quantizing {
namespace {
void add_names(const GraphProto& g, std::set<std::string, std::less<>>& names) {  // those of bodies too
    for (auto* list : {&g.input(), &g.output(), &g.value_info()})
        for (auto& v : *list) names.insert(v.name());
    for (auto& t : g.initializer()) names.insert(t.name());
    for (auto& t : g.sparse_initializer()) names.insert(t.values().name());
    for (auto& n : g.node()) {
        names.insert(n.name());
        names.insert(n.input().begin(), n.input().end());
        names.insert(n.output().begin(), n.output().end());
        for (auto& a : n.attribute()) {
            if (a.has_g()) add_names(a.g(), names);
            for (auto& body : a.graphs()) add_names(body, names);
        }
    }
}
template <class List, class F> void remove_if(List& list, F f) {
    int count = 0;
    for (int k = 0; k < list.size(); ++k)
        if (!f(list.Get(k))) list.SwapElements(count++, k);
    list.DeleteSubrange(count, list.size() - count);
}
}  // namespace

graph_editor::graph_editor(ModelProto& m)
    : m_(m),
      g_(*m.mutable_graph()),
      nodes_(loading::make_on<google::protobuf::RepeatedPtrField<NodeProto>>(loading::arena_of(m))) {
    add_names(g_, used_names_);
    require_ir_version(4);  // from which on initializers are no inputs
}
void graph_editor::require_ir_version(std::int64_t least) { m_.set_ir_version(std::max(m_.ir_version(), least)); }
std::string graph_editor::fresh(const std::string& base) {
    std::string name = base;
    for (int k = 1; !used_names_.insert(name).second; ++k) name = base + "_" + std::to_string(k);
    return name;
}
std::string graph_editor::add_constant(const std::string& base, const tensor& t) {
    const std::string name = fresh(base);
    auto* p = g_.add_initializer();
    loading::to_proto(t, *p);
    p->set_name(name);
    return name;
}
NodeProto& graph_editor::add(const std::string& op, const std::vector<std::string>& inputs, const std::string& output) {
    NodeProto& n = *nodes_.Add();
    n.set_op_type(op);
    n.set_name(fresh(output + "_" + op));
    for (const std::string& x : inputs) n.add_input(x);
    n.add_output(output);
    return n;
}
void graph_editor::import_domain(const std::string& domain, int version) {
    for (auto& s : m_.opset_import())
        if (s.domain() == domain) return;
    auto& s = *m_.add_opset_import();
    s.set_domain(domain);
    s.set_version(version);
}
void graph_editor::finish() {
    g_.mutable_node()->Swap(&nodes_);
    std::set<std::string, std::less<>> reads;
    for (auto& n : g_.node()) loading::each_read(n, [&](std::string_view name) { reads.emplace(name); });
    for (auto& y : g_.output()) reads.insert(y.name());
    const auto gone = [&](const std::string& name) { return replaced_.contains(name) && !reads.contains(name); };
    for (auto& t : *g_.mutable_initializer())
        if (gone(t.name())) std::string().swap(*t.mutable_raw_data());  // its arena keeps the tensor
    remove_if(*g_.mutable_initializer(), [&](const auto& t) { return gone(t.name()); });
    remove_if(*g_.mutable_input(), [&](const auto& v) { return gone(v.name()); });
    remove_if(*g_.mutable_value_info(), [&](const auto& v) { return gone(v.name()); });
    remove_if(*g_.mutable_node(), [&](const NodeProto& n) {
        return is_onnx(n) && n.op_type() == "Constant" && n.output_size() == 1 && gone(n.output(0));
    });
}
void set_integer(NodeProto& n, const std::string& name, std::int64_t value) {
    auto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(::onnx::AttributeProto::INT);
    a.set_i(value);
}
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay

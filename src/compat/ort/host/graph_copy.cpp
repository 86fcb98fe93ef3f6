#include "graph_copy.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace ort {
graph_copy::graph_copy(const graph_view& g, std::span<const int> shown, std::span<const int> free,
                       const constant_source* constants, lending when)
    : g_(g), constants_(constants), when_(when), by_value_(g.values.size()) {
    viewer.name_ = g.name;
    viewer.by_index_.resize(g.nodes.size());
    const auto ends = ends_of(g, shown);
    const bool whole = shown.size() == g.nodes.size();
    show_inputs(whole ? g.inputs : std::span<const int>(ends.inputs));
    for (int v : whole ? g.outputs : std::span<const int>(ends.outputs)) viewer.outputs_.push_back(arg_of(v));
    for (int i : shown) add_node(i, std::ranges::binary_search(free, i));
    add_edges();
}
void graph_copy::show_inputs(std::span<const int> values) {
    for (int v : values) viewer.inputs_.push_back(arg_of(v));
    viewer.inputs_and_initializers_ = viewer.inputs_;
}

// Passes create values without a name, and a body may reuse a name: here each value has a unique one.
const NodeArg* graph_copy::arg_of(int id) {
    if (id < 0) return &absent_;
    if (by_value_[std::size_t(id)]) return by_value_[std::size_t(id)];
    const value& v = g_.values[std::size_t(id)];
    NodeArg& a = args_.emplace_back();
    a.name_ = v.name.empty() ? "value_" + std::to_string(id) : std::string(v.name);
    while (viewer.args_.contains(a.name_)) a.name_ += "#" + std::to_string(id);
    a.value_ = id;
    a.element_ = v.type;
    a.type_ = to_string(g_.type_of(id));
    a.proto_.is_tensor_ = v.type != element::object;
    a.proto_.tensor_.type_ = v.type == element::object ? 0 : int(v.type);
    a.proto_.tensor_.has_shape_ = v.dims.rank >= 0;
    for (std::int64_t d : v.dims) {
        const auto symbol = std::size_t(-2 - d);
        const bool named = d < -1 && symbol < g_.symbols.size();
        a.proto_.tensor_.shape_.dims_.emplace_back(d, named ? g_.symbols[symbol] : std::string_view());
    }
    by_value_[std::size_t(id)] = viewer.args_[a.name_] = &a;
    if (v.is_constant()) {
        viewer.initializers_[a.name_] = &tensors_.emplace_back(tensor_of(id, a.name_));
        viewer.inputs_and_initializers_.push_back(&a);
    }
    return &a;
}
std::vector<const NodeArg*> graph_copy::args_of(range list) {
    std::vector<const NodeArg*> args;
    for (int id : g_.list(list)) args.push_back(arg_of(id));
    return args;
}
TensorProto graph_copy::tensor_of(int id, const std::string& name) const {
    const value& v = g_.values[std::size_t(id)];
    TensorProto t;
    t.name_ = name;
    t.type_ = int(v.type);
    t.dims_.assign(v.dims.begin(), v.dims.end());
    t.value_ = id;
    if (when_ == lending::later)
        t.source_ = constants_;
    else if (constants_)
        t.data_ = constants_->elements(id);
    return t;
}
AttributeProto graph_copy::attribute_of(const attribute& a) const {
    const auto part = [&](const auto& pool) {
        return pool.subspan(std::size_t(a.list.first), std::size_t(a.list.count));
    };
    AttributeProto p;
    p.name_ = a.name;
    switch (a.kind) {
        case attribute_kind::integer:
            p.type_ = AttributeProto_AttributeType_INT;
            p.integers_ = {a.integer};
            break;
        case attribute_kind::real:
            p.type_ = AttributeProto_AttributeType_FLOAT;
            p.reals_ = {float(a.real)};
            break;
        case attribute_kind::text:
            p.type_ = AttributeProto_AttributeType_STRING;
            p.texts_ = {std::string(a.text)};
            break;
        case attribute_kind::integers:
            p.type_ = AttributeProto_AttributeType_INTS;
            p.integers_.assign(part(g_.integers).begin(), part(g_.integers).end());
            break;
        case attribute_kind::reals:
            p.type_ = AttributeProto_AttributeType_FLOATS;
            for (double x : part(g_.reals)) p.reals_.push_back(float(x));
            break;
        case attribute_kind::texts:
            p.type_ = AttributeProto_AttributeType_STRINGS;
            for (std::string_view s : part(g_.texts)) p.texts_.emplace_back(s);
            break;
        case attribute_kind::tensor:
            p.type_ = AttributeProto_AttributeType_TENSOR;
            p.tensor_ = tensor_of(int(a.integer), std::string(a.name));
            break;
        case attribute_kind::graph: p.type_ = AttributeProto_AttributeType_GRAPH; break;
    }
    return p;
}
void graph_copy::add_node(int index, bool free) {
    const node& n = g_.nodes[std::size_t(index)];
    Node& copy = nodes_.emplace_back();
    copy.index_ = NodeIndex(index);
    copy.name_ = n.name;
    copy.op_ = n.op;
    copy.domain_ = n.domain;
    copy.version_ = n.version;
    if (!free) copy.provider_ = "taken";
    copy.inputs_ = args_of(n.inputs);
    copy.outputs_ = args_of(n.outputs);
    copy.captures_ = args_of(n.captures);
    const auto list = g_.attributes.subspan(std::size_t(n.attributes.first), std::size_t(n.attributes.count));
    for (const attribute& a : list) copy.attributes_.emplace(a.name, attribute_of(a));
    viewer.nodes_.push_back(&copy);
    viewer.by_index_[std::size_t(index)] = &copy;
    viewer.order_.push_back(copy.index_);
}
void graph_copy::connect(const Node& from, int output, Node& to, int input) {
    Node& source = const_cast<Node&>(from);  // of nodes_
    source.edges_out_.emplace_back(to, output, input);
    to.edges_in_.emplace_back(source, output, input);
    const auto once = [](std::vector<const Node*>& nodes, const Node& n) {
        if (std::ranges::find(nodes, &n) == nodes.end()) nodes.push_back(&n);
    };
    once(source.after_, to);
    once(to.before_, source);
}
void graph_copy::add_edges() {
    std::vector<std::pair<const Node*, int>> producers(g_.values.size());
    for (Node& n : nodes_) {
        int input = 0;
        for (const auto* list : {&n.inputs_, &n.captures_})
            for (const NodeArg* a : *list) {
                if (a->Exists()) {
                    auto& readers = viewer.consumers_[a->Name()];
                    if (std::ranges::find(readers, &n) == readers.end()) readers.push_back(&n);
                    if (const auto [node, output] = producers[std::size_t(a->Value())]; node)
                        connect(*node, output, n, input);
                }
                ++input;
            }
        for (int k = 0; k < int(n.outputs_.size()); ++k)
            if (const NodeArg* a = n.outputs_[std::size_t(k)]; a->Exists()) {
                producers[std::size_t(a->Value())] = {&n, k};
                viewer.producers_[a->Name()] = &n;
            }
    }
}

result<Node*> graph_copy::fuse(const IndexedSubGraph::MetaDef& meta, const std::string& name) {
    Node& fused = nodes_.emplace_back();
    fused.index_ = viewer.by_index_.size();
    fused.name_ = name;
    fused.op_ = meta.name;
    fused.domain_ = meta.domain;
    fused.version_ = meta.since_version;
    fused.attributes_ = meta.attributes;
    const auto find = [&](const std::vector<std::string>& names, std::vector<const NodeArg*>& to) -> std::string {
        for (const std::string& n : names) {
            const NodeArg* a = n.empty() ? &absent_ : viewer.GetNodeArg(n);
            if (!a) return "its MetaDef names `" + n + "`, which no node of the sub-graph reads or makes";
            to.push_back(a);
        }
        return {};
    };
    std::string problem = find(meta.inputs, fused.inputs_);
    if (problem.empty()) problem = find(meta.outputs, fused.outputs_);
    if (!problem.empty()) return error(error_code::unsupported_model, std::move(problem));
    viewer.inputs_ = fused.inputs_;
    std::erase_if(viewer.inputs_, [&](const NodeArg* a) { return viewer.initializers_.contains(a->Name()); });
    viewer.outputs_ = fused.outputs_;
    return &fused;
}
}  // namespace ort
}  // namespace v1
}  // namespace inlay

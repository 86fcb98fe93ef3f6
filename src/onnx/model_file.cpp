#include "attributes.hpp"
#include "engine/saved_regions.hpp"
#include "schemas.hpp"
#include <inlay/model_file.hpp>
#include <climits>
#include <onnx/defs/schema.h>

namespace inlay {
inline namespace v1 {
namespace {
using loading::refuse;
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

class writer {
    struct scope {  // a graph, and the names of its values in the file: empty until needed
        const graph_data& g;
        std::vector<std::string> names;
        // Whether a node produces it, though the value may be constant: the result of dequantizing at load.
        std::vector<char> node_outputs;
        explicit scope(const graph_data& graph)
            : g(graph), names(graph.values.size()), node_outputs(graph.made_by_nodes()) {}
        std::span<const int> list(const range& r) const {
            return std::span(g.edges).subspan(std::size_t(r.first), std::size_t(r.count));
        }
    };
    ::onnx::ModelProto& m_;
    GraphProto& top_;
    std::set<std::string> used_names_;  // no name is used twice, in subgraphs either
    std::map<std::tuple<graph_constant::identity_type, element, std::string>, std::string>
        initializers_;  // all of the outermost graph; subgraphs share memory with it
    std::map<std::string, int> opsets_;

    std::string fresh(std::string_view base) {
        const std::string first(base.empty() ? "value" : base);
        std::string name = first;
        for (int k = 1; !used_names_.insert(name).second; ++k) name = first + "_" + std::to_string(k);
        return name;
    }
    std::string initializer(const value& v, const graph_constant& c) {
        std::string& name = initializers_[{c.identity(), c.type(), to_string(c.shape())}];
        if (!name.empty()) return name;
        name = fresh(v.name);
        auto* p = top_.add_initializer();
        loading::to_proto(c.get(), *p);
        p->set_name(name);
        return name;
    }
    std::string name(scope& s, int id) {
        if (id < 0) return {};
        std::string& n = s.names[std::size_t(id)];
        const value& v = s.g.values[std::size_t(id)];
        if (n.empty())
            n = v.is_constant() && !s.node_outputs[std::size_t(id)]
                    ? initializer(v, s.g.constants[std::size_t(v.constant)])
                    : fresh(v.name);
        return n;
    }

    void write(scope& s, const node& n, const attribute& a, AttributeProto& p) {
        if (loading::to_proto(a, {s.g.integers, s.g.reals, s.g.texts}, p)) return;
        if (a.kind == attribute_kind::tensor) {
            p.set_type(AttributeProto::TENSOR);
            loading::to_proto(s.g.constants[std::size_t(s.g.values[std::size_t(a.integer)].constant)].get(),
                              *p.mutable_t());
        } else {
            p.set_type(AttributeProto::GRAPH);
            write_body(s, n, s.g.subgraphs[std::size_t(a.integer)], *p.mutable_g());
        }
    }
    static void write_type(const attribute& a, AttributeProto& p) {  // which the records have as text
        p.set_name(std::string(a.name));
        p.set_type(AttributeProto::TYPE_PROTO);
        loading::to_proto(loading::type_of_text(a.text), *p.mutable_tp());
    }
    void write(scope& s, const node& n, NodeProto& p) {
        p.set_name(std::string(n.name));
        p.set_domain(std::string(n.domain));
        p.set_op_type(std::string(n.op));
        const ::onnx::OpSchema* schema = schema_of(n, p);
        for (int id : s.list(n.inputs)) p.add_input(name(s, id));
        for (const attribute& a :
             std::span(s.g.attributes).subspan(std::size_t(n.attributes.first), std::size_t(n.attributes.count))) {
            if (schema)
                if (const auto formal = schema->attributes().find(std::string(a.name));
                    formal != schema->attributes().end() && formal->second.type == AttributeProto::TYPE_PROTO) {
                    write_type(a, *p.add_attribute());
                    continue;
                }
            write(s, n, a, *p.add_attribute());
        }
        for (int id : s.list(n.outputs)) p.add_output(name(s, id));
    }
    const ::onnx::OpSchema* schema_of(const node& n, const NodeProto& p) {
        const int opset = opsets_.try_emplace(p.domain(), n.version).first->second;
        const auto* schema = loading::find_schema(p.op_type(), opset, p.domain());
        if (schema && schema->SinceVersion() > opset) schema = nullptr;  // which this opset does not have
        if (schema && schema->SinceVersion() != n.version && !loading::same_in_versions(n, opset))
            refuse(error_code::unsupported_model,
                   loading::text_of(p) + " is of version " + std::to_string(n.version) + ", which opset " +
                       std::to_string(opset) + " of the model does not have",
                   "leave out the pass that made it");
        if (!schema && loading::written_version(p.op_type(), p.domain()) > opset)
            refuse(error_code::unsupported_model,
                   loading::text_of(p) +
                       ", which the loader wrote in place of an operator of com.microsoft, is of opset " +
                       std::to_string(n.version) + ", and the model imports opset " + std::to_string(opset),
                   "convert the model to a newer opset");
        return schema;
    }
    // The type of a value of a body.
    static void declare(const value_type& t, ::onnx::ValueInfoProto& p) {
        if (t.type != element::undefined && t.type != element::object) loading::to_proto(t, *p.mutable_type());
    }
    // Outputs that no node of this graph produces, or that are listed twice, get an Identity: some readers of ONNX
    // require it.
    void write_outputs(scope& s, GraphProto& p, std::span<const std::string> own_names) {
        std::set<std::string> outputs;
        for (const NodeProto& n : p.node()) outputs.insert(n.output().begin(), n.output().end());
        for (std::size_t k = 0; k < s.g.outputs.size(); ++k) {
            const std::string from = name(s, s.g.outputs[k]);
            const bool first = outputs.erase(from);
            const std::string to = k < own_names.size() ? own_names[k] : first ? from : fresh(from);
            if (k >= own_names.size()) {
                auto* v = p.add_output();
                v->set_name(to);
                value_type type = s.g.type_of(s.g.outputs[k]);
                if (!type.shape.known() && k < s.g.declared.size() && s.g.declared[k].rank >= 0)
                    type.shape = s.g.declared[k];
                declare(type, *v);
            }
            if (from == to) continue;
            NodeProto& n = *p.add_node();
            n.set_op_type("Identity");
            n.add_input(from);
            n.add_output(to);
        }
    }
    void write_body(scope& outside, const node& n, const graph_data& g, GraphProto& p) {
        scope s(g);
        p.set_name(g.name.empty() ? "body" : std::string(g.name));
        const auto captures = outside.list(n.captures);
        const std::size_t formal = g.inputs.size() - captures.size();
        for (std::size_t k = 0; k < formal; ++k) {
            auto* v = p.add_input();
            v->set_name(name(s, g.inputs[k]));
            declare(g.type_of(g.inputs[k]), *v);
        }
        for (std::size_t k = 0; k < captures.size(); ++k)
            s.names[std::size_t(g.inputs[formal + k])] = name(outside, captures[k]);
        for (const node& inner : g.nodes) write(s, inner, *p.add_node());
        write_outputs(s, p, {});
    }

  public:
    explicit writer(::onnx::ModelProto& m) : m_(m), top_(*m.mutable_graph()) {}

    std::vector<std::string> run(const model& from) {
        const graph_data& g = from.graph();
        for (const opset& o : from.opsets()) opsets_[o.domain] = o.version;
        for (auto clear :
             {&GraphProto::clear_node, &GraphProto::clear_initializer, &GraphProto::clear_sparse_initializer,
              &GraphProto::clear_value_info, &GraphProto::clear_quantization_annotation})
            (top_.*clear)();
        m_.clear_functions();
        m_.clear_training_info();
        m_.set_ir_version(std::max<std::int64_t>(m_.ir_version(), 4));  // from which on initializers are no inputs
        if (top_.name().empty()) top_.set_name("graph");
        auto& inputs =
            loading::make_on<google::protobuf::RepeatedPtrField<::onnx::ValueInfoProto>>(loading::arena_of(top_));
        inputs.Swap(top_.mutable_input());
        std::map<std::string_view, ::onnx::ValueInfoProto*> declared;
        for (auto& v : inputs) declared[v.name()] = &v;

        scope s(g);
        std::vector<std::string> outputs;
        for (const port& p : from.outputs()) {
            outputs.push_back(p.name);
            used_names_.insert(p.name);
        }
        for (std::size_t k = 0; k < g.inputs.size(); ++k) {
            s.names[std::size_t(g.inputs[k])] = from.inputs()[k].name;
            used_names_.insert(from.inputs()[k].name);
            top_.mutable_input()->UnsafeArenaAddAllocated(declared.at(from.inputs()[k].name));
        }
        for (const node& n : g.nodes)
            for (int id : s.list(n.outputs))
                if (const auto k = std::ranges::find(g.outputs, id); id >= 0 && k != g.outputs.end())
                    s.names[std::size_t(id)] = outputs[std::size_t(k - g.outputs.begin())];
        for (const node& n : g.nodes) write(s, n, *top_.add_node());
        write_outputs(s, top_, outputs);

        m_.clear_opset_import();
        for (const auto& [domain, version] : opsets_) {
            auto* o = m_.add_opset_import();
            o->set_domain(domain);
            o->set_version(version);
        }
        return std::move(s.names);
    }
};
}  // namespace

namespace loading {
std::vector<std::string> write_model(const model& from, ::onnx::ModelProto& to) { return writer(to).run(from); }
std::string serialized(const ::onnx::ModelProto& m) {
    if (m.ByteSizeLong() > INT_MAX)
        refuse(error_code::limit_exceeded, "the model is larger than a protobuf message may be, 2 GiB");
    return m.SerializeAsString();
}
}  // namespace loading

std::string model_file(const model& m, const std::filesystem::path& source) {
    return loading::guarded<std::string>(loading::error_place{"inlay", &source},
                                         [&]() -> result<std::string> {
                                             require_no_saved_regions(m.graph());
                                             const loading::file_bytes file =
                                                 loading::map_file(source, m.limits().file_bytes);
                                             loading::left_in_file weights;  // in `m`
                                             const auto p = loading::parse(file, m.limits(), weights);
                                             loading::write_model(m, *p);
                                             return loading::serialized(*p);
                                         })
        .value_or_raise();
}
}  // namespace v1
}  // namespace inlay

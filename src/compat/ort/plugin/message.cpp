#include "message.hpp"
#include <cstring>

namespace inlay::ep {
node_ends ends_of(const runtime& ort, const OrtNode* n) {
    return {ort.list<const OrtValueInfo*>(node_input_count, node_inputs, n),
            ort.list<const OrtValueInfo*>(node_implicit_input_count, node_implicit_inputs, n),
            ort.list<const OrtValueInfo*>(node_output_count, node_outputs, n)};
}
std::string name_of(const runtime& ort, const OrtValueInfo* v) {
    return v ? ort.get<const char*>(value_name, v) : std::string();
}
std::vector<std::string> names_of(const runtime& ort, std::span<const OrtNode* const> nodes) {
    std::vector<std::string> names;
    std::set<std::string> used_names;
    for (const OrtNode* n : nodes) {
        std::string name = ort.get<const char*>(node_name, n);
        if (name.empty()) {  // it is identified by its results
            for (const OrtValueInfo* v : ends_of(ort, n).outputs)
                if (name.empty()) name = name_of(ort, v);
        }
        const std::string base = name;
        for (int k = 1; !used_names.insert(name).second; ++k) name = base + "_" + std::to_string(k);
        names.push_back(std::move(name));
    }
    return names;
}

namespace {
[[noreturn]] void refuse(const std::string& text) { raise({error_code::unsupported_model, text}); }

class writer {
    const runtime& ort_;
    const elements kind_;
    message m_;

    tensor_type type_of(const OrtValueInfo* v, const std::string& name) const {
        const auto* type = ort_.get<const OrtTypeInfo*>(value_type_info, v);
        const auto* info = type && ort_.get<ort_kind>(kind_of_type, type) == ort_kind::tensor
                               ? ort_.get<const OrtTensorTypeAndShapeInfo*>(tensor_info_of_type, type)
                               : nullptr;
        if (!info) refuse("the value `" + name + "` is no tensor; only tensors enter and leave a region of Inlay's");
        tensor_type t = tensor_type_of(ort_, info, true);
        if (t.type == element::undefined)
            refuse("the value `" + name + "` has elements of a type that Inlay does not have");
        return t;
    }
    void declare(const OrtValueInfo* v, const std::string& name, ::onnx::ValueInfoProto& p) const {
        const tensor_type t = type_of(v, name);
        p.set_name(name);
        auto& to = *p.mutable_type()->mutable_tensor_type();
        to.set_elem_type(int(t.type));
        if (!t.has_shape) return;
        to.mutable_shape();
        for (std::size_t i = 0; i < t.dims.size(); ++i) {
            auto& dim = *to.mutable_shape()->add_dim();
            if (t.dims[i] >= 0)
                dim.set_dim_value(t.dims[i]);
            else if (!t.symbols[i].empty())
                dim.set_dim_param(t.symbols[i]);
        }
    }
    // Large elements are not put into the message, which would copy them twice.
    void write_tensor(const OrtValue* v, const std::string& name, ::onnx::TensorProto& p) {
        if (!v) refuse("ONNX Runtime does not tell what the constant `" + name + "` holds");
        const tensor_type t = tensor_type_of(ort_, v);
        if (t.type == element::undefined)
            refuse("the constant `" + name + "` has elements of a type that Inlay does not have");
        p.set_name(name);
        p.set_data_type(int(t.type));
        for (std::int64_t d : t.dims) p.add_dims(d);
        const shape dims = shape_of(t, "the constant `" + name + "`");
        if (t.type == element::string) {
            const tensor strings = tensor_of_strings(ort_, v, dims);
            for (const std::string& s : strings.as<std::string>()) p.add_string_data(s);
            return;
        }
        const auto bytes = std::size_t(bytes_of(t.type, dims.elements()));
        if (!bytes) return;
        const void* data = ort_.get<const void*>(tensor_data, v);
        loading::file_bytes source{{static_cast<const std::byte*>(data), bytes}};
        if (kind_ == elements::copied) {
            auto copy = std::make_shared<tensor>(
                tensor::uninitialized(element::u8, shape{std::int64_t(bytes)}));  // aligned, as kernels require it
            std::memcpy(copy->data(), data, bytes);
            source.data = {static_cast<const std::byte*>(copy->data()), bytes};
            source.keep = std::move(copy);
        }
        m_.left[&p] = std::move(source);
    }
    std::string read_bytes(const OrtOpAttr* a, ort_attribute type) const {
        std::size_t size = 0;  // reported by a call that fails, for its buffer is too small
        if (OrtStatus* small = ort_.call(read_attribute, a, type, nullptr, 0, &size)) ort_.call(release_status, small);
        std::string bytes(size, '\0');
        if (size) ort_.ask(read_attribute, a, type, bytes.data(), size, &size);
        return bytes;
    }
    template <class T> std::vector<T> read(const OrtOpAttr* a, ort_attribute type) const {
        const std::string bytes = read_bytes(a, type);
        std::vector<T> items(bytes.size() / sizeof(T));
        std::memcpy(items.data(), bytes.data(), items.size() * sizeof(T));
        return items;
    }
    template <class T> T read_one(const OrtOpAttr* a, ort_attribute type) const {
        T x{};
        std::size_t size = 0;
        ort_.ask(read_attribute, a, type, &x, sizeof x, &size);
        return x;
    }
    void write_attribute(const OrtOpAttr* a, const std::string& name, ort_attribute type, ::onnx::NodeProto& n) {
        using ::onnx::AttributeProto;
        AttributeProto& p = *n.add_attribute();
        p.set_name(name);
        switch (type) {
            case ort_attribute::integer:
                p.set_type(AttributeProto::INT);
                p.set_i(read_one<std::int64_t>(a, type));
                return;
            case ort_attribute::real:
                p.set_type(AttributeProto::FLOAT);
                p.set_f(read_one<float>(a, type));
                return;
            case ort_attribute::integers:
                p.set_type(AttributeProto::INTS);
                for (auto x : read<std::int64_t>(a, type)) p.add_ints(x);
                return;
            case ort_attribute::reals:
                p.set_type(AttributeProto::FLOATS);
                for (auto x : read<float>(a, type)) p.add_floats(x);
                return;
            case ort_attribute::text:
                p.set_type(AttributeProto::STRING);
                p.set_s(read_bytes(a, type));
                return;
            case ort_attribute::texts: {
                p.set_type(AttributeProto::STRINGS);
                const std::string texts = read_bytes(a, type);  // each ends with a zero
                for (std::size_t at = 0; at < texts.size(); at += p.strings().rbegin()->size() + 1)
                    p.add_strings(texts.c_str() + at);
                return;
            }
            case ort_attribute::tensor: {
                p.set_type(AttributeProto::TENSOR);
                auto* v = ort_.get<OrtValue*>(attribute_tensor, a);
                const auto release = [this](OrtValue* x) { ort_.call(release_value, x); };
                const std::unique_ptr<OrtValue, decltype(release)> keep(v, release);
                write_tensor(v, name, *p.mutable_t());
                copy_left(*p.mutable_t());  // ONNX Runtime's value ends here
                return;
            }
            default: refuse("its attribute `" + name + "` is of a kind that ONNX Runtime does not give to libraries");
        }
    }
    void copy_left(::onnx::TensorProto& p) {
        const auto at = m_.left.find(&p);
        if (at == m_.left.end()) return;
        p.set_raw_data(at->second.data.data(), at->second.data.size());
        m_.left.erase(at);
    }
    void write_node(const OrtNode* n, const std::string& name, ::onnx::NodeProto& p) {
        p.set_name(name);
        p.set_op_type(ort_.get<const char*>(node_operator, n));
        const std::string domain = ort_.get<const char*>(node_domain, n);
        p.set_domain(domain == "ai.onnx" ? "" : domain);
        const node_ends ends = ends_of(ort_, n);
        for (const OrtValueInfo* v : ends.inputs) p.add_input(name_of(ort_, v));
        for (const OrtValueInfo* v : ends.outputs) p.add_output(name_of(ort_, v));
        for (const OrtOpAttr* a : ort_.list<const OrtOpAttr*>(node_attribute_count, node_attributes, n))
            if (const auto type = ort_.get<ort_attribute>(attribute_type, a); type != ort_attribute::graph)
                write_attribute(a, ort_.get<const char*>(attribute_name, a), type, p);
        std::vector<const OrtGraph*> bodies(ort_.get<std::size_t>(node_subgraph_count, n));
        std::vector<const char*> attributes(bodies.size());
        ort_.ask(node_subgraphs, n, bodies.data(), bodies.size(), attributes.data());
        for (std::size_t k = 0; k < bodies.size(); ++k) {
            auto& a = *p.add_attribute();
            a.set_name(attributes[k]);
            a.set_type(::onnx::AttributeProto::GRAPH);
            write_body(bodies[k], *a.mutable_g());
        }
    }
    void write_body(const OrtGraph* g, ::onnx::GraphProto& p) {
        p.set_name("body");
        std::set<std::string> constant;
        for (const auto* v : ort_.list<const OrtValueInfo*>(graph_initializer_count, graph_initializers, g)) {
            const std::string name = name_of(ort_, v);
            write_tensor(ort_.get<const OrtValue*>(initializer_value, v), name, *p.add_initializer());
            constant.insert(name);
        }
        for (const auto* v : ort_.list<const OrtValueInfo*>(graph_input_count, graph_inputs, g))
            if (const std::string name = name_of(ort_, v); !constant.contains(name)) declare(v, name, *p.add_input());
        const auto nodes = ort_.list<const OrtNode*>(graph_node_count, graph_nodes, g);
        const std::vector<std::string> names = names_of(ort_, nodes);
        for (std::size_t i = 0; i < nodes.size(); ++i) write_node(nodes[i], names[i], *p.add_node());
        for (const auto* v : ort_.list<const OrtValueInfo*>(graph_output_count, graph_outputs, g))
            declare(v, name_of(ort_, v), *p.add_output());
    }
    // Versions of all domains that ONNX Runtime reports, for those of the nodes.
    void write_opsets(const OrtGraph* g) {
        std::set<std::string> used;
        const std::function<void(const ::onnx::GraphProto&)> look = [&](const ::onnx::GraphProto& p) {
            for (auto& n : p.node()) {
                used.insert(n.domain());
                for (auto& a : n.attribute())
                    if (a.has_g()) look(a.g());
            }
        };
        look(m_.model->graph());
        std::vector<const char*> domains(ort_.get<std::size_t>(graph_opset_count, g));
        std::vector<std::int64_t> versions(domains.size());
        ort_.ask(graph_opsets, g, domains.data(), versions.data(), domains.size());
        for (std::size_t k = 0; k < domains.size(); ++k) {
            const std::string domain = std::string_view(domains[k]) == "ai.onnx" ? "" : domains[k];
            if (!used.contains(domain)) continue;
            auto& o = *m_.model->add_opset_import();
            o.set_domain(domain);
            o.set_version(versions[k]);
        }
    }
    void write_ends(const piece& p) {
        ::onnx::GraphProto& g = *m_.model->mutable_graph();
        std::set<std::string> output_names, input_names, seen_names;
        std::map<std::string, const OrtValueInfo*> outputs;
        std::vector<node_ends> ends;
        for (const OrtNode* n : p.nodes) ends.push_back(ends_of(ort_, n));
        for (const node_ends& e : ends)
            for (const auto* v : e.outputs)
                if (std::string name = name_of(ort_, v); !name.empty())
                    output_names.insert(name), outputs.emplace(name, v);
        const auto take = [&](const OrtValueInfo* v) {
            const std::string name = name_of(ort_, v);
            if (name.empty()) return;
            input_names.insert(name);
            if (output_names.contains(name) || !seen_names.insert(name).second) return;
            const bool is_input = p.inputs && p.inputs->contains(name);
            const auto* value = !is_input && ort_.get<bool>(is_constant_initializer, v)
                                    ? ort_.get<const OrtValue*>(initializer_value, v)
                                    : nullptr;
            if (value)
                write_tensor(value, name, *g.add_initializer());
            else if (p.inputs && !is_input)
                raise({error_code::invalid_model,
                       "inlay: `" + name + "` is neither an input of the region nor a constant"});
            else
                declare(v, name, *g.add_input());
        };
        for (const node_ends& e : ends) {
            for (const auto* v : e.inputs) take(v);
            for (const auto* v : e.implicit) take(v);
        }
        if (p.outputs)
            for (const std::string& name : *p.outputs) {
                const auto at = outputs.find(name);
                if (at == outputs.end())
                    raise({error_code::invalid_model, "inlay: no node of the region makes its output `" + name + "`"});
                declare(at->second, name, *g.add_output());
            }
        else
            for (const auto& [name, v] : outputs)
                if (!input_names.contains(name)) declare(v, name, *g.add_output());
    }

  public:
    writer(const runtime& ort, elements kind) : ort_(ort), kind_(kind) {}
    message run(const piece& p) {
        m_.model->set_ir_version(10);
        m_.model->mutable_graph()->set_name("region");
        write_ends(p);
        for (std::size_t i = 0; i < p.nodes.size(); ++i)
            write_node(p.nodes[i], p.names[i], *m_.model->mutable_graph()->add_node());
        write_opsets(p.graph);
        return std::move(m_);
    }
};
}  // namespace

message message_of(const runtime& ort, const piece& p, elements kind) { return writer(ort, kind).run(p); }
}  // namespace inlay::ep

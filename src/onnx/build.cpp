// A checked, inlined, inferred ModelProto to inlay's own records.
#include "engine/facts.hpp"
#include "proto.hpp"
#include "schemas.hpp"
#include <inlay/core/passes.hpp>
#include <inlay/onnx/control_flow.hpp>
#include <unordered_map>
#include <unordered_set>

namespace inlay {
inline namespace v1 {
namespace loading {
using ::onnx::AttributeProto;
using ::onnx::TypeProto;

std::string type_text(const TypeProto& t) {
    const auto inside = [](std::string name, const auto& held) {
        return name + "(" + type_text(held.elem_type()) + ")";
    };
    switch (t.value_case()) {
        case TypeProto::kTensorType:
            return t.tensor_type().elem_type()
                       ? "tensor(" + std::string(name_of(element_of_proto(t.tensor_type().elem_type(), "a type"))) + ")"
                       : "tensor(?)";
        case TypeProto::kSequenceType: return inside("seq", t.sequence_type());
        case TypeProto::kOptionalType: return inside("optional", t.optional_type());
        case TypeProto::kMapType:
            return "map(" + std::string(name_of(element_of_proto(t.map_type().key_type(), "the keys of a map"))) + "," +
                   type_text(t.map_type().value_type()) + ")";
        default: return "?";
    }
}

namespace {
struct type_of_value {
    element type = element::undefined;
    shape dims = shape::unknown();
};

// Values of the graph outside that the subgraphs of one node read.
struct capture_list {
    std::vector<int> list{};
    std::unordered_set<int> known{};
};

// One graph while it is built. Names that it does not define are looked up outside.
struct scope {
    graph_data g{};
    scope* outside = nullptr;
    std::unordered_map<std::string_view, int> ids{};
    std::unordered_map<std::string_view, int> symbols{};
    std::unordered_map<std::string_view, const TypeProto*> types{};
    std::unordered_map<int, int> captured{};  // value of the graph outside -> its stand-in here
    capture_list* captures = nullptr;         // of the node that holds the graph
};

class builder {
    const ::onnx::ModelProto& m_;
    const std::shared_ptr<void>& keep_;
    const data_list& external_;
    const declared_shapes& declared_;
    std::unordered_map<std::string, int> opsets_;

    int symbol(scope& s, std::string_view name) {
        const auto [it, isnew] = s.symbols.try_emplace(name, int(s.g.symbols.size()));
        if (isnew) s.g.symbols.push_back(s.g.intern(name));
        return it->second;
    }
    type_of_value read(scope& s, const TypeProto& t, std::string_view name) {
        const auto what = [&] { return "the value `" + one_line(name) + "`"; };
        switch (t.value_case()) {
            case TypeProto::kSequenceType:
            case TypeProto::kMapType:
            case TypeProto::kOptionalType: return {element::object, shape{}};
            case TypeProto::kTensorType: break;
            case TypeProto::VALUE_NOT_SET: return {};
            case TypeProto::kSparseTensorType:
                refuse(error_code::unsupported_model, what() + " is a sparse tensor, which is not supported");
            default: refuse(error_code::unsupported_model, what() + " has a type that is not supported");
        }
        const auto& tensor = t.tensor_type();
        type_of_value v;
        if (tensor.elem_type()) v.type = element_of_proto(tensor.elem_type(), what());
        if (!tensor.has_shape()) return v;
        if (tensor.shape().dim_size() > max_rank)
            refuse(error_code::unsupported_model, what() + " has " + std::to_string(tensor.shape().dim_size()) +
                                                      " dimensions; " + std::to_string(max_rank) + " are supported");
        v.dims = {};
        int64_t count = 64;  // bytes of an element are far fewer
        for (auto& d : tensor.shape().dim()) {
            if (d.has_dim_value()) {
                if (d.dim_value() < -1)
                    refuse(error_code::invalid_model,
                           what() + " has the negative dimension " + std::to_string(d.dim_value()));
                if (d.dim_value() > 0 && __builtin_mul_overflow(count, d.dim_value(), &count))
                    refuse(error_code::limit_exceeded, what() + " has more elements than can be counted");
            }
            v.dims.push_back(d.has_dim_value()       ? d.dim_value()
                             : d.dim_param().empty() ? -1
                                                     : -2 - symbol(s, d.dim_param()));
        }
        return v;
    }

    int define(scope& s, std::string_view name) {
        const auto t = s.types.find(name);
        const type_of_value v = t == s.types.end() ? type_of_value{} : read(s, *t->second, name);
        const int id = s.g.add_value(name, v.type, v.dims);
        if (!s.ids.emplace(s.g.values[std::size_t(id)].name, id).second)
            refuse(error_code::invalid_model, "`" + one_line(name) + "` is defined twice");
        return id;
    }
    // The value of that name here; one from outside becomes a capture, or the same constant. -1: there is none.
    int find(scope& s, std::string_view name) {
        if (const auto it = s.ids.find(name); it != s.ids.end()) return it->second;
        if (!s.outside) return -1;
        const int there = find(*s.outside, name);
        return there < 0 ? -1 : stand_in(s, there);
    }
    int stand_in(scope& s, int there) {
        if (const auto it = s.captured.find(there); it != s.captured.end()) return it->second;
        const graph_data& o = s.outside->g;
        const value v = o.values[std::size_t(there)];
        int id;
        if (v.is_constant())
            id = s.g.add_constant(v.name, o.constants[std::size_t(v.constant)]);
        else {
            shape dims = v.dims;
            for (int i = 0; i < dims.rank; ++i)
                if (dims[i] < -1) dims[i] = -2 - symbol(s, o.symbols[std::size_t(-2 - dims[i])]);
            id = s.g.add_value(v.name, v.type, dims);
            if (s.captures->known.insert(there).second) s.captures->list.push_back(there);
        }
        s.ids.emplace(s.g.values[std::size_t(id)].name, id);
        return s.captured[there] = id;
    }

    tensor constant(const ::onnx::NodeProto& n) {
        const auto list = [](const auto& from, auto as) {
            std::vector<decltype(as)> v(from.begin(), from.end());
            return tensor({int64_t(v.size())}, v);
        };
        for (auto& a : n.attribute()) {
            if (a.name() == "value") return to_tensor(a.t(), keep_, &external_);
            if (a.name() == "value_int") return tensor(shape{}, {int64_t(a.i())});
            if (a.name() == "value_float") return tensor(shape{}, {a.f()});
            if (a.name() == "value_string") return tensor(shape{}, {std::string(a.s())});
            if (a.name() == "value_ints") return list(a.ints(), int64_t());
            if (a.name() == "value_floats") return list(a.floats(), float());
            if (a.name() == "value_strings") return list(a.strings(), std::string());
        }
        refuse(error_code::invalid_model, text_of(n) + " has no value");
    }

    attribute read(scope& s, const AttributeProto& a, const ::onnx::NodeProto& n) {
        graph_data& g = s.g;
        switch (a.type()) {
            case AttributeProto::INT: return g.make(a.name(), int64_t(a.i()));
            case AttributeProto::FLOAT: return g.make(a.name(), double(a.f()));
            case AttributeProto::STRING: return g.make(a.name(), std::string_view(a.s()));
            case AttributeProto::INTS:
                return g.make(a.name(),
                              std::span<const int64_t>(std::vector<int64_t>(a.ints().begin(), a.ints().end())));
            case AttributeProto::FLOATS:
                return g.make(a.name(),
                              std::span<const double>(std::vector<double>(a.floats().begin(), a.floats().end())));
            case AttributeProto::STRINGS:
                return g.make(a.name(), std::span<const std::string_view>(
                                            std::vector<std::string_view>(a.strings().begin(), a.strings().end())));
            case AttributeProto::TENSOR: return g.make(a.name(), to_tensor(a.t(), keep_, &external_));
            case AttributeProto::TYPE_PROTO:
                return g.make(a.name(), std::string_view(type_text(a.tp())));  // of Optional: tensor(float)
            default:
                refuse(error_code::unsupported_model, "the attribute `" + one_line(a.name()) + "` of " + text_of(n) +
                                                          " is of a kind that is not supported");
        }
    }

    // Of the formal inputs of a node's subgraphs, as the node's inputs tell.
    static std::vector<element> formal_types(const ::onnx::NodeProto& n, std::span<const element> inputs, int version) {
        if (n.domain().empty() && n.op_type() == "Loop") {
            std::vector<element> formal{element::i64, element::boolean};
            for (std::size_t k = 2; k < inputs.size(); ++k) formal.push_back(inputs[k]);
            return formal;
        }
        if (n.domain().empty() && n.op_type() == "Scan")
            return {inputs.begin() + (version == 8 && !inputs.empty()), inputs.end()};
        return {};
    }
    static void agree(element& declared, element found, const std::string& what) {
        if (declared == element::undefined) declared = found;
        if (found != element::undefined && found != declared)
            refuse(error_code::invalid_model, what + " has elements of type " + std::string(name_of(found)) +
                                                  ", and is declared with " + std::string(name_of(declared)));
    }
    // How many values a Loop or Scan hands from one round of its body to the next.
    static std::size_t carried(const ::onnx::NodeProto& n, std::size_t inputs) {
        if (n.op_type() == "Loop") return inputs - std::min<std::size_t>(inputs, 2);
        for (auto& a : n.attribute())
            if (n.op_type() == "Scan" && a.name() == "num_scan_inputs" && a.i() >= 0 && std::size_t(a.i()) <= inputs)
                return inputs - std::size_t(a.i());
        return 0;
    }
    static std::string output_text(const ::onnx::NodeProto& n, int k) {
        return "the output `" + one_line(n.output(k)) + "` of " + text_of(n);
    }
    // Of an operator that ONNX does not know: as it tells itself, if it is one of ours.
    static void tell_types(scope& s, const ::onnx::NodeProto& n, const node& made) {
        graph_view g;  // without the subgraphs, which are many and tell no types
        g.values = s.g.values;
        g.attributes = s.g.attributes;
        g.edges = s.g.edges;
        g.integers = s.g.integers;
        g.reals = s.g.reals;
        g.texts = s.g.texts;
        const node_view view{g, made};
        for (int k = 0; k < view.output_count(); ++k)
            if (view.has_output(k))
                agree(s.g.values[std::size_t(view.output_id(k))].type, output_type(view, k), output_text(n, k));
    }
    // No declared type is believed: kernels write elements of the types that the operator's schema gives.
    void check_types(scope& s, const ::onnx::NodeProto& n, const ::onnx::OpSchema* schema,
                     std::span<const element> inputs, std::span<const int> outputs, std::span<const scope> bodies) {
        const auto found = [&](std::size_t k, element e) {
            if (k < outputs.size() && outputs[k] >= 0)
                agree(s.g.values[std::size_t(outputs[k])].type, e, output_text(n, int(k)));
        };
        if (schema) {
            const auto types = output_types(n, *schema, inputs);
            for (std::size_t k = 0; k < types.size(); ++k) found(k, types[k]);
        }
        if (!is_control_flow(n.domain(), n.op_type())) return;
        const std::size_t skip = n.op_type() == "Loop", states = carried(n, inputs.size());  // skip: the condition
        for (const scope& body : bodies) {
            const auto type = [&](int id) { return body.g.values[std::size_t(id)].type; };
            for (std::size_t k = 0;
                 k < states && k + skip < body.g.outputs.size() && k + 2 * skip < body.g.inputs.size(); ++k) {
                element first = type(body.g.inputs[k + 2 * skip]);
                const int next = body.g.outputs[k + skip];
                agree(first, type(next),
                      "`" + one_line(body.g.values[std::size_t(next)].name) + "`, which the body of " + text_of(n) +
                          " hands to its next round,");
            }
            for (std::size_t k = skip; k < body.g.outputs.size(); ++k) found(k - skip, type(body.g.outputs[k]));
        }
    }

    void add(scope& s, const ::onnx::NodeProto& n, int index) {
        if (n.domain().empty() && n.op_type() == "Constant") {
            if (n.output_size() != 1) refuse(error_code::invalid_model, text_of(n) + " must have one output");
            s.g.set_constant(define(s, n.output(0)), constant(n));
            return;
        }
        const auto opset = opsets_.find(n.domain());
        if (opset == opsets_.end())
            refuse(error_code::invalid_model,
                   text_of(n) + " is of the domain `" + one_line(n.domain()) + "`, which the model does not import");
        const auto* schema = find_schema(n.op_type(), opset->second, n.domain());
        const int version = schema ? schema->SinceVersion() : opset->second;

        std::vector<int> in, out;
        capture_list captures;
        std::vector<element> types;
        for (const std::string& name : n.input()) {
            in.push_back(name.empty() ? -1 : find(s, name));
            if (!name.empty() && in.back() < 0)
                refuse(error_code::invalid_model, text_of(n) + " reads `" + one_line(name) +
                                                      "`, which no earlier node, input or initializer makes: it is "
                                                      "missing, or the nodes form a cycle or are not in order");
            types.push_back(in.back() < 0 ? element::undefined : s.g.values[std::size_t(in.back())].type);
        }
        while (!in.empty() && in.back() < 0) in.pop_back();
        if (schema) check_input_types(n, *schema, types);

        std::vector<scope> bodies;
        bodies.reserve(std::size_t(n.attribute_size()));  // scopes point to each other
        std::vector<attribute> list;
        for (auto& a : n.attribute()) {
            if (!a.ref_attr_name().empty())
                refuse(error_code::invalid_model, "the attribute `" + one_line(a.name()) + "` of " + text_of(n) +
                                                      " refers to a function's attribute, outside a function");
            if (a.type() != AttributeProto::GRAPH) {
                list.push_back(read(s, a, n));
                continue;
            }
            list.push_back(s.g.make(a.name(), int64_t(s.g.subgraphs.size() + bodies.size())));
            list.back().kind = attribute_kind::graph;
            bodies.emplace_back().outside = &s;
            bodies.back().captures = &captures;
            fill(bodies.back(), a.g(), formal_types(n, types, version));
        }
        for (scope& body : bodies)
            for (std::size_t k = 0; k < captures.list.size(); ++k)
                body.g.inputs.push_back(stand_in(body, captures.list[k]));

        for (const std::string& name : n.output()) out.push_back(name.empty() ? -1 : define(s, name));
        check_types(s, n, schema, types, out, bodies);
        // Of outputs without a fixed number, such as the parts of a Split, absent ones count too.
        const bool variadic =
            schema && !schema->outputs().empty() && schema->outputs().back().GetOption() == ::onnx::OpSchema::Variadic;
        while (!variadic && !out.empty() && out.back() < 0) out.pop_back();
        for (scope& body : bodies) s.g.subgraphs.push_back(std::move(body.g));
        const std::string name = n.name().empty() ? n.op_type() + "_" + std::to_string(index) : n.name();
        node& made = s.g.add_node(n.domain(), n.op_type(), version, name, list, in, out);
        made.captures = s.g.add_edges(captures.list);
        if (!schema) tell_types(s, n, made);
    }

    void fill(scope& s, const ::onnx::GraphProto& p, std::span<const element> formal = {}) {
        s.g.name = s.g.intern(p.name());
        for (auto* list : {&p.value_info(), &p.output(), &p.input()})
            for (auto& v : *list)
                if (v.has_type()) s.types[v.name()] = &v.type();
        std::unordered_map<std::string_view, const ::onnx::TensorProto*> initial;
        for (auto& t : p.initializer()) {
            if (t.name().empty()) refuse(error_code::invalid_model, "an initializer has no name");
            if (!initial.emplace(t.name(), &t).second)
                refuse(error_code::invalid_model, "the initializer `" + one_line(t.name()) + "` is defined twice");
        }
        for (auto& v : p.input()) {
            if (initial.contains(v.name())) {  // a default, taken for a constant
                if (s.outside)
                    refuse(error_code::unsupported_model, "`" + one_line(v.name()) +
                                                              "` is an input and an initializer of the subgraph `" +
                                                              one_line(p.name()) + "`, which is not supported");
                continue;
            }
            const int id = define(s, v.name());
            const std::size_t k = s.g.inputs.size();
            s.g.inputs.push_back(id);
            if (k < formal.size())
                agree(s.g.values[std::size_t(id)].type, formal[k],
                      "the input `" + one_line(v.name()) + "` of the subgraph `" + one_line(p.name()) + "`");
            if (!s.outside && s.g.values[std::size_t(id)].type == element::undefined)
                refuse(error_code::invalid_model, "the input `" + one_line(v.name()) + "` has no element type");
        }
        for (auto& t : p.initializer()) {
            const int id = s.g.add_constant(t.name(), to_tensor(t, keep_, &external_));
            if (!s.ids.emplace(s.g.values[std::size_t(id)].name, id).second)
                refuse(error_code::invalid_model, "`" + one_line(t.name()) + "` is defined twice");
        }
        int index = 0;
        for (auto& n : p.node()) add(s, n, index++);
        std::unordered_set<int> listed;
        for (auto& v : p.output()) {
            const int id = find(s, v.name());
            if (id < 0)
                refuse(error_code::invalid_model, "nothing makes the output `" + one_line(v.name()) +
                                                      "` of the graph `" + one_line(p.name()) + "`");
            if (!listed.insert(id).second && !s.outside)
                refuse(error_code::invalid_model, "the output `" + one_line(v.name()) + "` is listed twice");
            s.g.outputs.push_back(id);
        }
        if (const auto at = declared_.find(&p); at != declared_.end()) s.g.declared = at->second;
    }

    port describe(const graph_data& g, int id, const std::unordered_map<std::string_view, const TypeProto*>& types,
                  const std::set<std::string>& dim_names) {
        const value& v = g.values[std::size_t(id)];
        port p;
        p.name = std::string(v.name);
        p.type = v.type;
        p.shape = v.dims;
        for (int64_t d : v.dims) {
            const std::string name(d < -1 ? g.symbols[std::size_t(-2 - d)] : "");
            p.dim_names.push_back(dim_names.contains(name) ? name : "");
        }
        const auto t = types.find(v.name);
        if (t == types.end() || t->second->value_case() == TypeProto::VALUE_NOT_SET) return p;
        p.type_text = type_text(*t->second);
        if (t->second->has_sequence_type()) p.kind = value_kind::sequence;
        if (t->second->has_map_type()) p.kind = value_kind::map;
        if (t->second->has_optional_type()) p.kind = value_kind::optional;
        return p;
    }

  public:
    builder(const ::onnx::ModelProto& m, const std::shared_ptr<void>& keep, const data_list& external,
            const declared_shapes& declared)
        : m_(m), keep_(keep), external_(external), declared_(declared) {
        for (auto& s : m.opset_import()) opsets_[s.domain()] = int(s.version());
    }
    built run(const std::set<std::string>& dim_names) {
        scope top;
        fill(top, m_.graph());
        passes::correct_shapes(top.g);
        built b;
        for (int id : top.g.inputs) b.inputs.push_back(describe(top.g, id, top.types, dim_names));
        for (int id : top.g.outputs) b.outputs.push_back(describe(top.g, id, top.types, dim_names));
        b.graph = std::move(top.g);
        return b;
    }
};
}  // namespace

built build(const ::onnx::ModelProto& m, const std::shared_ptr<void>& keep, const data_list& external,
            const declared_shapes& declared, const std::set<std::string>& dim_names) {
    return builder(m, keep, external, declared).run(dim_names);
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay

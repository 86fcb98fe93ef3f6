// A checked, inlined, inferred ModelProto to inlay's own records.
#include "engine/facts.hpp"
#include "engine/model_state.hpp"
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

namespace {
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
    int define(scope& s, std::string_view name) {
        const auto declared = s.types.find(name);
        value_type t;
        if (declared != s.types.end())
            t = read_type(
                *declared->second, [&] { return "the value `" + one_line(name) + "`"; },
                [&](const std::string& dim) { return int64_t(-2 - symbol(s, dim)); });
        const int id = s.g.add_value(name, t);
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
            value_type t = o.type_of(there);
            for (int i = 0; i < t.shape.rank; ++i)
                if (t.shape[i] < -1) t.shape[i] = -2 - symbol(s, o.symbols[std::size_t(-2 - t.shape[i])]);
            id = s.g.add_value(v.name, t);
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
                return g.make(a.name(),
                              std::string_view(to_string(read_type(a.tp(), [&] {  // of Optional: tensor(float)
                                  return "the attribute `" + one_line(a.name()) + "` of " + text_of(n);
                              }))));
            default:
                refuse(error_code::unsupported_model, "the attribute `" + one_line(a.name()) + "` of " + text_of(n) +
                                                          " is of a kind that is not supported");
        }
    }

    // Of the formal inputs of a node's subgraphs, as the node's inputs tell.
    static std::vector<value_type> formal_types(const ::onnx::NodeProto& n, std::span<const value_type> inputs,
                                                int version) {
        if (n.domain().empty() && n.op_type() == "Loop") {
            std::vector<value_type> formal{{element::i64}, {element::boolean}};
            for (std::size_t k = 2; k < inputs.size(); ++k) formal.push_back(inputs[k]);
            return formal;
        }
        if (n.domain().empty() && n.op_type() == "Scan")
            return {inputs.begin() + (version == 8 && !inputs.empty()), inputs.end()};
        if (is_generation(n.domain(), n.op_type()))
            return std::vector<value_type>(std::size_t(generation_tokens(n)), value_type{element::i32});
        return {};
    }
    static void agree(value_type& declared, const value_type& found, const std::string& what) {
        if (!declared.refine(found))
            refuse(error_code::invalid_model,
                   what + " " + has_type_text(found) + ", and is declared as " + to_string(declared));
    }
    static void agree(graph_data& g, int id, const value_type& found, const std::string& what) {
        value_type t = g.type_of(id);
        agree(t, found, what);
        g.set_type(id, t);
    }
    // How many values a Loop or Scan hands from one round of its body to the next.
    static std::size_t carried(const ::onnx::NodeProto& n, std::size_t inputs, int version) {
        if (n.op_type() == "Loop") return inputs - std::min<std::size_t>(inputs, 2);
        if (n.op_type() == "Scan" && version < 9 && inputs > 0) --inputs;  // sequence_lens
        for (auto& a : n.attribute())
            if (n.op_type() == "Scan" && a.name() == "num_scan_inputs" && a.i() >= 0 && std::size_t(a.i()) <= inputs)
                return inputs - std::size_t(a.i());
        return 0;
    }
    static std::string output_text(const ::onnx::NodeProto& n, int k) {
        return "the output `" + one_line(n.output(k)) + "` of " + text_of(n);
    }
    // Of an operator that ONNX does not know: as it tells itself, if it is one of ours.
    static void tell_types(scope& s, const ::onnx::NodeProto& n, const node& record) {
        graph_view g;  // without the subgraphs, which are many and tell no types
        g.values = s.g.values;
        g.attributes = s.g.attributes;
        g.edges = s.g.edges;
        g.integers = s.g.integers;
        g.reals = s.g.reals;
        g.texts = s.g.texts;
        const node_view view{g, record};
        for (int k = 0; k < view.output_count(); ++k)
            if (view.has_output(k)) agree(s.g, view.output_id(k), {output_type(view, k)}, output_text(n, k));
    }
    // No declared type is believed: kernels write elements of the types that the operator's schema gives.
    void check_types(scope& s, const ::onnx::NodeProto& n, const ::onnx::OpSchema* schema,
                     std::span<const value_type> inputs, std::span<const int> outputs, std::span<const scope> bodies) {
        const auto found = [&](std::size_t k, const value_type& t) {
            if (k < outputs.size() && outputs[k] >= 0) agree(s.g, outputs[k], t, output_text(n, int(k)));
        };
        if (schema) {
            const auto types = output_types(n, *schema, inputs);
            for (std::size_t k = 0; k < types.size(); ++k) found(k, types[k]);
        }
        if (!is_control_flow(n.domain(), n.op_type()) || is_generation(n.domain(), n.op_type())) return;
        const std::size_t skip = n.op_type() == "Loop",
                          states =
                              carried(n, inputs.size(), schema ? schema->SinceVersion() : 0);  // skip: the condition
        for (const scope& body : bodies) {
            for (std::size_t k = 0;
                 k < states && k + skip < body.g.outputs.size() && k + 2 * skip < body.g.inputs.size(); ++k) {
                value_type first = body.g.type_of(body.g.inputs[k + 2 * skip]);
                const int next = body.g.outputs[k + skip];
                // A value is an optional that holds it.
                if (const value_type t = body.g.type_of(next);
                    first.kind() == value_kind::optional && t.known() && t.kind() != value_kind::optional)
                    first = first.contents();
                agree(first, body.g.type_of(next),
                      "`" + one_line(body.g.values[std::size_t(next)].name) + "`, which the body of " + text_of(n) +
                          " hands to its next round,");
            }
            for (std::size_t k = skip; k < body.g.outputs.size(); ++k)
                found(k - skip, body.g.type_of(body.g.outputs[k]));
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
        std::vector<value_type> types;
        for (const std::string& name : n.input()) {
            in.push_back(name.empty() ? -1 : find(s, name));
            if (!name.empty() && in.back() < 0)
                refuse(error_code::invalid_model, text_of(n) + " reads `" + one_line(name) +
                                                      "`, which no earlier node, input or initializer makes: it is "
                                                      "missing, or the nodes form a cycle or are not in order");
            types.push_back(in.back() < 0 ? value_type{} : s.g.type_of(in.back()));
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
        node& record = s.g.add_node(n.domain(), n.op_type(), version, name, list, in, out);
        record.captures = s.g.add_edges(captures.list);
        if (!schema) tell_types(s, n, record);
    }

    void fill(scope& s, const ::onnx::GraphProto& p, std::span<const value_type> formal = {}) {
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
                agree(s.g, id, formal[k],
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

    // Names of dimensions that come from shape inference are nobody's.
    static port describe(const graph_data& g, int id, const std::set<std::string>& dim_names) {
        port p = port_of(g, id);
        for (std::string& name : p.dim_names)
            if (!dim_names.contains(name)) name.clear();
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
        for (int id : top.g.inputs) b.inputs.push_back(describe(top.g, id, dim_names));
        for (int id : top.g.outputs) b.outputs.push_back(describe(top.g, id, dim_names));
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

// From a checked, inlined ModelProto to inlay's own records. Every value gets the type and shape that its operator
// produces, whatever the file declares; for control flow see body_types.cpp.
#include "assume.hpp"
#include "body_types.hpp"
#include "engine/facts.hpp"
#include "engine/model_state.hpp"
#include "passes/infer_shapes.hpp"
#include "proto.hpp"
#include "schemas.hpp"
#include "sequence_shapes.hpp"
#include <unordered_map>
#include <unordered_set>

namespace inlay {
inline namespace v1 {
namespace loading {
using ::onnx::AttributeProto;
using ::onnx::TypeProto;

namespace {
// Values of the enclosing graph that the subgraphs of one node read.
struct capture_list {
    std::vector<int> list{};
    std::unordered_set<int> members{};
};

// One graph while it is built. Names that it does not define are looked up in the enclosing graph.
struct scope {
    graph_data g{};
    scope* outside = nullptr;
    std::unordered_map<std::string_view, int> ids{};
    std::unordered_map<std::string_view, int> symbols{};
    std::unordered_map<std::string_view, const TypeProto*> types{};
    std::unordered_map<int, int> captured{};  // value of the enclosing graph -> its stand-in here
    capture_list* captures = nullptr;         // of the node that holds the graph
    sequence_shapes sequences{};
};

class builder {
    const ::onnx::ModelProto& m_;
    const std::shared_ptr<void>& keep_;
    const data_list* external_;  // null: for large constants only the shape is needed
    assumptions* assumed_;       // null: no warnings
    type_list* types_;           // where the types of all values are noted; null: nowhere
    std::unordered_map<std::string, int> opsets_;
    std::unordered_set<std::string> dimensions_;  // names
    passes::shape_inference shapes_;
    scope* at_ = nullptr;  // of the node whose shapes are inferred

    int symbol(scope& s, std::string_view name) {
        if (const auto it = s.symbols.find(name); it != s.symbols.end()) return it->second;
        s.g.symbols.push_back(s.g.intern(name));
        return s.symbols.emplace(s.g.symbols.back(), int(s.g.symbols.size()) - 1).first->second;
    }
    // A new name for an open dimension: no other value of any graph has it.
    int64_t name_dimension(int id, int axis) {
        std::string name = std::string(at_->g.values[std::size_t(id)].name) + "[" + std::to_string(axis) + "]";
        while (!dimensions_.insert(name).second) name += "'";
        return -2 - symbol(*at_, name);
    }
    void note_dimensions(const ::onnx::GraphProto& g) {
        for (auto* list : {&g.input(), &g.output(), &g.value_info()})
            for (auto& v : *list)
                for (auto& d : v.type().tensor_type().shape().dim())
                    if (!d.dim_param().empty()) dimensions_.insert(d.dim_param());
        for (auto& n : g.node())
            for (auto& a : n.attribute())
                if (a.has_g()) note_dimensions(a.g());
    }
    // believed: the value has the type that the file declares.
    int define(scope& s, std::string_view name, bool believed) {
        const auto declared = believed ? s.types.find(name) : s.types.end();
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
    // The value of that name here; one of the enclosing graph becomes a capture, or the same constant. -1: none.
    int find(scope& s, std::string_view name) {
        if (const auto it = s.ids.find(name); it != s.ids.end()) return it->second;
        if (!s.outside) return -1;
        const int outer_id = find(*s.outside, name);
        return outer_id < 0 ? -1 : stand_in(s, outer_id);
    }
    // A shape of the enclosing graph, in the symbols of this one.
    shape inside(scope& s, shape dims) {
        for (int i = 0; i < dims.rank; ++i)
            if (dims[i] < -1) dims[i] = -2 - symbol(s, s.outside->g.symbols[std::size_t(-2 - dims[i])]);
        return dims;
    }
    // The reverse: a dimension without a name there stays unnamed.
    static shape outside(const scope& s, shape dims) {
        for (int i = 0; i < dims.rank; ++i)
            if (dims[i] < -1) {
                const auto it = s.outside->symbols.find(s.g.symbols[std::size_t(-2 - dims[i])]);
                dims[i] = it == s.outside->symbols.end() ? -1 : -2 - it->second;
            }
        return dims;
    }
    int stand_in(scope& s, int outer_id) {
        if (const auto it = s.captured.find(outer_id); it != s.captured.end()) return it->second;
        const graph_data& o = s.outside->g;
        const value v = o.values[std::size_t(outer_id)];
        int id;
        if (v.is_constant())
            id = s.g.add_constant(v.name, o.constants[std::size_t(v.constant)]);
        else {
            value_type t = o.type_of(outer_id);
            t.shape = inside(s, t.shape);
            id = s.g.add_value(v.name, t);
            if (s.captures->members.insert(outer_id).second) s.captures->list.push_back(outer_id);
        }
        s.ids.emplace(s.g.values[std::size_t(id)].name, id);
        return s.captured[outer_id] = id;
    }

    tensor data_of(const ::onnx::TensorProto& t) {
        if (external_ || t.data_location() != ::onnx::TensorProto::EXTERNAL) return to_tensor(t, keep_, external_);
        shape dims;
        for (int64_t d : t.dims()) dims.push_back(d);
        return tensor::borrow(element(t.data_type()), dims, nullptr);
    }
    tensor constant(const ::onnx::NodeProto& n) {
        const auto list = [](const auto& from, auto as) {
            std::vector<decltype(as)> v(from.begin(), from.end());
            return tensor({int64_t(v.size())}, v);
        };
        for (auto& a : n.attribute()) {
            if (a.name() == "value") return data_of(a.t());
            if (a.name() == "value_int") return tensor(shape{}, {int64_t(a.i())});
            if (a.name() == "value_float") return tensor(shape{}, {a.f()});
            if (a.name() == "value_string") return tensor(shape{}, {std::string(a.s())});
            if (a.name() == "value_ints") return list(a.ints(), int64_t());
            if (a.name() == "value_floats") return list(a.floats(), float());
            if (a.name() == "value_strings") return list(a.strings(), std::string());
        }
        refuse(error_code::invalid_model, text_of(n) + " has no value");
    }

    // Rules may add to an axis: one far out of range is clamped to a value that is wrong for every rank.
    static int64_t bounded_axis(int64_t axis) { return std::clamp<int64_t>(axis, -(1 << 30), 1 << 30); }
    attribute read(scope& s, const AttributeProto& a, const ::onnx::NodeProto& n) {
        graph_data& g = s.g;
        switch (a.type()) {
            case AttributeProto::INT:
                return g.make(a.name(), a.name() == "axis" ? bounded_axis(a.i()) : int64_t(a.i()));
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
            case AttributeProto::TENSOR: return g.make(a.name(), data_of(a.t()));
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

    static void agree(value_type& declared, const value_type& inferred_type, const std::string& subject) {
        if (!declared.refine(inferred_type))
            refuse(error_code::invalid_model,
                   subject + " " + has_type_text(inferred_type) + ", and is declared as " + to_string(declared));
    }
    static void agree(graph_data& g, int id, const value_type& inferred_type, const std::string& subject,
                      bool same = false) {
        value_type t = g.type_of(id);
        agree(t, inferred_type, subject);
        if (same && t.depth > 0 && t.depth == inferred_type.depth && t.shape.rank < 0) t.shape = inferred_type.shape;
        g.set_type(id, t);
    }
    static std::string output_text(const ::onnx::NodeProto& n, int k) {
        return "the output `" + one_line(n.output(k)) + "` of " + text_of(n);
    }
    // What rules read of a graph: not its subgraphs, which are many and give no types.
    static graph_view view_of(const graph_data& from) {
        graph_view g;
        g.values = from.values;
        g.attributes = from.attributes;
        g.edges = from.edges;
        g.integers = from.integers;
        g.reals = from.reals;
        g.texts = from.texts;
        g.containers = from.containers;
        return g;
    }
    // Types that the schema leaves open, and all types of an operator unknown to ONNX, come from the operator itself.
    static void tell_types(scope& s, const ::onnx::NodeProto& n, bool schema, const node& record) {
        const graph_view g = view_of(s.g);
        const node_view view{g, record};
        for (int k = 0; k < view.output_count(); ++k)
            if (view.has_output(k) && (!schema || view.output(k).type == element::undefined))
                agree(s.g, view.output_id(k), {output_type(view, k)}, output_text(n, k));
    }
    // No declared type is trusted: kernels write elements of the types that the operator gives.
    void check_types(scope& s, const ::onnx::NodeProto& n, const ::onnx::OpSchema* schema,
                     std::span<const value_type> inputs, std::span<const int> outputs, std::span<const scope> bodies) {
        const auto check_output = [&](std::size_t k, const value_type& t) {
            if (k < outputs.size() && outputs[k] >= 0) agree(s.g, outputs[k], t, output_text(n, int(k)));
        };
        if (schema) {
            // Outputs that are tensors in containers contain what their input contains.
            constexpr std::string_view holders[] = {"Identity", "Optional", "OptionalGetElement", "SequenceErase"};
            const bool same = n.domain().empty() && std::ranges::find(holders, n.op_type()) != std::end(holders);
            const auto types = output_types(n, *schema, inputs);
            for (std::size_t k = 0; k < types.size(); ++k)
                if (k < outputs.size() && outputs[k] >= 0)
                    agree(s.g, outputs[k], types[k], output_text(n, int(k)), same);
        }
        if (!has_bodies(n)) return;
        const body_form form(n, inputs, schema ? schema->SinceVersion() : 0);
        for (const scope& body : bodies) {
            for (std::size_t k = 0; k < form.states && k + form.first_output < body.g.outputs.size() &&
                                    k + form.first_input < body.g.inputs.size();
                 ++k) {
                value_type first = body.g.type_of(body.g.inputs[k + form.first_input]);
                const int next = body.g.outputs[k + form.first_output];
                // A value is an optional that holds it.
                if (const value_type t = body.g.type_of(next);
                    first.kind() == value_kind::optional && t.known() && t.kind() != value_kind::optional)
                    first = first.contents();
                agree(first, body.g.type_of(next),
                      "`" + one_line(body.g.values[std::size_t(next)].name) + "`, which the body of " + text_of(n) +
                          " hands to its next round,");
            }
            for (std::size_t k = form.first_output; k < body.g.outputs.size(); ++k)
                check_output(k - form.first_output, form.given(body.g.type_of(body.g.outputs[k])));
        }
    }
    void set_shapes(scope& s, const ::onnx::NodeProto& n, const node& record, std::span<const value_type> inputs,
                    std::span<const int> outputs, std::span<const scope> bodies) {
        at_ = &s;
        if (!has_bodies(n)) {
            shapes_.infer(s.g, record);
            const graph_view g = view_of(s.g);
            if (const shape y = s.sequences.visit({g, record}); y.rank >= 0) shapes_.set(s.g, outputs[0], y);
            return;
        }
        const body_form form(n, inputs, record.version);
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            std::optional<shape> y;
            for (const scope& body : bodies) {
                const std::size_t at = k + form.first_output;
                const shape output_shape = at < body.g.outputs.size()
                                               ? outside(body, body.g.type_of(body.g.outputs[at]).shape)
                                               : shape::unknown();
                y = y ? common_shape(*y, output_shape) : output_shape;
            }
            if (outputs[k] >= 0) shapes_.set(s.g, outputs[k], form.output_shape(k, y.value_or(shape::unknown())));
        }
    }

    // Operators that ONNX has no schema for must have the arguments that their rules and kernels rely on.
    static void check_arguments(const ::onnx::NodeProto& n, int version, std::span<const int> in) {
        const entry* e = find_entry(stock_kernels(), {{}, n.domain(), n.op_type(), version});
        if (!e) return;
        for (int k = 0; k < e->required_inputs; ++k)
            if (k >= int(in.size()) || in[std::size_t(k)] < 0)
                refuse(error_code::invalid_model,
                       text_of(n) + " lacks its input " + std::to_string(k) + ", which the operator needs");
        const bool any = std::ranges::any_of(n.output(), [](const std::string& y) { return !y.empty(); });
        if (!any || (e->about->facts.required_outputs > 0 && n.output(0).empty()))
            refuse(error_code::invalid_model, text_of(n) + (any ? " lacks its first output" : " has no output"));
    }

    // LayerNormalization in older opsets, as ONNX Runtime's optimiser wrote it.
    static bool computes_in_type_of_scale(const ::onnx::NodeProto& n, int opset, std::span<const value_type> types) {
        return n.domain().empty() && n.op_type() == "LayerNormalization" && opset < first_version(n.op_type(), "") &&
               types.size() > 1 && types[0].is_tensor() && types[1].is_tensor() && types[0].known() &&
               types[1].known() && types[0].type != types[1].type;
    }
    void add_cast(scope& s, const ::onnx::NodeProto& n, element to, int index) {
        if (assumed_)
            assumed_->add("has an input and a scale of different types", "it is computed in the type of its scale",
                          text_of(n));
        const auto cast_message = new_message<::onnx::NodeProto>(), rest = copy_of(n);
        ::onnx::NodeProto& cast = *cast_message;
        std::string name = n.input(0) + "/" + std::string(name_of(to));
        while (s.ids.contains(name)) name += "'";
        cast.set_op_type("Cast");
        cast.add_input(n.input(0));
        cast.add_output(name);
        auto& type = *cast.add_attribute();
        type.set_name("to");
        type.set_type(AttributeProto::INT);
        type.set_i(int(to));
        rest->set_input(0, name);
        add(s, cast, index);
        add(s, *rest, index);
    }
    // Bodies whose number of arguments differs from what their node passes in and out.
    void check_bodies(const ::onnx::NodeProto& n, int version) {
        if (!has_bodies(n)) return;
        const std::vector<value_type> types(std::size_t(n.input_size()));
        const body_form form(n, types, version);
        for (auto& a : n.attribute()) {
            if (!a.has_g()) continue;
            const int outputs = n.output_size() + int(form.first_output), body_outputs = a.g().output_size();
            if (body_outputs != outputs)
                assumed_->add(
                    "has a body with " + std::to_string(body_outputs) + " outputs, not " + std::to_string(outputs),
                    "the first ones are meant", text_of(n));
            const auto inputs = formal_types(n, types, version).size();
            if (std::size_t(a.g().input_size()) != inputs)
                assumed_->add(
                    "has a body with " + std::to_string(a.g().input_size()) + " inputs, not " + std::to_string(inputs),
                    "the first ones are meant", text_of(n));
        }
    }
    // The declared type of an output has no effect where the operator gives another type.
    void check_declared(const scope& s, const ::onnx::ValueInfoProto& v, int id, const std::string& graph) {
        const value_type type = s.g.type_of(id);
        if (!assumed_ || !v.has_type() || !type.known()) return;
        value_type declared = read_type(v.type(), [&] { return "the output `" + one_line(v.name()) + "`"; });
        const std::string text = to_string(declared);
        if (!declared.refine(type))
            assumed_->add("is declared as " + text, "it is " + to_string(type) + ", as its operator makes it",
                          "the output `" + one_line(v.name()) + "` of the graph `" + one_line(graph) + "`");
    }

    std::vector<int> inputs_of(scope& s, const ::onnx::NodeProto& n) {  // -1: omitted
        std::vector<int> ids;
        for (const std::string& name : n.input()) {
            ids.push_back(name.empty() ? -1 : find(s, name));
            if (!name.empty() && ids.back() < 0)
                refuse(error_code::invalid_model, text_of(n) + " reads `" + one_line(name) +
                                                      "`, which no earlier node, input or initializer makes: it is "
                                                      "missing, or the nodes form a cycle or are not in order");
        }
        return ids;
    }
    void add(scope& s, const ::onnx::NodeProto& n, int index) {
        if (n.domain().empty() && n.op_type() == "Constant") {
            if (n.output_size() != 1) refuse(error_code::invalid_model, text_of(n) + " must have one output");
            s.g.set_constant(define(s, n.output(0), false), constant(n));
            return;
        }
        const auto opset = opsets_.find(n.domain());
        if (opset == opsets_.end())
            refuse(error_code::invalid_model,
                   text_of(n) + " is of the domain `" + one_line(n.domain()) + "`, which the model does not import");
        const auto* schema = schema_of(n, opset->second);
        const int version = schema ? schema->SinceVersion() : opset->second;

        std::vector<int> in = inputs_of(s, n), out;
        capture_list captures;
        std::vector<value_type> types;
        for (int id : in) types.push_back(id < 0 ? value_type{} : s.g.type_of(id));
        while (!in.empty() && in.back() < 0) in.pop_back();
        if (computes_in_type_of_scale(n, opset->second, types)) return add_cast(s, n, types[1].type, index);
        if (schema) check_input_types(n, *schema, types);

        if (assumed_) check_bodies(n, version);
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
            if (is_repeated(n)) note_declared(bodies.back().g, a.g());
        }
        for (scope& body : bodies)
            for (std::size_t k = 0; k < captures.list.size(); ++k)
                body.g.inputs.push_back(stand_in(body, captures.list[k]));

        if (!schema) check_arguments(n, version, in);
        for (const std::string& name : n.output()) out.push_back(name.empty() ? -1 : define(s, name, !schema));
        check_types(s, n, schema, types, out, bodies);
        // For outputs without a fixed number, such as those of Split, absent ones count too.
        const bool variadic =
            schema && !schema->outputs().empty() && schema->outputs().back().GetOption() == ::onnx::OpSchema::Variadic;
        while (!variadic && !out.empty() && out.back() < 0) out.pop_back();
        const std::string name = n.name().empty() ? n.op_type() + "_" + std::to_string(index) : n.name();
        node& record = s.g.add_node(n.domain(), n.op_type(), version, name, list, in, out);
        record.captures = s.g.add_edges(captures.list);
        tell_types(s, n, schema, record);
        set_shapes(s, n, record, types, out, bodies);
        for (scope& body : bodies) s.g.subgraphs.push_back(std::move(body.g));
    }
    // The declared shapes of a body's outputs: only they may give the sizes of scan outputs of zero iterations.
    static void note_declared(graph_data& g, const ::onnx::GraphProto& p) {
        for (auto& y : p.output()) {
            const auto& dims = y.type().tensor_type().shape();
            const bool has = y.type().tensor_type().has_shape() && dims.dim_size() <= max_rank;
            shape& s = g.declared.emplace_back(has ? shape{} : shape::unknown());
            for (int i = 0; has && i < dims.dim_size(); ++i)
                s.push_back(dims.dim(i).dim_value() > 0 ? dims.dim(i).dim_value() : -1);
        }
    }
    // A formal input of a body gets the type and the shape of its argument, where these are known.
    void give(scope& s, int id, value_type formal, const std::string& subject) {
        agree(s.g, id, formal, subject);
        value& v = s.g.values[std::size_t(id)];
        if (v.type == element::object || formal.shape.rank < 0) return;
        formal.shape = inside(s, formal.shape);
        if (v.dims.rank != formal.shape.rank) v.dims = shape::of_rank(formal.shape.rank, -1);
        for (int i = 0; i < v.dims.rank; ++i)
            if (formal.shape[i] >= 0 || (formal.shape[i] < -1 && v.dims[i] < 0)) v.dims[i] = formal.shape[i];
    }

    // An output of the model that is listed again: a new value with its name.
    int given_again(scope& s, int id) {
        const std::string name(s.g.values[std::size_t(id)].name);
        const int again = s.g.add_value(name, s.g.type_of(id));
        const int newest = find_schema("Identity", opsets_.contains("") ? opsets_[""] : INT_MAX, "")->SinceVersion();
        s.g.add_node("", "Identity", newest, name + "/again", {}, std::array{id}, std::array{again});
        return again;
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
            if (initial.contains(v.name())) {  // a default, treated as a constant
                if (s.outside)
                    refuse(error_code::unsupported_model, "`" + one_line(v.name()) +
                                                              "` is an input and an initializer of the subgraph `" +
                                                              one_line(p.name()) + "`, which is not supported");
                continue;
            }
            const int id = define(s, v.name(), true);
            const std::size_t k = s.g.inputs.size();
            s.g.inputs.push_back(id);
            if (k < formal.size())
                give(s, id, formal[k],
                     "the input `" + one_line(v.name()) + "` of the subgraph `" + one_line(p.name()) + "`");
            if (!s.outside && s.g.values[std::size_t(id)].type == element::undefined)
                refuse(error_code::invalid_model, "the input `" + one_line(v.name()) + "` has no element type");
        }
        for (auto& t : p.initializer()) {
            const int id = s.g.add_constant(t.name(), data_of(t));
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
            s.g.outputs.push_back(listed.insert(id).second || s.outside ? id : given_again(s, id));
            check_declared(s, v, id, p.name());
        }
        if (types_)
            for (const auto& [name, id] : s.ids)
                if (const value_type t = s.g.type_of(id); t.known() && t.type != element::object)
                    to_proto(t, types_->renew(std::string(name)), s.g.symbols);
    }

    // Dimension names that come from shape inference are not the model's own.
    static port describe(const graph_data& g, int id, const std::set<std::string>& dim_names) {
        port p = port_of(g, id);
        for (std::string& name : p.dim_names)
            if (!dim_names.contains(name)) name.clear();
        return p;
    }

  public:
    builder(const ::onnx::ModelProto& m, const std::shared_ptr<void>& keep, const data_list* external, const limits& l,
            assumptions* assumed, type_list* types)
        : m_(m),
          keep_(keep),
          external_(external),
          assumed_(assumed),
          types_(types),
          shapes_(l.inference, [this](int id, int axis) { return name_dimension(id, axis); }) {
        for (auto& s : m.opset_import()) opsets_[s.domain()] = int(s.version());
        note_dimensions(m.graph());
    }
    built run(const std::set<std::string>& dim_names) {
        scope top;
        fill(top, m_.graph());
        built b;
        for (int id : top.g.inputs) b.inputs.push_back(describe(top.g, id, dim_names));
        for (int id : top.g.outputs) b.outputs.push_back(describe(top.g, id, dim_names));
        b.graph = std::move(top.g);
        return b;
    }
};
}  // namespace

built build(const ::onnx::ModelProto& m, const std::shared_ptr<void>& keep, const data_list& external, const limits& l,
            assumptions& assumed, const std::set<std::string>& dim_names) {
    return builder(m, keep, &external, l, &assumed, nullptr).run(dim_names);
}
value_types::value_types(const ::onnx::ModelProto& m, const limits& l) {
    builder(m, {}, nullptr, l, nullptr, &types_).run({});
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay

// Functions: every call is replaced by the function's nodes. These are functions of the model, and those by which onnx
// defines operators without a stock kernel. Not onnx's own inliner, which loses an attribute's default where
// one local function calls another.
#include "engine/facts.hpp"
#include "name_pool.hpp"
#include "proto.hpp"
#include "schemas.hpp"
#include "sequence_map.hpp"
#include <unordered_map>
#include <unordered_set>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::NodeProto;
using nodes = google::protobuf::RepeatedPtrField<NodeProto>;
using new_names = std::unordered_map<std::string, std::string>;

std::string key(std::string_view domain, std::string_view name, std::string_view overload) {
    return std::string(domain) + '\0' + std::string(name) + '\0' + std::string(overload);
}

// Whether two versions of an operator differ only in the types that they support.
bool differ_by_types_alone(const ::onnx::OpSchema& a, const ::onnx::OpSchema& b) {
    // In version 11 its negative indices count from the end; in version 9 they are out of range.
    if (a.Name() == "OneHot") return a.SinceVersion() == b.SinceVersion();
    const auto same_arguments = [](const auto& x, const auto& y) {
        return std::ranges::equal(x, y, [](const auto& p, const auto& q) { return p.GetOption() == q.GetOption(); });
    };
    const auto same_attribute = [](const auto& x, const auto& y) {
        return x.first == y.first && x.second.type == y.second.type && x.second.required == y.second.required &&
               x.second.default_value.SerializeAsString() == y.second.default_value.SerializeAsString();
    };
    return a.Deprecated() == b.Deprecated() && same_arguments(a.inputs(), b.inputs()) &&
           same_arguments(a.outputs(), b.outputs()) &&
           std::ranges::equal(a.attributes(), b.attributes(), same_attribute);
}
// The model's opset decides the version of every node; a function written for another one is valid where its operators
// did not change, except in the types that they support.
void check_versions(const FunctionProto& f, const nodes& list, const std::unordered_map<std::string, int64_t>& model) {
    for (auto& n : list) {
        for (auto& s : f.opset_import()) {
            const auto it = model.find(s.domain());
            if (s.domain() != n.domain() || it == model.end() || it->second == s.version()) continue;
            const auto* function_schema = find_schema(n.op_type(), int(s.version()), s.domain());
            const auto* model_schema = find_schema(n.op_type(), int(it->second), s.domain());
            if ((function_schema || model_schema) &&
                (!function_schema || !model_schema || !differ_by_types_alone(*function_schema, *model_schema)))
                refuse(error_code::unsupported_model, "the function `" + one_line(f.name()) + "` uses " + text_of(n) +
                                                          " of opset " + std::to_string(s.version()) +
                                                          ", the model imports opset " + std::to_string(it->second) +
                                                          ", where the operator differs");
        }
        for (auto& a : n.attribute())
            if (a.has_g()) check_versions(f, a.g().node(), model);
    }
}

class inliner {
    const limits& l_;
    function_of_call find_;
    bool closed_;  // a function's nodes read its inputs and what they produce; else a subgraph of the call may read
                   // outer values
    name_pool names_;
    std::vector<const FunctionProto*> calls_;  // being expanded
    int64_t nodes_ = 0, budget_, serial_ = 0;
    bool expanded_ = false;
    Arena* arena_ = nullptr;  // of the graph

    // Renames what nodes read and produce. All names that a closed function's nodes read must be its own: none may come
    // from the caller.
    void rename(nodes& list, new_names& map, const std::string& prefix) {
        for (auto& n : list)
            for (auto& y : n.output())
                if (!y.empty() && !map.contains(y)) map[y] = names_.fresh(prefix + y);
        for (auto& n : list) {
            for (auto& x : *n.mutable_input()) {
                if (x.empty()) continue;
                const auto it = map.find(x);
                if (it == map.end() && !closed_) continue;
                if (it == map.end())
                    refuse(error_code::invalid_model, text_of(n) + " in the function of the call `" + one_line(prefix) +
                                                          "` reads `" + one_line(x) +
                                                          "`, which the function does not make");
                x = it->second;
            }
            for (auto& y : *n.mutable_output())
                if (!y.empty()) y = map[y];
            for (auto& a : *n.mutable_attribute()) {
                if (a.has_g()) rename(*a.mutable_g(), map, prefix);
                for (auto& g : *a.mutable_graphs()) rename(g, map, prefix);
            }
            if (!n.name().empty()) n.set_name(prefix + n.name());
        }
    }
    void rename(::onnx::GraphProto& g, new_names map,
                const std::string& prefix) {  // a scope of its own: a copy of the map
        const auto local = [&](std::string& name) { name = map[name] = names_.fresh(prefix + name); };
        for (auto& n : g.node())
            for (auto& y : n.output()) map.erase(y);
        for (auto& x : *g.mutable_input()) local(*x.mutable_name());
        for (auto& x : *g.mutable_initializer()) local(*x.mutable_name());
        rename(*g.mutable_node(), map, prefix);
        for (auto& y : *g.mutable_output())
            if (auto it = map.find(y.name()); it != map.end()) y.set_name(it->second);
        g.clear_value_info();
    }

    // References to the function's attributes become the call's, else the function's defaults, else are removed.
    void bind(nodes& list, const std::unordered_map<std::string_view, const AttributeProto*>& values,
              const FunctionProto& f) {
        for (auto& n : list) {
            int count = 0;
            for (int k = 0; k < n.attribute_size(); ++k) {
                AttributeProto& a = *n.mutable_attribute(k);
                if (a.ref_attr_name().empty()) {
                    if (a.has_g()) bind(*a.mutable_g()->mutable_node(), values, f);
                    for (auto& g : *a.mutable_graphs()) bind(*g.mutable_node(), values, f);
                } else {
                    const auto it = values.find(a.ref_attr_name());
                    if (it == values.end()) continue;
                    if (a.has_type() && a.type() != it->second->type())
                        refuse(error_code::invalid_model, "the function `" + one_line(f.name()) +
                                                              "` needs its attribute `" + one_line(a.ref_attr_name()) +
                                                              "` as " + AttributeProto::AttributeType_Name(a.type()) +
                                                              ", a call gives " +
                                                              AttributeProto::AttributeType_Name(it->second->type()));
                    const std::string name = a.name();
                    spend(it->second->ByteSizeLong());
                    a = *it->second;
                    a.set_name(name);
                }
                n.mutable_attribute()->SwapElements(count++, k);
            }
            n.mutable_attribute()->DeleteSubrange(count, n.attribute_size() - count);
        }
    }
    void spend(std::size_t bytes) {
        if ((budget_ -= int64_t(bytes)) < 0)
            refuse(error_code::limit_exceeded,
                   "inlined functions take more than " + std::to_string(l_.copied_bytes) + " bytes",
                   "raise limits::copied_bytes");
    }

    nodes& body(const NodeProto& call, const FunctionProto& f) {
        const std::string subject = "the call " + text_of(call) + " of the function `" + one_line(f.name()) + "`";
        if (call.input_size() > f.input_size() || call.output_size() > f.output_size())
            refuse(error_code::invalid_model, subject + " has " + std::to_string(call.input_size()) + " inputs and " +
                                                  std::to_string(call.output_size()) + " outputs, the function has " +
                                                  std::to_string(f.input_size()) + " and " +
                                                  std::to_string(f.output_size()));
        const std::string prefix =
            (call.name().empty() ? call.op_type() + "_" + std::to_string(serial_++) : call.name()) + "/";
        std::size_t size = 0;
        for (auto& n : f.node())
            size += n.ByteSizeLong() + std::size_t(n.input_size() + n.output_size()) * prefix.size();
        spend(size);

        new_names map;
        for (int i = 0; i < f.input_size(); ++i) map[f.input(i)] = i < call.input_size() ? call.input(i) : "";
        nodes& copies = make_on<nodes>(*arena_);
        nodes& passed = make_on<nodes>(*arena_);  // outputs of the function that are its inputs
        for (int i = 0; i < f.output_size(); ++i) {
            const std::string actual = i < call.output_size() ? call.output(i) : "";
            if (auto it = map.find(f.output(i)); it == map.end())
                map[f.output(i)] = actual.empty() ? names_.fresh(prefix + f.output(i)) : actual;
            else if (!actual.empty()) {
                if (it->second.empty())
                    refuse(error_code::invalid_model, subject + " requests the output `" + one_line(f.output(i)) +
                                                          "` of an input that it leaves out");
                NodeProto& n = *passed.Add();
                n.set_op_type("Identity");
                n.set_name(prefix + "Identity_" + std::to_string(i));
                n.add_input(it->second);
                n.add_output(actual);
            }
        }
        std::unordered_map<std::string_view, const AttributeProto*> values;
        for (auto& a : f.attribute_proto()) values[a.name()] = &a;
        for (auto& a : call.attribute()) values[a.name()] = &a;
        copies = f.node();
        rename(copies, map, prefix);
        bind(copies, values, f);  // after renaming: a subgraph of the call has the caller's names
        for (NodeProto& n : passed) copies.UnsafeArenaAddAllocated(&n);
        return copies;
    }

    void expand(nodes& list) {
        nodes& new_nodes = make_on<nodes>(*arena_);  // the nodes that it takes belong to the arena
        for (auto& n : list) {
            for (auto& a : *n.mutable_attribute()) {
                if (a.has_g()) expand(*a.mutable_g()->mutable_node());
                for (auto& g : *a.mutable_graphs()) expand(*g.mutable_node());
            }
            if (++nodes_ > l_.nodes)
                refuse(error_code::limit_exceeded,
                       "with its functions inlined the model has more than " + std::to_string(l_.nodes) + " nodes",
                       "raise limits::nodes");
            const FunctionProto* const called = find_(n);
            if (!called) {
                new_nodes.UnsafeArenaAddAllocated(&n);
                continue;
            }
            expanded_ = true;
            for (const FunctionProto* f : calls_)
                if (f == called)
                    refuse(error_code::invalid_model,
                           "the function `" + one_line(f->name()) + "` calls itself: " + text_of(n));
            if (int(calls_.size()) >= l_.nesting)
                refuse(error_code::limit_exceeded,
                       "functions call each other deeper than " + std::to_string(l_.nesting), "raise limits::nesting");
            calls_.push_back(called);
            nodes& inner = body(n, *called);
            expand(inner);
            calls_.pop_back();
            for (auto& i : inner) new_nodes.UnsafeArenaAddAllocated(&i);
        }
        list.Swap(&new_nodes);
    }

  public:
    inliner(const limits& l, function_of_call find, bool closed)
        : l_(l), find_(std::move(find)), closed_(closed), budget_(l.copied_bytes) {}
    bool run(::onnx::GraphProto& g) {  // false: it calls none
        names_.take(g);
        arena_ = &arena_of(g);
        expand(*g.mutable_node());
        return expanded_;
    }
};

// Refuses functions that need other versions of operators than the model imports; adds missing imports.
void import_opsets(::onnx::ModelProto& m, std::span<const FunctionProto* const> functions) {
    std::unordered_map<std::string, int64_t> imported;
    for (auto& s : m.opset_import()) imported.emplace(s.domain(), s.version());
    for (const FunctionProto* f : functions)
        for (auto& s : f->opset_import())
            if (imported.emplace(s.domain(), s.version()).second) *m.add_opset_import() = s;
    for (const FunctionProto* f : functions) check_versions(*f, f->node(), imported);
}

// A node and the types of its inputs, as the library's builders require them.
struct typed_node final : ::onnx::FunctionBodyBuildContext {
    const NodeProto& n;
    std::vector<const ::onnx::TypeProto*> types{};

    explicit typed_node(const NodeProto& node) : n(node) {}
    const AttributeProto* getAttribute(const std::string& name) const override {
        const auto a = std::ranges::find(n.attribute(), name, &AttributeProto::name);
        return a == n.attribute().end() ? nullptr : &*a;
    }
    bool hasInput(int k) const override { return k < n.input_size() && !n.input(k).empty(); }
    bool hasOutput(int k) const override { return k < n.output_size() && !n.output(k).empty(); }
    const ::onnx::TypeProto* getInputType(int k) const override {
        const bool has_type = k >= 0 && std::size_t(k) < types.size() && types[std::size_t(k)]->value_case() != 0;
        return has_type ? types[std::size_t(k)] : nullptr;
    }
};

// The schema by whose function a node is to be replaced, or null.
class schema_functions {
    const std::map<std::string, int>& opsets_;
    const value_types* types_;
    std::vector<std::shared_ptr<FunctionProto>> keep_{};
    std::vector<const FunctionProto*> functions_{};

    const ::onnx::OpSchema* schema_of(const NodeProto& n) const {
        const auto opset = opsets_.find(n.domain());
        const auto* s = opset == opsets_.end() ? nullptr : find_schema(n.op_type(), opset->second, n.domain());
        if (!s || !(s->HasFunction() || s->HasContextDependentFunction())) return nullptr;
        const node record{{}, s->domain(), s->Name(), s->SinceVersion()};
        return find_entry(reference_kernels(), record) ? nullptr : s;
    }
    bool build(const ::onnx::OpSchema& s, const NodeProto& n, FunctionProto& f) const {
        const int opset = opsets_.at(n.domain());
        if (!s.HasContextDependentFunction()) {
            const FunctionProto* const body = s.GetFunction(opset);
            if (body) f = *body;
            return body;
        }
        if (!types_) return true;  // only whether it is replaced is queried
        const auto type = [&](const std::string& name) -> const ::onnx::TypeProto& { return type_of(n, name); };
        if (n.op_type() == "SequenceMap" && n.domain().empty()) {
            write_sequence_map(n, type, f);
            return true;
        }
        typed_node typed(n);
        for (auto& x : n.input()) typed.types.push_back(&type(x));
        return s.BuildContextDependentFunction(typed, f, opset);
    }
    // The library's builders read types without checking that there are any.
    const ::onnx::TypeProto& type_of(const NodeProto& n, const std::string& name) const {
        const auto* type = name.empty() ? nullptr : types_->find(name);
        if (!type)
            refuse(error_code::invalid_model,
                   name.empty() ? text_of(n) + " lacks an input"
                                : text_of(n) + " depends on the type of `" + one_line(name) + "`, which is not known");
        return *type;
    }

  public:
    // types: null where no function is requested.
    explicit schema_functions(const std::map<std::string, int>& opsets, const value_types* types = nullptr)
        : opsets_(opsets), types_(types) {}
    bool any(const ::onnx::GraphProto& g) const {
        return std::ranges::any_of(g.node(), [&](const NodeProto& n) {
            return schema_of(n) ||
                   std::ranges::any_of(n.attribute(), [&](const AttributeProto& a) { return a.has_g() && any(a.g()); });
        });
    }
    const FunctionProto* of(const NodeProto& n) {  // null where there is none
        const ::onnx::OpSchema* const s = schema_of(n);
        if (!s) return nullptr;
        const auto message = new_message<FunctionProto>();
        FunctionProto& f = *message;
        if (!build(*s, n, f)) return nullptr;
        f.set_name(n.op_type());
        for (auto& [name, a] : s->attributes())
            if (a.default_value.has_name() &&
                std::ranges::none_of(f.attribute_proto(), [&](const AttributeProto& d) { return d.name() == name; }))
                *f.add_attribute_proto() = a.default_value;
        keep_.push_back(message);
        functions_.push_back(message.get());
        return message.get();
    }
    std::span<const FunctionProto* const> made() const { return functions_; }
};
}  // namespace

void inline_calls(::onnx::GraphProto& g, const limits& l, const function_of_call& find) {
    inliner(l, find, true).run(g);
}

void inline_functions(::onnx::ModelProto& m, const limits& l) {
    if (!m.functions_size()) return;
    std::unordered_map<std::string, const FunctionProto*> functions;
    for (auto& f : m.functions())
        if (!functions.emplace(key(f.domain(), f.name(), f.overload()), &f).second)
            refuse(error_code::invalid_model, "the function `" + one_line(f.name()) + "` is defined twice");
    std::vector<const FunctionProto*> list;
    for (auto& f : m.functions()) list.push_back(&f);
    import_opsets(m, list);
    const auto find = [&](const NodeProto& n) {
        const auto it = functions.find(key(n.domain(), n.op_type(), n.overload()));
        return it == functions.end() ? nullptr : it->second;
    };
    inliner(l, find, true).run(*m.mutable_graph());
    m.clear_functions();
}

void inline_schema_functions(::onnx::ModelProto& m, std::map<std::string, int>& opsets, const limits& l) {
    for (int depth = 0; schema_functions(opsets).any(m.graph()); ++depth) {
        if (depth >= l.nesting)
            refuse(error_code::limit_exceeded,
                   "functions of operators call each other deeper than " + std::to_string(l.nesting),
                   "raise limits::nesting");
        const value_types types(m, l);
        schema_functions functions(opsets, &types);
        const auto find = [&](const NodeProto& n) { return functions.of(n); };
        if (!inliner(l, find, false).run(*m.mutable_graph())) return;
        import_opsets(m, functions.made());
        for (auto& s : m.opset_import()) opsets.emplace(s.domain(), int(s.version()));
    }
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay

// Model-local functions: every call becomes the function's nodes. Not onnx's own inliner, which loses an attribute's
// default where one local function calls another.
#include "proto.hpp"
#include "schemas.hpp"
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

// The model's opset decides the version of every node; a function written for another one fits where its operators did
// not change.
void check_versions(const FunctionProto& f, const nodes& list, const std::unordered_map<std::string, int64_t>& model) {
    for (auto& n : list) {
        for (auto& s : f.opset_import()) {
            const auto it = model.find(s.domain());
            if (s.domain() != n.domain() || it == model.end() || it->second == s.version()) continue;
            const auto* here = find_schema(n.op_type(), int(s.version()), s.domain());
            const auto* there = find_schema(n.op_type(), int(it->second), s.domain());
            if ((here || there) && (!here || !there || here->SinceVersion() != there->SinceVersion()))
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
    std::unordered_map<std::string, const FunctionProto*> functions_;
    std::unordered_set<std::string> taken_;
    std::vector<const FunctionProto*> calls_;  // being expanded
    int64_t nodes_ = 0, budget_, serial_ = 0;

    void take(const ::onnx::GraphProto& g) {
        for (auto& x : g.input()) taken_.insert(x.name());
        for (auto& x : g.initializer()) taken_.insert(x.name());
        take(g.node());
    }
    void take(const nodes& list) {
        for (auto& n : list) {
            for (auto& y : n.output()) taken_.insert(y);
            for (auto& a : n.attribute()) {
                if (a.has_g()) take(a.g());
                for (auto& g : a.graphs()) take(g);
            }
        }
    }
    std::string fresh(const std::string& base) {
        std::string name = base;
        for (int k = 1; !taken_.insert(name).second; ++k) name = base + "_" + std::to_string(k);
        return name;
    }

    // Renames what nodes read and make. Every name that a function's nodes read must be its own: none leaks from the
    // caller.
    void rename(nodes& list, new_names& map, const std::string& prefix) {
        for (auto& n : list)
            for (auto& y : n.output())
                if (!y.empty() && !map.contains(y)) map[y] = fresh(prefix + y);
        for (auto& n : list) {
            for (auto& x : *n.mutable_input()) {
                if (x.empty()) continue;
                const auto it = map.find(x);
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
        const auto local = [&](std::string& name) { name = map[name] = fresh(prefix + name); };
        for (auto& n : g.node())
            for (auto& y : n.output()) map.erase(y);
        for (auto& x : *g.mutable_input()) local(*x.mutable_name());
        for (auto& x : *g.mutable_initializer()) local(*x.mutable_name());
        rename(*g.mutable_node(), map, prefix);
        for (auto& y : *g.mutable_output())
            if (auto it = map.find(y.name()); it != map.end()) y.set_name(it->second);
        g.clear_value_info();
    }

    // References to the function's attributes become the call's attributes, else the function's defaults, else nothing.
    void bind(nodes& list, const std::unordered_map<std::string_view, const AttributeProto*>& values,
              const FunctionProto& f) {
        for (auto& n : list) {
            google::protobuf::RepeatedPtrField<AttributeProto> kept;
            for (auto& a : *n.mutable_attribute()) {
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
                kept.Add()->Swap(&a);
            }
            n.mutable_attribute()->Swap(&kept);
        }
    }
    void spend(std::size_t bytes) {
        if ((budget_ -= int64_t(bytes)) < 0)
            refuse(error_code::limit_exceeded,
                   "inlined functions take more than " + std::to_string(l_.copied_bytes) + " bytes",
                   "raise limits::copied_bytes");
    }

    nodes body(const NodeProto& call, const FunctionProto& f) {
        const std::string what = "the call " + text_of(call) + " of the function `" + one_line(f.name()) + "`";
        if (call.input_size() > f.input_size() || call.output_size() > f.output_size())
            refuse(error_code::invalid_model, what + " has " + std::to_string(call.input_size()) + " inputs and " +
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
        nodes passed;  // outputs of the function that are its inputs
        for (int i = 0; i < f.output_size(); ++i) {
            const std::string actual = i < call.output_size() ? call.output(i) : "";
            if (auto it = map.find(f.output(i)); it == map.end())
                map[f.output(i)] = actual.empty() ? fresh(prefix + f.output(i)) : actual;
            else if (!actual.empty()) {
                if (it->second.empty())
                    refuse(error_code::invalid_model, what + " asks for the output `" + one_line(f.output(i)) +
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
        nodes copies = f.node();
        rename(copies, map, prefix);
        bind(copies, values, f);  // after renaming: a graph that the call gives has the caller's names
        copies.MergeFrom(passed);
        return copies;
    }

    void expand(nodes& list) {
        nodes all;
        for (auto& n : list) {
            for (auto& a : *n.mutable_attribute()) {
                if (a.has_g()) expand(*a.mutable_g()->mutable_node());
                for (auto& g : *a.mutable_graphs()) expand(*g.mutable_node());
            }
            if (++nodes_ > l_.nodes)
                refuse(error_code::limit_exceeded,
                       "with its functions inlined the model has more than " + std::to_string(l_.nodes) + " nodes",
                       "raise limits::nodes");
            const auto it = functions_.find(key(n.domain(), n.op_type(), n.overload()));
            if (it == functions_.end()) {
                all.Add()->Swap(&n);
                continue;
            }
            for (const FunctionProto* f : calls_)
                if (f == it->second)
                    refuse(error_code::invalid_model,
                           "the function `" + one_line(f->name()) + "` calls itself: " + text_of(n));
            if (int(calls_.size()) >= l_.nesting)
                refuse(error_code::limit_exceeded,
                       "functions call each other deeper than " + std::to_string(l_.nesting), "raise limits::nesting");
            calls_.push_back(it->second);
            nodes inner = body(n, *it->second);
            expand(inner);
            calls_.pop_back();
            for (auto& i : inner) all.Add()->Swap(&i);
        }
        list.Swap(&all);
    }

  public:
    explicit inliner(const limits& l) : l_(l), budget_(l.copied_bytes) {}
    void run(::onnx::ModelProto& m) {
        for (auto& f : m.functions())
            if (!functions_.emplace(key(f.domain(), f.name(), f.overload()), &f).second)
                refuse(error_code::invalid_model, "the function `" + one_line(f.name()) + "` is defined twice");
        std::unordered_map<std::string, int64_t> imported;
        for (auto& s : m.opset_import()) imported.emplace(s.domain(), s.version());
        for (auto& f : m.functions())
            for (auto& s : f.opset_import())
                if (imported.emplace(s.domain(), s.version()).second) *m.add_opset_import() = s;
        for (auto& f : m.functions()) check_versions(f, f.node(), imported);
        take(m.graph());
        expand(*m.mutable_graph()->mutable_node());
        m.clear_functions();
    }
};
}  // namespace

void inline_functions(::onnx::ModelProto& m, const limits& l) {
    if (m.functions_size()) inliner(l).run(m);
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay

// Whether a graph is valid: names, attributes, and nodes that match their operators' schemas. The onnx library's
// checker is not used: it prints other things on standard output, and looks up a node's schema by name alone.
#include "proto.hpp"
#include "schemas.hpp"
#include <unordered_set>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

struct known_names {
    const known_names* outside = nullptr;
    std::unordered_set<std::string_view> locals{};
    bool has(std::string_view name) const { return locals.contains(name) || (outside && outside->has(name)); }
};

int values_of(const AttributeProto& a) {
    return a.has_f() + a.has_i() + a.has_s() + a.has_t() + a.has_g() + a.has_tp() + a.has_sparse_tensor() +
           (a.floats_size() > 0) + (a.ints_size() > 0) + (a.strings_size() > 0) + (a.tensors_size() > 0) +
           (a.graphs_size() > 0) + (a.sparse_tensors_size() > 0) + (a.type_protos_size() > 0);
}
// Whether the value that is present, if any, is of the kind that the attribute declares.
bool fits(const AttributeProto& a) {
    switch (a.type()) {
        case AttributeProto::FLOAT: return a.has_f();
        case AttributeProto::INT: return a.has_i();
        case AttributeProto::STRING: return a.has_s();
        case AttributeProto::TENSOR: return a.has_t();
        case AttributeProto::GRAPH: return a.has_g();
        case AttributeProto::TYPE_PROTO: return a.has_tp();
        case AttributeProto::SPARSE_TENSOR: return a.has_sparse_tensor();
        case AttributeProto::FLOATS: return a.floats_size() > 0;
        case AttributeProto::INTS: return a.ints_size() > 0;
        case AttributeProto::STRINGS: return a.strings_size() > 0;
        case AttributeProto::TENSORS: return a.tensors_size() > 0;
        case AttributeProto::GRAPHS: return a.graphs_size() > 0;
        case AttributeProto::SPARSE_TENSORS: return a.sparse_tensors_size() > 0;
        case AttributeProto::TYPE_PROTOS: return a.type_protos_size() > 0;
        default: return false;
    }
}

class graph_check {
    const std::map<std::string, int>& opsets_;

    void attributes(const NodeProto& n, const known_names& names) {
        std::unordered_set<std::string_view> once;
        for (const AttributeProto& a : n.attribute()) {
            const auto wrong = [&](const std::string& fault) {
                refuse(error_code::invalid_model,
                       "the attribute `" + one_line(a.name()) + "` of " + text_of(n) + " " + fault);
            };
            if (a.name().empty()) wrong("has no name");
            if (!once.insert(a.name()).second) wrong("is given twice");
            const int values = values_of(a);
            if (values > 1) wrong("has more than one value");
            if (values == 1 && !fits(a))
                wrong("says that it is of the kind " + AttributeProto::AttributeType_Name(a.type()) +
                      ", and has a value of another");
            if (a.has_g()) graph(a.g(), &names);
            for (const GraphProto& g : a.graphs()) graph(g, &names);
        }
    }
    void schema(const NodeProto& n) {
        const auto opset = opsets_.find(n.domain());
        const auto* s = opset == opsets_.end() ? nullptr : schema_of(n, opset->second);
        if (s && s->Deprecated() && n.op_type() == "GroupNormalization")  // which has no more information
            s = find_schema(n.op_type(), INT_MAX, n.domain());
        if (!s) return;
        try {
            s->Verify(n);
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& e) {
            refuse(error_code::invalid_model, text_of(n) + ": " + one_line(e.what()));
        }
    }
    void node(const NodeProto& n, known_names& names) {
        if (n.op_type().empty()) refuse(error_code::invalid_model, text_of(n) + " names no operator");
        if (n.input().empty() && n.output().empty())
            refuse(error_code::invalid_model, text_of(n) + " has neither inputs nor outputs");
        attributes(n, names);
        schema(n);
        for (const std::string& y : n.output()) {
            if (y.empty()) continue;
            if (names.has(y)) refuse(error_code::invalid_model, "`" + one_line(y) + "` is defined twice");
            names.locals.insert(y);
        }
    }

  public:
    explicit graph_check(const std::map<std::string, int>& opsets) : opsets_(opsets) {}
    void graph(const GraphProto& g, const known_names* outside = nullptr) {
        known_names names{outside};
        for (auto& v : g.input())
            if (!names.locals.insert(v.name()).second)
                refuse(error_code::invalid_model, "the input `" + one_line(v.name()) + "` is listed twice");
        for (auto& t : g.initializer()) names.locals.insert(t.name());
        for (const NodeProto& n : g.node()) node(n, names);
        for (auto& v : g.output())
            if (!names.locals.contains(v.name()))
                refuse(error_code::invalid_model, "nothing makes the output `" + one_line(v.name()) +
                                                      "` of the graph `" + one_line(g.name()) + "`");
    }
};
}  // namespace

void check_graph(const ::onnx::GraphProto& g, const std::map<std::string, int>& opsets) {
    graph_check(opsets).graph(g);
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay

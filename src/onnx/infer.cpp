// Shape inference, by the onnx library: only where its cost is bounded, and without belief in what a model declares.
#include "proto.hpp"
#include "schemas.hpp"
#include <onnx/shape_inference/implementation.h>
#include <unordered_map>

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
using value_infos = google::protobuf::RepeatedPtrField<::onnx::ValueInfoProto>;

// The library copies the names that a subgraph can see, and reads constants at every use: a small file may ask for more
// of that than there is time. It could also follow sizes through arithmetic, but keeps 100 bytes for each, without
// bound: our own passes do that.
class cost {
    const limits& l_;
    std::unordered_map<std::string_view, double> constants_;  // their elements
    double names_ = 0, total_ = 0;

    void add(double x) {
        if ((total_ += x) > double(l_.inference))
            refuse(error_code::limit_exceeded,
                   "shape inference would look at more than " + std::to_string(l_.inference) + " names and sizes",
                   "raise limits::inference");
    }
    static double length(const ::onnx::TensorProto& t) {
        if (t.data_type() != ::onnx::TensorProto::INT64 && t.data_type() != ::onnx::TensorProto::INT32) return 0;
        double n = 1;
        for (auto d : t.dims()) n *= double(d);
        return n;
    }
    void note(std::vector<std::string_view>& here, std::string_view name, double elements) {
        if (constants_.emplace(name, elements).second) here.push_back(name);
    }

  public:
    explicit cost(const limits& l) : l_(l) {}
    void count(const ::onnx::GraphProto& g) {
        std::vector<std::string_view> here;  // constants that are seen here and below only
        for (auto& t : g.initializer()) note(here, t.name(), length(t));
        const double outside = names_;
        names_ += double(g.initializer_size() + g.input_size());
        add(names_);
        for (auto& n : g.node()) {
            add(double(n.input_size() + n.output_size()));
            for (auto& x : n.input())
                if (const auto it = constants_.find(x); it != constants_.end()) add(it->second);
            for (auto& a : n.attribute()) {
                if (a.has_g()) count(a.g());
                if (n.op_type() == "Constant" && n.output_size())
                    note(here, n.output(0), a.has_t() ? length(a.t()) : double(a.ints_size()));
            }
            names_ += double(n.output_size());
        }
        names_ = outside;
        for (std::string_view name : here) constants_.erase(name);
    }
};

// Declared types of values that operators of known schemas make are dropped: inference gives them anew.
void forget_declared(::onnx::GraphProto& g, const std::map<std::string, int>& opsets) {
    std::set<std::string_view> outputs;
    for (auto& n : *g.mutable_node()) {
        const auto opset = opsets.find(n.domain());
        if (opset != opsets.end() && find_schema(n.op_type(), opset->second, n.domain()))
            for (auto& y : n.output()) outputs.insert(y);
        for (auto& a : *n.mutable_attribute())
            if (a.has_g()) forget_declared(*a.mutable_g(), opsets);
    }
    value_infos kept;
    for (auto& v : *g.mutable_value_info())
        if (!outputs.contains(v.name())) kept.Add()->Swap(&v);
    g.mutable_value_info()->Swap(&kept);
    for (auto& v : *g.mutable_output())
        if (outputs.contains(v.name())) v.clear_type();
}
void note_declared(const ::onnx::GraphProto& g, declared_shapes& all) {
    for (auto& n : g.node())
        for (auto& a : n.attribute()) {
            if (!a.has_g()) continue;
            if (n.domain().empty() && (n.op_type() == "Loop" || n.op_type() == "Scan"))
                for (auto& y : a.g().output()) {
                    const auto& dims = y.type().tensor_type().shape();
                    const bool has = y.type().tensor_type().has_shape() && dims.dim_size() <= max_rank;
                    shape& s = all[&a.g()].emplace_back(has ? shape{} : shape::unknown());
                    for (int i = 0; has && i < dims.dim_size(); ++i)
                        s.push_back(dims.dim(i).dim_value() > 0 ? dims.dim(i).dim_value() : -1);
                }
            note_declared(a.g(), all);
        }
}
// The library's rules cast axes to int, and one writes to the dimension that the cast number names: those that are no
// int are made such as are wrong for every rank.
void clamp_axes(::onnx::GraphProto& g) {
    constexpr std::int64_t most = 1 << 30;
    for (auto& n : *g.mutable_node())
        for (auto& a : *n.mutable_attribute()) {
            if (a.has_g()) clamp_axes(*a.mutable_g());
            if (a.name() == "axis" && a.has_i()) a.set_i(std::clamp(a.i(), -most, most));
        }
}

void note_types(const ::onnx::GraphProto& g, std::unordered_map<std::string_view, const ::onnx::TypeProto*>& types) {
    for (auto* list : {&g.input(), &g.value_info(), &g.output()})
        for (auto& v : *list)
            if (v.has_type()) types.emplace(v.name(), &v.type());
    for (auto& n : g.node())
        for (auto& a : n.attribute())
            if (a.has_g()) note_types(a.g(), types);
}
// Constants need not be among a graph's inputs.
void declare_constants(::onnx::GraphProto& g) {
    for (auto& t : g.initializer()) {
        auto& v = *g.add_value_info();
        v.set_name(t.name());
        auto& type = *v.mutable_type()->mutable_tensor_type();
        type.set_elem_type(t.data_type());
        for (auto d : t.dims()) type.mutable_shape()->add_dim()->set_dim_value(d);
    }
    for (auto& n : *g.mutable_node())
        for (auto& a : *n.mutable_attribute())
            if (a.has_g()) declare_constants(*a.mutable_g());
}
}  // namespace

declared_shapes infer(::onnx::ModelProto& m, const std::map<std::string, int>& opsets, const limits& l) {
    declared_shapes declared;
    note_declared(m.graph(), declared);
    forget_declared(*m.mutable_graph(), opsets);
    clamp_axes(*m.mutable_graph());
    cost c(l);
    c.count(m.graph());
    try {
        ::onnx::shape_inference::InferShapes(m, &schemas(), ::onnx::ShapeInferenceOptions(false, 0, false));
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception&) {
    }  // what it could not infer stays open until the model runs
    return declared;
}

value_types::value_types(const ::onnx::ModelProto& m, const std::map<std::string, int>& opsets, const limits& l)
    : typed_(std::make_unique<::onnx::ModelProto>(m)) {
    declare_constants(*typed_->mutable_graph());
    infer(*typed_, opsets, l);
    note_types(typed_->graph(), types_);
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay

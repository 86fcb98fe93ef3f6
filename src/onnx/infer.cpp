// Shape inference, by the onnx library: only where its cost is bounded, and without belief in what a model declares.
#include "proto.hpp"
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>
#include <algorithm>
#include <unordered_map>

namespace inlay::inline v1::loading {
namespace {
using value_infos = google::protobuf::RepeatedPtrField<::onnx::ValueInfoProto>;

// The library copies the names that a subgraph can see, reads constants at every use, and follows sizes through arithmetic:
// a small file may ask for more of that than there is time or memory.
class cost {
    const limits& l_;
    std::unordered_map<std::string_view, double> constants_, sizes_;  // their elements; sizes_: that are followed, at most
    double total_ = 0;

    void add(double x) {
        if ((total_ += x) > double(l_.inference)) refuse(error_code::limit_exceeded, "shape inference would look at more than " + std::to_string(l_.inference) + " names and sizes", "raise limits::inference");
    }
    static double length(const ::onnx::TensorProto& t) {
        if (t.data_type() != ::onnx::TensorProto::INT64 && t.data_type() != ::onnx::TensorProto::INT32) return 0;
        double n = 1;
        for (auto d : t.dims()) n *= double(d);
        return n;
    }
    static double find(const std::unordered_map<std::string_view, double>& map, std::string_view name) { const auto it = map.find(name); return it == map.end() ? 0 : it->second; }
    double followed(const ::onnx::NodeProto& n) const {
        constexpr std::string_view elementwise[] = {"Cast", "Slice", "Squeeze", "Unsqueeze", "Add", "Sub", "Mul", "Identity"};
        double sum = 0, most = 0;
        for (auto& x : n.input()) {
            const double size = std::max(find(sizes_, x), find(constants_, x));
            sum += size;
            most = std::max(most, size);
        }
        if (n.op_type() == "Shape") return max_rank;
        if (n.op_type() == "Concat" || n.op_type() == "Gather") return sum;
        return std::find(std::begin(elementwise), std::end(elementwise), n.op_type()) == std::end(elementwise) ? 0 : most;
    }
public:
    bool follow_sizes = true;
    explicit cost(const limits& l) : l_(l) {}
    void count(const ::onnx::GraphProto& g) {
        for (auto& t : g.initializer()) constants_[t.name()] = length(t);
        add(double(constants_.size() + sizes_.size()));
        for (auto& n : g.node()) {
            add(double(n.input_size() + n.output_size()));
            for (auto& x : n.input()) add(find(constants_, x) + (follow_sizes ? find(sizes_, x) : 0));
            for (auto& a : n.attribute()) {
                if (a.has_g()) count(a.g());
                if (n.op_type() == "Constant" && n.output_size()) constants_[n.output(0)] = a.has_t() ? length(a.t()) : double(a.ints_size());
            }
            const double size = followed(n);
            if (size > 65536) follow_sizes = false;  // Concat may double them again and again
            for (auto& y : n.output()) sizes_[y] = size;
        }
    }
};

// Declared types of values that operators of known schemas make are dropped: inference gives them anew.
void forget_declared(::onnx::GraphProto& g, const std::map<std::string, int>& opsets) {
    std::set<std::string_view> made;
    for (auto& n : *g.mutable_node()) {
        const auto opset = opsets.find(n.domain());
        if (opset != opsets.end() && ::onnx::OpSchemaRegistry::Schema(n.op_type(), opset->second, n.domain())) for (auto& y : n.output()) made.insert(y);
        for (auto& a : *n.mutable_attribute()) if (a.has_g()) forget_declared(*a.mutable_g(), opsets);
    }
    value_infos kept;
    for (auto& v : *g.mutable_value_info()) if (!made.contains(v.name())) kept.Add()->Swap(&v);
    g.mutable_value_info()->Swap(&kept);
    for (auto& v : *g.mutable_output()) if (made.contains(v.name())) v.clear_type();
}
}  // namespace

void infer(::onnx::ModelProto& m, const std::map<std::string, int>& opsets, const limits& l) {
    forget_declared(*m.mutable_graph(), opsets);
    cost c(l);
    c.count(m.graph());
    ::onnx::shape_inference::DataValueMap sizes;
    try {
        ::onnx::shape_inference::InferShapes(m, ::onnx::OpSchemaRegistry::Instance(), ::onnx::ShapeInferenceOptions(false, 0, c.follow_sizes), &sizes);
    } catch (const std::bad_alloc&) { throw; }
    catch (const std::exception&) {}  // what it could not infer stays open until the model runs
}
}  // namespace inlay::inline v1::loading

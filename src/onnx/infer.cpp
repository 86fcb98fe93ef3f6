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
    static constexpr double most_sizes = 65536, most_kept = 2e6;  // of one value, and of all: the library keeps 100 bytes for each

    const limits& l_;
    std::unordered_map<std::string_view, double> constants_, sizes_, lists_;  // their elements; constants_: of integers; sizes_: that are followed, at most; lists_: of one axis, of any type
    double total_ = 0, kept_ = 0;

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
    static void note(std::unordered_map<std::string_view, double>& map, std::vector<std::string_view>& here, std::string_view name, double size) {
        const auto [it, isnew] = map.emplace(name, size);
        if (isnew) here.push_back(name);
        else it->second = std::max(it->second, size);
    }
    double followed(const ::onnx::NodeProto& n) const {
        constexpr std::string_view elementwise[] = {"Cast", "Slice", "Squeeze", "Unsqueeze", "Add", "Sub", "Mul", "Identity"};
        double sum = 0, most = 0, last = 0;
        for (auto& x : n.input()) {
            last = std::max({find(sizes_, x), find(constants_, x), n.op_type() == "Concat" ? find(lists_, x) : 0});  // which has sizes of any list, unknown ones
            sum += last;
            most = std::max(most, last);
        }
        if (n.op_type() == "Shape") return max_rank;
        if (n.op_type() == "Concat") return sum;
        if (n.op_type() == "Gather") return last;  // as many as there are indices
        return std::find(std::begin(elementwise), std::end(elementwise), n.op_type()) == std::end(elementwise) ? 0 : most;
    }
public:
    bool follow_sizes = true;
    explicit cost(const limits& l) : l_(l) {}
    void count(const ::onnx::GraphProto& g) {
        std::vector<std::string_view> constants, sizes;  // names that are seen here and below only
        for (auto& t : g.initializer()) {
            note(constants_, constants, t.name(), length(t));
            if (t.dims_size() == 1) lists_[t.name()] = double(t.dims(0));
        }
        add(double(constants_.size() + sizes_.size()));
        for (auto& n : g.node()) {
            add(double(n.input_size() + n.output_size()));
            for (auto& x : n.input()) add(find(constants_, x) + (follow_sizes ? find(sizes_, x) : 0));
            for (auto& a : n.attribute()) {
                if (a.has_g()) count(a.g());
                if (n.op_type() == "Constant" && n.output_size()) note(constants_, constants, n.output(0), a.has_t() ? length(a.t()) : double(a.ints_size()));
            }
            const double size = followed(n);
            if (follow_sizes) kept_ += size * n.output_size();
            if (size > most_sizes || kept_ > most_kept) follow_sizes = false;  // Concat may double them again and again
            for (auto& y : n.output()) note(sizes_, sizes, y, size);
        }
        for (std::string_view name : constants) constants_.erase(name);
        for (std::string_view name : sizes) sizes_.erase(name);
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

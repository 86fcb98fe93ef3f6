// Unused names for values that the loader adds to a graph.
#pragma once
#include "proto.hpp"
#include <unordered_set>

namespace inlay {
inline namespace v1 {
namespace loading {
class name_pool {
    std::unordered_set<std::string> used_names_;

    void take(const google::protobuf::RepeatedPtrField<::onnx::NodeProto>& list) {
        for (auto& n : list) {
            for (auto& y : n.output()) used_names_.insert(y);
            for (auto& a : n.attribute()) {
                if (a.has_g()) take(a.g());
                for (auto& g : a.graphs()) take(g);
            }
        }
    }

  public:
    void take(const ::onnx::GraphProto& g) {  // those of the graph, and of its subgraphs
        for (auto& x : g.input()) used_names_.insert(x.name());
        for (auto& x : g.initializer()) used_names_.insert(x.name());
        take(g.node());
    }
    std::string fresh(const std::string& base) {
        std::string name = base;
        for (int k = 1; !used_names_.insert(name).second; ++k) name = base + "_" + std::to_string(k);
        return name;
    }
};
}  // namespace loading
}  // namespace v1
}  // namespace inlay

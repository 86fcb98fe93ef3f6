// A graph whose nodes are rewritten one by one, with new nodes between them.
#pragma once
#include "source.hpp"

namespace inlay {
inline namespace v1 {
namespace quantizing {
class graph_editor {
    ModelProto& m_;
    GraphProto& g_;
    std::set<std::string, std::less<>> used_names_, replaced_;
    google::protobuf::RepeatedPtrField<NodeProto>& nodes_;

  public:
    explicit graph_editor(ModelProto&);
    std::string fresh(const std::string& base);                        // an unused name
    std::string add_constant(const std::string& base, const tensor&);  // returns its name
    NodeProto& add(const NodeProto& n) { return *(*nodes_.Add() = n, nodes_.rbegin()); }
    NodeProto& add(const std::string& op, const std::vector<std::string>& inputs, const std::string& output);
    void replaced(std::string_view constant) { replaced_.emplace(constant); }  // removed once nothing reads it
    void import_domain(const std::string& domain, int version);                // where the model does not yet
    void require_ir_version(std::int64_t least);
    // The nodes that were added are the graph's. Constants that were replaced and are no longer read are gone.
    void finish();
};
void set_integer(NodeProto&, const std::string& name, std::int64_t);
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay

// The message of a model file with all its weights inside, and queries about its graph.
#pragma once
#include "onnx/proto.hpp"
#include <filesystem>

namespace inlay {
inline namespace v1 {
namespace quantizing {
using loading::refuse;
using ::onnx::GraphProto;
using ::onnx::ModelProto;
using ::onnx::NodeProto;

class source_model {
    std::shared_ptr<ModelProto> message_;
    std::map<std::string, const ::onnx::TensorProto*, std::less<>> constants_;
    std::map<std::string, int, std::less<>> makers_;
    std::map<std::string, std::vector<int>, std::less<>> readers_;
    std::map<std::string, element, std::less<>> types_;
    std::set<std::string, std::less<>> outputs_;

    void read_graph();

  public:
    explicit source_model(const std::filesystem::path& file);  // raises errors, those of loading included

    const std::shared_ptr<ModelProto>& message() const { return message_; }
    const GraphProto& graph() const { return message_->graph(); }
    int opset() const;  // of ai.onnx; 0: it is not imported
    // Of an initializer or a node Constant, borrowed from the message; none for all else.
    std::optional<tensor> constant(std::string_view name) const;
    int maker(std::string_view name) const;                        // the node that produces it; -1: none does
    const std::vector<int>& readers(std::string_view name) const;  // nodes, each once, those whose bodies read it too
    bool is_output(std::string_view name) const { return outputs_.contains(name); }
    element type(std::string_view name) const;  // undefined: unknown
};

// A model of the message, whose large weights it borrows; the message must not change meanwhile. Nothing is rewritten,
// so that every value of the graph is one of the model.
model model_of(const std::shared_ptr<ModelProto>&);
// The same, except that constant nodes are computed: weights that are dequantized from integers then are constants,
// which kernels pack.
model decoded_model_of(const std::shared_ptr<ModelProto>&);

const ::onnx::AttributeProto* attribute_of(const NodeProto&, std::string_view name);
std::int64_t integer_of(const NodeProto&, std::string_view name, std::int64_t otherwise);
double real_of(const NodeProto&, std::string_view name, double otherwise);
bool is_onnx(const NodeProto&);  // of the domain ai.onnx
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay

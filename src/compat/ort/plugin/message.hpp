// Nodes of an OrtGraph as an ONNX message, which Inlay loads as it loads a file.
#pragma once
#include "onnx/message.hpp"
#include "runtime.hpp"
#include <set>

namespace inlay::ep {
// A node of an OrtGraph, as far as the enclosing graph needs it. Absent inputs and outputs are null.
struct node_ends {
    std::vector<const OrtValueInfo*> inputs, implicit, outputs;
};
node_ends ends_of(const runtime&, const OrtNode*);
std::string name_of(const runtime&, const OrtValueInfo*);  // empty: of what is absent

// Names of nodes for messages: the graph's own, if they are present and unique.
std::vector<std::string> names_of(const runtime&, std::span<const OrtNode* const>);

struct message {
    std::shared_ptr<::onnx::ModelProto> model = loading::new_message<::onnx::ModelProto>();
    loading::left_in_file left{};  // the elements of constants
};
enum class elements {
    lent,   // they stay ONNX Runtime's, which keeps them for the duration of one of its calls
    copied  // they live as long as the model
};
struct piece {
    const OrtGraph* graph = nullptr;
    std::vector<const OrtNode*> nodes{};
    std::vector<std::string> names{};  // of the nodes
    // Values by name; without `inputs` and `outputs`, those that the nodes read and others produce, and unread results.
    std::optional<std::set<std::string>> inputs{};
    std::optional<std::vector<std::string>> outputs{};
};
// Raises unsupported_model for what Inlay's loader cannot accept.
message message_of(const runtime&, const piece&, elements);
}  // namespace inlay::ep

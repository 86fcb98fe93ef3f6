// Nodes of an OrtGraph as an ONNX message, which Inlay loads as it loads a file.
#pragma once
#include "onnx/message.hpp"
#include "runtime.hpp"
#include <set>

namespace inlay::ep {
// A node of an OrtGraph, as far as the graph around it asks. What is absent among inputs and outputs is null.
struct node_ends {
    std::vector<const OrtValueInfo*> inputs, implicit, outputs;
};
node_ends ends_of(const runtime&, const OrtNode*);
std::string name_of(const runtime&, const OrtValueInfo*);  // empty: of what is absent

// Names of nodes by which messages tell of them: the graph's own, if they are there and no two are alike.
std::vector<std::string> names_of(const runtime&, std::span<const OrtNode* const>);

struct message {
    std::shared_ptr<::onnx::ModelProto> model = loading::new_message<::onnx::ModelProto>();
    loading::left_in_file left{};  // the elements of constants
};
enum class elements {
    lent,   // they stay ONNX Runtime's, which keeps them for as long as one of its calls takes
    copied  // they live as long as the model
};
struct piece {
    const OrtGraph* graph = nullptr;
    std::vector<const OrtNode*> nodes{};
    std::vector<std::string> names{};  // of the nodes
    // Values by name; without `inputs` and `outputs`, what the nodes read and others make, and what none of them reads.
    std::optional<std::set<std::string>> inputs{};
    std::optional<std::vector<std::string>> outputs{};
};
// Raises unsupported_model for what Inlay's loader cannot be given.
message message_of(const runtime&, const piece&, elements);
}  // namespace inlay::ep

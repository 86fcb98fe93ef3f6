// The derivatives of single operators, as functions over ONNX's operators: gradient.cpp combines them.
#pragma once
#include "proto.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
namespace gradients {
// A node of the graph that is differentiated.
struct differentiated_node {
    const ::onnx::NodeProto& node;
    int opset;                                                            // of ai.onnx
    unsigned active_inputs;                                               // bit k: the derivative by input k
    std::function<const ::onnx::TypeProto*(const std::string&)> type_of;  // of a value; null: it is not known
};
struct gradient_rule {
    std::string_view op;
    unsigned inputs;  // bit k: the result depends smoothly on input k; only those have derivatives
    // Nodes of a function of the inputs x0, x1, ..., the output y and its derivative g, which produce the required
    // ones of d0, d1, ...: the derivatives by the inputs, in their shapes. Else `make` writes them.
    std::string_view text;
    std::string (*make)(const differentiated_node&) = nullptr;
};
const gradient_rule* find_gradient_rule(const ::onnx::NodeProto&);  // null: there is none
std::shared_ptr<::onnx::FunctionProto> gradient_function(const gradient_rule&, const differentiated_node&);
std::string list_of_gradient_rules();  // "Abs, Add, ..."
}  // namespace gradients
}  // namespace loading
}  // namespace v1
}  // namespace inlay

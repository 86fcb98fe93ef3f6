// SequenceMap, which ONNX defines by a function: a Loop over the elements of its first sequence.
#pragma once
#include "proto.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
using known_type = std::function<const ::onnx::TypeProto&(const std::string& value)>;  // raises where it is not known
// The function that the node calls. Not that of the onnx library, which copies messages in ways that leak where an
// allocation fails, and relies on unchecked arguments. Raises invalid_model.
void write_sequence_map(const ::onnx::NodeProto& n, const known_type& type_of, ::onnx::FunctionProto& f);
}  // namespace loading
}  // namespace v1
}  // namespace inlay

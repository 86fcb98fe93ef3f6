// A model from a message that the program itself built, for callers that have a graph and no file.
#pragma once
#include "proto.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
// Like loading a file with that message, which is of new_message(): the same checks and passes. `left` has the raw data
// of tensors of the message, where they lie in memory: large ones are borrowed, for as long as file_bytes::keep says,
// or the model lives.
result<model> load_message(std::shared_ptr<::onnx::ModelProto>, left_in_file left, const model_options&);
}  // namespace loading
}  // namespace v1
}  // namespace inlay

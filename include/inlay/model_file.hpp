// A model in memory as a model file.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "model.hpp"

namespace inlay {
inline namespace v1 {
// The bytes of an ONNX file of the model as it is now, after its passes: operators of ONNX only, since fusions are
// candidates, not nodes. `source`: the file that it was loaded from, whose inputs, outputs, metadata and opsets it
// keeps. Functions are inlined; weights are in the file. Raises unsupported_model where ONNX cannot express it.
std::string model_file(const model&, const std::filesystem::path& source);
}  // namespace v1
}  // namespace inlay

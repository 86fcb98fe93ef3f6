#pragma once
#include "session_options.hpp"

namespace Ort::detail {
// Appends to the list. Options that only ONNX Runtime's provider of the name has become notes; those that
// neither has are errors. Raises inlay::error.
void append_choice(OrtSessionOptions&, inlay::provider_choice, const OptionMap&);
}  // namespace Ort::detail

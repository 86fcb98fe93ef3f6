// ONNX Runtime's C interface, as far as libraries of operators need it: the argument of their RegisterCustomOps().
#pragma once
#include "session_options.hpp"

namespace Ort::detail {
// A table of functions at their positions in ONNX Runtime's OrtApi, which only grows at its end. A missing function
// returns a status that reports its position.
const OrtApi* library_api();
// Opens a library for good, and lets its function add operators to the options, those of a domain that it creates.
// Raises ORT_NO_SUCHFILE if it cannot be opened, ORT_INVALID_ARGUMENT if it has no such function, and its own errors.
void register_library(OrtSessionOptions&, const std::string& file, const char* function = "RegisterCustomOps");
}  // namespace Ort::detail

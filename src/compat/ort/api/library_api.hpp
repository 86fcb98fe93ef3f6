// ONNX Runtime's C interface, as far as libraries of operators need it: what their RegisterCustomOps() gets.
#pragma once
#include "session_options.hpp"

namespace Ort::detail {
// A table of functions at the places of ONNX Runtime's OrtApi, which only grows at its end. A function that is not here
// gives a status that tells its place.
const OrtApi* library_api();
// Opens a library for good, and lets its function add operators to the options, those of a domain that it makes. Raises
// ORT_NO_SUCHFILE where it cannot be opened, ORT_INVALID_ARGUMENT where it has no such function, and what that gives.
void register_library(OrtSessionOptions&, const std::string& file, const char* function = "RegisterCustomOps");
}  // namespace Ort::detail

// What the stand-in of the toolkit writes before a model's ONNX, and that of the library reads.
#pragma once
#include <string_view>

inline constexpr std::string_view compiled_mark = "compiled for the host: ";

// Names of functions by address, those that nothing exports too.
#pragma once
#include <cstdint>
#include <string>

namespace inlay::testing {
std::string function_at(const void* address);  // of a position-independent program, or library, that is not stripped
}  // namespace inlay::testing

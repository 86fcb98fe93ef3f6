// What inlay memory shows, in its forms.
#pragma once
#include "common.hpp"

namespace inlay::tool {
json to_json(const memory_report&);         // schema inlay.memory
void show(const memory_report&);            // as text
std::string page_of(const memory_report&);  // one HTML file
}  // namespace inlay::tool

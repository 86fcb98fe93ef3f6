// The output of inlay memory, in its formats.
#pragma once
#include "common.hpp"
#include <inlay/report_json.hpp>

namespace inlay::tool {
void show(const memory_report&);            // as text
std::string page_of(const memory_report&);  // one HTML file
}  // namespace inlay::tool

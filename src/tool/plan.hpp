// What inlay plan shows, in its forms.
#pragma once
#include "common.hpp"
#include <inlay/report_json.hpp>

namespace inlay::tool {
std::string page_of(const plan_report&);  // one HTML file
std::string dot_of(const plan_report&);   // for Graphviz
}  // namespace inlay::tool

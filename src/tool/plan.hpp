// What inlay plan shows, in its forms.
#pragma once
#include "common.hpp"

namespace inlay::tool {
json to_json(const plan_report&);         // schema inlay.plan
std::string page_of(const plan_report&);  // one HTML file
std::string dot_of(const plan_report&);   // for Graphviz
}  // namespace inlay::tool

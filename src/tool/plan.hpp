// The output of inlay plan, in its formats.
#pragma once
#include "common.hpp"
#include <inlay/report_json.hpp>

namespace inlay::tool {
// One HTML file. predicted: seconds of a run, by the capability tables.
std::string page_of(const plan_report&, std::optional<double> predicted = {});
std::string text_of_prediction(double seconds);
std::string dot_of(const plan_report&);  // for Graphviz
}  // namespace inlay::tool

// The values and steps of a plan, as reports have them.
#pragma once
#include <inlay/plan_report.hpp>
#include <inlay/sdk/graph.hpp>

namespace inlay {
inline namespace v1 {
struct assignment;
struct compiled_plan;
constexpr std::string_view layout_name(layout l) { return l == layout::channels_last ? "channels_last" : "plain"; }
void report_schedule(const graph_view&, const compiled_plan*, const assignment&,
                     plan_report&);  // null: of an assignment that has no plan
}  // namespace v1
}  // namespace inlay

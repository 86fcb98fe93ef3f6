// What a session reports: its plans and their memory.
#pragma once
#include <inlay/session.hpp>

namespace inlay {
inline namespace v1 {
struct assignment;
struct compiled_plan;
class session_setup;

plan_report report_of(session_core&, const compiled_plan*);  // null: of the shapes that the graph declares
memory_report memory_report_of(session_core&, const compiled_plan&);
std::vector<std::string> precision_notes(const session_setup&);  // what the options ask for and no provider honours
constexpr std::string_view layout_name(layout l) { return l == layout::channels_last ? "channels_last" : "plain"; }
// The values and steps of a plan, or of an assignment where there is none.
void report_schedule(const graph_view&, const compiled_plan*, const assignment&, plan_report&);
}  // namespace v1
}  // namespace inlay

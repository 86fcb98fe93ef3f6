// What a session reports of its plans and their memory: src/report writes it.
#pragma once
#include <inlay/session.hpp>

namespace inlay {
inline namespace v1 {
struct compiled_plan;
class session_setup;

plan_report report_of(session_core&, const compiled_plan*);  // null: of the shapes that the graph declares
memory_report memory_report_of(session_core&, const compiled_plan&);
std::vector<std::string> precision_notes(const session_setup&);  // what the options request and no provider honours
}  // namespace v1
}  // namespace inlay

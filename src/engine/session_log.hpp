// What a session logs, and where.
#pragma once
#include <inlay/session.hpp>

namespace inlay {
inline namespace v1 {
inline bool logs(const session_options& o, severity s) { return int(s) >= o.log_severity_level; }
void note_log(const session_options&, severity, std::string_view);
}  // namespace v1
}  // namespace inlay

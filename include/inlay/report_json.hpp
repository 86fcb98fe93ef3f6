// Reports as JSON, for programs that read them: the documents that the tool prints with --json.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "memory_report.hpp"
#include "plan_report.hpp"
#include "profile.hpp"

namespace inlay {
inline namespace v1 {
// One object each, whose first members are "schema" and "version". The text is UTF-8: what is not in a name from a
// model's file becomes U+FFFD. Sizes are in bytes, times in seconds.
std::string json_of(const plan_report&);    // schema inlay.plan
std::string json_of(const memory_report&);  // schema inlay.memory
// Schema inlay.profile: medians over the runs, totals by operator. The members that need the machine's peaks, which the
// tool measures, are null. Precondition: it has a run.
std::string json_of(const run_profile&);
}  // namespace v1
}  // namespace inlay

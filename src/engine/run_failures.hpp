// What failed in a run: whose step it was, and how that is told.
#pragma once
#include "run_context.hpp"
#include <inlay/sdk/provider_handle.hpp>

namespace inlay {
inline namespace v1 {
// Whose step it was, or whose memory a transfer was for; -1: no provider's.
int failed_provider(const run_context&, const std::vector<provider_handle>&);
int provider_in(const compiled_plan&, int space, const std::vector<provider_handle>&);  // that has steps there; or -1
[[noreturn]] void raise_status(const run_context&, status, const std::vector<provider_handle>&);
error current_error();  // of the exception that is being handled, whoever threw it
status status_of(error_code);
}  // namespace v1
}  // namespace inlay

// What failed in a run: the provider of the step, and how that is reported.
#pragma once
#include "run_context.hpp"
#include <inlay/sdk/provider_handle.hpp>

namespace inlay {
inline namespace v1 {
// The provider of a step, or of the memory that a transfer was for; -1: none.
int failed_provider(const run_context&, const std::vector<provider_handle>&);
int provider_in(const compiled_plan&, int space, const std::vector<provider_handle>&);  // that has steps there; or -1
[[noreturn]] void raise_status(const run_context&, status, const std::vector<provider_handle>&);
error current_error();  // of the exception that is being handled, whatever threw it
status status_of(error_code);
}  // namespace v1
}  // namespace inlay

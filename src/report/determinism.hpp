// The certificate of a plan: which nodes' results may depend on more than their inputs.
#pragma once
#include <inlay/plan_report.hpp>
#include <inlay/sdk/provider_handle.hpp>
#include <optional>

namespace inlay {
inline namespace v1 {
// What node i breaks, for `line`; nothing: no promise. `kernels`: of the provider that has it.
std::optional<plan_report::certificate::exception> exception_of(const node_view& n, const node& unit,
                                                                const plan_report::line& line,
                                                                const kernel_table* kernels);
// A line of the plan. `level`: the instruction set.
std::string text_of(const plan_report::certificate&, std::string_view level);
}  // namespace v1
}  // namespace inlay

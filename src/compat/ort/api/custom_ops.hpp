// Operators of a program, as a provider of Inlay.
#pragma once
#include "engine/foreign_operators.hpp"
#include "session_options.hpp"
#include <inlay/ort/api/custom_op.hpp>

struct OrtCustomOpDomain {
    std::shared_ptr<Ort::detail::custom_domain> shared;
};

namespace Ort::detail {
class session_log;
inline constexpr std::string_view custom_provider_name = "CustomOperatorsExecutionProvider";
// For the end of a session's list, with the operators that the model has nodes of. Raises ORT_NOT_IMPLEMENTED for an
// operator of another provider than the CPU, and ORT_INVALID_ARGUMENT for one that lacks its name or functions, or is
// there twice.
inlay::provider_choice custom_provider(std::span<const std::shared_ptr<const custom_domain>> domains,
                                       const inlay::model& m, std::shared_ptr<const session_log> log);
// The output types of the operators, for the loading of a model; `domains` outlive it.
inlay::foreign_types types_of(std::span<const std::shared_ptr<const custom_domain>> domains);
}  // namespace Ort::detail

// Operators of a program, as a provider of Inlay.
#pragma once
#include "session_options.hpp"
#include <inlay/ort/api/custom_op.hpp>

namespace Ort::detail {
class session_log;
// For the end of a session's list. Raises ORT_NOT_IMPLEMENTED for an operator of another provider than the CPU, and
// ORT_INVALID_ARGUMENT for one that does not say what it is, or is there twice.
inlay::provider_choice custom_provider(std::span<const std::shared_ptr<const custom_domain>> domains,
                                       std::shared_ptr<const session_log> log);
}  // namespace Ort::detail

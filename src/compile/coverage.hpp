// The proof of coverage, for compilers whose errors do not print text.
#pragma once
#include "freeze.hpp"
#include <inlay/session.hpp>

namespace inlay {
inline namespace v1 {
// Raises no_provider, with the reasons of each, where a node of the graph has no provider among these.
void require_coverage(const frozen_model& m, const std::vector<provider_handle>& providers);
}  // namespace v1
}  // namespace inlay

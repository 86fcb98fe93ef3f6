// Providers to be planned with by their contracts, whether the program has them or not.
#pragma once
#include "built_providers.hpp"

namespace inlay::tool {
// Those that the choices name, in their order. Raises what provider_handles() raises.
std::vector<provider_handle> contract_handles(std::span<const provider_choice>);
}  // namespace inlay::tool

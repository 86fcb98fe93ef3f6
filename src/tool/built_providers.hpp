// The providers of this program. Of the tool's sources only built_providers.cpp knows their types.
#pragma once
#include <inlay/built_providers.hpp>
#include <inlay/plugin.hpp>
#include <inlay/sdk/device_inventory.hpp>

namespace inlay::tool {
// Built in; then those that it can only plan for; then those of the plugins that were loaded.
std::span<const provider_factory> provider_factories();
// Those to plan with by their capability tables, whether the program has them or not.
std::span<const provider_factory> contract_factories();
// Raises what plugin::try_load() gives, and duplicate_provider where the program has one of that name.
void load_plugin(const std::string& file);
const plugin* find_plugin(std::string_view provider);  // null: it is none of a plugin
// Those that the choices name, in their order. Raises unknown_provider, unknown_option and invalid_option.
std::vector<provider_handle> provider_handles(std::span<const provider_choice>);

struct named_inventory {
    std::string provider;  // as --providers names it
    device_inventory inventory;
};
// Of all providers except those on the host's processor alone: of those that are missing too. It opens their libraries.
std::vector<named_inventory> inventories();
}  // namespace inlay::tool

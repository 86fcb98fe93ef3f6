// Providers by name: those of the build, and those of plugins.
#pragma once
#include "python.hpp"
#include <inlay/built_providers.hpp>
#include <inlay/plugin.hpp>

namespace inlay::python {
// From [(name or Plugin, {option: value})], into which inlayrt._options converts the lists of users.
std::vector<provider_choice> choices_from(nb::handle list);
nb::dict dict_of(const option_list&);
void add_providers(nb::module_&);
}  // namespace inlay::python

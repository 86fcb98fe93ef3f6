// The providers that this build of Inlay has, by name, as its interfaces for other languages have them:
// any_session(model, list, options, built_providers()). Link inlay::built, which includes the libraries of all of them.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "any_session.hpp"

namespace inlay {
inline namespace v1 {
// The CPU's first, then the reference kernels, then those of the packages that the build was configured with.
std::span<const provider_factory> built_providers();
// The names of those that a session can use here: an engine whose library is missing is left out. The first call opens
// each library.
const std::vector<std::string>& usable_providers();
// A provider's memory by the name that reports have for it: "host"; "NAME", or "NAME:1" of its second device. Null: no
// provider of the build has memory of that name.
const space* built_memory(std::string_view name);
}  // namespace v1
}  // namespace inlay

// What a session reports of its providers, whatever its model.
#pragma once
#include <inlay/sdk/provider_handle.hpp>

namespace inlay {
inline namespace v1 {
std::vector<std::string> provider_warnings(const provider_handle&);  // reported once, when a session names the provider
std::vector<std::string> provider_notes(const provider_handle&);     // these and its status, for reports
}  // namespace v1
}  // namespace inlay

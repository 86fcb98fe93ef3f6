// Why providers do not run a node, in words.
#pragma once
#include <inlay/plan/partition.hpp>
#include <inlay/sdk/provider_handle.hpp>

namespace inlay {
inline namespace v1 {
[[noreturn]] void raise_unowned(const graph_view&, const assignment&,
                                const std::vector<provider_handle>&);  // no_provider, with every reason
std::string refusal_text(const verdict&, const graph_view&, const node&, const provider_handle&);
}  // namespace v1
}  // namespace inlay

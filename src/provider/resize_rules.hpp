// What libraries ask of the resizing of images, of nodes that a provider writes itself.
#pragma once
#include <lowering/refusal.hpp>
#include <lowering/resizing.hpp>

namespace inlay {
inline namespace v1 {
// Throws refused_node. `other_places`: how the reason says that the library finds places in another way.
inline void require_resizing(const node_view& n, const resizing::geometry& p, const std::string& library,
                             std::string_view other_places) {
    const auto facts = lowering::resizing_facts::of(n, p);
    if (std::string why = lowering::fault_of_resizing(facts, library, other_places); !why.empty())
        refuse(std::move(why));
}
}  // namespace v1
}  // namespace inlay

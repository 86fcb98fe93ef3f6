// Which nodes rknn-toolkit2 is given.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <string>

namespace inlay {
inline namespace v1 {
// Why it is not given the node; empty: it is.
std::string rknpu_refusal(const node_view&);
// Why nodes that it takes are not a region, for what goes in and out; empty: they are.
std::string rknpu_refusal_of_ends(const region&);
}  // namespace v1
}  // namespace inlay

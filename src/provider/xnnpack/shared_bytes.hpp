// Weights that many regions and sessions may hold: each content is in memory once, for as long as it is held.
#pragma once
#include <inlay/tensor.hpp>
#include <memory>

namespace inlay {
inline namespace v1 {
using shared_bytes = std::shared_ptr<tensor>;  // not written any more
shared_bytes share(shared_bytes);              // the same bytes, where they are held already: those
}  // namespace v1
}  // namespace inlay

// Weights that many regions and sessions may hold: each content is in memory once, for as long as somebody holds it.
#pragma once
#include <inlay/tensor.hpp>
#include <memory>

namespace inlay {
inline namespace v1 {
using shared_bytes = std::shared_ptr<tensor>;  // nobody writes to it any more
shared_bytes share(shared_bytes);              // the same bytes, where somebody has them already: those
}  // namespace v1
}  // namespace inlay

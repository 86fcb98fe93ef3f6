// Which instruction sets the kernels of this program were compiled for: with INLAY_LEVELS=native one of isa::linked.
#pragma once
#include <inlay/isa.hpp>

namespace inlay {
inline namespace v1 {
namespace isa {
bool compiled(level) noexcept;  // available() is false for the others
}  // namespace isa
}  // namespace v1
}  // namespace inlay

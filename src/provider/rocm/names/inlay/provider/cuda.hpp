// In the place of the header of that name, for the sources that two providers share: what it declares, by ROCm's names.
#pragma once
#include <inlay/provider/rocm.hpp>

namespace inlay {
inline namespace v1 {
namespace memory {
using cuda = hip;
using pinned = hip_pinned;
}  // namespace memory
using cuda = rocm_provider;
}  // namespace v1
}  // namespace inlay

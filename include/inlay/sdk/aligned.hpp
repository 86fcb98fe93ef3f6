// Large constants may lie in the model's file at addresses that are misaligned for their elements.
#pragma once
#include <inlay/tensor.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
inline bool is_aligned(const tensor& t) {
    return reinterpret_cast<std::uintptr_t>(t.data()) % std::uintptr_t(std::clamp(bits_of(t.type()) / 8, 1, 8)) == 0;
}
inline tensor aligned_tensor(const tensor& t) { return is_aligned(t) ? t : t.clone(); }  // a copy only where it must be
}  // namespace v1
}  // namespace inlay

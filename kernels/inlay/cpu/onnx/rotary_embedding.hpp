// RotaryEmbedding on the CPU: as com.microsoft's.
#pragma once
#include <inlay/cpu/microsoft/rotary_embedding.hpp>
#include <inlay/onnx/rotary_embedding.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::rotary_embedding, device::cpu, types<float>> : turning_kernel<op::rotary_embedding> {};
}  // namespace v1
}  // namespace inlay

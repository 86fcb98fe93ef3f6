// Depthwise convolution with windows of five or seven columns: as depthwise_f32, with specialized code.
#pragma once
#include "depthwise_f32.hpp"

namespace inlay {
inline namespace v1 {
struct depthwise_wide_f32_table : depthwise_f32_table {};
const depthwise_wide_f32_table& depthwise_wide_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "depthwise_wide_f32.cpp"
#endif

// Dequantizes nbits_f32's weights into panels of gemm_bf16, rounded to nearest: for levels with bf16 matrix tiles,
// whose cost many rows share.
#pragma once
#include "nbits_f32.hpp"

namespace inlay {
inline namespace v1 {
INLAY_SHARED bool nbits_bf16_has([[maybe_unused]] isa::level l) {
#if defined(__aarch64__)
    return false;
#else
    return l == isa::level::amx;
#endif
}
struct nbits_bf16_table {  // null at other levels
    // Blocks [block, block_end) of `count` strips, one or two.
    using function = void(const nbits_f32_weights&, std::int64_t strip, std::int64_t count, std::int64_t block,
                          std::int64_t block_end, std::uint16_t* panel) noexcept;
    function *of_2 = nullptr, *of_4 = nullptr, *of_8 = nullptr;
    function* of(int bits) const noexcept { return bits == 2 ? of_2 : bits == 4 ? of_4 : of_8; }
};
const nbits_bf16_table& nbits_bf16(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "nbits_bf16.cpp"
#endif

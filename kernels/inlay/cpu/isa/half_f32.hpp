// fp16 and bf16 to float32, exactly, and back, rounded to nearest even. NaN stays NaN. x and y do not
// overlap.
#pragma once
#include <inlay/element.hpp>
#include <inlay/isa.hpp>

namespace inlay {
inline namespace v1 {
template <class T>
concept half_float = std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;
struct half_f32_table {
    struct format {
        void (*widen)(const std::uint16_t* x, float* y, std::int64_t n) noexcept;
        void (*narrow)(const float* x, std::uint16_t* y, std::int64_t n) noexcept;
    };
    format float16, bfloat16;
};
const half_f32_table& half_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "half_f32.cpp"
#endif

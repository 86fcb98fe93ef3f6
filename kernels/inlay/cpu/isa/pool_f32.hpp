// Pooling of float32 whose channels are last, over up to three axes: frames of rows of columns.
#pragma once
#include "pool_call.hpp"
#include <inlay/isa.hpp>

namespace inlay {
inline namespace v1 {
using pool_f32_call = pool_call<float>;
struct pool_f32_table {
    using pool = void (*)(const pool_f32_call&, std::int64_t first,
                          std::int64_t end) noexcept;  // rows of all frames of all outputs
    pool maximum, average;
};
const pool_f32_table& pool_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "pool_f32.cpp"
#endif

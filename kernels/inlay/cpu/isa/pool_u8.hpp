// Pooling of 8-bit quantized values: of either sign, as bytes.
#pragma once
#include "code_scaling.hpp"
#include "pool_call.hpp"
#include <inlay/isa.hpp>

namespace inlay {
inline namespace v1 {
// Means are of dequantized values, and requantized. No window has more than 2^23 elements.
struct pool_u8_means {
    code_scaling x, y;
};
struct pool_u8_table {
    using call = pool_call<std::uint8_t>;
    // For the rows [first, end) of all frames of all outputs. flip: 128 where the values are signed, else 0.
    void (*maximum)(const call&, std::uint8_t flip, std::int64_t first, std::int64_t end) noexcept;
    struct functions {
        void (*average)(const call&, const pool_u8_means&, std::int64_t first, std::int64_t end) noexcept;
        // y[r] is the mean of row r, of n quantized values each.
        void (*rows)(const std::uint8_t* x, std::int64_t rows, std::int64_t n, const pool_u8_means&,
                     std::uint8_t* y) noexcept;
    };
    functions u8, i8;
};
const pool_u8_table& pool_u8(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "pool_u8.cpp"
#endif

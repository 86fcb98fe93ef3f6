// What attention does to its scores between two products.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct attention_f32_rows {  // scores of some rows and some keys, `row` apart; later calls go on with further keys
    float* scores;
    std::int64_t row, rows, keys;
    const float* add;  // masks, of the first row and key; at most one is not null
    const std::uint8_t* truths;
    std::int64_t mask_row, mask_key;  // 0 where it repeats, else mask_key is 1
    float fill;                       // the score where the truth is `fills`
    bool fills;
    bool first;  // no keys came before
    float *most, *sum,
        *shrink;  // per row, over all keys so far; shrink: what earlier results are to be multiplied with
};
struct attention_f32_table {
    void (*soften)(const attention_f32_rows&) noexcept;  // to e^(score - most)
    void (*scale_rows)(float* y, std::int64_t row, std::int64_t rows, std::int64_t n, const float* factors) noexcept;
    void (*divide_rows)(float* y, std::int64_t row, std::int64_t rows, std::int64_t n, const float* divisors) noexcept;
    void (*dots)(const float* q, const float* k, std::int64_t row, std::int64_t keys, std::int64_t n, float scale,
                 float* scores) noexcept;  // of one row of Q
};
const attention_f32_table& attention_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "attention_f32.cpp"
#endif

// Masking and softmax of attention, between its two matmuls.
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
    float fill;                       // the score where the truth value is `fills`
    bool fills;
    bool first;                       // no keys came before
    const std::int32_t *begin, *end;  // per row, the keys that it sees; the others get 0. Null: all
    float *most, *sum,
        *shrink;  // per row, over all keys so far; shrink: what earlier results are to be multiplied with
};
struct attention_f32_few {
    const float* x;
    std::int64_t row, rows;
};
struct attention_f32_table {
    void (*soften)(const attention_f32_rows&) noexcept;  // to e^(score - most)
    void (*scale_rows)(float* y, std::int64_t row, std::int64_t rows, std::int64_t n, const float* factors) noexcept;
    void (*divide_rows)(float* y, std::int64_t row, std::int64_t rows, std::int64_t n, const float* divisors) noexcept;
    // Of few rows: scores[i][t] = scale q[i] k[t], and y[i] = or += the sum of p[i][t] v[t] over `keys` keys.
    void (*dots)(const attention_f32_few& q, const float* k, std::int64_t k_row, std::int64_t keys, std::int64_t n,
                 float scale, float* scores, std::int64_t scores_row) noexcept;
    void (*weigh)(const attention_f32_few& p, const float* v, std::int64_t v_row, std::int64_t keys, std::int64_t n,
                  bool adds, float* y, std::int64_t y_row) noexcept;
    void (*cap)(float* scores, std::int64_t row, std::int64_t rows, std::int64_t keys, float cap) noexcept;
    void (*add)(float* scores, std::int64_t row, std::int64_t rows, std::int64_t keys, const float* numbers,
                std::int64_t numbers_row) noexcept;
    // Rotates `pairs` pairs of x into y: neighbours, or one of the first half and one of the second.
    void (*turn)(const float* x, const float* cosines, const float* sines, std::int64_t pairs, std::int64_t n,
                 bool neighbours, float* y) noexcept;
    // y[i] = x[i] * scale[i * step], step 0 or 1.
    void (*widen)(const std::int8_t* x, const float* scale, std::int64_t step, std::int64_t n, float* y) noexcept;
};
const attention_f32_table& attention_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "attention_f32.cpp"
#endif

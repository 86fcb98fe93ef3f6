// Normalisations of float32: by parameters per channel, over rows, and over neighbouring channels.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct layer_norm_f32_call {
    const float *x, *scale, *shift;  // shift may be null
    float *y, *mean, *inverse;       // the last two may be null: one number per row
    std::int64_t n;                  // elements of a row
    double epsilon;
};
struct group_norm_f32_call {
    const float *x, *scale, *shift;
    float* y;
    std::int64_t groups, channels, inner;  // groups of a sample, channels of a group, elements of a channel
    bool per_group;                        // scale and shift: one number per group, not per channel
    double epsilon;
};
struct lrn_f32_call {
    const float* x;
    float* y;
    std::int64_t channels, inner, below, above;
    float alpha, beta, bias;  // not negative
};
struct norm_f32_table {
    void (*add)(const float* a, const float* b, const float* c, float* y,
                std::int64_t n) noexcept;  // c may be null
    void (*scale_shift)(const float* x, float scale, float shift, float* y, std::int64_t n) noexcept;
    void (*scale_shift_rows)(const float* x, std::int64_t x_row, const float* scale, const float* shift, float* y,
                             std::int64_t rows, std::int64_t channels) noexcept;
    void (*layer_norm)(const layer_norm_f32_call&, std::int64_t first, std::int64_t end) noexcept;  // rows
    void (*rms_norm)(const layer_norm_f32_call&, std::int64_t first,
                     std::int64_t end) noexcept;  // rows, without a mean, a shift and those outputs
    void (*group_norm)(const group_norm_f32_call&, std::int64_t first,
                       std::int64_t end) noexcept;  // groups, over all samples
    void (*lrn)(const lrn_f32_call&, std::int64_t first,
                std::int64_t end) noexcept;  // [channels][inner]: elements of inner, in one sample
    void (*lrn_rows)(const lrn_f32_call&, std::int64_t first, std::int64_t end,
                     float* squares) noexcept;  // [inner][channels]: rows, over all samples
};
[[gnu::always_inline]] constexpr std::int64_t lrn_f32_squares(std::int64_t channels, std::int64_t below,
                                                              std::int64_t above) {
    return channels + below + above + 16;
}  // float32 of `squares`
const norm_f32_table& norm_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "norm_f32.cpp"
#endif

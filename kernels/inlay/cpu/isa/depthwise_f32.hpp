// Depthwise convolution, channels last: windows of any size, stride and dilation over one image.
#pragma once
#include "activation_f32.hpp"
#include <inlay/isa.hpp>

namespace inlay {
inline namespace v1 {
struct depthwise_f32_call {
    const float* x;  // [height][width][channels]
    std::int64_t height, width, channels, kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top,
        pad_left, out_width;
    const float *weights, *bias, *add;  // [kernel_h][kernel_w][channels]; bias and addend may be null
    float* y;                           // [rows][out_width][channels], as the addend
    epilogue post_op;
};
struct depthwise_f32_table {
    void (*run)(const depthwise_f32_call&, std::int64_t row, std::int64_t row_end, std::int64_t channel,
                std::int64_t channel_end) noexcept;  // of the output
};
const depthwise_f32_table& depthwise_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "depthwise_f32.cpp"
#endif

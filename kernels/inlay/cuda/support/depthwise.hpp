// Depthwise convolution of images of floating-point types on CUDA, channels last: for Conv, where every group is one
// channel. Four channels and four pixels of a row per thread where windows are 3x3 or 5x5. Limit: one read and one
// write of every element; rows that windows share come from the cache.
#pragma once
#include <inlay/sdk/kernel.hpp>
#include <inlay/support/activation.hpp>

namespace inlay {
inline namespace v1 {
struct depthwise_on_cuda {
    element type = element::f32;  // or f16, bf16; of all operands
    std::int64_t batch = 1, channels = 1, height = 1, width = 1, out_height = 1, out_width = 1;
    std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1, pad_top = 0,
                 pad_left = 0;
    plain_activation activation{};
    // w: [kernel_h, kernel_w, channels]; bias and addend may be null, the addend has y's shape and layout.
    status run(const void* x, const void* w, const void* bias, const void* addend, void* y,
               context& c) const noexcept;  // depthwise.cu
};
}  // namespace v1
}  // namespace inlay

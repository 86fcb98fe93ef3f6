// Convolution of each channel of 8-bit integers by itself, channels last: windows of any size, stride and dilation over
// rows that have their padding with them. Sums are int32, which wraps around, or become codes.
#pragma once
#include "gemm_f32.hpp"

namespace inlay {
inline namespace v1 {
// Weights come in pairs, one under the other, as the halves of a word: [pair][kernel_w][channels], where the channels
// are filled up to whole vectors, and the last half row of an odd kernel is 0.
INLAY_SHARED std::int64_t depthwise_u8_channels(std::int64_t channels) { return (channels + 15) / 16 * 16; }
INLAY_SHARED std::int64_t depthwise_u8_pairs(std::int64_t kernel_h) { return (kernel_h + 1) / 2; }
struct depthwise_u8_call {
    const std::uint8_t* x;        // what the first window sees; 16 bytes behind the last pixel may be read
    std::int64_t line, channels;  // line: bytes from one row to the next; from a pixel to the next there are `channels`
    std::int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
    const std::int32_t *weights, *start;  // start: of the sum of each channel, filled up likewise
    std::int64_t rows, width;             // of the output
    std::int32_t* y;                      // [rows][width][channels]; or null:
    gemm_codes codes;                     // whose rows are pixels; scales are filled up likewise
};
struct depthwise_u8_table {
    void (*run)(const depthwise_u8_call&) noexcept;
};
const depthwise_u8_table& depthwise_u8(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "depthwise_u8.cpp"
#endif

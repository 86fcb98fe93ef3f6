// Depthwise convolution of 8-bit integers, channels last: windows of any size, stride and dilation over rows that
// include their padding. Accumulators are int32, which wraps around, or are requantized.
#pragma once
#include "gemm_f32.hpp"

namespace inlay {
inline namespace v1 {
// Weights come in pairs, one under the other, as the halves of a word: [pair][kernel_w][channels], where the channels
// are filled up to whole vectors, and the last half row of an odd kernel is 0.
INLAY_SHARED std::int64_t depthwise_u8_channels(std::int64_t channels) { return (channels + 15) / 16 * 16; }
INLAY_SHARED std::int64_t depthwise_u8_pairs(std::int64_t kernel_h) { return (kernel_h + 1) / 2; }
// Or in fours, four under each other as the bytes of a word: [four][kernel_w][channels] with channels filled up to 64,
// in the order in which words of four rows are built: each 64 are [4 i + w + 16 l] at [i][l][w], i, l, w < 4.
// Rows after the last are 0.
INLAY_SHARED bool depthwise_u8_has_fours(isa::level l) { return l >= isa::level::avx512bf16; }
INLAY_SHARED bool depthwise_u8_fours_fit(std::int64_t kernel_w, std::int64_t stride_w, std::int64_t dilation_w) {
    return (kernel_w == 3 || kernel_w == 5) && (stride_w == 1 || stride_w == 2) && dilation_w == 1;
}
INLAY_SHARED std::int64_t depthwise_u8_fours(std::int64_t kernel_h) { return (kernel_h + 3) / 4; }
INLAY_SHARED std::int64_t depthwise_u8_wide_channels(std::int64_t channels) { return (channels + 63) / 64 * 64; }
INLAY_SHARED std::int64_t depthwise_u8_place(std::int64_t channel) {  // of fours, within their channels
    return channel / 64 * 64 + channel / 4 % 4 * 16 + channel / 16 % 4 * 4 + channel % 4;
}
struct depthwise_u8_call {
    const std::uint8_t* x;        // the first window's input; 16 bytes after the last pixel may be read
    std::int64_t line, channels;  // line: bytes from one row to the next; from a pixel to the next there are `channels`
    std::int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
    const std::int32_t *weights, *start;  // start: of the accumulator of each channel, padded likewise
    std::int64_t rows, width;             // of the output
    std::int32_t* y;                      // [rows][width][channels]; or null:
    gemm_codes codes;                     // whose rows are pixels; scales are padded likewise
};
struct depthwise_u8_table {
    void (*run)(const depthwise_u8_call&) noexcept;
    void (*run_fours)(const depthwise_u8_call&) noexcept;  // by weights in fours; null where the level has none
};
const depthwise_u8_table& depthwise_u8(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "depthwise_u8.cpp"
#endif

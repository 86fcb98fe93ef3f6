// The formats of GGUF that GatherPacked supports, by their numbers in ggml: little-endian blocks of quantized values
// with their scales, dequantized in float32. `bytes` hold `elements`; d is a float16 scale, and a K block, of 256
// elements, has scales for each of its groups besides.
#pragma once
#include <inlay/element.hpp>
#include <inlay/support/packed_grids.hpp>
#include <cstring>

namespace inlay {
inline namespace v1 {
namespace packed {
using bytes = const std::uint8_t*;
template <class T> T read(bytes x) noexcept {
    T value;
    std::memcpy(&value, x, sizeof value);
    return value;
}
inline float half(bytes x) noexcept { return static_cast<float>(read<float16>(x)); }
inline float signed_byte(std::uint8_t x) noexcept { return static_cast<float>(static_cast<std::int8_t>(x)); }

template <class T> void plain(bytes x, float* y) noexcept { *y = static_cast<float>(read<T>(x)); }

// Of 32 elements the first 16 lie in the low halves of bytes, the others in the high ones.
inline void q4_0(bytes x, float* y) noexcept {  // d, 16 bytes
    const float d = half(x);
    for (int i = 0; i < 32; ++i) y[i] = static_cast<float>((x[2 + i % 16] >> (i < 16 ? 0 : 4) & 15) - 8) * d;
}
inline void q5_0(bytes x, float* y) noexcept {  // d, 32 fifth bits, 16 bytes
    const float d = half(x);
    const auto high = read<std::uint32_t>(x + 2);
    for (int i = 0; i < 32; ++i) {
        const int low = x[6 + i % 16] >> (i < 16 ? 0 : 4) & 15;
        y[i] = static_cast<float>((low | int(high >> i & 1) << 4) - 16) * d;
    }
}
inline void q8_0(bytes x, float* y) noexcept {  // d, 32 of int8
    const float d = half(x);
    for (int i = 0; i < 32; ++i) y[i] = signed_byte(x[2 + i]) * d;
}
inline void q2_0(bytes x, float* y) noexcept {  // d, 16 bytes of 4 elements, the first in the lowest bits
    const float d = half(x);
    for (int i = 0; i < 64; ++i) y[i] = static_cast<float>((x[2 + i / 4] >> i % 4 * 2 & 3) - 1) * d;
}
// Chosen by ggml's authors as the grids are (NOTICE).
inline constexpr std::array<float, 16> levels{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
inline void non_linear(bytes x, float scale, float* y) noexcept {
    for (int i = 0; i < 32; ++i) y[i] = levels[x[i % 16] >> (i < 16 ? 0 : 4) & 15] * scale;
}
inline void iq4_nl(bytes x, float* y) noexcept { non_linear(x + 2, half(x), y); }  // d, 16 bytes
inline void iq4_xs(bytes x, float* y) noexcept {  // d, 8 scales of 6 bits (high 2 of each, then low 4), 128 bytes
    const float d = half(x);
    const auto high = read<std::uint16_t>(x + 2);
    for (int group = 0; group < 8; ++group) {
        const int scale = (x[4 + group / 2] >> group % 2 * 4 & 15) | (high >> group * 2 & 3) << 4;
        non_linear(x + 8 + group * 16, d * static_cast<float>(scale - 32), y + group * 32);
    }
}
// d, the scale of minima, 8 scales and 8 minima of 6 bits, 32 bytes of fifth bits (bit g is of group g), 4 times 32
// bytes of two groups.
inline void q5_k(bytes x, float* y) noexcept {
    const float d = half(x), least = half(x + 2);
    const bytes q = x + 4, high = x + 16, low = x + 48;
    for (int group = 0; group < 8; ++group) {
        const int j = group % 4, top = group < 4 ? 0 : 1;
        const int scale = top ? (q[8 + j] & 15) | q[j] >> 6 << 4 : q[j] & 63;
        const int minimum = top ? q[8 + j] >> 4 | q[4 + j] >> 6 << 4 : q[4 + j] & 63;
        const float step = d * static_cast<float>(scale), less = least * static_cast<float>(minimum);
        for (int i = 0; i < 32; ++i) {
            const int value = (low[group / 2 * 32 + i] >> group % 2 * 4 & 15) | (high[i] >> group & 1) << 4;
            y[group * 32 + i] = step * static_cast<float>(value) - less;
        }
    }
}
// 2 times 64 bytes of low halves, 2 times 32 bytes of high pairs of bits, 16 scales of int8, d.
inline void q6_k(bytes x, float* y) noexcept {
    const float d = half(x + 208);
    for (int i = 0; i < 256; ++i) {
        const int part = i / 128, group = i / 32 % 4, j = i % 32;
        const int low = x[part * 64 + group % 2 * 32 + j] >> group / 2 * 4 & 15;
        const int high = x[128 + part * 32 + j] >> group * 2 & 3;
        y[i] = d * signed_byte(x[192 + i / 16]) * static_cast<float>((low | high << 4) - 32);
    }
}
// Eight magnitudes, whose signs are the bits of `signs`.
inline void with_signs(const float* magnitudes, unsigned signs, float scale, float* y) noexcept {
    for (int i = 0; i < 8; ++i) y[i] = scale * magnitudes[i] * (signs >> i & 1 ? -1.f : 1.f);
}
inline void from_2_bits(unsigned entry, unsigned signs, float scale, float* y) noexcept {
    float magnitudes[8];
    for (int i = 0; i < 8; ++i) magnitudes[i] = packed_grids::magnitudes_of_2_bits[entry >> 2 * i & 3];
    with_signs(magnitudes, signs, scale, y);
}
inline void from_3_bits(unsigned entry, unsigned next, unsigned signs, float scale, float* y) noexcept {
    float magnitudes[8];
    for (int i = 0; i < 8; ++i)
        magnitudes[i] = packed_grids::magnitudes_of_3_bits[(i < 4 ? entry : next) >> i % 4 * 3 & 7];
    with_signs(magnitudes, signs, scale, y);
}
inline unsigned even_signs(unsigned of_7) noexcept {  // the eighth makes their number even
    unsigned odd = of_7;
    for (const int shift : {4, 2, 1}) odd ^= odd >> shift;
    return of_7 | (odd & 1) << 7;
}
inline float fine_scale(float d, unsigned steps) noexcept { return d * (0.5f + static_cast<float>(steps)); }

// d, 8 groups of 4 entries of the grid and a word: 4 times 7 signs, then 4 bits of scale.
inline void iq2_xxs(bytes x, float* y) noexcept {
    for (int group = 0; group < 8; ++group) {
        const bytes entries = x + 2 + group * 8;
        const auto word = read<std::uint32_t>(entries + 4);
        const float scale = fine_scale(half(x), word >> 28) * 0.25f;
        for (int i = 0; i < 4; ++i)
            from_2_bits(packed_grids::iq2_xxs[entries[i]], even_signs(word >> 7 * i & 127), scale,
                        y + group * 32 + i * 8);
    }
}
// d, 32 words (9 bits of an entry, 7 signs), 16 scales of 4 bits.
inline void iq2_xs(bytes x, float* y) noexcept {
    for (int i = 0; i < 32; ++i) {
        const unsigned word = read<std::uint16_t>(x + 2 + 2 * i);
        const float scale = fine_scale(half(x), x[66 + i / 4] >> i / 2 % 2 * 4 & 15) * 0.25f;
        from_2_bits(packed_grids::iq2_xs[word & 511], even_signs(word >> 9), scale, y + i * 8);
    }
}
// d, low bytes of 32 entries, 32 bytes of signs, two high bits of each entry, 16 scales of 4 bits.
inline void iq2_s(bytes x, float* y) noexcept {
    for (int i = 0; i < 32; ++i) {
        const auto entry = std::size_t(x[2 + i] | (x[66 + i / 4] >> i % 4 * 2 & 3) << 8);
        const float scale = fine_scale(half(x), x[74 + i / 4] >> i / 2 % 2 * 4 & 15) * 0.25f;
        from_2_bits(packed_grids::iq2_s[entry], x[34 + i], scale, y + i * 8);
    }
}
// d, 64 entries of 4 elements, 8 words of signs and scales as iq2_xxs has them.
inline void iq3_xxs(bytes x, float* y) noexcept {
    for (int i = 0; i < 32; ++i) {
        const auto word = read<std::uint32_t>(x + 66 + i / 4 * 4);
        const float scale = fine_scale(half(x), word >> 28) * 0.5f;
        from_3_bits(packed_grids::iq3_xxs[x[2 + 2 * i]], packed_grids::iq3_xxs[x[3 + 2 * i]],
                    even_signs(word >> 7 * (i % 4) & 127), scale, y + i * 8);
    }
}
}  // namespace packed

struct packed_format {
    int number, elements, bytes;
    void (*dequantize)(const std::uint8_t* block, float* y) noexcept;

    static constexpr const packed_format* numbered(std::int64_t number);  // null: there is none
};
inline constexpr packed_format packed_formats[] = {
    {0, 1, 4, packed::plain<float>}, {1, 1, 2, packed::plain<float16>},   {2, 32, 18, packed::q4_0},
    {6, 32, 22, packed::q5_0},       {8, 32, 34, packed::q8_0},           {13, 256, 176, packed::q5_k},
    {14, 256, 210, packed::q6_k},    {16, 256, 66, packed::iq2_xxs},      {17, 256, 74, packed::iq2_xs},
    {18, 256, 98, packed::iq3_xxs},  {20, 32, 18, packed::iq4_nl},        {22, 256, 82, packed::iq2_s},
    {23, 256, 136, packed::iq4_xs},  {30, 1, 2, packed::plain<bfloat16>}, {42, 64, 18, packed::q2_0}};
constexpr const packed_format* packed_format::numbered(std::int64_t number) {
    for (const packed_format& f : packed_formats)
        if (f.number == number) return &f;
    return nullptr;
}
}  // namespace v1
}  // namespace inlay

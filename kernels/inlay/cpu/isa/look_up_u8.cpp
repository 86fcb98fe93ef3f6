// A shuffle looks up in 16 bytes, by the low half of x; the bits of its high half select among 16 such results.
#include "look_up_u8.hpp"

#include "lanes.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::look_up_u8 {
#if defined(__aarch64__)
constexpr std::int64_t block = 16;
INLAY_INLINE void look_up(const std::uint8_t* table, const std::uint8_t* x, std::uint8_t* y) {
    const uint8x16_t codes = vld1q_u8(x);
    uint8x16_t values = vqtbl4q_u8(vld1q_u8_x4(table), codes);
    // Indices beyond the 64 bytes of a part keep the earlier result.
    values = vqtbx4q_u8(values, vld1q_u8_x4(table + 64), veorq_u8(codes, vdupq_n_u8(64)));
    values = vqtbx4q_u8(values, vld1q_u8_x4(table + 128), veorq_u8(codes, vdupq_n_u8(128)));
    values = vqtbx4q_u8(values, vld1q_u8_x4(table + 192), veorq_u8(codes, vdupq_n_u8(192)));
    vst1q_u8(y, values);
}
#elif defined(__AVX2__)
#if defined(__AVX512BW__)
using bytes = __m512i;
INLAY_INLINE bytes part(const std::uint8_t* table, bytes low) {
    return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table))), low);
}
template <int Bit> INLAY_INLINE bytes choose(bytes x, bytes clear, bytes set) {
    return _mm512_mask_blend_epi8(_mm512_test_epi8_mask(x, _mm512_set1_epi8(char(1 << Bit))), clear, set);
}
INLAY_INLINE bytes low_halves(bytes x) { return _mm512_and_si512(x, _mm512_set1_epi8(15)); }
INLAY_INLINE bytes load(const std::uint8_t* p) { return _mm512_loadu_si512(p); }
INLAY_INLINE void store(std::uint8_t* p, bytes x) { _mm512_storeu_si512(p, x); }
#else
using bytes = __m256i;
INLAY_INLINE bytes part(const std::uint8_t* table, bytes low) {
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table))),
                               low);
}
template <int Bit> INLAY_INLINE bytes choose(bytes x, bytes clear, bytes set) {
    return _mm256_blendv_epi8(clear, set, _mm256_slli_epi16(x, 7 - Bit));  // by the highest bit of each byte
}
INLAY_INLINE bytes low_halves(bytes x) { return _mm256_and_si256(x, _mm256_set1_epi8(15)); }
INLAY_INLINE bytes load(const std::uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
INLAY_INLINE void store(std::uint8_t* p, bytes x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x); }
#endif
constexpr std::int64_t block = sizeof(bytes);
// In the first 16 << Bits bytes of the table.
template <int Bits> INLAY_INLINE bytes found(const std::uint8_t* table, bytes x, bytes low) {
    if constexpr (Bits == 0)
        return part(table, low);
    else
        return choose<Bits + 3>(x, found<Bits - 1>(table, x, low), found<Bits - 1>(table + (8 << Bits), x, low));
}
INLAY_INLINE void look_up(const std::uint8_t* table, const std::uint8_t* x, std::uint8_t* y) {
    const bytes codes = load(x);
    store(y, found<4>(table, codes, low_halves(codes)));
}
#else  // no shuffle
constexpr std::int64_t block = 8;
INLAY_INLINE void look_up(const std::uint8_t* table, const std::uint8_t* x, std::uint8_t* y) {
    for (std::int64_t i = 0; i < block; ++i) y[i] = table[x[i]];
}
#endif
INLAY_LOCAL void run(const std::uint8_t* table, const std::uint8_t* x, std::uint8_t* y, std::int64_t n) noexcept {
    std::int64_t i = 0;
    for (; i + block <= n; i += block) look_up(table, x + i, y + i);
    for (; i < n; ++i) y[i] = table[x[i]];
}
}  // namespace INLAY_LEVEL::look_up_u8
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(look_up_u8, run)

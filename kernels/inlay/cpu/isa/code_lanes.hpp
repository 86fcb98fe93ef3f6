// Vectors of 8- or 16-bit quantized values and their real values, for the families of quantized operators.
#pragma once
#include "along.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::code_lanes {
template <class T> constexpr bool is_signed = T(-1) < T(0);
template <class T> constexpr std::int32_t code_count = 1 << 8 * sizeof(T);
template <class T> constexpr float low = is_signed<T> ? -code_count<T> / 2 : 0;
template <class T> constexpr float high = low<T> + code_count<T> - 1;

// Loads lane_count 8-bit quantized values into the low bytes of a vector, as words. And the store.
#if defined __aarch64__
using bytes = uint8x8_t;
INLAY_INLINE bytes first_bytes(std::int32_t x) { return vcreate_u8(static_cast<std::uint32_t>(x)); }
#else
using bytes = __m128i;
[[maybe_unused]] INLAY_INLINE bytes first_bytes(std::int32_t x) { return _mm_cvtsi32_si128(x); }
#endif
template <class T> INLAY_INLINE bytes narrowed(int_lanes x) {
#if defined __aarch64__
    const int16x4_t halves = vqmovn_s32(x);
    if constexpr (is_signed<T>)
        return vreinterpret_u8_s8(vqmovn_s16(vcombine_s16(halves, halves)));
    else
        return vqmovun_s16(vcombine_s16(halves, halves));
#elif defined __AVX512F__
    return _mm512_cvtepi32_epi8(x);
#else
#if defined __AVX2__
    const __m256i words = x;
    const __m128i halves = _mm_packs_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
#else
    const __m128i halves = _mm_packs_epi32(x, x);
#endif
    if constexpr (is_signed<T>)
        return _mm_packs_epi16(halves, halves);
    else
        return _mm_packus_epi16(halves, halves);
#endif
}
template <class T> INLAY_INLINE int_lanes widened(bytes x) {
#if defined __aarch64__
    if constexpr (is_signed<T>)
        return vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(x))));
    else
        return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(x))));
#elif defined __AVX512F__
    if constexpr (is_signed<T>)
        return _mm512_cvtepi8_epi32(x);
    else
        return _mm512_cvtepu8_epi32(x);
#elif defined __AVX2__
    if constexpr (is_signed<T>)
        return _mm256_cvtepi8_epi32(x);
    else
        return _mm256_cvtepu8_epi32(x);
#else
    const __m128i zero = _mm_setzero_si128();
    if constexpr (is_signed<T>)
        return _mm_srai_epi32(_mm_unpacklo_epi16(zero, _mm_unpacklo_epi8(zero, x)), 24);
    else
        return _mm_unpacklo_epi16(_mm_unpacklo_epi8(x, zero), zero);
#endif
}
// Loads the first n <= lane_count quantized values of p; the rest are 0. And the store.
template <class T>
requires(sizeof(T) == 1) INLAY_INLINE int_lanes load_codes(const T* p, std::int64_t n) {
#if defined(__AVX512F__)
    const bytes x = n == lane_count ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(p))
                                    : _mm_maskz_loadu_epi8(__mmask16((1u << n) - 1), p);
    return widened<T>(x);
#else
#if defined(__AVX2__)
    __m128i x = _mm_setzero_si128();
#else
    std::int32_t x = 0;  // a vector in memory, written in part and then read, would stall (store forwarding)
#endif
    if (n == lane_count)
        __builtin_memcpy(&x, p, lane_count);
    else
        __builtin_memcpy(&x, p, std::size_t(n));
#if defined(__AVX2__)
    return widened<T>(x);
#else
    return widened<T>(first_bytes(x));
#endif
#endif
}
template <class T>
requires(sizeof(T) == 1) INLAY_INLINE void store_codes(T* p, std::int64_t n, int_lanes x) {
    const bytes y = narrowed<T>(x);
    if (n == lane_count)
        __builtin_memcpy(p, &y, lane_count);
    else
#if defined(__AVX512F__)
        _mm_mask_storeu_epi8(p, __mmask16((1u << n) - 1), y);
#else
        __builtin_memcpy(p, &y, std::size_t(n));
#endif
}
// The same for 16 bits.
#if defined(__AVX512F__)
using words = __m256i;
#elif defined(__AVX2__)
using words = __m128i;
#elif defined(__aarch64__)
using words = int16x4_t;
#else
using words = std::int64_t;
#endif
template <class T>
requires(sizeof(T) == 2) INLAY_INLINE int_lanes widened_words(words x) {
#if defined(__AVX512F__)
    return is_signed<T> ? _mm512_cvtepi16_epi32(x) : _mm512_cvtepu16_epi32(x);
#elif defined(__AVX2__)
    return is_signed<T> ? _mm256_cvtepi16_epi32(x) : _mm256_cvtepu16_epi32(x);
#elif defined(__aarch64__)
    return is_signed<T> ? vmovl_s16(x) : vreinterpretq_s32_u32(vmovl_u16(vreinterpret_u16_s16(x)));
#else
    const __m128i zero = _mm_setzero_si128(), low_words = _mm_cvtsi64_si128(x);
    return is_signed<T> ? _mm_srai_epi32(_mm_unpacklo_epi16(zero, low_words), 16) : _mm_unpacklo_epi16(low_words, zero);
#endif
}
INLAY_INLINE words narrowed_words(int_lanes x) {  // the low halves
#if defined(__AVX512F__)
    return _mm512_cvtepi32_epi16(x);
#elif defined(__AVX2__)
    const __m256i low_halves = _mm256_and_si256(x, _mm256_set1_epi32(0xffff));
    return _mm_packus_epi32(_mm256_castsi256_si128(low_halves), _mm256_extracti128_si256(low_halves, 1));
#elif defined(__aarch64__)
    return vmovn_s32(x);
#else
    constexpr int even = _MM_SHUFFLE(3, 1, 2, 0);
    return _mm_cvtsi128_si64(_mm_shuffle_epi32(_mm_shufflehi_epi16(_mm_shufflelo_epi16(x, even), even), even));
#endif
}
template <class T>
requires(sizeof(T) == 2) INLAY_INLINE int_lanes load_codes(const T* p, std::int64_t n) {
    words x{};
    if (n == lane_count)
        __builtin_memcpy(&x, p, sizeof x);
    else
        __builtin_memcpy(&x, p, std::size_t(n) * sizeof *p);
    return widened_words<T>(x);
}
template <class T>
requires(sizeof(T) == 2) INLAY_INLINE void store_codes(T* p, std::int64_t n, int_lanes x) {
    const words y = narrowed_words(x);
    if (n == lane_count)
        __builtin_memcpy(p, &y, sizeof y);
    else
        __builtin_memcpy(p, &y, std::size_t(n) * sizeof *p);
}
template <class T> INLAY_INLINE lanes numbers(const T* p, std::int64_t n) { return xsimd::to_float(load_codes(p, n)); }
// Subtracts a zero point.
template <class T> INLAY_INLINE lanes numbers(const T* p, std::int64_t n, int zero) {
    return xsimd::to_float(load_codes(p, n) - int_lanes(zero));
}
// Bounds and zero are integers, so that rounding may come last. max() returns its second operand if the first is NaN.
template <class T> INLAY_INLINE int_lanes codes_of_steps(lanes steps, lanes zero) {
    return xsimd::nearbyint_as_int(xsimd::min(xsimd::max(steps, lanes(low<T>) - zero), lanes(high<T>) - zero)) +
           xsimd::to_int(zero);
}
#if !defined(__aarch64__)
// Packs four vectors, in steps of the scale, into 8-bit quantized values. Packing saturates, so that only one bound is
// left: what is below the integers, or NaN, becomes the minimum.
template <class T> INLAY_INLINE void store_steps(T* p, std::int16_t zero, lanes a, lanes b, lanes c, lanes d) {
    const auto rounded = [](lanes x) INLAY_INLINED { return xsimd::nearbyint_as_int(xsimd::min(lanes(1 << 30), x)); };
    // A vector is packed in parts of 16 bytes: four of each of the four vectors, which are then put in order.
#if defined(__AVX512F__)
    const __m512i shift = _mm512_set1_epi16(zero);
    const __m512i ab = _mm512_adds_epi16(_mm512_packs_epi32(rounded(a), rounded(b)), shift),
                  cd = _mm512_adds_epi16(_mm512_packs_epi32(rounded(c), rounded(d)), shift);
    const __m512i packed_bytes = is_signed<T> ? _mm512_packs_epi16(ab, cd) : _mm512_packus_epi16(ab, cd);
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    _mm512_storeu_si512(p, _mm512_permutexvar_epi32(order, packed_bytes));
#elif defined(__AVX2__)
    const __m256i shift = _mm256_set1_epi16(zero);
    const __m256i ab = _mm256_adds_epi16(_mm256_packs_epi32(rounded(a), rounded(b)), shift),
                  cd = _mm256_adds_epi16(_mm256_packs_epi32(rounded(c), rounded(d)), shift);
    const __m256i bytes = is_signed<T> ? _mm256_packs_epi16(ab, cd) : _mm256_packus_epi16(ab, cd);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_permutevar8x32_epi32(bytes, order));
#else
    const __m128i shift = _mm_set1_epi16(zero);
    const __m128i ab = _mm_adds_epi16(_mm_packs_epi32(rounded(a), rounded(b)), shift),
                  cd = _mm_adds_epi16(_mm_packs_epi32(rounded(c), rounded(d)), shift);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), is_signed<T> ? _mm_packs_epi16(ab, cd) : _mm_packus_epi16(ab, cd));
#endif
}
#endif
// y = the quantized values of steps(i, count), for `count` of n elements at a time: an INLAY_INLINED lambda, which may
// read what lies where y does.
template <class T, class F> INLAY_INLINE void make_codes(T* y, std::int64_t n, int zero, F steps) {
    std::int64_t i = 0;
#if !defined(__aarch64__)
    if constexpr (sizeof(T) == 1)
        for (; i + 4 * lane_count <= n; i += 4 * lane_count)
            store_steps(y + i, static_cast<std::int16_t>(zero), steps(i, lane_count), steps(i + lane_count, lane_count),
                        steps(i + 2 * lane_count, lane_count), steps(i + 3 * lane_count, lane_count));
#endif
    along(n - i, [=](std::int64_t j, std::int64_t count) INLAY_INLINED {
        store_codes(y + i + j, count, codes_of_steps<T>(steps(i + j, count), lanes(static_cast<float>(zero))));
    });
}
}  // namespace INLAY_LEVEL::code_lanes
}  // namespace v1
}  // namespace inlay

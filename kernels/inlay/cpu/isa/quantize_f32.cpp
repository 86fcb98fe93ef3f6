#include "along.hpp"
#include "quantize_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::quantize_f32 {
template <class T> constexpr bool is_signed = T(-1) < T(0);
template <class T> constexpr float low = is_signed<T> ? -128 : 0;
template <class T> constexpr float high = low<T> + 255;

// lane_count integers of 8 bits in the low bytes of a vector, from words that they can hold. And the way back.
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
// n <= lane_count integers; the rest are 0. And the way back.
template <class T> INLAY_INLINE lanes load(const T* p, std::int64_t n) {
#if defined __AVX2__
    __m128i x = _mm_setzero_si128();
#else
    std::int32_t x = 0;  // a vector in memory, written in part and then read, would stall
#endif
    if (n == lane_count)
        __builtin_memcpy(&x, p, lane_count);
    else
        __builtin_memcpy(&x, p, std::size_t(n));
#if defined __AVX2__
    return xsimd::to_float(widened<T>(x));
#else
    return xsimd::to_float(widened<T>(first_bytes(x)));
#endif
}
template <class T> INLAY_INLINE void store(T* p, std::int64_t n, int_lanes x) {
    const bytes y = narrowed<T>(x);
    if (n == lane_count)
        __builtin_memcpy(p, &y, lane_count);
    else
        __builtin_memcpy(p, &y, std::size_t(n));
}
// Bounds and zero are integers, so that rounding may come last. max() gives its second operand where the first is NaN.
template <class T> INLAY_INLINE int_lanes quantized(lanes x, lanes scale, lanes zero) {
    return xsimd::nearbyint_as_int(xsimd::min(xsimd::max(x / scale, lanes(low<T>) - zero), lanes(high<T>) - zero)) +
           xsimd::to_int(zero);
}
template <class T> INLAY_LOCAL void quantize(const float* x, T* y, std::int64_t n, float scale, int zero) noexcept {
    along(n, [=](std::int64_t i, std::int64_t some) INLAY_INLINED {
        store(y + i, some, quantized<T>(load_some(x + i, some), lanes(scale), lanes(float(zero))));
    });
}
template <class T> INLAY_LOCAL void dequantize(const T* x, float* y, std::int64_t n, float scale, int zero) noexcept {
    along(n, [=](std::int64_t i, std::int64_t some)
                 INLAY_INLINED { store_some(y + i, some, (load(x + i, some) - lanes(float(zero))) * lanes(scale)); });
}
template <class T> INLAY_INLINE lanes zeros_at(const T* zeros, std::int64_t i, std::int64_t n) {
    return zeros ? load(zeros + i, n) : lanes(0.f);
}
template <class T>
INLAY_LOCAL void quantize_each(const float* x, T* y, std::int64_t n, const float* scales, const T* zeros) noexcept {
    along(n, [=](std::int64_t i, std::int64_t some) INLAY_INLINED {
        store(y + i, some,
              quantized<T>(load_some(x + i, some), load_some(scales + i, some, 1.f), zeros_at(zeros, i, some)));
    });
}
template <class T>
INLAY_LOCAL void dequantize_each(const T* x, float* y, std::int64_t n, const float* scales, const T* zeros) noexcept {
    along(n, [=](std::int64_t i, std::int64_t some) INLAY_INLINED {
        store_some(y + i, some, (load(x + i, some) - zeros_at(zeros, i, some)) * load_some(scales + i, some));
    });
}
template <class T>
INLAY_LOCAL constexpr quantize_f32_table::codes<T> codes_of{quantize<T>, dequantize<T>, quantize_each<T>,
                                                            dequantize_each<T>};
}  // namespace INLAY_LEVEL::quantize_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(quantize_f32, codes_of<std::uint8_t>, codes_of<std::int8_t>)

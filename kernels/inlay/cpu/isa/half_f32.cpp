// Vectors of the compiler, which widens and narrows their elements at every level; F16C where available.
#include "half_f32.hpp"
#include "lanes.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::half_f32 {
using halves [[gnu::vector_size(2 * lane_count)]] = std::uint16_t;
using words [[gnu::vector_size(4 * lane_count)]] = std::uint32_t;
using floats [[gnu::vector_size(4 * lane_count)]] = float;

struct float16 {
#ifdef __AVX512F__
    INLAY_STATIC words widened(halves x) { return (words)_mm512_cvtph_ps((__m256i)x); }
    INLAY_STATIC halves narrowed(words x) {
        return (halves)_mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    }
#elif defined(__F16C__)
    INLAY_STATIC words widened(halves x) { return (words)_mm256_cvtph_ps((__m128i)x); }
    INLAY_STATIC halves narrowed(words x) {
        return (halves)_mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    }
#else
    INLAY_STATIC words widened(halves x) {
        const words wide = __builtin_convertvector(x, words), magnitude = (wide & 0x7fff) << 13,
                    sign = (wide & 0x8000) << 16;
        const words normal =
            magnitude + (magnitude >= 0x0f800000 ? words{} + ((255u - 31) << 23) : words{} + ((127u - 15) << 23));
        // A subnormal becomes the fraction of 2^-14, which is then subtracted: no subnormal float32 takes part.
        const words small = (words)((floats)(magnitude + (113u << 23)) - (floats)(words{} + (113u << 23)));
        return (magnitude < 0x00800000 ? small : normal) | sign;
    }
    INLAY_STATIC halves narrowed(words x) {
        const words magnitude = x & 0x7fffffff, sign = x >> 16 & 0x8000;
        const words normal = (magnitude - ((127u - 15) << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
        // Adding 0.5 leaves the units of a subnormal float16, rounded, in the low bits.
        const floats half = floats{} + 0.5f;
        const words small = (words)((floats)magnitude + half) - (words)half;
        const words large = magnitude > 0x7f800000 ? words{} + 0x7e00 : words{} + 0x7c00;
        return __builtin_convertvector((magnitude >= 0x47800000  ? large
                                        : magnitude < 0x38800000 ? small
                                                                 : normal) |
                                           sign,
                                       halves);
    }
#endif
};
struct bfloat16 {
    INLAY_STATIC words widened(halves x) { return __builtin_convertvector(x, words) << 16; }
    INLAY_STATIC halves narrowed(words x) {
        const words rounded = (x + 0x7fff + (x >> 16 & 1)) >> 16, nan = (x >> 16 & 0x8000) | 0x7fc0;
        return __builtin_convertvector((x & 0x7fffffff) > 0x7f800000 ? nan : rounded, halves);
    }
};

// y[i] = f(x[i]); the last ones by way of a vector of their own.
template <class From, class To, class X, class Y, class F>
INLAY_INLINE void convert(const X* x, Y* y, std::int64_t n, F f) {
    std::int64_t i = 0;
    From from{};
    To to;
    for (; i + lane_count <= n; i += lane_count) {
        __builtin_memcpy(&from, x + i, sizeof from);
        to = f(from);
        __builtin_memcpy(y + i, &to, sizeof to);
    }
    if (i == n) return;
    from = From{};
    __builtin_memcpy(&from, x + i, std::size_t(n - i) * sizeof(X));
    to = f(from);
    __builtin_memcpy(y + i, &to, std::size_t(n - i) * sizeof(Y));
}
template <class Format> INLAY_LOCAL void widen(const std::uint16_t* x, float* y, std::int64_t n) noexcept {
    convert<halves, words>(
        x, y, n, [](halves h) __attribute__((always_inline)) { return Format::widened(h); });
}
template <class Format> INLAY_LOCAL void narrow(const float* x, std::uint16_t* y, std::int64_t n) noexcept {
    convert<words, halves>(
        x, y, n, [](words w) __attribute__((always_inline)) { return Format::narrowed(w); });
}
}  // namespace INLAY_LEVEL::half_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(half_f32, {widen<float16>, narrow<float16>}, {widen<bfloat16>, narrow<bfloat16>})

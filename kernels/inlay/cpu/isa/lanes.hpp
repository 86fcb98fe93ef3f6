// Included by ISA translation units, which are compiled with -DINLAY_LEVEL=<sse2|avx2|avx512|avx512bf16|amx|neon> and
// that level's -m flags, and by programs with INLAY_HEADER_ONLY, which have one level. Each family of kernels has a
// namespace in that of its level. xsimd is renamed per level, so that no two levels share one symbol of it; everything
// else lives in inlay::<level>. No standard containers, strings, streams, <functional> or <algorithm> here: their
// inline functions would be shared by all levels.
#pragma once
#include <inlay/isa.hpp>
#include <cstddef>
#include <cstdint>
#if defined(__aarch64__)
#include "neon.hpp"
#else
#ifndef INLAY_HEADER_ONLY
#define INLAY_JOIN_(a, b) a##b
#define INLAY_JOIN(a, b) INLAY_JOIN_(a, b)
#define xsimd INLAY_JOIN(xsimd_, INLAY_LEVEL)
#endif
#include <xsimd/xsimd.hpp>
#endif

// INLAY_TABLE(family, functions...): a family's table for this level, and the choice of a table by level, which the
// baseline's object holds besides. A family is linked when, and only when, its choice is called. Levels above avx512
// have its tables, but for families that are compiled for them and end with INLAY_TABLE_OF_ALL(family, functions...).
// INLAY_LOCAL: functions and tables of one file; of one program, where its files include them. INLAY_INLINE: functions,
// and INLAY_STATIC static members, that have no symbol.
#ifdef INLAY_HEADER_ONLY
#define INLAY_LOCAL inline
#define INLAY_INLINE [[gnu::always_inline]] inline
#define INLAY_TABLE_ABOVE(above, family, ...) \
    namespace inlay::inline v1::INLAY_LEVEL::family { \
    inline constexpr family##_table table{__VA_ARGS__}; \
    } \
    inline const inlay::family##_table& inlay::v1::family(isa::level) noexcept { return INLAY_LEVEL::family::table; }
#else
#define INLAY_LOCAL static
#define INLAY_INLINE [[gnu::always_inline]] static inline
#define INLAY_TABLE_ABOVE(above, family, ...) \
    namespace inlay::inline v1::INLAY_LEVEL::family { \
    extern constexpr family##_table table{__VA_ARGS__}; \
    } \
    INLAY_CHOICE(above, family)
#if defined(__aarch64__) || defined(INLAY_ONLY_LEVEL)  // INLAY_LEVELS=native
#define INLAY_CHOICE(above, family) \
    const inlay::family##_table& inlay::v1::family(isa::level) noexcept { return INLAY_LEVEL::family::table; }
#elif defined(INLAY_BASELINE)
#define INLAY_CHOICE(above, family) \
    namespace inlay::inline v1::avx2::family { \
    extern const family##_table table; \
    } \
    namespace inlay::inline v1::avx512::family { \
    extern const family##_table table; \
    } \
    namespace inlay::inline v1::avx512bf16::family { \
    extern const family##_table table; \
    } \
    namespace inlay::inline v1::amx::family { \
    extern const family##_table table; \
    } \
    const inlay::family##_table& inlay::v1::family(isa::level l) noexcept { \
        return l > isa::level::avx512    ? above \
               : l == isa::level::avx512 ? avx512::family::table \
               : l == isa::level::avx2   ? avx2::family::table \
                                         : sse2::family::table; \
    }
#else
#define INLAY_CHOICE(above, family)
#endif
#endif
#define INLAY_TABLE(family, ...) INLAY_TABLE_ABOVE(avx512::family::table, family, __VA_ARGS__)
#define INLAY_TABLE_OF_ALL(family, ...) \
    INLAY_TABLE_ABOVE((l == isa::level::amx ? amx::family::table : avx512bf16::family::table), family, __VA_ARGS__)
#define INLAY_STATIC [[gnu::always_inline]] static inline
#define INLAY_UNROLL _Pragma("GCC unroll 36")

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL {
using level_tag = isa::INLAY_LEVEL;
#if defined(__aarch64__)
using lanes = xsimd::batch<float>;
using int_lanes = xsimd::batch<std::int32_t>;
#else
template <class Isa> struct arch;
template <> struct arch<isa::sse2> { using type = xsimd::sse2; };
template <> struct arch<isa::avx2> { using type = xsimd::fma3<xsimd::avx2>; };
template <> struct arch<isa::avx512> { using type = xsimd::avx512bw; };
template <> struct arch<isa::avx512bf16> { using type = xsimd::avx512bw; };
template <> struct arch<isa::amx> { using type = xsimd::avx512bw; };
using lanes = xsimd::batch<float, typename arch<level_tag>::type>;
using int_lanes = xsimd::batch<std::int32_t, typename arch<level_tag>::type>;
#endif
constexpr std::int64_t lane_count = lanes::size;

INLAY_INLINE lanes fma(lanes a, lanes b, lanes c) { return a * b + c; }  // contracted: xsimd 8.1 has no fma for AVX-512
INLAY_INLINE std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
INLAY_INLINE std::int64_t larger(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
// Loads the first n < lane_count float32 of p; the rest are `fill`. And the store.
#if defined(__AVX512F__)
INLAY_INLINE lanes load_tail(const float* p, std::int64_t n, float fill = 0.f) {
    return _mm512_mask_loadu_ps(_mm512_set1_ps(fill), __mmask16((1u << n) - 1), p);
}
INLAY_INLINE void store_tail(float* p, std::int64_t n, lanes x) {
    _mm512_mask_storeu_ps(p, __mmask16((1u << n) - 1), x);
}
#elif defined(__AVX2__)
INLAY_INLINE __m256i first_lanes(std::int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(int(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
INLAY_INLINE lanes load_tail(const float* p, std::int64_t n, float fill = 0.f) {
    const __m256i mask = first_lanes(n);
    return _mm256_blendv_ps(_mm256_set1_ps(fill), _mm256_maskload_ps(p, mask), _mm256_castsi256_ps(mask));
}
INLAY_INLINE void store_tail(float* p, std::int64_t n, lanes x) { _mm256_maskstore_ps(p, first_lanes(n), x); }
#else
INLAY_INLINE lanes load_tail(const float* p, std::int64_t n, float fill = 0.f) {
    alignas(64) float values[lane_count];
    for (std::int64_t i = 0; i < lane_count; ++i) values[i] = i < n ? p[i] : fill;
    return lanes::load_aligned(values);
}
INLAY_INLINE void store_tail(float* p, std::int64_t n, lanes x) {
    alignas(64) float values[lane_count];
    x.store_aligned(values);
    for (std::int64_t i = 0; i < n; ++i) p[i] = values[i];
}
#endif
}  // namespace INLAY_LEVEL
}  // namespace v1
}  // namespace inlay

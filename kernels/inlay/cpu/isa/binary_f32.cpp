#include "binary_f32.hpp"
#include "lanes.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::binary_f32 {
// Lanes of a row from element i on: those of an operand that advances, or one element for all.
template <bool Advances> struct source {
    const float* p;
    INLAY_STATIC lanes at(const source& s, std::int64_t i) {
        if constexpr (Advances)
            return lanes::load_unaligned(s.p + i);
        else
            return lanes(*s.p);
    }
    INLAY_STATIC lanes tail(const source& s, std::int64_t n) {
        if constexpr (Advances)
            return load_tail(s.p, n);
        else
            return lanes(*s.p);
    }
};
template <class F, bool A, bool B>
INLAY_LOCAL void rows_of(const float* a, std::int64_t a_row, const float* b, std::int64_t b_row, float* y,
                         std::int64_t y_row, std::int64_t rows, std::int64_t n) noexcept {
    using first = source<A>;
    using second = source<B>;
    for (std::int64_t r = 0; r < rows; ++r, a += a_row, b += b_row, y += y_row) {
        const first p{a};
        const second q{b};
        if (n < lane_count) {
            store_tail(y, n, F::of(first::tail(p, n), second::tail(q, n)));
            continue;
        }
        const lanes last = F::of(first::at(p, n - lane_count),
                                 second::at(q, n - lane_count));  // overlaps: so before y, which may be a, changes
        for (std::int64_t i = 0; i + lane_count < n; i += lane_count)
            F::of(first::at(p, i), second::at(q, i)).store_unaligned(y + i);
        last.store_unaligned(y + n - lane_count);
    }
}
struct add {
    INLAY_STATIC lanes of(lanes a, lanes b) { return a + b; }
};
struct sub {
    INLAY_STATIC lanes of(lanes a, lanes b) { return a - b; }
};
struct mul {
    INLAY_STATIC lanes of(lanes a, lanes b) { return a * b; }
};
struct div {
    INLAY_STATIC lanes of(lanes a, lanes b) { return a / b; }
};
struct max {  // NaN passes; xsimd 8.1 finds it by isnan() only
    INLAY_STATIC lanes of(lanes a, lanes b) { return xsimd::select(a < b || xsimd::isnan(b), b, a); }
};
struct min {
    INLAY_STATIC lanes of(lanes a, lanes b) { return xsimd::select(b < a || xsimd::isnan(b), b, a); }
};
struct prelu {
    INLAY_STATIC lanes of(lanes a, lanes b) { return xsimd::select(a < lanes(0.f), a * b, a); }
};
template <class F>
INLAY_LOCAL constexpr binary_f32_table::forms forms_of{rows_of<F, true, true>, rows_of<F, true, false>,
                                                       rows_of<F, false, true>};

INLAY_INLINE auto not_zero(const std::uint8_t* c) {  // of lane_count bytes
    using mask = lanes::batch_bool_type;
#if defined __AVX512BW__
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(c));
    return mask(_mm_test_epi8_mask(bytes, bytes));
#elif defined __AVX2__
    const __m256i words = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(c)));
    return mask(_mm256_castsi256_ps(_mm256_cmpgt_epi32(words, _mm256_setzero_si256())));
#elif defined __aarch64__
    std::uint32_t four;
    __builtin_memcpy(&four, c, 4);
    const uint32x4_t words = vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(four))));
    return mask(vtstq_u32(words, words));
#else
    std::int32_t four;
    __builtin_memcpy(&four, c, 4);
    const __m128i zero = _mm_setzero_si128(),
                  words = _mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(four), zero), zero);
    return mask(_mm_castsi128_ps(_mm_cmpgt_epi32(words, zero)));
#endif
}
template <bool Advances> INLAY_INLINE auto holds(const std::uint8_t* c) {
    if constexpr (Advances)
        return not_zero(c);
    else
        return lanes(float(*c)) != lanes(0.f);
}
template <bool Advances> INLAY_INLINE auto holds_tail(const std::uint8_t* c, std::int64_t n) {
    std::uint8_t all[lane_count] = {};
    for (std::int64_t i = 0; i < (Advances ? n : 1); ++i) all[i] = c[i];
    return holds<Advances>(all);
}
template <bool C, bool A, bool B>
INLAY_LOCAL void where(const std::uint8_t* c, std::int64_t c_row, const float* a, std::int64_t a_row, const float* b,
                       std::int64_t b_row, float* y, std::int64_t rows, std::int64_t n) noexcept {
    using first = source<A>;
    using second = source<B>;
    for (std::int64_t r = 0; r < rows; ++r, c += c_row, a += a_row, b += b_row, y += n) {
        const first p{a};
        const second q{b};
        std::int64_t i = 0;
        for (; i + lane_count <= n; i += lane_count)
            xsimd::select(holds<C>(c + (C ? i : 0)), first::at(p, i), second::at(q, i)).store_unaligned(y + i);
        if (const std::int64_t rest = n - i; rest > 0)
            store_tail(y + i, rest,
                       xsimd::select(holds_tail<C>(c + (C ? i : 0), rest), first::tail({a + (A ? i : 0)}, rest),
                                     second::tail({b + (B ? i : 0)}, rest)));
    }
}
}  // namespace INLAY_LEVEL::binary_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(binary_f32, forms_of<add>, forms_of<sub>, forms_of<mul>, forms_of<div>, forms_of<max>, forms_of<min>,
            forms_of<prelu>,
            {where<false, false, false>, where<false, false, true>, where<false, true, false>, where<false, true, true>,
             where<true, false, false>, where<true, false, true>, where<true, true, false>, where<true, true, true>})

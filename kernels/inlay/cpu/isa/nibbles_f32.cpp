#include "code_lanes.hpp"
#include "nibbles_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::nibbles_f32 {
constexpr std::int64_t together = 16;  // quantized values of 8 bytes

#if defined __aarch64__
using codes = uint8x16_t;  // a byte each
INLAY_INLINE codes spread(const std::uint8_t* x) {
    const uint8x8_t bytes = vld1_u8(x);
    const uint8x8x2_t nibbles = vzip_u8(vand_u8(bytes, vdup_n_u8(15)), vshr_n_u8(bytes, 4));
    return vcombine_u8(nibbles.val[0], nibbles.val[1]);
}
INLAY_INLINE code_lanes::bytes first(codes x) { return vget_low_u8(x); }
INLAY_INLINE codes rest(codes x) { return vextq_u8(x, x, lane_count); }
#else
using codes = __m128i;
INLAY_INLINE codes spread(const std::uint8_t* x) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(x)), low = _mm_set1_epi8(15);
    return _mm_unpacklo_epi8(_mm_and_si128(bytes, low), _mm_and_si128(_mm_srli_epi16(bytes, 4), low));
}
INLAY_INLINE code_lanes::bytes first(codes x) { return x; }
INLAY_INLINE codes rest(codes x) { return _mm_srli_si128(x, lane_count); }
#endif
// Flip: of the bit of the sign, 8 or 0; a value is (stored bits ^ Flip) - Flip.
template <int Flip>
INLAY_LOCAL void dequantize(const std::uint8_t* x, float* y, std::int64_t n, float scale, int zero) noexcept {
    const auto convert = [=](const std::uint8_t* from, float* to, std::int64_t count) INLAY_INLINED {
        codes nibbles = spread(from);
        along(count, [&](std::int64_t i, std::int64_t k) INLAY_INLINED {
            const int_lanes code = code_lanes::widened<std::uint8_t>(first(nibbles)) ^ int_lanes(Flip);
            store_some(to + i, k, xsimd::to_float(code - int_lanes(Flip + zero)) * lanes(scale));
            nibbles = rest(nibbles);
        });
    };
    for (; n >= together; n -= together, x += together / 2, y += together) convert(x, y, together);
    if (n == 0) return;
    std::uint8_t tail[together / 2] = {};
    __builtin_memcpy(tail, x, std::size_t(n + 1) / 2);
    convert(tail, y, n);
}
}  // namespace INLAY_LEVEL::nibbles_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(nibbles_f32, dequantize<0>, dequantize<8>)

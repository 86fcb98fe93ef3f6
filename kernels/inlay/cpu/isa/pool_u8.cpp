#include "pool_u8.hpp"

#include "code_lanes.hpp"
#include "pool_windows.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::pool_u8 {
using namespace code_lanes;
using namespace pool_windows;
using codes = window_of<std::uint8_t>;

// Vectors of unsigned bytes: those of 16, and the widest.
#if defined(__aarch64__)
struct short_block {
    uint8x16_t data;
    static constexpr std::int64_t size = 16;
    INLAY_STATIC short_block all(std::uint8_t x) { return {vdupq_n_u8(x)}; }
    INLAY_STATIC short_block load(const std::uint8_t* p) { return {vld1q_u8(p)}; }
    INLAY_STATIC void store(std::uint8_t* p, short_block x) { vst1q_u8(p, x.data); }
    INLAY_STATIC short_block flipped(short_block x, short_block by) { return {veorq_u8(x.data, by.data)}; }
    INLAY_STATIC short_block most(short_block a, short_block b) { return {vmaxq_u8(a.data, b.data)}; }
    INLAY_STATIC std::int64_t sum(short_block x) { return vaddlvq_u8(x.data); }
};
using block = short_block;
#else
struct short_block {
    __m128i data;
    static constexpr std::int64_t size = 16;
    INLAY_STATIC short_block all(std::uint8_t x) { return {_mm_set1_epi8(static_cast<char>(x))}; }
    INLAY_STATIC short_block load(const std::uint8_t* p) {
        return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
    }
    INLAY_STATIC void store(std::uint8_t* p, short_block x) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), x.data); }
    INLAY_STATIC short_block flipped(short_block x, short_block by) { return {_mm_xor_si128(x.data, by.data)}; }
    INLAY_STATIC short_block most(short_block a, short_block b) { return {_mm_max_epu8(a.data, b.data)}; }
    INLAY_STATIC std::int64_t sum(short_block x) {
        const __m128i halves = _mm_sad_epu8(x.data, _mm_setzero_si128());
        return _mm_cvtsi128_si64(halves) + _mm_cvtsi128_si64(_mm_unpackhi_epi64(halves, halves));
    }
};
#if defined(__AVX512BW__)
struct block {
    __m512i data;
    static constexpr std::int64_t size = 64;
    INLAY_STATIC block all(std::uint8_t x) { return {_mm512_set1_epi8(static_cast<char>(x))}; }
    INLAY_STATIC block load(const std::uint8_t* p) { return {_mm512_loadu_si512(p)}; }
    INLAY_STATIC void store(std::uint8_t* p, block x) { _mm512_storeu_si512(p, x.data); }
    INLAY_STATIC block flipped(block x, block by) { return {_mm512_xor_si512(x.data, by.data)}; }
    INLAY_STATIC block most(block a, block b) { return {_mm512_max_epu8(a.data, b.data)}; }
};
#elif defined(__AVX2__)
struct block {
    __m256i data;
    static constexpr std::int64_t size = 32;
    INLAY_STATIC block all(std::uint8_t x) { return {_mm256_set1_epi8(static_cast<char>(x))}; }
    INLAY_STATIC block load(const std::uint8_t* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
    INLAY_STATIC void store(std::uint8_t* p, block x) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), x.data); }
    INLAY_STATIC block flipped(block x, block by) { return {_mm256_xor_si256(x.data, by.data)}; }
    INLAY_STATIC block most(block a, block b) { return {_mm256_max_epu8(a.data, b.data)}; }
};
#else
using block = short_block;
#endif
#endif

// An empty window has the minimum.
template <class Block, int Blocks>
INLAY_INLINE void most_of(const codes& w, std::int64_t c, std::uint8_t flip, std::uint8_t* y) {
    const Block by = Block::all(flip);
    Block most[Blocks];
    _Pragma("GCC unroll 4") for (int v = 0; v < Blocks; ++v) most[v] = Block::all(0);
    each_tap(w, c, [&](const std::uint8_t* x) INLAY_INLINED {
        _Pragma("GCC unroll 4") for (int v = 0; v < Blocks; ++v) most[v] =
            Block::most(most[v], Block::flipped(Block::load(x + v * Block::size), by));
    });
    _Pragma("GCC unroll 4") for (int v = 0; v < Blocks; ++v)
        Block::store(y + c + v * Block::size, Block::flipped(most[v], by));
}
// At least as many channels as a block has.
template <class Block>
INLAY_INLINE void most_in_blocks(const codes& w, std::int64_t n, std::uint8_t flip, std::uint8_t* y) {
    std::int64_t c = 0;
    for (; c + 4 * Block::size <= n; c += 4 * Block::size) most_of<Block, 4>(w, c, flip, y);
    for (; c + Block::size <= n; c += Block::size) most_of<Block, 1>(w, c, flip, y);
    if (c < n) most_of<Block, 1>(w, n - Block::size, flip, y);  // once more, over channels that are done
}
INLAY_LOCAL void maximum(const pool_u8_table::call& call, std::uint8_t flip, std::int64_t first,
                         std::int64_t end) noexcept {
    const std::int64_t n = call.channels;
    each_window(call, first, end, [=](const codes& w, float, std::uint8_t* y) INLAY_INLINED {
        if (n >= block::size) return most_in_blocks<block>(w, n, flip, y);
        if (n >= short_block::size) return most_in_blocks<short_block>(w, n, flip, y);
        for (std::int64_t c = 0; c < n; ++c) {
            int most = 0;
            each_tap(w, c, [&](const std::uint8_t* x) INLAY_INLINED { most = (*x ^ flip) > most ? *x ^ flip : most; });
            y[c] = static_cast<std::uint8_t>(most ^ flip);
        }
    });
}

// Requantizes sums of values less their zero points; a mean of nothing is 0.
template <class T> INLAY_INLINE int_lanes mean(int_lanes sum, float count, const pool_u8_means& m) {
    const lanes scale(count > 0 ? m.x.scale : 0.f), mean = xsimd::to_float(sum) / lanes(count > 0 ? count : 1.f);
    return codes_of_steps<T>(scale * mean / lanes(m.y.scale), lanes(static_cast<float>(m.y.zero)));
}
template <class T, int Lanes>
INLAY_INLINE void mean_of(const window_of<T>& w, std::int64_t c, std::int64_t channels, float count,
                          const pool_u8_means& m, T* y) {
    const int_lanes zero(m.x.zero);
    int_lanes sum[Lanes];
    _Pragma("GCC unroll 4") for (int v = 0; v < Lanes; ++v) sum[v] = int_lanes(0);
    each_tap(w, c, [&](const T* x) INLAY_INLINED {
        _Pragma("GCC unroll 4") for (int v = 0; v < Lanes; ++v) sum[v] =
            sum[v] + (load_codes(x + v * lane_count, channels) - zero);
    });
    _Pragma("GCC unroll 4") for (int v = 0; v < Lanes; ++v)
        store_codes(y + c + v * lane_count, channels, mean<T>(sum[v], count, m));
}
template <class T>
INLAY_LOCAL void average(const pool_u8_table::call& call, const pool_u8_means& means, std::int64_t first,
                         std::int64_t end) noexcept {
    const std::int64_t n = call.channels;
    each_window(call, first, end, [=, m = means](const codes& bytes, float count, std::uint8_t* to) INLAY_INLINED {
        const window_of<T> w{reinterpret_cast<const T*>(bytes.x),
                             bytes.frames,
                             bytes.rows,
                             bytes.columns,
                             bytes.frame,
                             bytes.row,
                             bytes.column};
        T* const y = reinterpret_cast<T*>(to);
        std::int64_t c = 0;
        for (; c + 4 * lane_count <= n; c += 4 * lane_count) mean_of<T, 4>(w, c, lane_count, count, m, y);
        for (; c + lane_count <= n; c += lane_count) mean_of<T, 1>(w, c, lane_count, count, m, y);
        if (c < n && n >= lane_count)
            mean_of<T, 1>(w, n - lane_count, lane_count, count, m, y);  // once more, over channels that are done
        else if (c < n)
            mean_of<T, 1>(w, 0, n, count, m, y);
    });
}
INLAY_INLINE std::int64_t sum_of(const std::uint8_t* x, std::int64_t n, std::uint8_t flip) {
    std::int64_t sum = 0, i = 0;
    for (; i + short_block::size <= n; i += short_block::size)
        sum += short_block::sum(short_block::flipped(short_block::load(x + i), short_block::all(flip)));
    for (; i < n; ++i) sum += x[i] ^ flip;
    return sum;
}
template <class T>
INLAY_LOCAL void rows(const std::uint8_t* x, std::int64_t rows, std::int64_t n, const pool_u8_means& means,
                      std::uint8_t* y) noexcept {
    constexpr std::uint8_t flip = is_signed<T> ? 128 : 0;
    for (std::int64_t r = 0; r < rows; r += lane_count) {
        const std::int64_t row_count = smaller(lane_count, rows - r);
        alignas(64) std::int32_t sums[lane_count] = {};
        for (std::int64_t i = 0; i < row_count; ++i)
            sums[i] = static_cast<std::int32_t>(sum_of(x + (r + i) * n, n, flip) - n * (means.x.zero + flip));
        int_lanes sum;
        __builtin_memcpy(&sum, sums, sizeof sum);
        store_codes(reinterpret_cast<T*>(y) + r, row_count, mean<T>(sum, static_cast<float>(n), means));
    }
}
}  // namespace INLAY_LEVEL::pool_u8
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(pool_u8, maximum, {average<std::uint8_t>, rows<std::uint8_t>}, {average<std::int8_t>, rows<std::int8_t>})

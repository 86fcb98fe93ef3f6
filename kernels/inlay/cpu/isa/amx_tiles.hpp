// Holds AMX tile registers during its lifetime: tiles 0 to 3 are accumulators, 4 and 5 hold A, 6 and 7 B. By asm: g++
// 12's intrinsics do not declare that they read memory, and so lose what was written there.
#pragma once
#include "lanes.hpp"
#if defined(__AMX_TILE__)

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL {
struct amx_tiles {
    // A has so many rows, of so many words of 4 bytes each; at most 16.
    [[gnu::always_inline]] amx_tiles(std::int64_t rows, std::int64_t words) {
        alignas(64) struct {
            std::uint8_t palette = 1, start = 0, reserved[14] = {};
            std::uint16_t bytes[16] = {};
            std::uint8_t rows[16] = {};
        } shape;
        static_assert(sizeof shape == 64);
        for (int t = 0; t < 8; ++t) {
            shape.bytes[t] = static_cast<std::uint16_t>(t == 4 || t == 5 ? 4 * words : 64);
            shape.rows[t] = static_cast<std::uint8_t>(t < 6 ? rows : words);
        }
        asm volatile("ldtilecfg %0" ::"m"(shape));
    }
    [[gnu::always_inline]] ~amx_tiles() { asm volatile("tilerelease" ::: "memory"); }
    amx_tiles(const amx_tiles&) = delete;
    template <int T> INLAY_STATIC void load(const void* from, std::int64_t row_bytes) {
        asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(row_bytes), "i"(T) : "memory");
    }
    template <int T> INLAY_STATIC void store(void* to, std::int64_t row_bytes) {
        asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(row_bytes), "i"(T) : "memory");
    }
};
}  // namespace INLAY_LEVEL
}  // namespace v1
}  // namespace inlay
#endif

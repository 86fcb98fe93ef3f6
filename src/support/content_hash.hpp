// XXH64 of bytes, which files carry: equal on every machine, and fast enough to read weights with.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace inlay {
inline namespace v1 {
class content_hash {
    static constexpr std::uint64_t p1 = 0x9E3779B185EBCA87u, p2 = 0xC2B2AE3D27D4EB4Fu, p3 = 0x165667B19E3779F9u,
                                   p4 = 0x85EBCA77C2B2AE63u, p5 = 0x27D4EB2F165667C5u;
    template <class T> static T load(const std::byte* p) {
        T x;
        std::memcpy(&x, p, sizeof x);
        return x;
    }
    static std::uint64_t mix(std::uint64_t lane, std::uint64_t word) { return std::rotl(lane + word * p2, 31) * p1; }

  public:
    static std::uint64_t of(std::span<const std::byte> bytes, std::uint64_t seed = 0) {
        const std::byte* p = bytes.data();
        std::size_t left = bytes.size();
        std::uint64_t h = seed + p5;
        if (left >= 32) {
            std::uint64_t lanes[4] = {seed + p1 + p2, seed + p2, seed, seed - p1};
            for (; left >= 32; p += 32, left -= 32)
                for (int k = 0; k < 4; ++k) lanes[k] = mix(lanes[k], load<std::uint64_t>(p + 8 * k));
            h = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
            for (const std::uint64_t lane : lanes) h = (h ^ mix(0, lane)) * p1 + p4;
        }
        h += bytes.size();
        for (; left >= 8; p += 8, left -= 8) h = std::rotl(h ^ mix(0, load<std::uint64_t>(p)), 27) * p1 + p4;
        if (left >= 4) {
            h = std::rotl(h ^ load<std::uint32_t>(p) * p1, 23) * p2 + p3;
            p += 4;
            left -= 4;
        }
        for (; left > 0; ++p, --left) h = std::rotl(h ^ std::to_integer<std::uint64_t>(*p) * p5, 11) * p1;
        h = (h ^ h >> 33) * p2;
        h = (h ^ h >> 29) * p3;
        return h ^ h >> 32;
    }
    static std::uint64_t of(std::string_view text, std::uint64_t seed = 0) {
        return of(std::as_bytes(std::span(text)), seed);
    }
    static std::string hex(std::uint64_t h) {
        std::string text(16, '0');
        for (int k = 15; k >= 0; --k, h >>= 4) text[std::size_t(k)] = "0123456789abcdef"[h & 15];
        return text;
    }
};
}  // namespace v1
}  // namespace inlay

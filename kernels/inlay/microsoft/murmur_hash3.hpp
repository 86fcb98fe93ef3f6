// MurmurHash3 (com.microsoft, since 1): of the bytes of each element, the hash that MurmurHash3_x86_32 gives for
// `seed`; uint32, or int32 where positive is 0.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <bit>
#include <cstring>
#include <string>

namespace inlay {
inline namespace v1 {
namespace op {
struct murmur_hash3 : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "MurmurHash3";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements =
        each_type<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double, std::string>;
    static constexpr element output_type(const node_view& n, int) {
        return n.integer("positive", 1) == 0 ? element::i32 : element::u32;
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const std::int64_t positive = n.integer("positive", 1);
        if (positive != 0 && positive != 1) return no("positive must be 0 or 1");
        return same_shape(n, y);
    }
};
}  // namespace op

inline std::uint32_t murmur_hash(const void* data, std::size_t bytes, std::uint32_t seed) noexcept {
    const auto* at = static_cast<const unsigned char*>(data);
    const auto mixed = [](std::uint32_t k) { return std::rotl(k * 0xcc9e2d51u, 15) * 0x1b873593u; };
    std::uint32_t h = seed;
    for (std::size_t left = bytes; left >= 4; left -= 4, at += 4) {
        std::uint32_t k;
        std::memcpy(&k, at, 4);
        h = std::rotl(h ^ mixed(k), 13) * 5 + 0xe6546b64u;
    }
    std::uint32_t rest = 0;
    for (std::size_t i = bytes % 4; i > 0; --i) rest = rest << 8 | at[i - 1];
    if (bytes % 4 > 0) h ^= mixed(rest);
    h ^= static_cast<std::uint32_t>(bytes);
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

template <class T> struct kernel<op::murmur_hash3, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t count;
        std::uint32_t seed;
    };
    static constexpr params prepare(const node_view& n) {
        return {n.input(0).dims.elements(), static_cast<std::uint32_t>(n.integer("seed", 0))};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const T* x = a.in<T>(0);
        auto* y = a.out<std::uint32_t>(0);  // or the int32 of the same bits
        c.split(p.count, 4096, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i)
                if constexpr (std::is_same_v<T, std::string>)
                    y[i] = murmur_hash(x[i].data(), x[i].size(), p.seed);
                else
                    y[i] = murmur_hash(x + i, sizeof(T), p.seed);
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

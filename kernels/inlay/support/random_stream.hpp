// Random numbers by counters: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3).
// Number i of a stream is a function of the stream and i alone, so that threads share a stream and the result is that
// of one thread.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <numbers>

namespace inlay {
inline namespace v1 {
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = std::uint64_t(0xD2511F53u) * counter[0], b = std::uint64_t(0xCD9E8D57u) * counter[2];
        counter = {std::uint32_t(b >> 32) ^ counter[1] ^ key[0], std::uint32_t(b),
                   std::uint32_t(a >> 32) ^ counter[3] ^ key[1], std::uint32_t(a)};
        key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
    }
    return counter;
}

struct random_stream {
    std::uint64_t key = 0, run = 0;
    constexpr std::array<std::uint64_t, 2> pair(std::int64_t i) const {  // numbers 2 i and 2 i + 1
        const auto c = std::uint64_t(i);
        const auto w = philox({std::uint32_t(c), std::uint32_t(c >> 32), std::uint32_t(run), std::uint32_t(run >> 32)},
                              {std::uint32_t(key), std::uint32_t(key >> 32)});
        return {w[0] | std::uint64_t(w[1]) << 32, w[2] | std::uint64_t(w[3]) << 32};
    }
    constexpr std::uint64_t number(std::int64_t i) const { return pair(i / 2)[std::size_t(i % 2)]; }
    // In [0, 1): a multiple of 2^-bits.
    static constexpr double unit(std::uint64_t number, int bits = 53) {
        return static_cast<double>(number >> (64 - bits)) / static_cast<double>(std::uint64_t(1) << bits);
    }
    double uniform(std::int64_t i) const { return unit(number(i)); }
    // Of the standard normal distribution (Box and Muller): numbers 2 i and 2 i + 1.
    std::array<double, 2> normal_pair(std::int64_t i) const {
        const auto n = pair(i);
        const double radius = std::sqrt(-2 * std::log(1 - unit(n[0]))), angle = 2 * std::numbers::pi * unit(n[1]);
        return {radius * std::cos(angle), radius * std::sin(angle)};
    }
};

// The stream of a node with an attribute `seed`: the same in every run, of every session, and of every node with this
// seed. Without one, or where it is NaN: a stream of its own in each run.
struct random_seed {
    bool is_fixed = false;
    std::uint64_t key = 0;
    static constexpr random_seed of(const node_view& n) {
        const double seed = n.has("seed") ? n.real("seed", static_cast<double>(n.integer("seed", 0))) : 0;
        if (!n.has("seed") || seed != seed) return {};
        return {true, std::bit_cast<std::uint64_t>(seed + 0.)};  // -0 is 0
    }
};
// The state of a kernel that draws numbers: a key that no other node has, and the runs there were.
struct random_state {
    std::uint64_t key = 0;
    mutable std::uint64_t runs = 0;
    void bind() noexcept {
        static std::atomic<std::uint64_t> nodes = 0;
        const std::uint64_t count = nodes.fetch_add(1, std::memory_order_relaxed);
        const auto now = std::uint64_t(std::chrono::system_clock::now().time_since_epoch().count());
        const auto address = std::uint64_t(reinterpret_cast<std::uintptr_t>(this));
        key = random_stream{now, count}.pair(std::int64_t(address))[0];
    }
    random_stream stream(const random_seed& seed) const noexcept {
        if (seed.is_fixed) return {seed.key, 0};
        return {key, std::atomic_ref(runs).fetch_add(1, std::memory_order_relaxed)};
    }
};
// A kernel whose params have a random_seed `seed`.
struct random_kernel : simple_kernel {
    using state = random_state;
    static status bind(const auto&, constants, const setup&, state& s) noexcept {
        s.bind();
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

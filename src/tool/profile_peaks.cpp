// The peaks that a profile is compared with: the best of some short loops, since other programs only slow them down.
#include "profile.hpp"
#include <inlay/cpu/isa/peak_f32.hpp>
#include <inlay/thread_pool.hpp>

namespace inlay::tool {
namespace {
template <class F> double best_seconds(thread_pool& pool, int rounds, F task) {  // of `task` in every thread at once
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < rounds; ++i) {
        const auto start = std::chrono::steady_clock::now();
        pool.parallel(
            pool.size(), [](void* data, int index) noexcept { (*static_cast<F*>(data))(index); }, &task);
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}
}  // namespace
profile_peaks measure_peaks(isa::level level, int threads) {
    const peak_f32_table& loops = peak_f32(level);
    thread_pool pool(threads);
    const auto count = std::int64_t(pool.size());
    std::vector<float> results(static_cast<std::size_t>(count));  // stored, so that no loop is optimised away
    constexpr std::int64_t rounds = 1'000'000;                    // some milliseconds
    const double multiply =
        best_seconds(pool, 20, [&](int i) { results[std::size_t(i)] = loops.multiply_add(rounds, 1.f); });
    const std::vector<float> memory(64'000'000, 1.f);  // 256 MB: no cache holds them
    const auto size = std::int64_t(memory.size());
    const double read_seconds = best_seconds(pool, 8, [&](int i) {
        results[std::size_t(i)] =
            loops.read(memory.data() + size * i / count, size * (i + 1) / count - size * i / count);
    });
    return {double(count * rounds * loops.flop) / multiply, double(size) * sizeof(float) / read_seconds};
}
}  // namespace inlay::tool

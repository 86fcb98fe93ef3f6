// peak {fma|read} THREADS: the peak rates of the processor, served by the protocol of bench/peers.py; bench/compare
// compiles it for this machine.
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#if defined __AVX512F__
constexpr int width = 64;
#elif defined __AVX__
constexpr int width = 32;
#else
constexpr int width = 16;
#endif
typedef float lanes __attribute__((vector_size(width)));
constexpr int chains = 12;  // more than latency times units of any processor, fewer than its registers
constexpr long rounds = 100'000, bytes = 256l << 20;
volatile float sink;

template <std::size_t... I>
void multiply_add(std::index_sequence<I...>) {  // constant indexes: the chains stay in registers
    lanes sums[chains] = {(lanes{} + float(I))...}, factor = lanes{} + .5f,
          term = lanes{} + 1.f;  // all different, or they would be one
    for (long i = 0; i < rounds; ++i) {
        ((sums[I] = sums[I] * factor + term), ...);
        asm volatile("" : "+x"(factor));
    }
    sink = (sums[I] + ...)[0];
}
void read(const float* from, long count) {
    constexpr long step = chains * width / sizeof(float);
    lanes sums[chains] = {};
    for (long i = 0; i + step <= count; i += step) {
#pragma GCC unroll 16
        for (int k = 0; k < chains; ++k) {
            lanes x;
            std::memcpy(&x, from + i + k * width / sizeof(float), width);
            sums[k] += x;
        }
    }
    for (const lanes& s : sums) sink = s[0];
}

int main(int count, char** words) {
    const bool fma = count == 3 && !std::strcmp(words[1], "fma");
    const int threads = count == 3 ? std::atoi(words[2]) : 0;
    if (threads < 1 || (!fma && std::strcmp(words[1], "read"))) {
        std::fprintf(stderr, "peak {fma|read} THREADS\n");
        return 2;
    }
    const long floats = fma ? 0 : bytes / long(sizeof(float)), share = floats / threads;
    const std::vector<float> memory(std::size_t(floats), 1.f);
    const auto run = [&] {
        std::vector<std::thread> workers;
        const auto part = [&](int t) {
            fma ? multiply_add(std::make_index_sequence<chains>()) : read(memory.data() + t * share, share);
        };
        for (int t = 1; t < threads; ++t) workers.emplace_back(part, t);
        part(0);
        for (std::thread& t : workers) t.join();
    };
    run();
    std::printf("{\"work\": %.0f}\n", fma ? 2. * rounds * chains * (width / sizeof(float)) * threads
                                          : double(share) * threads * sizeof(float));
    std::fflush(stdout);
    for (int n; std::scanf("%d", &n) == 1; std::fflush(stdout)) {
        for (int i = 0; i < n; ++i) {
            const auto start = std::chrono::steady_clock::now();
            run();
            std::printf("%s%.9f", i ? ", " : "[",
                        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        std::printf("%s]\n", n ? "" : "[");
    }
}

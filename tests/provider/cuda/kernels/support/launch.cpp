// Mirrors kernels/inlay/cuda/support/launch.cuh: the launcher as it runs on the host, and what bodies calculate with.
#include "catch.hpp"
#include <inlay/cuda/support/launch.cuh>
#include <numeric>
#include <random>
#include <vector>
using namespace inlay;

TEST_CASE("A divider divides as / does, below 2^31 and above") {
    std::mt19937_64 random(1);
    std::vector<std::int64_t> divisors(100), dividends{0,
                                                       1,
                                                       (std::int64_t(1) << 31) - 1,
                                                       std::int64_t(1) << 31,
                                                       (std::int64_t(1) << 32) + 5,
                                                       std::int64_t(1) << 62};
    std::iota(divisors.begin(), divisors.end(), 1);
    for (int bit = 7; bit < 63; ++bit)
        for (int off : {-1, 0, 1}) divisors.push_back((std::int64_t(1) << bit) + off);
    for (int i = 0; i < 300; ++i)
        divisors.push_back(std::int64_t(random() >> (33 + i % 30)) + 1),
            dividends.push_back(std::int64_t(random() >> (1 + i % 60)));
    bool same = true;
    for (std::int64_t d : divisors) {
        const divider by(d);
        for (std::int64_t n : dividends) {
            std::int64_t q = n;
            const std::int64_t rest = by.split(q);
            same &= by(n) == n / d && q == n / d && rest == n % d;
        }
        for (std::int64_t k = 1; k < 50 && k * d < std::int64_t(1) << 31; ++k)
            same &= by(k * d) == k && by(k * d - 1) == k - 1;  // where rounding would show
    }
    CHECK(same);
}
namespace {
struct count_body {
    int* visits;
    void operator()(std::int64_t i) const { ++visits[i]; }
};
struct sum_body {  // of the elements of a row, and of their squares in a second round
    struct total {
        std::int64_t sum = 0, squares = 0;
        static total join(total a, total b) { return {a.sum + b.sum, a.squares + b.squares}; }
    };
    static constexpr int rounds = 2;
    std::int64_t length;
    std::int64_t *sums, *squares;
    int* sizes;
    total part(int round, std::int64_t row, team t, total before) const {
        total result;
        for (std::int64_t i = t.rank; i < length; i += t.size)
            (round == 0 ? result.sum : result.squares) += round == 0 ? row + i : (row + i) * before.sum;
        return result;
    }
    void finish(std::int64_t row, team t, total whole) const {
        sizes[row] = t.size;
        if (t.rank == 0) squares[row] = whole.squares;
        if (t.rank == t.size - 1) sums[row] = whole.squares;  // every thread has the total
    }
};
struct reverse_body {  // 64 numbers through shared memory, one of a thread's own from phase to phase
    static constexpr int threads = 64;
    struct shared {
        int at[threads];
    };
    struct local {
        int value = 0;
    };
    int* y;
    int phases(std::int64_t block) const { return 2 + int(block); }
    void operator()(int phase, std::int64_t block, int thread, local& l, shared& s) const {
        if (phase == 0) s.at[thread] = thread;
        ++l.value;
        if (phase == phases(block) - 1) y[block * threads + thread] = s.at[threads - 1 - thread] * 10 + l.value;
    }
};
}  // namespace
TEST_CASE("A launch visits every index once") {
    context c;
    for (std::int64_t n : {0, 1, 255, 256, 257, 1000}) {
        std::vector<int> visits(std::size_t(n) + 1);
        REQUIRE(launch(c, n, count_body{visits.data()}) == status::ok);
        CHECK(std::count(visits.begin(), visits.end() - 1, 1) == n);
        CHECK(visits.back() == 0);
    }
}
TEST_CASE("Every thread of a team gets the total of all: a warp's for rows of up to 1024 elements, else a block's") {
    context c;
    for (std::int64_t length : {0, 1, 31, 32, 33, 1024, 1025, 5000}) {
        std::int64_t sums[3], squares[3];
        int sizes[3];
        REQUIRE(launch_rows(c, 3, length, sum_body{length, sums, squares, sizes}) == status::ok);
        for (std::int64_t row = 0; row < 3; ++row) {
            const std::int64_t sum = length * row + length * (length - 1) / 2;
            CHECK(squares[row] == sum * sum);
            CHECK(sums[row] == sum * sum);
            CHECK(sizes[row] == (length <= 1024 ? warp_threads : block_threads));
        }
    }
}
TEST_CASE("Threads of a block see in the next phase what others wrote, and keep what is their own") {
    context c;
    std::vector<int> y(3 * 64);
    REQUIRE(launch_blocks(c, 3, reverse_body{y.data()}) == status::ok);
    for (int block = 0; block < 3; ++block)
        for (int t = 0; t < 64; ++t) CHECK(y[std::size_t(block * 64 + t)] == (63 - t) * 10 + 2 + block);
}

// Mirrors kernels/inlay/cpu/support/lockstep.hpp.
#include "../../catch.hpp"
#include <inlay/cpu/support/lockstep.hpp>
#include <inlay/thread_pool.hpp>
#include <numeric>
using namespace inlay;

namespace {
// Each part of a step needs all parts of the step before; neither they nor this array have locks.
using values = std::array<std::array<std::uint64_t, most_in_lockstep>, 2>;
void make(values& v, std::int64_t step, int part, int parts) {
    const auto& before = v[std::size_t(step % 2)];
    v[std::size_t((step + 1) % 2)][std::size_t(part)] =
        31 * std::accumulate(before.begin(), before.begin() + parts, std::uint64_t(part));
}
values in_turn(std::int64_t steps, int parts) {
    values v{};
    for (std::int64_t step = 0; step < steps; ++step)
        for (int part = 0; part < parts; ++part) make(v, step, part, parts);
    return v;
}
template <class E> void check_all(E& executor, std::int64_t steps) {
    context c = make_context(executor);
    for (int parts : {1, 2, 3, 5, most_in_lockstep}) {
        CAPTURE(parts);
        values v{};
        in_lockstep(steps, parts, c, [&](std::int64_t step, int part) { make(v, step, part, parts); });
        CHECK(v == in_turn(steps, parts));
    }
}
struct last_first {  // runs its tasks one after another, though it says otherwise
    static int size() noexcept { return 4; }
    static void parallel(int count, task_function task, void* data) noexcept {
        while (count-- > 0) task(data, count);
    }
};
struct late {  // a thread for each task, and the first ones start late
    static int size() noexcept { return 4; }
    static void parallel(int count, task_function task, void* data) noexcept {
        std::vector<std::thread> threads;
        for (int i = 0; i < count; ++i)
            threads.emplace_back([=] {
                if (i < 2) std::this_thread::sleep_for(std::chrono::milliseconds(2 - i));
                task(data, i);
            });
        for (std::thread& t : threads) t.join();
    }
};
}  // namespace

TEST_CASE("Steps with a barrier are as steps made in turn, with every number of threads and parts", "[threads]") {
    for (int threads : {1, 2, 3, 5}) {
        CAPTURE(threads);
        thread_pool pool(threads);
        for (std::int64_t steps : {0, 1, 2, 100}) check_all(pool, steps);
    }
}
TEST_CASE("Steps with a barrier end with executors that run their tasks in turn, or late", "[threads]") {
    serial alone;
    check_all(alone, 20);
    last_first backwards;
    check_all(backwards, 20);
    late threads;
    check_all(threads, 20);
}
TEST_CASE("Steps with a barrier end where the pool is busy", "[threads]") {
    thread_pool pool(3);
    context c = make_context(pool);
    c.for_each(3, [&](int) {
        context inner = make_context(pool);
        values v{};
        in_lockstep(50, 3, inner, [&](std::int64_t step, int part) { make(v, step, part, 3); });
        if (v != in_turn(50, 3)) c.detail = "wrong";
    });
    CHECK(c.detail.empty());
}
TEST_CASE("Steps with a barrier wait for a thread that stays away", "[threads]") {
    thread_pool pool(2);
    context c = make_context(pool);
    values v{};
    in_lockstep(10, 2, c, [&](std::int64_t step, int part) {
        if (step == 5 && part == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        make(v, step, part, 2);
    });
    CHECK(v == in_turn(10, 2));
}
TEST_CASE("Steps with a barrier end after the step in which the run is stopped", "[threads]") {
    for (int threads : {1, 2, 3}) {
        thread_pool pool(threads);
        context c = make_context(pool);
        std::atomic<bool> stop{false};
        std::atomic<std::int64_t> last_step{0};
        c.stop = &stop;
        in_lockstep(1'000'000'000, threads, c, [&](std::int64_t step, int part) {
            if (part == 0) last_step = step;
            if (step == 10) stop = true;
        });
        CHECK(last_step <= 10);
        CHECK(stop);
    }
}

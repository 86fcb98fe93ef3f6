// The pool of a session: every task once, from any thread.
#include "../catch.hpp"
#include <inlay/thread_pool.hpp>
#include <set>
using namespace inlay;

namespace {
template <class F> void parallel(thread_pool& pool, int count, F f) {
    pool.parallel(
        count, [](void* data, int i) noexcept { (*static_cast<F*>(data))(i); }, &f);
}
}  // namespace

TEST_CASE("Every task runs exactly once", "[thread_pool][threads]") {
    for (const int threads : {1, 2, 3, 5}) {
        thread_pool pool(threads);
        CHECK(pool.size() == threads);
        for (const int count : {0, 1, 2, 3, 4, 7, 64, 1000}) {
            CAPTURE(threads, count);
            std::vector<std::atomic<int>> times(std::size_t(count) + 1);
            parallel(pool, count, [&](int i) { ++times[std::size_t(i)]; });
            for (int i = 0; i < count; ++i)
                if (times[std::size_t(i)] != 1) FAIL("task " << i << " ran " << times[std::size_t(i)] << " times");
            CHECK(times[std::size_t(count)] == 0);
        }
    }
}

TEST_CASE("What the tasks write is seen by the caller afterwards", "[thread_pool][threads]") {
    thread_pool pool(3);
    std::vector<long> values(300);
    for (long round = 1; round <= 50; ++round) {
        parallel(pool, 300, [&](int i) { values[std::size_t(i)] += round * i; });
        long sum = 0;
        for (long v : values) sum += v;
        REQUIRE(sum == round * (round + 1) / 2 * 44850);
    }
}

TEST_CASE("Tasks may fork again: the inner tasks run on the calling thread", "[thread_pool][threads]") {
    thread_pool pool(3);
    std::atomic<int> inner{0}, elsewhere{0};
    parallel(pool, 8, [&](int) {
        const auto self = std::this_thread::get_id();
        parallel(pool, 10, [&](int) {
            ++inner;
            if (std::this_thread::get_id() != self) ++elsewhere;
        });
    });
    CHECK(inner == 80);
    CHECK(elsewhere == 0);
}

TEST_CASE("Two callers at once each get all their tasks done", "[thread_pool][threads]") {
    thread_pool pool(3);
    std::atomic<int> wrong{0};
    const auto call = [&] {
        for (int round = 0; round < 300; ++round) {
            std::atomic<int> count{0};
            parallel(pool, 1 + round % 9, [&](int) { ++count; });
            if (count != 1 + round % 9) ++wrong;
        }
    };
    std::thread second(call), third(call);
    call();
    second.join();
    third.join();
    CHECK(wrong == 0);
}

TEST_CASE("Threads take part where there is work for them", "[thread_pool][threads]") {
    thread_pool pool(2);
    std::mutex lock;
    std::set<std::thread::id> ids;
    parallel(pool, 2, [&](int) {
        {
            const std::lock_guard guard(lock);
            ids.insert(std::this_thread::get_id());
        }
        const auto start =
            std::chrono::steady_clock::now();  // long enough for the other to wake up, on a loaded machine too
        for (;;) {
            {
                const std::lock_guard guard(lock);
                if (ids.size() == 2) return;
            }
            if (std::chrono::steady_clock::now() - start > std::chrono::seconds(20)) return;
            std::this_thread::yield();
        }
    });
    CHECK(ids.size() == 2);
}

TEST_CASE("Pools come and go, with and without work, parked or awake", "[thread_pool][threads]") {
    for (int i = 0; i < 60; ++i) {
        thread_pool pool(1 + i % 4);
        std::atomic<int> count{0};
        if (i % 3) parallel(pool, 5, [&](int) { ++count; });
        if (i % 10 == 9) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        CHECK(count == (i % 3 ? 5 : 0));
    }
}

TEST_CASE("Twenty thousand short jobs in a row, some after a pause", "[thread_pool][threads]") {
    thread_pool pool(4);
    long total = 0;
    for (int job = 0; job < 20'000; ++job) {
        std::atomic<int> count{0};
        parallel(pool, 1 + job % 6, [&](int) { count.fetch_add(1, std::memory_order_relaxed); });
        total += count;
        if (job % 2000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    long expected = 0;
    for (int job = 0; job < 20'000; ++job) expected += 1 + job % 6;
    CHECK(total == expected);
}

TEST_CASE("A context splits work into even parts for its pool", "[thread_pool][threads]") {
    thread_pool pool(3);
    context c = make_context(pool);
    CHECK(c.threads == 3);
    for (const std::int64_t items : {0, 1, 5, 99, 100, 1001}) {
        CAPTURE(items);
        std::vector<std::atomic<int>> times(std::size_t(items) + 1);
        std::atomic<int> parts{0};
        c.split(items, 10, [&](std::int64_t first, std::int64_t end, int part) {
            ++parts;
            if (part < 0 || part >= 3) parts = 100;
            for (std::int64_t i = first; i < end; ++i) ++times[std::size_t(i)];
        });
        CHECK(parts <= 3);
        CHECK(parts == (items < 20 ? 1 : 3));
        for (std::int64_t i = 0; i < items; ++i)
            if (times[std::size_t(i)] != 1) FAIL("item " << i << " is in no part, or in two");
    }
}

TEST_CASE("A pool of no given size has a thread per usable core", "[thread_pool][threads]") {
    CHECK(usable_cores() >= 1);
    CHECK(thread_pool(0).size() == usable_cores());
}

// Plans that several threads request at once.
#include "../models.hpp"
#include "test_providers.hpp"
#include <barrier>
#include <condition_variable>
#include <thread>
using namespace inlay;
using namespace inlay::testing;

namespace {
constexpr std::string_view text = "g (float[N] x) => (float[N] y) { a = Add(x, x) y = Relu(a) }";
constexpr auto a_while = std::chrono::milliseconds(50);  // in which the other threads request the same plan

struct compile_watch {
    std::atomic<int> compiled{0};
    std::function<void(std::int64_t)> compiling = [](std::int64_t) {};  // gets the size of the input
};
struct watched_engine {
    std::shared_ptr<compile_watch> watch = std::make_shared<compile_watch>();
    static constexpr std::string_view name = "WatchedExecutionProvider";
    result<std::shared_ptr<engine>> open() const;
};
struct watched_loom_engine : loom_engine {
    std::shared_ptr<compile_watch> watch;
    explicit watched_loom_engine(std::shared_ptr<compile_watch> w) : loom_engine(loom{}), watch(std::move(w)) {}
    result<std::shared_ptr<const compiled_region>> compile(const region& r) override {
        ++watch->compiled;
        watch->compiling(r.graph.values[std::size_t(r.inputs[0])].dims[0]);
        return std::make_shared<loom_program>(r, std::make_shared<loom_log>(), false);
    }
};
result<std::shared_ptr<engine>> watched_engine::open() const { return std::make_shared<watched_loom_engine>(watch); }
bool runs_right(const session_base& s, std::int64_t n) {
    return floats(s.run({{"x", ones({n})}})[0]) == std::vector(std::size_t(n), 2.f);
}
// Calls `work` with 0 to threads - 1, each in a thread of its own, none before all are there.
void at_once(int threads, const std::function<void(int)>& work) {
    std::barrier start(threads);
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t)
        workers.emplace_back([&, t] {
            start.arrive_and_wait();
            work(t);
        });
    for (std::thread& t : workers) t.join();
}
}  // namespace

TEST_CASE("Threads that want one plan at the same time make it once", "[plans][threads]") {
    const watched_engine e;
    e.watch->compiling = [](std::int64_t) { std::this_thread::sleep_for(a_while); };
    const inlay::session s{model_of(text), e, cpu{.threads = 1}};
    std::atomic<int> wrong{0};
    for (int n = 1; n <= 4; ++n) {
        at_once(4, [&](int) { wrong += !runs_right(s, n); });
        CHECK(e.watch->compiled == n);
    }
    CHECK(wrong == 0);
}

TEST_CASE("A plan that takes long does not hold up those for other shapes", "[plans][threads]") {
    const watched_engine e;
    std::mutex lock;
    std::condition_variable change;
    bool short_one_done = false, waited_in_vain = false;
    e.watch->compiling = [&](std::int64_t n) {
        std::unique_lock guard(lock);
        if (n == 7) waited_in_vain = !change.wait_for(guard, std::chrono::seconds(30), [&] { return short_one_done; });
    };
    const inlay::session s{model_of(text), e, cpu{.threads = 1}};
    std::atomic<int> wrong{0};
    at_once(2, [&](int t) {
        wrong += !runs_right(s, t == 0 ? 7 : 3);
        if (t == 0) return;
        const std::lock_guard guard(lock);
        short_one_done = true;
        change.notify_all();
    });
    CHECK(wrong == 0);
    CHECK_FALSE(waited_in_vain);
    CHECK(e.watch->compiled == 2);
}

TEST_CASE(
    "What goes wrong in the making of a plan reaches all threads that wait for it, and the next run creates it again",
    "[plans][threads]") {
    struct foreign {};
    const bool is_error = GENERATE(true, false);
    constexpr int threads = 4;
    int failed_most = 0;
    for (int round = 0; round < 20 && failed_most < threads; ++round) {  // a thread may come too late to wait
        const watched_engine e;
        std::atomic<bool> fails{true};
        e.watch->compiling = [&](std::int64_t) {
            std::this_thread::sleep_for(a_while);
            if (!fails.exchange(false)) return;
            if (is_error) raise({error_code::provider_failed, "the ink has dried"});
            throw foreign{};
        };
        const inlay::session s{model_of(text), e, cpu{.threads = 1}};
        std::atomic<int> failed{0}, wrong{0};
        at_once(threads, [&](int) {
            try {
                wrong += !runs_right(s, 5);
            } catch (const error& failure) {
                failed +=
                    is_error && failure.code == error_code::provider_failed && failure.text == "the ink has dried";
            } catch (const foreign&) {
                failed += !is_error;
            }
        });
        CHECK(wrong == 0);
        CHECK(failed >= 1);
        CHECK(runs_right(s, 5));
        CHECK(e.watch->compiled == 2);
        failed_most = std::max(failed_most, failed.load());
    }
    CHECK(failed_most == threads);
}

TEST_CASE("A progress function may run the session whose plan it watches", "[plans]") {
    const inlay::session<cpu>* running = nullptr;
    int nested = 0;
    session_options o;
    o.progress = [&](stage phase, std::int64_t, std::int64_t) {
        if (running && phase == stage::pack) nested += runs_right(*std::exchange(running, nullptr), 3);
        return true;
    };
    const inlay::session s{model_of(text), o, cpu{.threads = 1}};
    running = &s;
    CHECK(runs_right(s, 3));
    CHECK(nested == 1);
}

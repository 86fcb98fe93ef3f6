// The cache of plans by itself: what it keeps, and which thread waits for which.
#include "../models.hpp"
#include "engine/plan_cache.hpp"
#include <barrier>
using namespace inlay;
using namespace inlay::testing;

namespace {
struct empty_graph {
    graph_data data{};
    session_options options{};
    std::vector<provider_handle> handles{make_handle(reference{}), make_handle(cpu{})};
    failures failed{handles, options};
    std::atomic<int> plans{0};

    empty_graph() {
        options.fallback = fallback::any();
        options.log = [](severity, std::string_view) {};
    }
    plan_cache::plan_pointer plan(std::span<const shape> inputs, std::int64_t room) {
        ++plans;
        auto p = std::make_shared<compiled_plan>(specialised(data, data.view()));
        p->key.assign(inputs.begin(), inputs.end());
        p->room = room;
        p->failures = failed.count();
        return p;
    }
    plan_cache::maker maker() {
        return [this](std::span<const shape> inputs, std::int64_t room) { return plan(inputs, room); };
    }
};
std::array<shape, 1> sized(std::int64_t n) { return {shape{n}}; }
}  // namespace

TEST_CASE("A plan is made once for its shapes and its room") {
    empty_graph g;
    plan_cache cache(8, g.failed);
    CHECK_FALSE(cache.newest());
    CHECK_FALSE(cache.find(sized(1), 0));
    const auto plan = cache.get(sized(1), 0, g.maker());
    CHECK(cache.get(sized(1), 0, g.maker()) == plan);
    CHECK(cache.find(sized(1), 0) == plan);
    const auto roomy = cache.get(sized(1), 16, g.maker());
    CHECK(roomy != plan);
    CHECK(cache.newest() == roomy);
    CHECK(g.plans == 2);
}
TEST_CASE("The least recently used plan goes first") {
    empty_graph g;
    plan_cache cache(2, g.failed);
    for (const std::int64_t n : {1, 2, 1, 3}) (void)cache.get(sized(n), 0, g.maker());
    CHECK(cache.find(sized(1), 0));
    CHECK(cache.find(sized(3), 0));
    CHECK_FALSE(cache.find(sized(2), 0));
}
TEST_CASE("No plan is kept from before a provider failed") {
    empty_graph g;
    plan_cache cache(8, g.failed);
    const auto before = cache.get(sized(1), 0, g.maker());
    REQUIRE(g.failed.replace(0, "it is worn out"));
    CHECK_FALSE(cache.find(sized(1), 0));
    CHECK(cache.get(sized(1), 0, g.maker()) != before);
}
TEST_CASE("A plan that cannot be made leaves nothing behind") {
    empty_graph g;
    plan_cache cache(8, g.failed);
    const auto fails = [](std::span<const shape>, std::int64_t) -> plan_cache::plan_pointer {
        raise({error_code::no_provider, "nothing runs it"});
    };
    CHECK(raised([&] { (void)cache.get(sized(1), 0, fails); }).text == "nothing runs it");
    CHECK_FALSE(cache.newest());
    CHECK(cache.get(sized(1), 0, g.maker()));
}
TEST_CASE("Threads that want the plan that another one makes wait for it", "[threads]") {
    empty_graph g;
    plan_cache cache(8, g.failed);
    constexpr int threads = 4;
    std::barrier start(threads);
    std::array<plan_cache::plan_pointer, threads> plans;
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; ++t)
        workers.emplace_back([&, t] {
            start.arrive_and_wait();
            plans[std::size_t(t)] = cache.get(sized(7), 0, [&](std::span<const shape> inputs, std::int64_t room) {
                std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the others come meanwhile
                return g.plan(inputs, room);
            });
        });
    for (std::thread& t : workers) t.join();
    CHECK(g.plans == 1);
    for (const auto& p : plans) CHECK(p == plans[0]);
}

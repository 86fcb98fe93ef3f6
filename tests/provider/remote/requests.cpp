// A thousand requests to a server that restarts.py starts, kills and starts again while they run. A line tells of each.
#include "served.hpp"
#include <cstdlib>
#include <iostream>
using namespace inlay;
using namespace inlay::testing;

TEST_CASE("A thousand requests end in right answers or errors that say why, while their server is killed",
          "[.requests]") {
    const char *const endpoint = std::getenv("INLAY_TEST_ENDPOINT"), *const file = std::getenv("INLAY_TEST_MODEL");
    REQUIRE((endpoint && file));
    const model m(file);
    const remote p{.endpoint = endpoint, .model_name = "digits", .timeout = 20, .retries = 1};
    const session made{m, quiet(), p, cpu{}};
    REQUIRE(refusal_of<remote>(made.plan(), "Conv") == "taken");
    REQUIRE(made.plan().count(cpu::name) == 0);
    const session plain{m, quiet(), reference{}};
    constexpr int requests = 1000, callers = 4;
    std::atomic<int> next{0}, wrong{0};
    std::mutex lock;
    const auto call = [&] {
        for (int k; (k = next++) < requests;) {
            const std::vector<feed> in{{"image", ramp({1, 1, 8, 8}, float(k % 13) / 4)}};
            const auto got = made.try_run(in);
            std::string line = "right";
            if (!got) {
                line = "error: " + std::string(name_of(got.why().code)) + ": " + got.why().text;
                std::this_thread::sleep_for(std::chrono::milliseconds(500));
            } else {
                const std::vector<float> y = floats((*got)[0]), expected = floats(plain.run(in)[0]);
                bool same = y.size() == expected.size();
                for (std::size_t i = 0; same && i < y.size(); ++i) same = std::abs(y[i] - expected[i]) <= 1e-4f;
                if (!same) line = "wrong";
                wrong += !same;
            }
            const std::lock_guard guard(lock);
            std::cout << line << std::endl;
        }
    };
    std::vector<std::thread> all;
    for (int t = 0; t < callers; ++t) all.emplace_back(call);
    for (std::thread& t : all) t.join();
    CHECK(wrong == 0);
}

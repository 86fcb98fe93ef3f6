// What restarts.py runs against a server that it starts: strings, and a thousand requests while it kills the server and
// starts it again, with a line for each.
#include "served.hpp"
#include <cstdlib>
#include <iostream>
using namespace inlay;
using namespace inlay::testing;

static remote remote_of_environment(const char* model_name) {
    const char *const endpoint = std::getenv("INLAY_TEST_ENDPOINT"), *const binary = std::getenv("INLAY_TEST_BINARY");
    REQUIRE((endpoint && binary));
    return {.endpoint = endpoint,
            .model_name = model_name,
            .timeout = 20,
            .retries = 1,
            .binary = std::string_view(binary) == "1"};
}

TEST_CASE("Strings go to a server and come back", "[.strings]") {
    const model m = model_of("g (string[N] x) => (string[N] y) { y = StringConcat(x, x) }");
    const session client{m, quiet(), remote_of_environment("twice"), cpu{}};
    REQUIRE(refusal_of<remote>(client.plan(), "StringConcat") == "taken");
    tensor x(element::string, {3});
    const std::string texts[] = {"a", "caf\xc3\xa9 \"\\\n", std::string(3000, 's')};
    std::ranges::copy(texts, x.as<std::string>().begin());
    const tensor y = client.run({{"x", x}})[0];
    for (std::size_t k = 0; k < std::size(texts); ++k) CHECK(y.as<std::string>()[k] == texts[k] + texts[k]);
}

TEST_CASE("A thousand requests end in right answers or errors that say why, while their server is killed",
          "[.requests]") {
    const char* const file = std::getenv("INLAY_TEST_MODEL");
    REQUIRE(file);
    const model m(file);
    const session client{m, quiet(), remote_of_environment("digits"), cpu{}};
    REQUIRE(refusal_of<remote>(client.plan(), "Conv") == "taken");
    REQUIRE(client.plan().count(cpu::name) == 0);
    const session plain{m, quiet(), reference{}};
    constexpr int requests = 1000, callers = 4;
    std::atomic<int> next{0}, wrong{0};
    std::mutex lock;
    const auto call = [&] {
        for (int k; (k = next++) < requests;) {
            const std::vector<feed> in{{"image", ramp({1, 1, 8, 8}, float(k % 13) / 4)}};
            const auto result = client.try_run(in);
            std::string line = "right";
            if (!result) {
                line = "error: " + std::string(name_of(result.why().code)) + ": " + result.why().text;
                std::this_thread::sleep_for(std::chrono::milliseconds(500));
            } else {
                const std::vector<float> y = floats((*result)[0]), expected = floats(plain.run(in)[0]);
                bool same = y.size() == expected.size();
                for (std::size_t i = 0; same && i < y.size(); ++i) same = std::abs(y[i] - expected[i]) <= 1e-4f;
                if (!same) line = "wrong";
                wrong += !same;
            }
            const std::lock_guard guard(lock);
            std::cout << line << std::endl;
        }
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < callers; ++t) threads.emplace_back(call);
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
}

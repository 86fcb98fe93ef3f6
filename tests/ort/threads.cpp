// Several threads at one session of Ort::, runs in the background, and runs that are ended.
#include "programs.hpp"
#include <condition_variable>
#include <thread>
using namespace inlay::testing;

namespace {
constexpr const char* squares = "g (float[N] x) => (float[N] y) { y = Mul(x, x) }";
constexpr const char *from = "x", *into = "y";
struct finished {
    std::mutex mutex{};
    std::condition_variable changed{};
    int count = 0;
    OrtErrorCode code = ORT_OK;
    float first = 0;
    static void call(void* self, OrtValue** outputs, std::size_t, OrtStatusPtr raw) {
        auto& f = *static_cast<finished*>(self);
        const Ort::Status status(raw);
        const std::lock_guard lock(f.mutex);
        f.code = status.GetErrorCode();
        if (status.IsOK()) f.first = Ort::UnownedValue{outputs[0]}.GetTensorMutableData<float>()[0];
        ++f.count;
        f.changed.notify_all();
    }
    void wait(int runs) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return count == runs; });
    }
};
}  // namespace

TEST_CASE("Threads run one session at once, with results of their own or in their own memory", "[ort][threads]") {
    Ort::Session session = session_of(squares);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int run = 1; run < 25; ++run) {
                std::vector<float> x(std::size_t(8 + t % 2), float(run * (t + 1))), y(x.size());
                const Ort::Value in = over(x, {std::int64_t(x.size())});
                Ort::Value out = over(y, {std::int64_t(y.size())});
                session.Run({}, &from, &in, 1, &into, &out, 1);
                const auto fresh = session.Run({}, &from, &in, 1, &into, 1);
                if (y[7] != x[7] * x[7] || fresh[0].GetTensorData<float>()[3] != y[3]) ++wrong;
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
}

TEST_CASE("A run in the background calls back once, with its values or with the reason", "[ort][threads]") {
    finished outcome;
    std::vector<float> x = {3};
    const Ort::Value in = over(x, {1});
    Ort::Value out(nullptr), nothing(nullptr);
    const Ort::RunOptions options;  // as all that a run is given, it outlives the session, which waits
    const char* unknown = "w";
    {
        Ort::Session session = session_of(squares);
        session.RunAsync(options, &from, &in, 1, &into, &out, 1, &finished::call, &outcome);
        outcome.wait(1);
        CHECK(outcome.code == ORT_OK);
        CHECK(outcome.first == 9);
        CHECK(floats_of(out) == std::vector<float>{9});
        session.RunAsync(options, &from, &in, 1, &unknown, &nothing, 1, &finished::call, &outcome);
        CHECK(thrown_by([&] { session.RunAsync(options, &from, &in, 1, &into, &nothing, 1, nullptr, nullptr); }).code ==
              ORT_INVALID_ARGUMENT);
    }  // waits
    CHECK(outcome.count == 2);
    CHECK(outcome.code == ORT_INVALID_ARGUMENT);
}

TEST_CASE("A run ends when its options say so, and the next one goes on", "[ort][threads]") {
    Ort::Session session = session_of(
        "<ir_version: 10, opset_import: [\"\" : 21]> g (float[1] x) => (float[1] y) {"
        " n = Constant <value_ints: ints = [2000000000]> ()"
        " m = Squeeze(n) c = Constant <value = bool {1}> ()"
        " y = Loop(m, c, x) <body = b (int64 i, bool k, float[1] a) => (bool k2, float[1] "
        "a2) { k2 = Identity(k) a2 = Add(a, a) }> }");
    Ort::RunOptions options;
    std::vector<float> x = {1};
    const Ort::Value in = over(x, {1});
    std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        options.SetTerminate();
    });
    const auto refusal = thrown_by([&] { session.Run(options, &from, &in, 1, &into, 1); });
    stopper.join();
    CHECK(refusal.code == ORT_FAIL);
    CHECK(thrown_by([&] { session.Run(options, &from, &in, 1, &into, 1); }).code == ORT_FAIL);
    options.UnsetTerminate();
    Ort::Session quick = session_of(squares);
    CHECK(quick.Run(options, &from, &in, 1, &into, 1).size() == 1);
}

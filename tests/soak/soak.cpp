// Many runs, sessions and shapes, and many callers at once: memory, handles and threads stay as they are, and results
// are the same to the bit.
//   soak MODEL [--runs N] [--sessions N] [--shapes N] [--callers N]: MODEL has the input image, of any batch
#include "measured.hpp"
#include <inlay/inlay.hpp>
#include <atomic>
#include <cstdlib>
#include <thread>

using namespace inlay;
namespace {
struct counts {
    long runs = 1'000'000, sessions = 10'000, shapes = 10'000, callers = 16;
};
session_options quiet() {
    session_options o;
    o.log = [](severity, std::string_view) {};
    return o;
}
tensor images(std::int64_t batch) {
    tensor t(element::f32, {batch, 1, 8, 8});
    for (std::int64_t k = 0; k < t.elements(); ++k) t.as<float>()[std::size_t(k)] = float(k % 64) / 4;
    return t;
}
bool same(const tensor& a, const tensor& b) {
    return a.shape() == b.shape() && std::memcmp(a.data(), b.data(), std::size_t(a.bytes())) == 0;
}
std::atomic<long> wrong{0};
void run_once(const session_base& s, const tensor& image, const tensor& expected) {
    if (!same(s.run({{"image", image}})[0], expected)) ++wrong;
}
// `task` so many times, and half as often before, which is not measured: caches fill.
template <class F> bool repeated(const char* phase, long count, F task) {
    for (long k = 0; k < count / 2 + 1; ++k) task(k);
    const testing::holding before = testing::held();
    for (long k = 0; k < count; ++k) task(k);
    return testing::steady(phase, count, before, testing::held());
}
bool many_callers(const session_base& s, const counts& c, const tensor& image, const tensor& expected) {
    const auto round = [&](long runs) {
        std::vector<std::thread> threads;
        for (long k = 0; k < c.callers; ++k)
            threads.emplace_back([&, runs] {
                for (long r = 0; r < runs; ++r) run_once(s, image, expected);
            });
        for (std::thread& t : threads) t.join();
    };
    const long runs = std::max(1L, c.runs / c.callers);
    round(runs);  // so that there is a context for as many as ever run at once
    const testing::holding before = testing::held();
    round(runs);
    return testing::steady("runs by callers at once", runs * c.callers, before, testing::held());
}
bool soak(const char* file, const counts& c) {
    const model m(file);
    const session s{m, quiet(), cpu{.threads = 2}};
    const tensor image = images(1), expected = s.run({{"image", image}})[0];
    bool good = repeated("runs", c.runs, [&](long) { run_once(s, image, expected); });
    binding bound = s.bind({{"image", {1, 1, 8, 8}}});
    bound.set_input("image", image);
    const std::string output = s.outputs()[0].name;
    good &= repeated("bound runs", c.runs, [&](long) {
        if (bound.run() != status::ok || !same(bound.output(output), expected)) ++wrong;
    });
    good &= repeated("sessions over one model", c.sessions, [&](long) {
        run_once(session{m, quiet(), cpu{.threads = 2}}, image, expected);
    });
    good &= repeated("loads of the file", c.sessions / 10, [&](long) {
        run_once(session{model(file), quiet(), cpu{.threads = 1}}, image, expected);
    });
    good &= repeated("shapes through the plan cache", c.shapes, [&](long k) {
        const std::int64_t batch = 1 + k % 97;
        const tensor many = images(batch);
        if (s.run({{"image", many}})[0].shape()[0] != batch) ++wrong;
    });
    good &= many_callers(s, c, image, expected);
    std::printf("%ld wrong results\n", wrong.load());
    return good && wrong == 0;
}
}  // namespace

int main(int count, char** words) {
    counts c;
    for (int k = 2; k + 1 < count; k += 2) {
        const std::string option = words[k];
        const long value = std::atol(words[k + 1]);
        if (option == "--runs") c.runs = value;
        if (option == "--sessions") c.sessions = value;
        if (option == "--shapes") c.shapes = value;
        if (option == "--callers") c.callers = value;
    }
    if (count < 2) return 2;
    return soak(words[1], c) ? 0 : 1;
}

// Weights in memory: once, with a library that has caches of packed weights.
#include "../engines.hpp"
#include <inlay/provider/xnnpack.hpp>
#include <barrier>
#include <fstream>
#include <provider/xnnpack/version.hpp>
#include <unistd.h>
using namespace inlay;
using namespace inlay::testing;

namespace {
double resident() {  // bytes
    double total = 0, resident_pages = 0;
    std::ifstream("/proc/self/statm") >> total >> resident_pages;
    return resident_pages * double(sysconf(_SC_PAGESIZE));
}
constexpr std::int64_t depth = 4096, columns = 3072;
constexpr double size = 4. * depth * columns;  // so large that what is freed goes back to the system

model large_product() {
    return model_of({-1, depth}, [](graph_maker& g, int x) {
        return g.node("MatMul", {x, g.constant(ramp({depth, columns}))});
    });
}
std::vector<float> expected_of(const model& m, std::int64_t rows) {
    const session plain{m, quiet(), reference{}};
    return floats(plain.run({{"x", ramp({rows, depth})}})[0]);
}
// Of the session's runs over so many rows, how many results differ from the reference kernels'.
int wrong_results(const session<xnnpack, cpu>& s, std::int64_t rows, int runs, const std::vector<float>& expected) {
    int wrong = 0;
    for (int k = 0; k < runs; ++k) {
        const auto y = floats(s.run({{"x", ramp({rows, depth})}})[0]);
        wrong += y.size() != expected.size();
        for (std::size_t i = 0; i < y.size(); ++i)
            wrong += !(std::abs(y[i] - expected[i]) <= 1e-3f * std::abs(expected[i]) + 1);
    }
    return wrong;
}
}  // namespace

TEST_CASE("Sessions and sizes of inputs hold a model's weights once, where XNNPACK can share them", "[xnnpack]") {
    const model m = large_product();
    const session first{m, quiet(), xnnpack{1}, cpu{}};
    const auto first_expected = expected_of(m, 1), second_expected = expected_of(m, 2);
    CHECK(wrong_results(first, 1, 1, first_expected) == 0);
    const double before = resident();
    const session second{m, quiet(), xnnpack{1}, cpu{}};
    CHECK(wrong_results(second, 1, 1, first_expected) == 0);
    CHECK(wrong_results(second, 2, 1, second_expected) == 0);
    const double packed_anew = shares_packed_weights ? 0 : 1;
    CHECK((resident() - before) / size == Approx(packed_anew).margin(.3));
    CHECK(first.plan().count(xnnpack::name) == 1);
}
TEST_CASE("Runs at a time hold a model's weights once, where XNNPACK can share them", "[xnnpack][threads]") {
    const model m = large_product();
    const session s{m, quiet(), xnnpack{1}, cpu{}};
    const auto expected = expected_of(m, 1);
    CHECK(wrong_results(s, 1, 1, expected) == 0);
    const double before = resident();
    constexpr int threads = 4;
    std::atomic<int> wrong{0};
    std::barrier together{threads};
    std::vector<std::thread> callers;
    for (int t = 0; t < threads; ++t)
        callers.emplace_back([&] {
            together.arrive_and_wait();
            wrong += wrong_results(s, 1, 8, expected);
        });
    for (std::thread& t : callers) t.join();
    CHECK(wrong == 0);
#ifndef __SANITIZE_THREAD__  // which has memory of its own for each byte
    if (shares_packed_weights) CHECK((resident() - before) / size < .5);
#endif
    (void)before;
}
TEST_CASE("What sessions shared ends with the last of them", "[xnnpack]") {
    const model m = large_product();
    const double before = resident();
    for (int k = 0; k < 3; ++k) {
        const session s{m, quiet(), xnnpack{1}, cpu{}};
        CHECK(s.run({{"x", ramp({1, depth})}})[0].elements() == columns);
        CHECK((resident() - before) / size > 1.5);  // as they are, and packed
    }
    CHECK((resident() - before) / size < .3);
}
TEST_CASE("Weights of the same numbers in other shapes are others", "[xnnpack]") {
    const auto filter = [](const std::string& name, const std::string& dims) {
        return "float[" + dims + "] " + name + " = {" + numbers(18) + "}";
    };
    check_taken(
        xnnpack{1},
        "g (float[1,2,9,9] x) => (float[1,1,9,9] y) <" + filter("a", "1,2,3,3") + ", " + filter("b", "1,2,1,9") + ", " +
            filter("c", "1,2,9,1") + ", " + filter("d", "2,1,3,3") +
            "> { "
            "t = Conv <group = 2, pads = [1,1,1,1]> (x, d) p = Conv <pads = [1,1,1,1]> (t, a) "
            "q = Conv <pads = [0,4,0,4]> (t, b) r = Conv <pads = [4,0,4,0]> (t, c) u = Add(p, q) y = Add(u, r) }",
        {1, 2, 9, 9});
}

// The memory of values of data-dependent size: taken again after their last reader.
#include "../models.hpp"
#include <engine/late_memory.hpp>
#include <fstream>
using namespace inlay;
using namespace inlay::testing;

namespace {
std::string chain(int length, const std::string& tail = "") {
    std::string text = "g (float[N] x, bool[N] c) => (float[M] y) <float two = {2}> { v0 = Compress<axis = 0>(x, c) ";
    for (int k = 0; k < length; ++k) text += "v" + std::to_string(k + 1) + " = Div(v" + std::to_string(k) + ", two) ";
    return text + tail + "y = Mul(v" + std::to_string(length) + ", two) }";
}
tensor truths(std::int64_t count) {
    tensor t(element::boolean, {count});
    std::ranges::fill(t.as<bool>(), true);
    return t;
}
long peak_megabytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return std::stol(line.substr(6)) / 1024;
    return 0;
}
}  // namespace

TEST_CASE("A chain of values of data-dependent size takes the memory of two", "[late]") {
    const std::int64_t count = 1 << 20;  // 4 MiB
    const model m = model_of(chain(60), {.limits = {.run_bytes = 16 << 20}, .optimize = false});
    const inlay::session s{m, cpu{.threads = 1}};
    const std::vector<feed> in{{"x", ones({count})}, {"c", truths(count)}};
    const long before = peak_megabytes();
    for (int k = 0; k < 2; ++k) {
        const fetched y = s.run(in);
        CHECK(y[0].as<float>()[7] == std::ldexp(1.f, -59));
    }
    CHECK(peak_megabytes() - before < 60);  // all of them are 244
}
TEST_CASE("What a run may take bounds the values of data-dependent size that live at once", "[late]") {
    const model m = model_of(chain(2), {.limits = {.run_bytes = 8 << 20}, .optimize = false});
    const inlay::session s{m, cpu{.threads = 1}};
    const auto run = [&](std::int64_t count) { (void)s.run({{"x", ones({count})}, {"c", truths(count)}}); };
    run(1 << 19);
    CHECK(raised([&] { run(1 << 20); }).code == error_code::limit_exceeded);
    run(1 << 19);
}
TEST_CASE("A value of data-dependent size that an output or a later node reads keeps its memory so long", "[late]") {
    const inlay::session s{
        model_of("g (float[N] x, bool[N] c) => (float[M] p, float[M] q) { v = Compress<axis = 0>(x, c) "
                 "a = Neg(v) p = Abs(a) b = Add(v, v) d = Mul(b, b) e = Sub(d, a) q = Add(e, v) }",
                 {.optimize = false}),
        cpu{.threads = 1}};
    const std::vector<std::pair<std::string_view, shape>> shapes{{"x", {4}}, {"c", {4}}};
    binding b = s.bind(shapes);
    std::ranges::copy(std::vector{1.f, 2.f, 3.f, 4.f}, b.input("x").as<float>().begin());
    std::ranges::copy(std::vector{true, false, true, true}, b.input("c").as<bool>().begin());
    for (int k = 0; k < 3; ++k) {
        REQUIRE(b.run() == status::ok);
        CHECK(floats(b.output("p")) == std::vector{1.f, 3.f, 4.f});
        CHECK(floats(b.output("q")) == std::vector{6.f, 42.f, 72.f});
    }
    const fetched results = s.run({{"x", tensor({4}, {1.f, 2.f, 3.f, 4.f})}, {"c", truths(4)}});
    for (int k = 0; k < 3; ++k) (void)s.run({{"x", ones({4})}, {"c", truths(4)}});
    CHECK(floats(results.at("p")) == std::vector{1.f, 2.f, 3.f, 4.f});  // no later run writes to results
    CHECK(floats(results.at("q")) == std::vector{6.f, 20.f, 42.f, 72.f});
}

TEST_CASE("Blocks are taken again by values of about their size", "[late]") {
    late_memory memory;
    std::int64_t left = 1 << 20;
    auto large = memory.take(element::u8, {100000}, left), small = memory.take(element::u8, {10}, left);
    REQUIRE((large && small));
    const void* const at = large->data();
    CHECK(memory.bytes() == 100010);
    CHECK(left == (1 << 20) - 100010);
    large.reset();
    const auto tiny = memory.take(element::f32, {3}, left);  // not the large one, which others will need
    CHECK(tiny->data() != at);
    const auto half = memory.take(element::f32, {20000}, left);
    CHECK(half->data() == at);
    CHECK(memory.bytes() == 100022);
}
TEST_CASE("Free blocks go where there is no memory left, and those that a run had no use for", "[late]") {
    late_memory memory;
    std::int64_t left = 100;
    memory.take(element::u8, {60}, left).reset();
    CHECK(left == 40);
    CHECK_FALSE(memory.take(element::u8, {101}, left));
    CHECK(left == 100);
    const auto block = memory.take(element::u8, {50}, left);
    memory.take(element::u8, {20}, left).reset();
    memory.begin_run();
    memory.end_run();
    CHECK(memory.bytes() == 50);
    memory.let_go(*block);
    CHECK(memory.bytes() == 0);
    CHECK(block->sole_owner());
}

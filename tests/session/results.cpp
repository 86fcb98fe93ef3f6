// Results: whose memory they are in.
#include "../models.hpp"
#include <inlay/onnx/unary.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
struct watched {
    static constexpr std::string_view name = "watched";
};
const void* last_written = nullptr;  // by the last run of the kernel
struct watcher {
    static constexpr std::string_view name = "WatcherExecutionProvider";
    static constexpr auto devices = hana::tuple_t<watched>;
    static constexpr auto kernels = hana::tuple_t<op::relu>;
};
}  // namespace

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::relu, watched, types<float>> : simple_kernel {
    struct params {
        std::int64_t count;
    };
    static constexpr params prepare(const node_view& n) { return {n.input(0).dims.elements()}; }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        last_written = a.out<float>(0);
        for (std::int64_t i = 0; i < p.count; ++i) a.out<float>(0)[i] = std::max(a.in<float>(0)[i], 0.f);
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

TEST_CASE("A result of data-dependent shape is handed over, not copied", "[results]") {
    const inlay::session s{model_of("g (float[1] x, int64[1] n) => (float[M] y) { e = Expand(x, n) y = Relu(e) }"),
                           watcher{}};
    const auto run = [&](float x, std::int64_t n) {
        return s.run({{"x", tensor({1}, {x})}, {"n", tensor({1}, {n})}}).at("y");
    };
    const tensor first = run(2.f, 3);
    CHECK(first.data() == last_written);
    CHECK(first.sole_owner());
    const tensor second = run(5.f, 3);
    CHECK(second.data() == last_written);
    CHECK(floats(first) == std::vector{2.f, 2.f, 2.f});
    CHECK(floats(second) == std::vector{5.f, 5.f, 5.f});
}

TEST_CASE("A result from the arena stays as it is when the session runs again", "[results]") {
    const inlay::session s{model_of("g (float[2] x) => (float[2] y, float[2] z) { y = Relu(x) z = Add(y, y) }"),
                           watcher{}};
    const fetched first = s.run({{"x", tensor({2}, {1.f, -1.f})}}), second = s.run({{"x", tensor({2}, {7.f, 8.f})}});
    CHECK(first[0].data() != last_written);
    CHECK(floats(first[0]) == std::vector{1.f, 0.f});
    CHECK(floats(first[1]) == std::vector{2.f, 0.f});
    CHECK(floats(second[1]) == std::vector{14.f, 16.f});
}

TEST_CASE("A result requested twice is in memory of its own each time", "[results]") {
    const inlay::session s{model_of("g (float[1] x, int64[1] n) => (float[M] y) { y = Expand(x, n) }"), cpu{}};
    const fetched y = s.run({{"x", tensor({1}, {4.f})}, {"n", tensor({1}, {std::int64_t(2)})}}, {"y", "y"});
    CHECK(y[0].data() != y[1].data());
    CHECK(floats(y[0]) == floats(y[1]));
}

TEST_CASE("What a loop of no iterations passes on is no longer the memory that it was given", "[results]") {
    const inlay::session s{model_of("g (int64 n, float[2] x) => (float[M] y, float[2] z) {"
                                    " on = Constant <value = bool {1}> () start = Add(x, x)"
                                    " y = Loop (n, on, start) <body = b (int64 i, bool go, float[K] v) => (bool again, "
                                    "float[J] next) { again = Identity(go) next = Concat <axis = 0> (v, v) }>"
                                    " p = Mul(x, x) q = Mul(p, p) z = Add(q, p) }"),
                           cpu{}};
    const auto run = [&](std::int64_t n, std::vector<float> x) {
        return s.run({{"n", tensor(shape{}, {n})}, {"x", tensor({2}, x)}});
    };
    const fetched first = run(0, {1.f, 2.f}), second = run(0, {5.f, 6.f}), third = run(1, {1.f, 2.f});
    CHECK(floats(first[0]) == std::vector{2.f, 4.f});
    CHECK(floats(first[1]) == std::vector{2.f, 20.f});
    CHECK(floats(second[0]) == std::vector{10.f, 12.f});
    CHECK(floats(third[0]) == std::vector{2.f, 4.f, 2.f, 4.f});
}

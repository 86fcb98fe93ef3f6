#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/cpu/onnx/expand.hpp>
#include <on_test_devices/onnx/expand.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
tensor as_tensor(const shape& s) { return tensor({s.rank}, std::vector<std::int64_t>(s.begin(), s.end())); }
outcome expand(const tensor& x, const shape& to) { return run<op::expand, device::reference>({{x, as_tensor(to)}}); }
bool agrees(const tensor& x, const shape& to) { return cpu_agrees<op::expand>({{x, as_tensor(to)}}); }
}  // namespace

TEST_CASE("Expand repeats dimensions of 1") {
    CHECK(same(expand(numbers({2, 1}), {2, 3})[0], tensor({2, 3}, {0.f, 0.f, 0.f, 1.f, 1.f, 1.f})));
    CHECK(same(expand(numbers({2}), {2, 1})[0], tensor({2, 2}, {0.f, 1.f, 0.f, 1.f})));
    CHECK(same(expand(numbers({2, 1}), {1})[0], numbers({2, 1})));
    CHECK(same(expand(numbers({}), {3})[0], tensor(shape{3}, {0.f, 0.f, 0.f})));
    CHECK(same(expand(numbers({2}), {})[0], numbers({2})));
    CHECK(expand(numbers({1, 2}), {0, 2})[0].shape() == shape{0, 2});
}
TEST_CASE("Expand refuses shapes that do not broadcast") {
    CHECK(expand(numbers({2}), {3}).answer.reason == "the input's shape does not broadcast to the given one");
    CHECK(expand(numbers({1}), {-1}).answer.reason == "a dimension is negative");
    CHECK(expand(numbers({1}), {std::int64_t(1) << 40, std::int64_t(1) << 40}).answer.reason ==
          "the output is too large");
}
TEST_CASE("Expand moves every element type") {
    for (const element e : tensor_types) {
        CAPTURE(name_of(e));
        const tensor x = noise(e, {3, 1, 3});
        const outcome y = expand(x, {3, 3, 3});
        REQUIRE(y.answer);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int k = 0; k < 3; ++k) CHECK(bits_at(y[0], (i * 3 + j) * 3 + k) == bits_at(x, i * 3 + k));
        if (bits_of(e) >= 8 && e != element::string) CHECK(agrees(x, {3, 3, 3}));
    }
}
TEST_CASE("Expand on the CPU agrees with the reference kernel along every axis") {
    for (std::int64_t n = 0; n <= 67; ++n)
        for (const int axis : {0, 1, 2, 3}) {
            CAPTURE(n, axis);
            shape from{2, 3, 4, 5}, to = from;
            from[axis] = 1;
            to[axis] = n;
            CHECK(agrees(noise(element::f32, from), to));
            from[(axis + 1) % 4] = 1;
            CHECK(agrees(noise(element::f32, from), to));
        }
    CHECK(agrees(noise(element::f32, {1, 64, 1, 1}), {2, 64, 40, 41}));
    CHECK(agrees(noise(element::f32, {4, 1, 65}), {3, 4, 70, 65}));
    CHECK(agrees(noise(element::f32, {2, 3, 1, 5}), {7, 2, 3, 4, 5}));
}
TEST_CASE("Expand's shape rule waits for a shape that a run makes") {
    graph_data g;
    const std::vector in{g.add_value("", element::f32, {2, 1}), g.add_value("", element::i64, {3})};
    g.add_node("", "Expand", 13, "n", {}, in, std::vector{g.add_value("", element::f32, shape::unknown())});
    const graph_view v = g.view();
    std::array<shape, 1> y{shape::unknown()};
    CHECK(bool(op::expand::shapes({v, v.nodes.back()}, y)));
    CHECK(y[0].rank == -1);
}

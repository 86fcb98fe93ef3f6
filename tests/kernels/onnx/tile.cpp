#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/cpu/onnx/tile.hpp>
#include <on_test_devices/onnx/tile.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
call tiled(const tensor& x, const std::vector<std::int64_t>& repeats) {
    return {{x, tensor({std::int64_t(repeats.size())}, repeats)}};
}
outcome tile(const tensor& x, const std::vector<std::int64_t>& repeats) {
    return run<op::tile, device::reference>(tiled(x, repeats));
}
template <class T> call old(const tensor& x, double tiles, double axis) {
    call c{{x, tensor(shape{}, {T(tiles)}), tensor(shape{}, {T(axis)})}};
    c.version = 1;
    return c;
}
}  // namespace

TEST_CASE("Tile repeats the input along its axes") {
    const tensor x({2, 2}, {1.f, 2.f, 3.f, 4.f});
    CHECK(same(tile(x, {1, 2})[0], tensor({2, 4}, {1.f, 2.f, 1.f, 2.f, 3.f, 4.f, 3.f, 4.f})));
    CHECK(same(tile(x, {2, 1})[0], tensor({4, 2}, {1.f, 2.f, 3.f, 4.f, 1.f, 2.f, 3.f, 4.f})));
    CHECK(tile(x, {0, 3})[0].shape() == shape{0, 6});
    CHECK(tile(numbers({2, 0}), {3, 2})[0].shape() == shape{6, 0});
    CHECK(same(tile(numbers({}), {})[0], numbers({})));
    call six = tiled(x, {2, 1});
    six.version = 6;
    CHECK(run<op::tile, device::reference>(six)[0].shape() == shape{4, 2});
}
TEST_CASE("Tile of version 1 repeats along one axis, given in the input's type") {
    const tensor expected({2, 2}, {0.f, 1.f, 0.f, 1.f});
    CHECK(same(run<op::tile, device::reference>(old<float>(numbers({1, 2}), 2, 0))[0], expected));
    CHECK(same(run<op::tile, device::reference>(old<float>(numbers({2, 1}), 2, -1))[0],
               tensor({2, 2}, {0.f, 0.f, 1.f, 1.f})));
    CHECK(run<op::tile, device::reference>(old<double>(noise(element::f64, {3}), 3, 0))[0].shape() == shape{9});
    CHECK(run<op::tile, device::reference>(old<float16>(noise(element::f16, {3}), 0, 0))[0].shape() == shape{0});
    CHECK(cpu_agrees<op::tile>(old<float>(numbers({2, 3}), 3, 1)));
    for (const double tiles : {1.5, double(NAN), 1e30})
        CHECK(run<op::tile, device::reference>(old<float>(numbers({2}), tiles, 0)).answer.reason ==
              "the tiles are not a number, or the axis is out of range");
    CHECK(run<op::tile, device::reference>(old<float>(numbers({2}), 2, 1)).answer.reason ==
          "the tiles are not a number, or the axis is out of range");
    CHECK(run<op::tile, device::reference>(old<float>(numbers({2}), -2, 0)).answer.reason ==
          "a number of repeats is negative");
}
TEST_CASE("Tile refuses repeats that do not fit") {
    CHECK(tile(numbers({2, 2}), {2}).answer.reason == "there is not one number of repeats for each axis");
    CHECK(tile(numbers({2}), {-1}).answer.reason == "a number of repeats is negative");
    CHECK(tile(numbers({2}), {std::numeric_limits<std::int64_t>::max()}).answer.reason == "the output is too large");
    CHECK(tile(numbers({1, 1}), {std::int64_t(1) << 40, std::int64_t(1) << 40}).answer.reason ==
          "the output is too large");
    CHECK(run<op::tile, device::reference>({{numbers({2})}}).answer.reason == "there are no repeats");
}
TEST_CASE("Tile moves every element type") {
    for (const element e : tensor_types) {
        CAPTURE(name_of(e));
        const tensor x = noise(e, {2, 3});
        const outcome y = tile(x, {2, 3});
        REQUIRE(y.answer);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 9; ++j) CHECK(bits_at(y[0], i * 9 + j) == bits_at(x, i % 2 * 3 + j % 3));
        if (bits_of(e) >= 8 && e != element::string) CHECK(cpu_agrees<op::tile>(tiled(x, {2, 3})));
    }
}
TEST_CASE("Tile on the CPU agrees with the reference kernel along every axis") {
    for (std::int64_t n = 0; n <= 35; ++n)
        for (const int axis : {0, 1, 2, 3}) {
            CAPTURE(n, axis);
            shape s{2, 3, 4, 5};
            s[axis] = n;
            std::vector<std::int64_t> repeats{1, 1, 1, 1};
            repeats[std::size_t(axis)] = 3;
            CHECK(cpu_agrees<op::tile>(tiled(noise(element::f32, s), repeats)));
            repeats[std::size_t(axis + 1) % 4] = n % 4;
            CHECK(cpu_agrees<op::tile>(tiled(noise(element::f32, s), repeats)));
        }
    CHECK(cpu_agrees<op::tile>(tiled(noise(element::f32, {2, 3, 4, 5}), {2, 3, 2, 2})));
    CHECK(cpu_agrees<op::tile>(tiled(noise(element::f32, {1, 64, 1, 1}), {1, 1, 40, 41})));
    CHECK(cpu_agrees<op::tile>(tiled(noise(element::f32, {1, 8, 30, 30}), {2, 1, 1, 3})));
    CHECK(run<op::tile, device::cpu>(tiled(numbers({2, 2, 2, 2, 2}), {2, 2, 2, 2, 2})).answer.reason ==
          "too many axes are repeated");
}

// Mirrors kernels/inlay/microsoft/dynamic_time_warping.hpp. Expected values: ONNX Runtime's.
#include "../ramp.hpp"
#include <on_test_devices/microsoft/dynamic_time_warping.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::ramps;

namespace {
using path = std::vector<std::int32_t>;
path warped(const shape& dims, const real_numbers& costs) {
    const outcome y =
        on_plain<op::dynamic_time_warping>({.inputs = {numbers(element::f32, dims, costs)}, .outputs = {element::i32}});
    INFO(y.answer.reason << y.detail);
    REQUIRE(y.code == status::ok);
    REQUIRE(y.answer);
    CHECK(y[0].shape()[0] == 2);
    return path(y[0].as<std::int32_t>().begin(), y[0].as<std::int32_t>().end());
}
}  // namespace

TEST_CASE("DynamicTimeWarping finds the cheapest path through a matrix") {
    CHECK(warped({3, 4}, {1, 9, 9, 9, 9, 1, 1, 9, 9, 9, 9, 1}) == path{0, 1, 1, 2, 0, 1, 2, 3});
    CHECK(warped({1, 3, 2}, {0, 0, 0, 0, 0, 0}) == path{0, 1, 2, 2, 0, 0, 0, 1});
    CHECK(warped({3, 4}, real_numbers(12)) == path{0, 1, 2, 2, 2, 2, 0, 0, 0, 1, 2, 3});
    CHECK(warped({1, 1}, {5}) == path{0, 0});
}
TEST_CASE("DynamicTimeWarping of nothing is nothing, and goes along the columns where no step is cheaper") {
    CHECK(warped({0, 3}, {}).empty());
    CHECK(warped({2, 3}, real_numbers(6, INFINITY)) == path{1, 1, 1, 0, 1, 2});
    CHECK(warped({2, 3}, real_numbers(6, NAN)) == path{1, 1, 1, 0, 1, 2});
}
TEST_CASE("DynamicTimeWarping refuses more than one matrix") {
    CHECK(
        reason_of<op::dynamic_time_warping>({.inputs = {tensor(element::f32, {2, 3, 2})}, .outputs = {element::i32}}) ==
        "the costs must be [rows, columns], or [1, rows, columns]");
}

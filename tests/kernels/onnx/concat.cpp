#include "../../catch.hpp"
#include "../moving.hpp"
#include <inlay/cpu/onnx/concat.hpp>
#include <on_test_devices/onnx/concat.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
outcome concat(const std::vector<operand>& x, std::int64_t axis) {
    return run<op::concat, device::reference>({x, integer("axis", axis)});
}
bool agrees(const std::vector<operand>& x, std::int64_t axis) {
    return cpu_agrees<op::concat>({x, integer("axis", axis)});
}
}  // namespace

TEST_CASE("Concat puts tensors side by side") {
    const tensor a = numbers({2, 2}), b({2, 1}, {10.f, 11.f}), empty = numbers({2, 0});
    CHECK(same(concat({a, empty, b}, 1)[0], tensor({2, 3}, {0.f, 1.f, 10.f, 2.f, 3.f, 11.f})));
    CHECK(same(concat({a, b, empty}, -1)[0], concat({a, empty, b}, 1)[0]));
    CHECK(same(concat({a, a}, 0)[0], tensor({4, 2}, {0.f, 1.f, 2.f, 3.f, 0.f, 1.f, 2.f, 3.f})));
    CHECK(same(concat({a}, 0)[0], a));
    CHECK(concat({empty, empty}, 1)[0].shape() == shape{2, 0});
    call old{{a, b}};  // the axis was 1 unless given
    old.version = 1;
    CHECK(same(run<op::concat, device::reference>(old)[0], tensor({2, 3}, {0.f, 1.f, 10.f, 2.f, 3.f, 11.f})));
}
TEST_CASE("Concat refuses tensors that do not fit") {
    CHECK(concat({numbers({2, 2}), numbers({3, 2})}, 1).answer.reason ==
          "the inputs differ in a dimension other than the axis");
    CHECK(concat({numbers({2, 2}), numbers({2})}, 0).answer.reason == "the inputs have different ranks");
    CHECK(concat({numbers({2, 2})}, 2).answer.reason == "axis is out of range");
    CHECK(concat({numbers({})}, 0).answer.reason == "axis is out of range");
    CHECK(run<op::concat, device::reference>({{numbers({2})}}).answer.reason == "there is no axis");
    CHECK(concat({numbers({2}), operand{}}, 0).answer.reason == "an input is missing");
}
TEST_CASE("Concat moves every element type") {
    for (const element e : tensor_types) {
        CAPTURE(name_of(e));
        const tensor a = noise(e, {2, 3, 1}, 1), b = noise(e, {2, 2, 1}, 2);
        const outcome y = concat({a, b}, 1);
        REQUIRE(y.answer);
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 5; ++j)
                CHECK(bits_at(y[0], i * 5 + j) == (j < 3 ? bits_at(a, i * 3 + j) : bits_at(b, i * 2 + j - 3)));
        if (bits_of(e) >= 8 && e != element::string) CHECK(agrees({a, b}, 1));
    }
}
TEST_CASE("Concat takes hundreds of tensors") {
    std::vector<operand> x;
    for (int i = 0; i < 700; ++i) x.emplace_back(noise(element::f32, {3, i < 600 ? 2 : 1 + i / 50}, unsigned(i)));
    CHECK(agrees(x, 1));
    for (int i = 0; i < 100; ++i) x.emplace_back(noise(element::f32, {3, 1 + i % 2}));
    CHECK(concat(x, 1).answer.reason == "the inputs have too many different lengths");
}
TEST_CASE("Concat on the CPU agrees with the reference kernel along every axis") {
    for (std::int64_t length = 0; length <= 67; ++length) {
        CAPTURE(length);
        for (const int axis : {0, 1, 2, 3}) {
            shape s{2, 3, 4, 5}, t = s;
            s[axis] = length;
            CHECK(agrees({noise(element::f32, s, 1), noise(element::f32, t, 2), noise(element::f32, s, 3)}, axis));
            CHECK(agrees(
                {noise(element::f32, s, 1), operand::weight(noise(element::f32, t, 2)), noise(element::f32, t, 3)},
                axis));
            CHECK(agrees({operand::weight(noise(element::u8, t, 2)), noise(element::u8, s, 1)}, axis));
        }
    }
}
TEST_CASE("Concat on the CPU shares large tensors among threads") {
    CHECK(agrees({noise(element::f32, {1, 64, 31, 31}), noise(element::f32, {1, 33, 31, 31}, 2)}, 1));
    CHECK(agrees({noise(element::f32, {70001}), noise(element::f32, {3}, 2), noise(element::f32, {40000}, 3)}, 0));
    CHECK(agrees({operand::weight(noise(element::f32, {1, 64, 31, 31})), noise(element::f32, {1, 33, 31, 31}, 2)}, 1));
}

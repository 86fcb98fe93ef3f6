#include "../../catch.hpp"
#include "../moving.hpp"
#include <on_test_devices/onnx/compress.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
tensor flags(std::initializer_list<int> values) {
    tensor t(element::boolean, {std::int64_t(values.size())});
    std::copy(values.begin(), values.end(), static_cast<std::uint8_t*>(t.data()));
    return t;
}
outcome flat(const tensor& x, const tensor& condition) { return run_everywhere<op::compress>({{x, condition}}); }
outcome along(const tensor& x, const tensor& condition, std::int64_t axis) {
    return run_everywhere<op::compress>({{x, condition}, integer("axis", axis)});
}
}  // namespace

TEST_CASE("Compress keeps the slices, or the elements of all, for which the condition holds") {
    const tensor x({3, 2}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
    CHECK(same(along(x, flags({0, 1, 1}), 0)[0], tensor({2, 2}, {3.f, 4.f, 5.f, 6.f})));
    CHECK(same(along(x, flags({0, 1}), 1)[0], tensor({3, 1}, {2.f, 4.f, 6.f})));
    CHECK(same(along(x, flags({0, 2}), -1)[0], tensor({3, 1}, {2.f, 4.f, 6.f})));
    CHECK(same(flat(x, flags({0, 1, 0, 0, 1}))[0], tensor(shape{2}, {2.f, 5.f})));
    CHECK(same(along(x, flags({1}), 0)[0], tensor({1, 2}, {1.f, 2.f})));
    CHECK(along(x, flags({0, 0, 0}), 0)[0].shape() == shape{0, 2});
    CHECK(flat(x, flags({}))[0].shape() == shape{0});
    CHECK(along(numbers({3, 0}), flags({1, 0, 1}), 0)[0].shape() == shape{2, 0});
    CHECK(same(flat(tensor(shape{}, {7.f}), flags({1}))[0], tensor({1}, {7.f})));
}
TEST_CASE("Compress refuses conditions and axes that do not fit") {
    const tensor x = numbers({3, 2});
    CHECK(along(x, flags({1, 1, 1}), 1).answer.reason == "the condition is longer than the axis");
    CHECK(flat(x, flags({1, 1, 1, 1, 1, 1, 1})).answer.reason == "the condition is longer than the axis");
    CHECK(along(x, flags({1}), 2).answer.reason == "axis is out of range");
    CHECK(along(tensor(shape{}, {7.f}), flags({1}), 0).answer.reason == "axis is out of range");
    CHECK(flat(x, flags({1}).reshaped({1, 1})).answer.reason == "the condition is not a list");
    CHECK(flat(x, list({1})).answer.reason == "the condition is not bool");
}
TEST_CASE("Compress of every element type of its schema") {
    for (const element e : tensor_types) {
        if (bits_of(e) < 8) continue;
        CAPTURE(name_of(e));
        const tensor x = noise(e, {2, 3, 2}), y = along(x, flags({1, 0, 1}), 1)[0];
        REQUIRE(y.shape() == shape{2, 2, 2});
        for (int i = 0; i < 8; ++i) CHECK(bits_at(y, i) == bits_at(x, i / 4 * 6 + i / 2 % 2 * 4 + i % 2));
    }
}
TEST_CASE("Compress by conditions of every length, longer than the pieces that are counted") {
    for (const std::int64_t n : {0, 1, 7, 8, 255, 2047, 2048, 2049, 9000}) {
        CAPTURE(n);
        tensor condition(element::boolean, {n});
        for (std::int64_t i = 0; i < n; ++i) static_cast<std::uint8_t*>(condition.data())[i] = i * 7919 % 3 == 0;
        CHECK(flat(noise(element::f32, {n, 2}), condition).code == status::ok);
        CHECK(along(noise(element::u8, {2, n + 1, 3}), condition, 1).code == status::ok);
        CHECK(along(noise(element::f16, {n, 8}), condition, 0).code == status::ok);
    }
}

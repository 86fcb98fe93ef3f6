#include "../../catch.hpp"
#include "../moving.hpp"
#include <on_test_devices/onnx/gather_elements.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
outcome gather(const tensor& x, const tensor& indices, std::int64_t axis = 0, int threads = 1) {
    return run_everywhere<op::gather_elements>(
        {.inputs = {x, indices}, .with = integer("axis", axis), .threads = threads});
}
}  // namespace

TEST_CASE("GatherElements looks up each element along one axis") {
    const tensor x({3, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f, 9.f}), indices({2, 3}, {1, 2, 0, 2, 0, 0});
    CHECK(same(gather(x, tensor({2, 3}, {std::int64_t(1), std::int64_t(2), std::int64_t(0), std::int64_t(2),
                                         std::int64_t(0), std::int64_t(0)}))[0],
               tensor({2, 3}, {4.f, 8.f, 3.f, 7.f, 2.f, 3.f})));
    CHECK(same(gather(x, indices)[0], tensor({2, 3}, {4.f, 8.f, 3.f, 7.f, 2.f, 3.f})));
    CHECK(same(gather(x, tensor({2, 2}, {0, -3, 1, -1}), -1)[0], tensor({2, 2}, {1.f, 1.f, 5.f, 6.f})));
    CHECK(same(gather(numbers({1, 2, 2}), tensor({1, 3, 2}, {0, 0, 1, 1, -1, 0}), 1)[0],
               tensor({1, 3, 2}, {0.f, 1.f, 2.f, 3.f, 2.f, 1.f})));
    CHECK(gather(x, tensor(element::i64, {0, 2}))[0].shape() == shape{0, 2});
    CHECK(gather(numbers({2, 0}), tensor(element::i64, {5, 0}))[0].shape() == shape{5, 0});
}
TEST_CASE("GatherElements refuses indices that do not fit") {
    const tensor x = numbers({2, 3});
    for (const std::int64_t index : {std::int64_t(2), std::int64_t(-3), std::numeric_limits<std::int64_t>::min()})
        CHECK(gather(x, tensor({1, 2}, {std::int64_t(0), index})).detail == "an index is out of range");
    CHECK(gather(numbers({0}), tensor({1}, {0})).code == status::invalid_value);
    CHECK(gather(x, tensor({1, 1}, {0}), 2).answer.reason == "axis is out of range");
    CHECK(gather(numbers({}), tensor(shape{}, {0})).answer.reason == "axis is out of range");
    CHECK(gather(x, tensor({2}, {0, 0})).answer.reason == "the input and the indices have different ranks");
    CHECK(gather(x, tensor({1, 4}, {0, 0, 0, 0})).answer.reason ==
          "the indices are longer than the input along another axis");
    CHECK(gather(x, numbers({1, 1})).answer.reason == "the indices are neither int32 nor int64");
}
TEST_CASE("GatherElements moves every element type of its schema") {
    for (const element e : tensor_types) {
        if (bits_of(e) < 8) continue;
        CAPTURE(name_of(e));
        const tensor x = noise(e, {3, 2});
        const outcome y = gather(x, tensor({2, 2}, {2, 0, 1, -1}));
        REQUIRE(y.answer);
        const int from[] = {4, 1, 2, 5};
        for (int i = 0; i < 4; ++i) CHECK(bits_at(y[0], i) == bits_at(x, from[i]));
    }
}
TEST_CASE("GatherElements of large tensors in several parts") {
    const tensor x = noise(element::f32, {40, 7, 300});
    for (const int axis : {0, 1, 2}) {
        CAPTURE(axis);
        shape s{40, 7, 300};
        s[axis] = 11;
        tensor indices(element::i64, s);
        const std::int64_t length = x.shape()[axis];
        for (std::int64_t i = 0; i < indices.elements(); ++i)
            indices.as<std::int64_t>()[std::size_t(i)] = i * 7919 % (2 * length) - length;
        const outcome y = gather(x, indices, axis, 3);
        REQUIRE(y.code == status::ok);
        CHECK(same(y[0], gather(x, indices, axis)[0]));
        bool right = true;
        for (std::int64_t i = 0; i < indices.elements(); ++i) {
            std::int64_t at[] = {i / (s[1] * s[2]), i / s[2] % s[1], i % s[2]};
            at[axis] = (indices.as<std::int64_t>()[std::size_t(i)] + length) % length;
            right = right && bits_at(y[0], i) == bits_at(x, (at[0] * 7 + at[1]) * 300 + at[2]);
        }
        CHECK(right);
    }
}
TEST_CASE("GatherElements on other devices reports indices out of range") {
    for (const std::int64_t index : {std::int64_t(2), std::int64_t(-3), std::numeric_limits<std::int64_t>::min()})
        for (const device_runner& d : on_test_devices<op::gather_elements>())
            CHECK(d.run({{numbers({2, 3}), tensor({1, 2}, {std::int64_t(0), index})}}).detail ==
                  "an index is out of range");
}

#include "../../catch.hpp"
#include "../elementwise.hpp"
#include "../moving.hpp"
#include <on_test_devices/onnx/one_hot.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
const tensor off_on({2}, {0.f, 1.f});
call marked(const tensor& indices, const tensor& depth, std::int64_t axis = -1, const tensor& values = off_on) {
    return {.inputs = {indices, depth, values}, .with = integer("axis", axis), .outputs = {values.type()}};
}
outcome one_hot(const call& c) { return run_everywhere<op::one_hot>(c); }
tensor number(std::int64_t n) { return tensor(shape{}, {n}); }
}  // namespace

TEST_CASE("OneHot marks the place of each index along a new axis") {
    const tensor indices = list({0, 2, -1});
    CHECK(same(one_hot(marked(indices, number(3)))[0], tensor({3, 3}, {1.f, 0.f, 0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 1.f})));
    CHECK(
        same(one_hot(marked(list({1, 0}), list({3}), 0, tensor({2}, {5, 7})))[0], tensor({3, 2}, {5, 7, 7, 5, 5, 5})));
    CHECK(same(one_hot(marked(tensor({2, 2}, {0, 1, 1, 0}), number(2), 1))[0],
               tensor({2, 2, 2}, {1.f, 0.f, 0.f, 1.f, 0.f, 1.f, 1.f, 0.f})));
    CHECK(same(one_hot(marked(number(1), number(2)))[0], tensor({2}, {0.f, 1.f})));
    CHECK(one_hot(marked(indices, number(0)))[0].shape() == shape{3, 0});
    CHECK(one_hot(marked(tensor(element::i64, {2, 0}), number(4), 1))[0].shape() == shape{2, 4, 0});
}
TEMPLATE_TEST_CASE("OneHot takes indices and depth of every number type", "", float, double, float16, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    const tensor indices = elementwise::list<TestType>({2, 0, 3}), depth = elementwise::list<TestType>({3});
    for (const int version : {9, 11, 28}) {
        call c = marked(indices, depth);
        c.version = version;
        CHECK(same(one_hot(c)[0], tensor({3, 3}, {0.f, 0.f, 1.f, 1.f, 0.f, 0.f, 0.f, 0.f, 0.f})));
    }
}
TEST_CASE("Indices outside the axis mark nothing, and fractions are dropped") {
    const auto marks = [](const tensor& indices) {
        const outcome y = one_hot(marked(indices, number(2)));
        REQUIRE(y.code == status::ok);
        return elements<float>(y[0]);
    };
    using v = std::vector<float>;
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                           most = std::numeric_limits<std::int64_t>::max();
    CHECK(marks(list({2, -3, least, most, -2})) == v{0, 0, 0, 0, 0, 0, 0, 0, 1, 0});
    CHECK(marks(tensor({4}, {1.9f, -0.5f, NAN, 1e30f})) == v{0, 1, 1, 0, 0, 0, 0, 0});
    CHECK(marks(tensor({1}, {~std::uint64_t(0)})) == v{0, 0});
}
TEST_CASE("OneHot refuses what is no index, depth or pair of values") {
    CHECK(one_hot(marked(list({0}), number(-1))).answer.reason == "depth is not one number, or negative");
    CHECK(one_hot(marked(list({0}), list({1, 2}))).answer.reason == "depth is not one number, or negative");
    CHECK(one_hot(marked(list({0}), tensor(shape{}, {NAN}))).answer.reason == "depth is not one number, or negative");
    CHECK(one_hot(marked(list({0}), number(2), -1, numbers({3}))).answer.reason ==
          "the values are not an off-value and an on-value");
    CHECK(one_hot(marked(list({0}), number(2), 2)).answer.reason == "axis is out of range");
    CHECK(one_hot(marked(list({0}), number(2), -3)).answer.reason == "axis is out of range");
    CHECK(one_hot(marked(list({0, 1}), number(std::int64_t(1) << 54))).answer.reason == "the output is too large");
    CHECK(one_hot(marked(tensor({1, 1, 1, 1, 1, 1, 1, 1}, {0}), number(2))).answer.reason ==
          "the output has more than 8 dimensions");
    CHECK(one_hot(marked(noise(element::string, {2}), number(2))).answer.reason == "the indices are no numbers");
}
TEST_CASE("OneHot of values of every element type of its schema, large ones in several parts") {
    for (const element e : tensor_types) {
        if (bits_of(e) < 8) continue;
        CAPTURE(name_of(e));
        const tensor values = noise(e, {2}, 3);
        tensor indices(element::i32, {30, 40});
        for (int i = 0; i < 1200; ++i) indices.as<std::int32_t>()[std::size_t(i)] = i * 31 % 11 - 1;
        call c = marked(indices, number(10), 1, values);
        c.threads = 3;
        const outcome y = one_hot(c);
        REQUIRE(y.answer);
        bool right = true;
        for (int i = 0; i < 12000; ++i)
            right = right &&
                    bits_at(y[0], i) == bits_at(values, ((i / 400 * 40 + i % 40) * 31 % 11 + 9) % 10 == i / 40 % 10);
        CHECK(right);
    }
}

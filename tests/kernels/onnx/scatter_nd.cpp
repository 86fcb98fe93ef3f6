#include "../../catch.hpp"
#include "../elementwise.hpp"
#include "../moving.hpp"
#include <on_test_devices/onnx/scatter_nd.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
tensor at(const shape& dims, const std::vector<std::int64_t>& v) { return tensor(dims, v); }
outcome scatter(const tensor& x, const tensor& indices, const tensor& updates, std::string_view reduction = "none",
                int version = 0) {
    return run_everywhere<op::scatter_nd>(
        {.inputs = {x, indices, updates},
         .with = [=](graph_data& g) { return std::vector{g.make("reduction", reduction)}; },
         .version = version});
}
}  // namespace

TEST_CASE("ScatterND sets elements and slices") {
    const tensor x({8}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f});
    CHECK(same(scatter(x, at({4, 1}, {4, 3, 1, 7}), tensor({4}, {9.f, 10.f, 11.f, 12.f}))[0],
               tensor({8}, {1.f, 11.f, 3.f, 10.f, 9.f, 6.f, 7.f, 12.f})));
    CHECK(same(scatter(numbers({3, 2}), at({2, 1}, {-1, 0}), tensor({2, 2}, {7.f, 8.f, 9.f, 6.f}), "none", 11)[0],
               tensor({3, 2}, {9.f, 6.f, 2.f, 3.f, 7.f, 8.f})));
    CHECK(same(scatter(numbers({2, 2}), at({2}, {1, -2}), tensor(shape{}, {5.f}), "none", 13)[0],
               tensor({2, 2}, {0.f, 1.f, 5.f, 3.f})));
    CHECK(
        same(scatter(numbers({3}), at({2, 1}, {1, 1}), tensor(shape{2}, {5.f, 6.f}))[0], tensor({3}, {0.f, 6.f, 2.f})));
    CHECK(same(scatter(numbers({2}), tensor(element::i64, {0, 1}), numbers({0}))[0], numbers({2})));
    CHECK(scatter(numbers({2, 0}), at({1, 1}, {1}), numbers({1, 0}))[0].shape() == shape{2, 0});
}
TEMPLATE_TEST_CASE("ScatterND combines the updates with what is there", "", float, double, float16, bfloat16,
                   std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    using T = TestType;
    const auto list = [](std::initializer_list<double> v) { return elementwise::list<T>(v); };
    const tensor x = list({1, 2, 3, 4}), indices = at({3, 1}, {1, 3, 1}), updates = list({5, 1, 7});
    const auto check = [&](std::string_view reduction, std::initializer_list<double> expected) {
        CHECK(elementwise::same<T>(scatter(x, indices, updates, reduction)[0], list(expected)));
    };
    check("none", {1, 7, 3, 1});
    check("add", {1, 14, 3, 5});
    check("mul", {1, 70, 3, 4});
    check("max", {1, 7, 3, 4});
    check("min", {1, 2, 3, 1});
}
TEST_CASE("Integers that ScatterND joins wrap around, and NaN is the least and the greatest") {
    constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
    const tensor index = at({1, 1}, {0});
    CHECK(scatter(tensor({1}, {most}), index, tensor({1}, {2}), "add")[0].as<std::int32_t>()[0] ==
          std::numeric_limits<std::int32_t>::min() + 1);
    CHECK(scatter(tensor({1}, {most}), index, tensor({1}, {2}), "mul")[0].as<std::int32_t>()[0] == -2);
    for (const std::string_view reduction : {"max", "min"})
        CHECK(
            std::isnan(scatter(tensor(shape{1}, {NAN}), index, tensor(shape{1}, {1.f}), reduction)[0].as<float>()[0]));
}
TEST_CASE("ScatterND refuses what does not fit") {
    const tensor x = numbers({2, 3}), row = numbers({1, 3});
    for (const std::int64_t index : {std::int64_t(2), std::int64_t(-3), std::numeric_limits<std::int64_t>::min()}) {
        CHECK(scatter(x, at({1, 1}, {index}), row).detail == "an index is out of range");
        for (const device_runner& d : on_test_devices<op::scatter_nd>())
            CHECK(d.run({{x, at({1, 1}, {index}), row}}).detail == "an index is out of range");
    }
    CHECK(scatter(numbers({2, 0}), at({1, 1}, {2}), numbers({1, 0})).code == status::invalid_value);
    CHECK(scatter(x, at({1, 1}, {0}), numbers({1, 2})).answer.reason ==
          "the updates' shape is not that of the indices and the slices");
    CHECK(scatter(x, at({1, 1}, {0}), numbers({3})).answer.reason ==
          "the updates' shape is not that of the indices and the slices");
    CHECK(scatter(x, at({1, 3}, {0, 0, 0}), numbers({1})).answer.reason ==
          "an index has more coordinates than the input has axes");
    CHECK(scatter(x, tensor(element::i64, {1, 0}), numbers({1, 2, 3})).answer.reason == "an index has no coordinates");
    CHECK(scatter(x, at({}, {0}), row).answer.reason == "the input or the indices have no dimensions");
    CHECK(scatter(x, tensor({1, 1}, {0}), row).answer.reason == "the indices are not int64");
    CHECK(scatter(x, at({1, 1}, {0}), row, "mean").answer.reason == "reduction is none of none, add, mul, max, min");
    CHECK(scatter(noise(element::string, {2}), at({1, 1}, {0}), noise(element::string, {1}), "add").answer.reason ==
          "a reduction needs numbers, this kernel only moves elements");
    CHECK_FALSE(scatter(noise(element::boolean, {2}), at({1, 1}, {0}), noise(element::boolean, {1}), "max").answer);
}
TEST_CASE("ScatterND moves every element type of its schema") {
    for (const element e : tensor_types) {
        if (bits_of(e) < 8) continue;
        CAPTURE(name_of(e));
        const tensor x = noise(e, {3, 2}), updates = noise(e, {1, 2}, 9), y = scatter(x, at({1, 1}, {-2}), updates)[0];
        for (int i = 0; i < 6; ++i) CHECK(bits_at(y, i) == (i / 2 == 1 ? bits_at(updates, i - 2) : bits_at(x, i)));
    }
}
TEST_CASE("Updates of slices of every length are set and joined in their order") {
    tensor indices(element::i64, {200, 1});
    for (std::int64_t i = 0; i < 200; ++i) indices.as<std::int64_t>()[std::size_t(i)] = i * 31 % 19 % 9 - 4;
    for (std::int64_t n = 0; n <= 35; ++n) {
        CAPTURE(n);
        for (const element e : {element::u8, element::bf16, element::f32, element::c64, element::c128})
            CHECK(scatter(noise(e, {5, n}), indices, noise(e, {200, n}, 2)).code == status::ok);
        const tensor x = elementwise::random_tensor({5, n}, 1), updates = elementwise::random_tensor({200, n}, 2);
        for (const std::string_view reduction : {"add", "mul", "max", "min"})
            CHECK(scatter(x, indices, updates, reduction).code == status::ok);
    }
}

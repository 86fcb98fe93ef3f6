#include "../../catch.hpp"
#include "../elementwise.hpp"
#include "../moving.hpp"
#include <on_test_devices/onnx/scatter_elements.hpp>
using namespace inlay;
using namespace inlay::testing;

namespace {
template <class Op = op::scatter_elements>
outcome scatter(const tensor& x, const tensor& indices, const tensor& updates, std::int64_t axis = 0,
                std::string_view reduction = "none", int version = 0) {
    return run_everywhere<Op>({.inputs = {x, indices, updates},
                               .with =
                                   [=](graph_data& g) {
                                       return std::vector{g.make("axis", axis), g.make("reduction", reduction)};
                                   },
                               .version = version});
}
}  // namespace

TEST_CASE("ScatterElements, and Scatter before it, sets elements along one axis") {
    const tensor zeros(element::f32, {3, 3}), indices({2, 3}, {1, 0, 2, 0, 2, 1}),
        updates({2, 3}, {1.f, 1.1f, 1.2f, 2.f, 2.1f, 2.2f}), row({1, 5}, {1.f, 2.f, 3.f, 4.f, 5.f}),
        two({1, 2}, {1.1f, 2.1f});
    const tensor expected({3, 3}, {2.f, 1.1f, 0.f, 1.f, 0.f, 2.2f, 0.f, 2.1f, 1.2f}),
        expected_row({1, 5}, {1.f, 1.1f, 3.f, 2.1f, 5.f});
    for (const int version : {11, 13, 16, 18})
        CHECK(same(scatter(zeros, indices, updates, 0, "none", version)[0], expected));
    for (const int version : {9, 10})
        CHECK(same(scatter<op::scatter>(zeros, indices, updates, 0, "none", version)[0], expected));
    CHECK(same(scatter(row, tensor({1, 2}, {std::int64_t(1), std::int64_t(3)}), two, 1)[0], expected_row));
    CHECK(same(scatter(row, tensor({1, 2}, {-4, -2}), two, -1)[0], expected_row));
    CHECK(same(scatter(row, tensor({1, 2}, {1, 1}), two, 1)[0], tensor({1, 5}, {1.f, 2.1f, 3.f, 4.f, 5.f})));
    CHECK(same(scatter(row, tensor(element::i32, {1, 0}), numbers({1, 0}), 1)[0], row));
    CHECK(same(scatter(numbers({1, 2, 2}), tensor({1, 1, 2}, {1, 0}), tensor({1, 1, 2}, {8.f, 9.f}), 1)[0],
               tensor({1, 2, 2}, {0.f, 9.f, 8.f, 3.f})));
}
TEMPLATE_TEST_CASE("ScatterElements combines the updates with what is there", "", float, double, float16, bfloat16,
                   std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    using T = TestType;
    const auto list = [](std::initializer_list<double> v) { return elementwise::list<T>(v); };
    const auto check = [&](std::string_view reduction, std::initializer_list<double> expected) {
        CHECK(elementwise::same<T>(
            scatter(list({1, 2, 3, 4}), tensor({3}, {1, 3, 1}), list({5, 1, 7}), 0, reduction)[0], list(expected)));
    };
    check("add", {1, 14, 3, 5});
    check("mul", {1, 70, 3, 4});
    check("max", {1, 7, 3, 4});
    check("min", {1, 2, 3, 1});
}
TEST_CASE("ScatterElements refuses what does not fit") {
    const tensor x = numbers({2, 3}), update = numbers({1, 1});
    for (const std::int64_t index : {std::int64_t(2), std::int64_t(-3), std::numeric_limits<std::int64_t>::min()}) {
        CHECK(scatter(x, tensor({1, 1}, {index}), update).detail == "an index is out of range");
        for (const device_runner& d : on_test_devices<op::scatter_elements>())
            CHECK(d.run({{x, tensor({1, 1}, {index}), update}}).detail == "an index is out of range");
    }
    CHECK(scatter(x, tensor({1, 1}, {0}), update, 2).answer.reason == "axis is out of range");
    CHECK(scatter(x, tensor({1}, {0}), numbers({1})).answer.reason == "the input and the indices have different ranks");
    CHECK(scatter(x, tensor({1, 4}, {0, 0, 0, 0}), numbers({1, 4})).answer.reason ==
          "the indices are longer than the input along another axis");
    CHECK(scatter(x, tensor({1, 2}, {0, 0}), update).answer.reason ==
          "the indices and the updates have different shapes");
    CHECK(scatter(x, update, update).answer.reason == "the indices are neither int32 nor int64");
    CHECK(scatter(x, tensor({1, 1}, {0}), update, 0, "mean").answer.reason ==
          "reduction is none of none, add, mul, max, min");
    CHECK(scatter(noise(element::string, {2}), tensor({1}, {0}), noise(element::string, {1}), 0, "max").answer.reason ==
          "a reduction needs numbers, this kernel only moves elements");
}
TEST_CASE("ScatterElements moves every element type of its schema") {
    for (const element e : tensor_types) {
        if (bits_of(e) < 8) continue;
        CAPTURE(name_of(e));
        const tensor x = noise(e, {3, 2}), updates = noise(e, {1, 2}, 9),
                     y = scatter(x, tensor({1, 2}, {2, 0}), updates)[0];
        for (int i = 0; i < 6; ++i)
            CHECK(bits_at(y, i) == (i == 4 ? bits_at(updates, 0) : i == 1 ? bits_at(updates, 1) : bits_at(x, i)));
    }
}
TEMPLATE_TEST_CASE("Many updates of few elements are joined in their order, along every axis", "", float, double,
                   float16, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t) {
    for (const int axis : {0, 1, 2})
        for (const std::string_view reduction : {"none", "add", "mul", "max", "min"}) {
            CAPTURE(axis, reduction);
            shape s{4, 5, 6};
            s[axis] = 90;
            tensor indices(element::i32, s);
            for (std::int64_t i = 0; i < indices.elements(); ++i)
                indices.as<std::int32_t>()[std::size_t(i)] = std::int32_t(i * 7919 % 7 - 3);
            CHECK(scatter(elementwise::random_tensor<TestType>({4, 5, 6}, 1, 0, 3), indices,
                          elementwise::random_tensor<TestType>(s, 2, 0, 3), axis, reduction)
                      .code == status::ok);
        }
}

// Mirrors kernels/inlay/onnx/top_k.hpp and kernels/inlay/support/bit_order.hpp.
#include "../elementwise.hpp"
#include "../moving.hpp"
#include <algorithm>
#include <on_test_devices/onnx/top_k.hpp>
using namespace inlay;
using namespace inlay::testing;
using elementwise::infinity, elementwise::quiet_nan, elementwise::random_tensor;

namespace {
operand number(std::int64_t k) { return tensor({1}, {k}); }
attributes how(std::int64_t axis, std::int64_t largest = 1, std::int64_t sorted = 1) {
    return [=](graph_data& g) {
        return std::vector{g.make("axis", axis), g.make("largest", largest), g.make("sorted", sorted)};
    };
}
call of(const tensor& x, std::int64_t k, attributes with = how(-1), int threads = 1) {
    return {.inputs = {x, number(k)}, .with = std::move(with), .outputs = {x.type(), element::i64}, .threads = threads};
}
template <class T> void check(const call& c, const tensor& values, std::initializer_list<std::int64_t> indices) {
    const outcome o = run<op::top_k, device::reference>(c);
    INFO(o.answer.reason << o.detail);
    REQUIRE(o.answer);
    REQUIRE(o.code == status::ok);
    CHECK(elementwise::same<T>(o[0], values));
    CHECK(same(o[1], tensor(values.shape(), indices)));
}
std::string_view refused(const tensor& x, operand k, attributes with = how(-1)) {
    return run<op::top_k, device::reference>(
               {.inputs = {x, std::move(k)}, .with = std::move(with), .outputs = {x.type(), element::i64}})
        .answer.reason;
}
}  // namespace

TEMPLATE_TEST_CASE("TopK of every number type, largest or smallest first, along any axis", "", float, double, float16,
                   bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t) {
    using T = TestType;
    const auto list = [](std::initializer_list<double> v) { return elementwise::list<T>(v); };
    const tensor x = list({3, 9, 4, 1, 7, 8}).reshaped({2, 3});
    check<T>(of(x, 2), list({9, 4, 8, 7}).reshaped({2, 2}), {1, 2, 2, 1});
    check<T>(of(x, 2, how(1, 0)), list({3, 4, 1, 7}).reshaped({2, 2}), {0, 2, 0, 1});
    check<T>(of(x, 1, how(0)), list({3, 9, 8}).reshaped({1, 3}), {0, 0, 1});
    check<T>(of(x, 2, how(-2, 0, 0)), list({1, 7, 4, 3, 9, 8}).reshaped({2, 3}), {1, 1, 0, 0, 0, 1});
    check<T>(of(x, 0), tensor(element_of<T>, {2, 0}), {});
}
TEMPLATE_TEST_CASE("TopK orders negative numbers below zero", "", float, double, float16, bfloat16, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t) {
    using T = TestType;
    check<T>(of(elementwise::list<T>({-3, 2, 0, -1, 1}), 5), elementwise::list<T>({2, 1, 0, -1, -3}), {1, 4, 2, 3, 0});
}
TEMPLATE_TEST_CASE("Of equal elements TopK takes the first ones first, and zeros of either sign are equal", "", float,
                   double, float16, bfloat16) {
    using T = TestType;
    const auto list = [](std::initializer_list<double> v) { return elementwise::list<T>(v); };
    check<T>(of(list({1, 2, 1, 2, 1, 2}), 4), list({2, 2, 2, 1}), {1, 3, 5, 0});
    check<T>(of(list({1, 2, 1, 2, 1, 2}), 4, how(0, 0)), list({1, 1, 1, 2}), {0, 2, 4, 1});
    check<T>(of(list({0, -0., 0, -0.}), 3), list({0, -0., 0}), {0, 1, 2});
    check<T>(of(list({-0., 0, -0.}), 3, how(0, 0)), list({-0., 0, -0.}), {0, 1, 2});
}
TEMPLATE_TEST_CASE("NaN counts as larger than every number, whatever its sign", "", float, double, float16, bfloat16) {
    using T = TestType;
    const auto list = [](std::initializer_list<double> v) { return elementwise::list<T>(v); };
    const tensor x = list({1, quiet_nan, infinity, -quiet_nan, -infinity});
    check<T>(of(x, 5), list({quiet_nan, quiet_nan, infinity, 1, -infinity}), {1, 3, 2, 0, 4});
    check<T>(of(x, 5, how(0, 0)), list({-infinity, 1, infinity, quiet_nan, quiet_nan}), {4, 0, 2, 1, 3});
}
TEST_CASE("TopK compares unsigned and signed extremes, and leaves out an absent output") {
    check<std::uint64_t>(of(tensor({3}, {std::uint64_t(1), ~std::uint64_t(0), std::uint64_t(1) << 63}), 2),
                         tensor({2}, {~std::uint64_t(0), std::uint64_t(1) << 63}), {1, 2});
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                           most = std::numeric_limits<std::int64_t>::max();
    check<std::int64_t>(of(tensor({3}, {most, least, std::int64_t(0)}), 3), tensor({3}, {most, std::int64_t(0), least}),
                        {0, 2, 1});
    call c = of(elementwise::list<float>({1, 3, 2}), 2);
    c.outputs = {element::undefined, element::i64};
    CHECK(same(run<op::top_k, device::reference>(c)[1], tensor({2}, {std::int64_t(1), std::int64_t(2)})));
    c.outputs = {element::f32, element::undefined};
    CHECK(elementwise::same<float>(run<op::top_k, device::reference>(c)[0], elementwise::list<float>({3, 2})));
}
TEST_CASE("TopK of older versions: k is an attribute before version 10, and the largest come first before 11") {
    const tensor x = elementwise::list<float>({1, 3, 2});
    const outcome o = run<op::top_k, device::reference>(
        {.inputs = {x}, .with = integer("k", 2), .version = 1, .outputs = {element::f32, element::i64}});
    REQUIRE(o.answer);
    CHECK(elementwise::same<float>(o[0], elementwise::list<float>({3, 2})));
    CHECK(run<op::top_k, device::reference>({.inputs = {x}, .version = 1, .outputs = {element::f32, element::i64}})
              .answer.reason == "k is negative");
    const outcome p = run<op::top_k, device::reference>(
        {.inputs = {x, number(1)}, .version = 10, .outputs = {element::f32, element::i64}});
    REQUIRE(p.answer);
    CHECK(same(p[1], tensor({1}, {std::int64_t(1)})));
}
TEST_CASE("TopK refuses k and axis that do not fit the input") {
    const tensor x(element::f32, {2, 3});
    CHECK(refused(x, number(4)) == "k is larger than the axis");
    CHECK(refused(x, number(std::numeric_limits<std::int64_t>::max())) == "k is larger than the axis");
    CHECK(refused(x, number(-1)) == "k is negative");
    CHECK(refused(x, number(1), how(2)) == "axis is out of range");
    CHECK(refused(tensor(element::f32, {}), number(1)) == "axis is out of range");
    CHECK(refused(x, tensor({2}, {std::int64_t(1), std::int64_t(1)})) == "k is not one number");
    CHECK(refused(x, operand{}) == "k is missing, or not int64");
    CHECK(refused(tensor(element::boolean, {3}), number(1)).empty());  // false before true
    CHECK(refused(tensor(element::c64, {3}), number(1)) == "its elements have no order");
}
TEST_CASE("TopK agrees with a sort of everything, for any length, k and number of threads") {
    for (const std::int64_t n : {1, 2, 63, 64, 65, 130, 1000, 5000})
        for (const std::int64_t k : {std::int64_t(1), std::int64_t(2), n / 3, n})
            for (const std::int64_t largest : {0, 1}) {
                if (k < 1 || k > n) continue;
                CAPTURE(n, k, largest);
                const tensor x = random_tensor({2, n, 3}, unsigned(n), -40, 40);
                tensor whole = x.clone();
                for (float& v : whole.as<float>()) v = std::round(v);  // so that many are equal
                const outcome single = run<op::top_k, device::reference>(of(whole, k, how(1, largest))),
                              three = run<op::top_k, device::reference>(of(whole, k, how(1, largest), 3));
                REQUIRE(single.code == status::ok);
                CHECK(same(single[0], three[0]));
                CHECK(same(single[1], three[1]));
                for (std::int64_t o = 0; o < 2; ++o)
                    for (std::int64_t i = 0; i < 3; ++i) {
                        const auto at = [&](std::int64_t j) {
                            return whole.as<float>()[std::size_t((o * n + j) * 3 + i)];
                        };
                        std::vector<std::int64_t> order(static_cast<std::size_t>(n));
                        for (std::int64_t j = 0; j < n; ++j) order[std::size_t(j)] = j;
                        std::stable_sort(order.begin(), order.end(), [&](std::int64_t p, std::int64_t q) {
                            return largest ? at(p) > at(q) : at(p) < at(q);
                        });
                        for (std::int64_t r = 0; r < k; ++r)
                            REQUIRE(single[1].as<std::int64_t>()[std::size_t((o * k + r) * 3 + i)] ==
                                    order[std::size_t(r)]);
                    }
            }
}
TEMPLATE_TEST_CASE("TopK on other devices agrees with the reference kernel", "", float, float16, std::int32_t,
                   std::int64_t, std::uint8_t) {
    for (const std::int64_t n : {1, 2, 31, 33, 1000, 3000})
        for (const std::int64_t k : {std::int64_t(0), std::int64_t(1), n / 3, n})
            for (const std::int64_t largest : {0, 1}) {
                CAPTURE(n, k, largest);
                tensor x = random_tensor<TestType>({2, n, 2}, unsigned(n), 0, 50);
                if constexpr (floating<TestType>)
                    if (n > 31) x.as<TestType>()[40] = x.as<TestType>()[44] = TestType(quiet_nan);
                call c = of(x, k, how(1, largest));
                c.inputs[1].constant = true;
                CHECK(devices_agree<op::top_k>(c));
                c.inputs[0] = x.reshaped({4, n});
                c.with = how(1, largest);
                CHECK(devices_agree<op::top_k>(c));
            }
}

// Mirrors kernels/inlay/onnx/pow.hpp and kernels/inlay/cpu/onnx/pow.hpp.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/pow.hpp>
#include <on_test_devices/onnx/pow.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

TEMPLATE_TEST_CASE("Pow takes exponents of every number type", "", float, double, float16, bfloat16, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    const tensor e = list<TestType>({2, 3, 0});
    CHECK(same<float>(on_reference<op::pow>({{list<float>({1.5, -2, quiet_nan}), e}}), list<float>({2.25, -8, 1})));
    CHECK(same<double>(on_reference<op::pow>({{list<double>({1.5, -2, quiet_nan}), e}}), list<double>({2.25, -8, 1})));
    CHECK(same<float16>(on_reference<op::pow>({{list<float16>({1.5, -2, 9}), e}}), list<float16>({2.25, -8, 1})));
    CHECK(same<bfloat16>(on_reference<op::pow>({{list<bfloat16>({1.5, -2, 9}), e}}), list<bfloat16>({2.25, -8, 1})));
    CHECK(same<std::int32_t>(on_reference<op::pow>({{list<std::int32_t>({5, -2, 0}), e}}),
                             list<std::int32_t>({25, -8, 1})));
    CHECK(same<std::int64_t>(on_reference<op::pow>({{list<std::int64_t>({5, -2, 0}), e}}),
                             list<std::int64_t>({25, -8, 1})));
}
TEST_CASE("Powers of integers wrap around, and truncate where the exponent is negative") {
    using T = std::int32_t;
    CHECK(same<T>(on_reference<op::pow>({{list<T>({2, 2, 3, -1, -1, 1, 5}), list<T>({31, 32, 21, -3, -2, -9, -1})}}),
                  list<T>({-2147483648., 0, 1870418611, -1, 1, 1, 0})));
    const outcome refusal = run<op::pow, device::reference>({{list<T>({0}), list<T>({-1})}});
    CHECK(refusal.code == status::invalid_value);
    CHECK(refusal.detail == "0 to a negative power");
    const tensor huge({2}, {std::uint64_t(1) << 63, ~std::uint64_t(0)});
    CHECK(same<T>(on_reference<op::pow>({{list<T>({3, -1}), huge}}), list<T>({1, -1})));
    CHECK(same<T>(on_reference<op::pow>({{list<T>({2, 2}), huge}}), list<T>({0, 0})));
}
TEST_CASE("Integers to powers that are no integers are clamped to their type") {
    const auto y =
        on_reference<op::pow>({{list<std::int32_t>({4, 10, -10, -1, 0}), list<float>({0.5, 20, 21, 0.5, -1})}});
    const std::int32_t expected[] = {2, 2147483647, -2147483647 - 1, 0, 2147483647};
    for (std::size_t i = 0; i < 5; ++i) CHECK(y.as<std::int32_t>()[i] == expected[i]);
    CHECK(elements<std::int64_t>(on_reference<op::pow>({{list<std::int64_t>({10}), list<double>({40})}}))[0] ==
          std::numeric_limits<std::int64_t>::max());
}
TEST_CASE("Pow broadcasts, before version 7 from an axis on") {
    const attributes with = [](graph_data& g) {
        return std::vector{g.make("broadcast", std::int64_t(1)), g.make("axis", std::int64_t(0))};
    };
    const tensor a = list<float>({1, 2, 3, 4}).reshaped({2, 2}), e = list<float>({1, 2});
    CHECK(same<float>(on_reference<op::pow>({{a, e}}), list<float>({1, 4, 3, 16}).reshaped({2, 2})));
    CHECK(same<float>(on_reference<op::pow>({.inputs = {a, e}, .with = with, .version = 1}),
                      list<float>({1, 2, 9, 16}).reshaped({2, 2})));
    CHECK(on_reference<op::pow>({{tensor(element::f32, {0, 2}), e}}).shape() == shape{0, 2});
}
TEST_CASE("Pow on the CPU agrees with the reference kernel for one exponent at every tail length") {
    for (float exponent : {2.f, 3.f, 0.5f, -0.5f, 1.f, 0.f, 4.f, -2.f, quiet_nan, infinity})
        for (int n = 0; n <= 67; ++n) {
            CAPTURE(exponent, n);
            tensor x = random_tensor({n}, unsigned(n));
            const float unusual[] = {quiet_nan, infinity, -infinity, -0.f, 0.f};
            for (int i = 0; i < n; i += 3) x.as<float>()[std::size_t(i)] = unusual[i / 3 % 5];
            agree<op::pow>({{x, operand::weight(list<float>({exponent}).reshaped({}))}}, 3e-7);
        }
}
TEST_CASE("Pow on the CPU agrees with the reference kernel whatever broadcasts") {
    const tensor x = random_tensor({2, 3, 4, 5}, 1, 0.1, 4);
    for (const shape& b : {shape{}, shape{1, 1, 1}, shape{3, 1, 1}, shape{2, 3, 4, 5}, shape{5}, shape{1, 1, 1, 1, 1},
                           shape{2, 1, 1, 1, 1}}) {
        CAPTURE(to_string(b));
        agree<op::pow>({{x, random_tensor(b, 2)}}, 3e-7);
        agree<op::pow>({{random_tensor(b, 2, 0.1, 4), operand::weight(x)}}, 3e-7);
    }
    agree<op::pow>({{random_tensor({2, 3, 4, 5}, 1), list<float>({2}).reshaped({1, 1, 1, 1, 1})}});
    agree<op::pow>({{random_tensor({50001}, 1), list<float>({2})}});
    agree<op::pow>({{random_tensor({50001}, 1, 0.1, 4), list<float>({2.5})}}, 3e-7);
}
TEMPLATE_TEST_CASE("Pow on other devices in 16 bits agrees with the reference kernel", "", float16, bfloat16) {
    const tensor x = random_tensor<TestType>({3, 40}, 1, 0.1, 4);
    for (const tensor& e : {list<TestType>({2}), list<TestType>({-0.5}), random_tensor<TestType>({3, 1}, 2),
                            random_tensor<TestType>({3, 40}, 3)}) {
        for (const device_runner& d : on_test_devices<op::pow>())
            CHECK(same<TestType>(result_of(d.run, {{x, e}}), on_reference<op::pow>({{x, e}}),
                                 std::is_same_v<TestType, float16> ? 1e-3 : 8e-3));  // one unit in the last place
    }
}

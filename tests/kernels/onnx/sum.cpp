// Mirrors kernels/inlay/onnx/sum.hpp and kernels/inlay/cpu/onnx/sum.hpp.
#include "../elementwise.hpp"
#include "../moving.hpp"
#include <inlay/cpu/onnx/sum.hpp>
#include <on_test_devices/onnx/sum.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

TEMPLATE_TEST_CASE("Sum adds all its inputs", "", float, double, float16, bfloat16) {
    using T = TestType;
    CHECK(same<T>(on_reference<op::sum>({{list<T>({1, quiet_nan, infinity})}}), list<T>({1, quiet_nan, infinity})));
    for (int version : {1, 6, 8, 13})
        CHECK(same<T>(on_reference<op::sum>(
                          {.inputs = {list<T>({1, 2}), list<T>({10, 20}), list<T>({100, 200})}, .version = version}),
                      list<T>({111, 222})));
}
TEMPLATE_TEST_CASE("Mean divides the sum of all its inputs by their number", "", float, double, float16, bfloat16) {
    using T = TestType;
    CHECK(same<T>(on_reference<op::mean>({{list<T>({1, quiet_nan, infinity})}}), list<T>({1, quiet_nan, infinity})));
    for (int version : {1, 6, 8, 13})
        CHECK(same<T>(
            on_reference<op::mean>({.inputs = {list<T>({1, 2}), list<T>({10, 20}), list<T>({4, 8}), list<T>({5, 10})},
                                    .version = version}),
            list<T>({5, 10})));
    CHECK(same<T>(on_reference<op::mean>({{list<T>({1, 2}), list<T>({3, 5}).reshaped({2, 1})}}),
                  list<T>({2, 2.5, 3, 3.5}).reshaped({2, 2})));
    CHECK(!run<op::mean, device::reference>({.inputs = {list<T>({1, 2}), list<T>({1})}, .version = 6}).answer);
}
TEST_CASE(
    "Mean on the CPU and on other devices agrees with the reference kernel at every tail length, and whatever "
    "broadcasts") {
    for (int n = 0; n <= 67; ++n)
        for (int inputs = 1; inputs <= 4; ++inputs) {
            CAPTURE(n, inputs);
            std::vector<operand> list;
            for (int k = 0; k < inputs; ++k) list.push_back(random_tensor({n}, unsigned(n * 5 + k)));
            agree<op::mean>({list});
            list.push_back(random_tensor({3, 1}, 9));
            agree<op::mean>({list});
        }
    agree<op::mean>({{random_tensor({2, 3, 4, 5}, 1), random_tensor({1, 3, 1, 1}, 2), random_tensor({4, 5}, 3)}});
    agree<op::mean>({{random_tensor({60001}, 5), random_tensor({60001}, 6), random_tensor({1}, 7)}});
    std::vector<operand> many(40, random_tensor({2, 3, 4, 5}, 1));
    many[39] = random_tensor({2, 3, 4, 5}, 2);
    agree<op::mean>({many});
    agree<op::mean, float16>({{random_tensor<float16>({3, 33}, 8), random_tensor<float16>({33}, 9)}});
}
TEMPLATE_TEST_CASE("Max and Min of every number type", "", float, double, float16, bfloat16, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    const tensor a = list<T>({1, 5, 3}), b = list<T>({4, 2, 3}), c = list<T>({2});
    CHECK(same<T>(on_reference<op::max>({{a, b, c}}), list<T>({4, 5, 3})));
    CHECK(same<T>(on_reference<op::min>({{a, b, c}}), list<T>({1, 2, 2})));
    CHECK(same<T>(on_reference<op::max>({{a}}), a));
    using limits = std::numeric_limits<T>;
    if constexpr (std::is_integral_v<T>)
        CHECK(same<T>(on_reference<op::max>({{tensor({1}, {limits::min()}), tensor({1}, {limits::max()})}}),
                      tensor({1}, {limits::max()})));
    else
        for (const tensor& x : {list<T>({1, quiet_nan}), list<T>({quiet_nan, 1})}) {
            CHECK(same<T>(on_reference<op::max>({{list<T>({quiet_nan, quiet_nan}), x}}),
                          list<T>({quiet_nan, quiet_nan})));
            CHECK(same<T>(on_reference<op::min>({{x, list<T>({infinity, infinity})}}), x));
        }
}
TEMPLATE_TEST_CASE("Max and Min on the CPU agree with the reference kernel at every tail length, NaN included", "",
                   op::max, op::min) {
    for (int n = 0; n <= 67; ++n) {
        CAPTURE(n);
        tensor a = random_tensor({n}, unsigned(n)), b = random_tensor({n}, unsigned(n) + 100);
        for (int i = 0; i < n; i += 5) (i % 2 ? a : b).as<float>()[std::size_t(i)] = i % 3 ? quiet_nan : -infinity;
        agree<TestType>({{a, b}});
        agree<TestType>({{a, b, random_tensor({3, 1}, 9)}});
        agree<TestType>({{random_tensor({1}, 9), b}});
    }
    agree<TestType>({{random_tensor({2, 3, 4, 5}, 1), random_tensor({1, 3, 1, 1}, 2), random_tensor({4, 5}, 3)}});
    CHECK(devices_agree<TestType>(
        {{random_tensor<std::int32_t>({3, 17}, 1, -2e9, 2e9), random_tensor<std::int32_t>({17}, 2, -2e9, 2e9)}}));
    CHECK(devices_agree<TestType>({{random_tensor<std::int64_t>({2, 3, 4, 5}, 1, -9e18, 9e18),
                                    random_tensor<std::int64_t>({3, 1, 1}, 2, -9e18, 9e18)}}));
    std::vector<operand> many(40, random_tensor<std::int64_t>({9}, 3, -9e18, 9e18));
    many[20] = random_tensor<std::int64_t>({9}, 4, -9e18, 9e18);
    CHECK(devices_agree<TestType>({many}));
}
TEST_CASE("Sum broadcasts from version 8 on") {
    const tensor a = list<float>({1, 2}), b = list<float>({10, 20, 30}).reshaped({3, 1}),
                 c = list<float>({100}).reshaped({});
    CHECK(
        same<float>(on_reference<op::sum>({{a, b, c}}), list<float>({111, 112, 121, 122, 131, 132}).reshaped({3, 2})));
    CHECK(!run<op::sum, device::reference>({.inputs = {a, b}, .version = 6}).answer);
    CHECK(!run<op::sum, device::reference>({{a, list<float>({1, 2, 3})}}).answer);
    CHECK(!run<op::sum, device::reference>({{a, operand{}, a}}).answer);
    CHECK(on_reference<op::sum>({{tensor(element::f32, {0}), c}}).shape() == shape{0});
}
TEST_CASE("Sum takes any number of inputs of one shape, and 32 that broadcast") {
    std::vector<operand> same_shape(100, list<float>({1, 2})), broadcasting(32, list<float>({1, 2}));
    broadcasting[31] = list<float>({1});
    CHECK(same<float>(on_reference<op::sum>({same_shape}), list<float>({100, 200})));
    CHECK(same<float>(on_reference<op::sum>({broadcasting}), list<float>({32, 63})));
    broadcasting.push_back(list<float>({1}));
    CHECK(run<op::sum, device::reference>({broadcasting}).answer.reason ==
          "more than 32 inputs that are not all of one shape");
    std::vector<operand> planes(40, random_tensor({2, 3, 4, 5}, 1));
    planes[39] = operand::weight(random_tensor({2, 3, 4, 5}, 2));
    agree<op::sum>({planes});
}
TEST_CASE("Sum on the CPU agrees with the reference kernel at every tail length") {
    for (int n = 0; n <= 67; ++n)
        for (int inputs = 1; inputs <= 4; ++inputs) {
            CAPTURE(n, inputs);
            std::vector<operand> list;
            for (int k = 0; k < inputs; ++k) list.push_back(random_tensor({n}, unsigned(n * 5 + k)));
            agree<op::sum>({list});
            list.push_back(random_tensor({3, 1}, 9));
            agree<op::sum>({list});
        }
}
TEST_CASE("Sum on the CPU agrees with the reference kernel whatever broadcasts") {
    const tensor x = random_tensor({2, 3, 4, 5}, 1), w = random_tensor({1, 3, 1, 1}, 2), v = random_tensor({4, 5}, 3);
    agree<op::sum>({{x, w, v}});
    agree<op::sum>({{v, operand::weight(w), x}});
    agree<op::sum>({{operand::weight(x), x, x}});
    agree<op::sum>({{w, random_tensor({2, 1, 1, 1}, 4), x}});
    agree<op::sum>({{random_tensor({60001}, 5), random_tensor({60001}, 6), random_tensor({1}, 7)}});
}

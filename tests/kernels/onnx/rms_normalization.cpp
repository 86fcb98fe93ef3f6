// Mirrors kernels/inlay/onnx/rms_normalization.hpp, and those of the same name for devices.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/rms_normalization.hpp>
#include <on_test_devices/onnx/rms_normalization.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
attributes numbers(std::int64_t axis, double epsilon = 0) {
    return [=](graph_data& g) { return std::vector{g.make("axis", axis), g.make("epsilon", epsilon)}; };
}
}  // namespace

TEMPLATE_TEST_CASE("RMSNormalization divides rows by the root of their mean square, and scales them", "", float, double,
                   float16, bfloat16) {
    using T = TestType;
    const tensor x = list<T>({1, 7, -6, 2, 0, 0}).reshaped({3, 2}), scale = list<T>({5, 10});
    const double root = std::sqrt(20.);
    CHECK(same<T>(on_reference<op::rms_normalization>({.inputs = {x, scale}, .with = numbers(-1, 1e-5)}),
                  list<T>({1, 14, -30 / root, 20 / root, 0, 0}).reshaped({3, 2}), 8e-3));
    CHECK(same<T>(
        on_reference<op::rms_normalization>({.inputs = {x.reshaped({1, 3, 2}), list<T>({1})}, .with = numbers(1, 1)}),
        list<T>({1 / 4., 7 / 4., -6 / 4., 2 / 4., 0, 0}).reshaped({1, 3, 2})));
    CHECK(same<T>(on_reference<op::rms_normalization>({.inputs = {list<T>({1, quiet_nan}), scale}}),
                  list<T>({quiet_nan, quiet_nan})));
    if constexpr (!std::is_same_v<T, double>)
        for (double odd : {double(quiet_nan), double(infinity), -double(infinity)})
            agree<op::rms_normalization, T>({.inputs = {list<T>({1, odd}), scale}});
}
TEST_CASE("RMSNormalization has the type of its scale") {
    const call c{
        .inputs = {list<float16>({1, 7}), list<float>({5, 10})}, .with = numbers(0), .outputs = {element::f32}};
    CHECK(same<float>(on_reference<op::rms_normalization>(c), list<float>({1, 14}), 1e-6));
    CHECK(run<op::rms_normalization, device::reference>(
              {.inputs = {list<float>({1, 7}), list<double>({5, 10})}, .with = numbers(0)})
              .answer.reason == "scale and Y must have one type");
    CHECK_FALSE(run<op::rms_normalization, device::cpu>(
                    {.inputs = {list<float>({1, 7}), list<double>({5, 10})}, .with = numbers(0)})
                    .answer);
}
TEST_CASE("RMSNormalization broadcasts its scale, and refuses one that does not fit") {
    const tensor x = list<float>({1, 7, -5, 5}).reshaped({2, 2}), rows = list<float>({10, 1}).reshaped({2, 1});
    const call c{.inputs = {x, rows}, .with = numbers(-1)};
    CHECK(same<float>(on_reference<op::rms_normalization>(c), list<float>({2, 14, -1, 1}).reshaped({2, 2}), 1e-6));
    CHECK(run<op::rms_normalization, device::cpu>(c).answer.reason ==
          "fast only where scale has the shape of the normalised axes");
    CHECK_FALSE(run<op::rms_normalization, device::reference>({{x, list<float>({1, 2, 3})}}).answer);
    CHECK_FALSE(
        run<op::rms_normalization, device::reference>({.inputs = {x, list<float>({1, 2})}, .with = numbers(2)}).answer);
    CHECK_FALSE(run<op::rms_normalization, device::reference>({{x}}).answer);
}
TEST_CASE(
    "RMSNormalization on the CPU and on other devices agrees with the reference kernel at every tail length and for "
    "long rows") {
    for (int n = 0; n <= 67; ++n) {
        CAPTURE(n);
        agree<op::rms_normalization>(
            {.inputs = {random_tensor({3, 2, n}, unsigned(n)), random_tensor({n}, 1)}, .with = numbers(-1, 1e-5)},
            1e-5);
    }
    agree<op::rms_normalization>({{random_tensor({17, 768}, 1), random_tensor({768}, 2)}}, 1e-5);
    agree<op::rms_normalization>(
        {.inputs = {random_tensor({2, 3, 5, 7}, 1), random_tensor({3, 5, 7}, 2)}, .with = numbers(1, 1e-5)}, 1e-5);
    agree<op::rms_normalization>(
        {.inputs = {random_tensor({300001}, 1), random_tensor({300001}, 2)}, .with = numbers(0, 1e-5)}, 1e-5);
}
TEMPLATE_TEST_CASE("RMSNormalization in 16 bits agrees with the reference kernel at every tail length", "", float16,
                   bfloat16) {
    const double tolerance = std::is_same_v<TestType, float16> ? 1e-3 : 8e-3;
    for (int n = 0; n <= 67; ++n) {
        CAPTURE(n);
        agree<op::rms_normalization, TestType>(
            {.inputs = {random_tensor<TestType>({3, 2, n}, unsigned(n)), random_tensor<TestType>({n}, 1)},
             .with = numbers(-1, 1e-5)},
            tolerance);
    }
    agree<op::rms_normalization, TestType>(
        {{random_tensor<TestType>({3, 4096}, 1), random_tensor<TestType>({4096}, 2)}}, tolerance);
}

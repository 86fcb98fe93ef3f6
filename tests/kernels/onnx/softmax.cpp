// Mirrors kernels/inlay/onnx/softmax.hpp and kernels/inlay/cpu/onnx/softmax.hpp.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/softmax.hpp>
#include <on_test_devices/onnx/softmax.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

static attributes axis(std::int64_t a) {
    return [a](graph_data& g) { return std::vector{g.make("axis", a)}; };
}
template <class T> static double tolerance() {
    return std::is_same_v<T, double>    ? 1e-15
           : std::is_same_v<T, float>   ? 1e-6
           : std::is_same_v<T, float16> ? 1e-3
                                        : 8e-3;
}

TEMPLATE_TEST_CASE("Softmax and LogSoftmax give their known values", "", float, double, float16, bfloat16) {
    using T = TestType;
    const tensor x = list<T>({0, 1, 2}).reshaped({1, 3});
    CHECK(same<T>(on_reference<op::softmax>({{x}}),
                  list<T>({0.090030573170380457, 0.24472847105479764, 0.66524095577482189}).reshaped({1, 3}),
                  tolerance<T>()));
    CHECK(same<T>(on_reference<op::log_softmax>({{x}}),
                  list<T>({-2.4076059644443806, -1.4076059644443806, -0.40760596444438064}).reshaped({1, 3}),
                  tolerance<T>()));
}
TEMPLATE_TEST_CASE("Softmax neither overflows nor hides NaN", "", op::softmax, op::log_softmax) {
    constexpr bool log = std::is_same_v<TestType, op::log_softmax>;
    const auto result = [](std::initializer_list<double> x) -> tensor {
        return on_reference<TestType>({{list<float>(x)}});
    };
    CHECK(same<float>(result({1e30, 1e30, -infinity}),
                      log ? list<float>({-std::log(2.), -std::log(2.), -infinity}) : list<float>({0.5, 0.5, 0}), 1e-6));
    CHECK(same<float>(result({1, quiet_nan, 2}), list<float>({quiet_nan, quiet_nan, quiet_nan})));
    CHECK(same<float>(result({-infinity, -infinity}), list<float>({quiet_nan, quiet_nan})));
    CHECK(same<float>(result({infinity, 1}), list<float>({quiet_nan, quiet_nan})));
    CHECK(same<float>(result({-7}), list<float>({log ? 0. : 1.})));
}
TEST_CASE("What is too small compared with the greatest element is 0") {
    for (std::int64_t n : {5, 16, 37, 70}) {
        tensor x(element::f32, {4, n});
        const float far[] = {-80, -86.5f, -95, -103, -103.9f, -104, -105, -150, -400, -10000, -3.4e38f, -infinity};
        for (std::size_t i = 0; i < std::size_t(4 * n); ++i)
            x.as<float>()[i] = i % 3 ? far[i % std::size(far)] : float(i % 2);
        agree<op::softmax>({{x}}, 1e-6);
        for (isa::level l : tested_levels()) {
            const auto y = elements<float>(result_of(run<op::softmax, device::cpu>, {.inputs = {x}, .level = l}));
            for (std::size_t i = 0; i < y.size(); ++i) CHECK((y[i] > 0 || x.as<float>()[i] < -80));
            for (std::size_t i = 0; i < y.size(); ++i) CHECK((y[i] == 0 || x.as<float>()[i] > -105));
        }
    }
}
TEST_CASE("Softmax before version 13 joins the axes from its own on") {
    tensor x(element::f32, {2, 2, 2});
    const auto value_of = [&](int version, std::int64_t a) {
        return elements<float>(on_reference<op::softmax>({.inputs = {x}, .with = axis(a), .version = version}))[0];
    };
    CHECK(value_of(1, 0) == 0.125f);
    CHECK(value_of(1, 1) == 0.25f);
    CHECK(value_of(11, 2) == 0.5f);
    CHECK(value_of(11, -3) == 0.125f);
    CHECK(value_of(13, 0) == 0.5f);
    CHECK(elements<float>(on_reference<op::softmax>({.inputs = {x}, .version = 11}))[0] == 0.25f);  // axis 1
    CHECK(elements<float>(on_reference<op::softmax>({.inputs = {x}, .version = 13}))[0] == 0.5f);   // axis -1
}
TEST_CASE("Softmax refuses an axis out of range, and keeps empty tensors empty") {
    for (std::int64_t a : {-4, 3})
        CHECK(run<op::softmax, device::reference>({.inputs = {tensor(element::f32, {2, 2, 2})}, .with = axis(a)})
                  .answer.reason == "axis is out of range");
    CHECK_FALSE(run<op::softmax, device::reference>({.inputs = {tensor(element::f32, {})}}).answer);
    CHECK(on_reference<op::softmax>({{tensor(element::f32, {3, 0})}}).shape() == shape{3, 0});
    agree<op::softmax>({{tensor(element::f32, {3, 0})}});
    agree<op::softmax>({.inputs = {tensor(element::f32, {0, 3})}, .with = axis(0)});
}

TEMPLATE_TEST_CASE("Softmax on the CPU agrees with the reference kernel at every tail length", "", op::softmax,
                   op::log_softmax) {
    for (int n = 0; n <= 67; ++n) {
        CAPTURE(n);
        agree<TestType>({{random_tensor({5, n}, unsigned(n), -20, 20)}}, 2e-6);  // along memory
        agree<TestType>({.inputs = {random_tensor({2, 3, n}, unsigned(n), -20, 20)}, .with = axis(1)},
                        2e-6);  // across it
        tensor odd = random_tensor({4, n}, unsigned(n));
        const float unusual[] = {-infinity, quiet_nan, infinity, 1e30f};
        for (int row = 0; row < 4 && n > 0; ++row) odd.as<float>()[std::size_t(row * n + row * 5 % n)] = unusual[row];
        agree<TestType>({{odd}}, 2e-6);
        agree<TestType>({.inputs = {odd}, .with = axis(0)}, 2e-6);
    }
    agree<TestType>({{random_tensor({3, 5001}, 1)}}, 4e-6);
}
TEMPLATE_TEST_CASE(
    "Softmax on the CPU agrees with the reference kernel on every axis of an image, in both layouts and all versions",
    "", op::softmax, op::log_softmax) {
    const tensor x = random_tensor({3, 19, 7, 5}, 2);
    for (int version : {1, 11, 13})
        for (std::int64_t a = version == 1 ? 0 : -4; a < 4; ++a) {
            CAPTURE(version, a);
            agree<TestType>({.inputs = {x}, .with = axis(a), .version = version}, 2e-6);
        }
    agree<TestType>({.inputs = {random_tensor({1, 16, 4, 840}, 3)}, .with = axis(1)}, 2e-6);
}
TEST_CASE("Softmax of the CPU works in place") {
    for (isa::level level : tested_levels())
        for (int n = 1; n <= 67; ++n) {
            CAPTURE(isa::name_of(level), n);
            const tensor x = random_tensor({3, n}, unsigned(n));
            for (auto function : {softmax_f32(level).softmax, softmax_f32(level).log_softmax}) {
                tensor y(element::f32, x.shape()), z = x.clone();
                function(x.as<float>().data(), y.as<float>().data(), 3, n);
                function(z.as<float>().data(), z.as<float>().data(), 3, n);
                CHECK(same<float>(z, y));
            }
            for (auto function : {softmax_f32(level).softmax_columns, softmax_f32(level).log_softmax_columns}) {
                tensor y(element::f32, x.shape()), z = x.clone();
                function(x.as<float>().data(), y.as<float>().data(), 3, n, 0, n);
                function(z.as<float>().data(), z.as<float>().data(), 3, n, 0, n);
                CHECK(same<float>(z, y));
            }
        }
}
TEMPLATE_TEST_CASE("Hardmax marks the first maximum along an axis, before version 13 along all axes from it on", "",
                   float, double, float16, bfloat16) {
    using T = TestType;
    const tensor x = list<T>({1, 3, 3, 0, 2, -1, -infinity, -infinity}).reshaped({2, 2, 2});
    const auto is = [&](const call& c, std::initializer_list<double> v) {
        return same<T>(on_reference<op::hardmax>(c), list<T>(v).reshaped(c.inputs[0].value.shape()));
    };
    CHECK(is({{x}}, {0, 1, 1, 0, 1, 0, 1, 0}));
    CHECK(is({.inputs = {x}, .with = axis(1)}, {0, 1, 1, 0, 1, 1, 0, 0}));
    CHECK(is({.inputs = {x}, .with = axis(0)}, {0, 1, 1, 1, 1, 0, 0, 0}));
    for (int version : {1, 11}) {
        CHECK(is({.inputs = {x}, .version = version}, {0, 1, 0, 0, 1, 0, 0, 0}));
        CHECK(is({.inputs = {x}, .with = axis(0), .version = version}, {0, 1, 0, 0, 0, 0, 0, 0}));
    }
    CHECK(is({{list<T>({1, quiet_nan, 5, quiet_nan})}}, {0, 1, 0, 0}));
    CHECK(on_reference<op::hardmax>({{tensor(element_of<T>, {2, 0})}}).shape() == shape{2, 0});
    CHECK_FALSE(run<op::hardmax, device::reference>({.inputs = {x}, .with = axis(3)}).answer);
}
TEMPLATE_TEST_CASE(
    "Hardmax on other devices agrees with the reference kernel on every axis, in both layouts and all versions", "",
    float, float16, bfloat16) {
    using T = TestType;
    for (int n = 0; n <= 67; ++n) {
        CAPTURE(n);
        tensor odd = random_tensor<T>({4, n}, unsigned(n));
        const float unusual[] = {-infinity, quiet_nan, infinity, 1e30f};
        for (int row = 0; row < 4 && n > 0; ++row)
            for (int k : {5, 11}) odd.as<T>()[std::size_t(row * n + row * k % n)] = T(unusual[row]);
        agree<op::hardmax, T>({{odd}});
        agree<op::hardmax, T>({.inputs = {odd}, .with = axis(0)});
        agree<op::hardmax, T>({.inputs = {odd.reshaped({2, n, 2})}, .with = axis(1)});
    }
    const tensor x = random_tensor<T>({3, 19, 7, 5}, 2);
    for (int version : {1, 11, 13})
        for (std::int64_t a = version == 1 ? 0 : -4; a < 4; ++a) {
            CAPTURE(version, a);
            agree<op::hardmax, T>({.inputs = {x}, .with = axis(a), .version = version});
        }
    agree<op::hardmax, T>({{random_tensor<T>({3, 5001}, 1)}});
}

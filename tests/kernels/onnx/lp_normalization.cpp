// Mirrors kernels/inlay/onnx/lp_normalization.hpp.
#include "../elementwise.hpp"
#include <on_test_devices/onnx/lp_normalization.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
attributes numbers(std::int64_t axis, std::int64_t p) {
    return [=](graph_data& g) { return std::vector{g.make("axis", axis), g.make("p", p)}; };
}
}  // namespace

TEMPLATE_TEST_CASE("LpNormalization divides by the norm along an axis", "", float, double, float16, bfloat16) {
    using T = TestType;
    const double precision = std::is_same_v<T, bfloat16> ? 8e-3 : std::is_same_v<T, float16> ? 1e-3 : 1e-7;
    const auto of = [](std::initializer_list<double> v) { return list<T>(v).reshaped({2, 2}); };
    const tensor x = of({3, -4, 1, 0});
    for (int version : {1, 22}) {
        CHECK(same<T>(on_reference<op::lp_normalization>({.inputs = {x}, .version = version}), of({0.6, -0.8, 1, 0}),
                      precision));
        CHECK(same<T>(on_reference<op::lp_normalization>({.inputs = {x}, .with = numbers(0, 1), .version = version}),
                      of({0.75, -1, 0.25, 0}), precision));
        CHECK(same<T>(on_reference<op::lp_normalization>({.inputs = {x}, .with = numbers(-1, 1), .version = version}),
                      of({3. / 7, -4. / 7, 1, 0}), precision));
    }
    CHECK(same<T>(on_reference<op::lp_normalization>({{of({0, 0, quiet_nan, 1})}}), of({0, 0, quiet_nan, quiet_nan})));
    CHECK(same<T>(on_reference<op::lp_normalization>({{of({1, infinity, 0, 2})}}), of({0, quiet_nan, 0, 1})));
    CHECK(on_reference<op::lp_normalization>({{tensor(element_of<T>, {2, 0})}}).shape() == shape{2, 0});
}
TEST_CASE("LpNormalization refuses other norms and axes out of range") {
    const auto reason = [](std::int64_t axis, std::int64_t p) {
        return run<op::lp_normalization, device::reference>(
                   {.inputs = {tensor(element::f32, {2, 2})}, .with = numbers(axis, p)})
            .answer.reason;
    };
    CHECK(reason(0, 3) == "p must be 1 or 2");
    CHECK(reason(0, 0) == "p must be 1 or 2");
    CHECK(reason(2, 2) == "axis is out of range");
    CHECK(reason(-3, 2) == "axis is out of range");
}
TEMPLATE_TEST_CASE(
    "LpNormalization on other devices agrees with the reference kernel on every axis, at every tail length", "", float,
    float16, bfloat16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, float> ? 1e-6 : std::is_same_v<T, float16> ? 1e-3 : 8e-3;
    for (std::int64_t p : {1, 2}) {
        for (int n = 0; n <= 67; ++n) {
            CAPTURE(p, n);
            agree<op::lp_normalization, T>({.inputs = {random_tensor<T>({3, n}, unsigned(n))}, .with = numbers(-1, p)},
                                           tolerance);
            agree<op::lp_normalization, T>(
                {.inputs = {random_tensor<T>({2, n, 5}, unsigned(n))}, .with = numbers(1, p)}, tolerance);
        }
        for (std::int64_t axis = -4; axis < 4; ++axis)
            agree<op::lp_normalization, T>({.inputs = {random_tensor<T>({3, 16, 7, 5}, 1)}, .with = numbers(axis, p)},
                                           tolerance);
        agree<op::lp_normalization, T>({.inputs = {random_tensor<T>({3, 5000}, 1)}, .with = numbers(1, p)}, tolerance);
        const tensor odd = list<T>({0, 0, quiet_nan, 1, infinity, 2, -0., 0, -infinity, 1}).reshaped({5, 2});
        for (std::int64_t axis : {0, 1})
            agree<op::lp_normalization, T>({.inputs = {odd}, .with = numbers(axis, p)}, tolerance);
    }
}

// Mirrors kernels/inlay/onnx/mean_variance_normalization.hpp.
#include "../elementwise.hpp"
#include <on_test_devices/onnx/mean_variance_normalization.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
attributes axes(const std::vector<std::int64_t>& values) {
    return [=](graph_data& g) { return std::vector{g.make("axes", std::span<const std::int64_t>(values))}; };
}
template <class T> tensor normalised(const tensor& x, const attributes& with, int version = 13) {
    return on_reference<op::mean_variance_normalization>({.inputs = {x}, .with = with, .version = version});
}
}  // namespace

TEMPLATE_TEST_CASE("MeanVarianceNormalization gives mean 0 and deviation 1 over its axes", "", float, double, float16,
                   bfloat16) {
    using T = TestType;
    const tensor x = list<T>({1, 3, -2, 2}).reshaped({2, 2});
    const auto is = [](const tensor& y, std::initializer_list<double> v) {
        return same<T>(y, list<T>(v).reshaped(y.shape()), 1e-7);
    };
    for (int version : {9, 13}) {
        CHECK(is(normalised<T>(x, axes({1}), version), {-1, 1, -1, 1}));
        CHECK(is(normalised<T>(x, axes({0}), version), {1, 1, -1, -1}));
        CHECK(is(normalised<T>(
                     list<T>({1, 1, 5, 5, 3, 3, 9, 9}).reshaped({2, 2, 1, 2}),
                     [](graph_data&) { return std::vector<attribute>{}; }, version),
                 {-1, -1, -1, -1, 1, 1, 1, 1}));
    }
    CHECK(is(normalised<T>(list<T>({-1, -1, 1, 1}).reshaped({2, 2}), axes({0, -1})), {-1, -1, 1, 1}));
    CHECK(is(normalised<T>(list<T>({7, 7}), axes({0})), {0, 0}));
    CHECK(is(normalised<T>(list<T>({7, 9}), axes({})), {-1, 1}));
    CHECK(is(normalised<T>(list<T>({7, quiet_nan}), axes({0})), {quiet_nan, quiet_nan}));
    CHECK(normalised<T>(tensor(element_of<T>, {2, 0}), axes({1})).shape() == shape{2, 0});
}
TEST_CASE("MeanVarianceNormalization refuses axes out of range") {
    const auto reason = [](const attributes& with) {
        return run<op::mean_variance_normalization, device::reference>(
                   {.inputs = {tensor(element::f32, {2, 2})}, .with = with})
            .answer.reason;
    };
    CHECK(reason(axes({2})) == "an axis is out of range");
    CHECK(reason(axes({-3})) == "an axis is out of range");
    CHECK(reason([](graph_data&) { return std::vector<attribute>{}; }) == "an axis is out of range");  // 0, 2 and 3
}
TEMPLATE_TEST_CASE(
    "MeanVarianceNormalization on other devices agrees with the reference kernel over every set of axes, in both "
    "layouts",
    "", float, float16, bfloat16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, float> ? 1e-5 : std::is_same_v<T, float16> ? 2e-3 : 1.6e-2;
    for (const shape& dims : {shape{3, 18, 5, 7}, {2, 3, 0, 4}, {1, 4, 40, 41}, {2, 1, 3, 1}}) {
        agree<op::mean_variance_normalization, T>({{random_tensor<T>(dims, 1)}}, tolerance);
        for (int set = 0; set < 16; ++set) {
            std::vector<std::int64_t> axis_list;
            for (int i = 0; i < 4; ++i)
                if (set >> i & 1) axis_list.push_back(i);
            CAPTURE(to_string(dims), set);
            agree<op::mean_variance_normalization, T>({.inputs = {random_tensor<T>(dims, 2)}, .with = axes(axis_list)},
                                                      tolerance);
        }
    }
    for (int n = 0; n <= 67; ++n)
        agree<op::mean_variance_normalization, T>(
            {.inputs = {random_tensor<T>({3, n}, unsigned(n))}, .with = axes({1})}, tolerance);
    for (double odd : {double(quiet_nan), double(infinity), 7.})
        agree<op::mean_variance_normalization, T>(
            {.inputs = {list<T>({7, odd, 7, 9}).reshaped({2, 2})}, .with = axes({1})}, tolerance);
}

// Mirrors kernels/inlay/onnx/is_nan.hpp.
#include "../elementwise.hpp"
#include <on_test_devices/onnx/is_nan.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
attributes detect(std::int64_t positive, std::int64_t negative) {
    return [=](graph_data& g) {
        return std::vector{g.make("detect_positive", positive), g.make("detect_negative", negative)};
    };
}
template <class Op>
bool gives(
    const tensor& x, std::initializer_list<double> expected,
    const attributes& with = [](graph_data&) { return std::vector<attribute>{}; }, int version = 0) {
    return same<bool>(
        on_reference<Op>({.inputs = {x}, .with = with, .version = version, .outputs = {element::boolean}}),
        list<bool>(expected));
}
}  // namespace

TEMPLATE_TEST_CASE("IsNaN and IsInf of floats", "", float, double, float16, bfloat16) {
    const tensor x = list<TestType>({quiet_nan, infinity, -infinity, 0, -1});
    for (int version : {9, 13, 20}) CHECK(gives<op::is_nan>(x, {1, 0, 0, 0, 0}, detect(1, 1), version));
    CHECK(gives<op::is_inf>(x, {0, 1, 1, 0, 0}));
    CHECK(gives<op::is_inf>(x, {0, 1, 1, 0, 0}, detect(1, 1), 10));
    CHECK(gives<op::is_inf>(x, {0, 1, 0, 0, 0}, detect(1, 0)));
    CHECK(gives<op::is_inf>(x, {0, 0, 1, 0, 0}, detect(0, 1)));
    CHECK(gives<op::is_inf>(x, {0, 0, 0, 0, 0}, detect(0, 0)));
    CHECK(on_reference<op::is_nan>({.inputs = {tensor(element_of<TestType>, {2, 0})}, .outputs = {element::boolean}})
              .shape() == shape{2, 0});
}
TEMPLATE_TEST_CASE("IsNaN of float8, and IsInf where they have an infinity", "", float8e4m3fn, float8e4m3fnuz,
                   float8e5m2, float8e5m2fnuz) {
    const double infinite = std::is_same_v<TestType, float8e5m2>;
    const tensor x = list<TestType>({quiet_nan, 1, -2, 0});
    CHECK(gives<op::is_nan>(x, {1, 0, 0, 0}));
    CHECK(gives<op::is_inf>(x, {0, 0, 0, 0}));
    CHECK(gives<op::is_inf>(list<TestType>({infinity, -infinity}), {infinite, infinite}));
}
TEMPLATE_TEST_CASE("IsNaN and IsInf on other devices agree with the reference kernel at every tail length", "", float,
                   float16, bfloat16) {
    const float unusual[] = {quiet_nan, 0, infinity, -quiet_nan, -infinity, 1e-40f, 65504};
    for (int n = 0; n <= 67; ++n) {
        CAPTURE(n);
        tensor x = random_tensor<TestType>({n}, unsigned(n));
        for (int i = 0; i < n; i += 2) x.as<TestType>()[std::size_t(i)] = TestType(unusual[i / 2 % 7]);
        agree<op::is_nan, bool>({.inputs = {x}, .outputs = {element::boolean}});
        for (std::int64_t positive : {0, 1})
            for (std::int64_t negative : {0, 1})
                agree<op::is_inf, bool>(
                    {.inputs = {x}, .with = detect(positive, negative), .outputs = {element::boolean}});
    }
    agree<op::is_nan, bool>({.inputs = {random_tensor<TestType>({2, 3, 5, 7}, 1)}, .outputs = {element::boolean}});
}

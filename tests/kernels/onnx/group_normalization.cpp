// Mirrors kernels/inlay/onnx/group_normalization.hpp, and those of the same name for devices.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/group_normalization.hpp>
#include <on_test_devices/onnx/group_normalization.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
attributes numbers(std::int64_t groups, double epsilon = 0) {
    return [=](graph_data& g) { return std::vector{g.make("num_groups", groups), g.make("epsilon", epsilon)}; };
}
attributes exact() {
    return [](graph_data& g) { return std::vector{g.make("epsilon", 0.)}; };
}
template <class Op> std::string_view refusal_of(const call& c) { return run<Op, device::reference>(c).answer.reason; }
}  // namespace

TEMPLATE_TEST_CASE("InstanceNormalization gives each channel of a sample mean 0 and deviation 1, scaled and shifted",
                   "", float, double, float16, bfloat16) {
    using T = TestType;
    const tensor x = list<T>({1, 3, -2, 2, 5, 1, 0, 8}).reshaped({2, 2, 2}), scale = list<T>({2, 4}),
                 b = list<T>({10, 20});
    for (int version : {1, 6, 22})
        CHECK(same<T>(
            on_reference<op::instance_normalization>({.inputs = {x, scale, b}, .with = exact(), .version = version}),
            list<T>({8, 12, 16, 24, 12, 8, 16, 24}).reshaped({2, 2, 2})));
    const attributes three = [](graph_data& g) { return std::vector{g.make("epsilon", 3.)}; };
    CHECK(same<T>(on_reference<op::instance_normalization>(
                      {.inputs = {list<T>({1, 3}).reshaped({1, 1, 2}), list<T>({1}), list<T>({0})}, .with = three}),
                  list<T>({-0.5, 0.5}).reshaped({1, 1, 2})));
}
TEMPLATE_TEST_CASE(
    "GroupNormalization takes neighbouring channels together, with scale and B per channel, before version 21 per "
    "group",
    "", float, double, float16, bfloat16) {
    using T = TestType;
    const tensor x = list<T>({1, 1, 3, 3, -2, -2, 2, 2}).reshaped({1, 4, 2});
    CHECK(same<T>(on_reference<op::group_normalization>(
                      {.inputs = {x, list<T>({1, 2, 3, 4}), list<T>({10, 20, 30, 40})}, .with = numbers(2)}),
                  list<T>({9, 9, 22, 22, 27, 27, 44, 44}).reshaped({1, 4, 2})));
    CHECK(same<T>(on_reference<op::group_normalization>(
                      {.inputs = {x, list<T>({1, 2}), list<T>({10, 20})}, .with = numbers(2), .version = 18}),
                  list<T>({9, 9, 11, 11, 18, 18, 22, 22}).reshaped({1, 4, 2})));
    CHECK(same<T>(
        on_reference<op::group_normalization>(
            {.inputs = {list<T>({1, 3}).reshaped({1, 2}), list<T>({1, 2}), list<T>({0, 5})}, .with = numbers(1)}),
        list<T>({-1, 7}).reshaped({1, 2})));
}
TEST_CASE("Normalisations of groups that are constant, empty or not numbers") {
    const auto result = [](std::initializer_list<double> x) {
        const call c{
            .inputs = {list<float>(x).reshaped({1, 1, std::int64_t(x.size())}), list<float>({1}), list<float>({0})}};
        agree<op::instance_normalization>(c);
        return on_reference<op::instance_normalization>(c);
    };
    CHECK(same<float>(result({7, 7, 7}), list<float>({0, 0, 0}).reshaped({1, 1, 3})));
    CHECK(same<float>(result({1, quiet_nan}), list<float>({quiet_nan, quiet_nan}).reshaped({1, 1, 2})));
    CHECK(same<float>(result({1, infinity}), list<float>({quiet_nan, quiet_nan}).reshaped({1, 1, 2})));
    for (const shape& dims : {shape{2, 3, 0}, {0, 3, 4}})
        agree<op::instance_normalization>({{tensor(element::f32, dims), random_tensor({3}, 1), random_tensor({3}, 2)}});
    agree<op::instance_normalization>(
        {{tensor(element::f32, {2, 0, 4}), tensor(element::f32, {0}), tensor(element::f32, {0})}});
    agree<op::group_normalization>(
        {.inputs = {tensor(element::f32, {2, 0, 4}), tensor(element::f32, {0}), tensor(element::f32, {0})},
         .with = numbers(std::int64_t(1) << 62)});
}
TEST_CASE("Normalisations refuse what does not fit") {
    const tensor x = random_tensor({2, 6, 3}, 1), six = random_tensor({6}, 2), three = random_tensor({3}, 3);
    const std::string_view wrong = "scale and B must have one number per channel, or per group before version 21";
    CHECK(refusal_of<op::instance_normalization>({{x, six, three}}) == wrong);
    CHECK(refusal_of<op::instance_normalization>({{x, six.reshaped({6, 1}), six}}) == wrong);
    CHECK(refusal_of<op::instance_normalization>({{x, six}}) == "an input is missing");
    CHECK(refusal_of<op::instance_normalization>({{six, six, six}}) == "X needs a batch and a channel axis");
    CHECK(refusal_of<op::instance_normalization>({{x, list<double>({1, 2, 3, 4, 5, 6}), six}}) ==
          "X, scale and B must have one type");
    CHECK(refusal_of<op::instance_normalization>({{x, six, list<double>({1, 2, 3, 4, 5, 6})}}) ==
          "X, scale and B must have one type");
    CHECK(refusal_of<op::group_normalization>({{x, six, six}}) == "num_groups must be positive");
    CHECK(refusal_of<op::group_normalization>({.inputs = {x, six, six}, .with = numbers(-2)}) ==
          "num_groups must be positive");
    CHECK(refusal_of<op::group_normalization>({.inputs = {x, six, six}, .with = numbers(4)}) ==
          "num_groups does not divide the number of channels");
    CHECK(refusal_of<op::group_normalization>({.inputs = {x, three, three}, .with = numbers(3)}) == wrong);
    CHECK(refusal_of<op::group_normalization>({.inputs = {x, six, six}, .with = numbers(3), .version = 18}) == wrong);
    CHECK(
        refusal_of<op::group_normalization>({.inputs = {x, three, three}, .with = numbers(3), .version = 18}).empty());
}
TEST_CASE("Normalisations on the CPU and on other devices agree with the reference kernel at every tail length") {
    for (int n = 0; n <= 67; ++n) {
        CAPTURE(n);
        agree<op::instance_normalization>(
            {{random_tensor({2, 3, n}, unsigned(n)), random_tensor({3}, 1), random_tensor({3}, 2)}}, 1e-5);
        agree<op::group_normalization>(
            {.inputs = {random_tensor({2, 6, n}, unsigned(n)), random_tensor({6}, 1), random_tensor({6}, 2)},
             .with = numbers(2, 1e-5)},
            1e-5);
        agree<op::group_normalization>(
            {.inputs = {random_tensor({2, 6, n}, unsigned(n)), random_tensor({3}, 1), random_tensor({3}, 2)},
             .with = numbers(3, 1e-5),
             .version = 18},
            1e-5);
    }
}
TEST_CASE(
    "Normalisations on the CPU and on other devices agree with the reference kernel for large planes, any rank and a "
    "large mean") {
    agree<op::instance_normalization>(
        {{random_tensor({1, 5, 301, 211}, 1), random_tensor({5}, 2), random_tensor({5}, 3)}}, 1e-5);
    agree<op::instance_normalization>(
        {{random_tensor({2, 4, 3, 5, 7}, 1), random_tensor({4}, 2), random_tensor({4}, 3)}}, 1e-5);
    agree<op::instance_normalization>(
        {{random_tensor({1, 2, 10, 10}, 1, 999, 1001), random_tensor({2}, 2), random_tensor({2}, 3)}}, 1e-3);
    agree<op::group_normalization>(
        {.inputs = {random_tensor({2, 32, 17, 19}, 1), random_tensor({32}, 2), random_tensor({32}, 3)},
         .with = numbers(8, 1e-5)},
        1e-5);
    agree<op::group_normalization>(
        {.inputs = {random_tensor({3, 12}, 1), random_tensor({12}, 2), random_tensor({12}, 3)},
         .with = numbers(4, 1e-5)},
        1e-5);
}
TEMPLATE_TEST_CASE("Normalisations of groups whose channels or pixels fill lanes, or do not, in every type", "", float,
                   float16, bfloat16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, float> ? 1e-5 : std::is_same_v<T, float16> ? 1e-3 : 8e-3;
    for (const shape& dims : {shape{2, 48, 4, 8}, {2, 48, 3, 5}, {3, 24, 40}, {1, 48, 2, 3, 4}})
        for (std::int64_t groups : {1, 3, 24}) {
            CAPTURE(to_string(dims), groups);
            const tensor x = random_tensor<T>(dims, 1), scale = random_tensor<T>({dims[1]}, 2),
                         b = random_tensor<T>({dims[1]}, 3);
            agree<op::instance_normalization, T>({{x, scale, b}}, tolerance);
            agree<op::group_normalization, T>({.inputs = {x, scale, b}, .with = numbers(groups, 1e-5)}, tolerance);
            agree<op::group_normalization, T>(
                {.inputs = {x, random_tensor<T>({groups}, 4), random_tensor<T>({groups}, 5)},
                 .with = numbers(groups, 1e-5),
                 .version = 18},
                tolerance);
        }
}

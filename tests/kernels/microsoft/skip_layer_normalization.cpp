// Mirrors kernels/inlay/microsoft/skip_layer_normalization.hpp.
#include "../elementwise.hpp"
#include "../every_level.hpp"
#include <on_test_devices/microsoft/skip_layer_normalization.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

TEMPLATE_TEST_CASE("SkipLayerNormalization normalises the sum of input, skip and bias, and gives the sum back", "",
                   float, double, float16, bfloat16) {
    using T = TestType;
    const auto row = [](std::initializer_list<double> v) { return list<T>(v).reshaped({1, 1, 2}); };
    const tensor x = row({1, 2}), skip = row({1, 2}), gamma = list<T>({10, 1}), beta = list<T>({1, 2}),
                 bias = list<T>({-1, 3});
    const auto y = run<op::skip_layer_normalization, device::reference>(
        {.inputs = {x, skip, gamma, beta, bias},
         .outputs = {element_of<T>, element::f32, element::f32, element_of<T>}});
    REQUIRE(y.code == status::ok);  // 1 and 7: mean 4, deviation 3
    CHECK(same<T>(y[0], row({-9, 3}), 1e-6));
    CHECK(same<float>(y[1], list<float>({4}).reshaped({1, 1, 1})));
    CHECK(same<float>(y[2], list<float>({1 / 3.}).reshaped({1, 1, 1}), 1e-6));
    CHECK(same<T>(y[3], row({1, 7})));
    const auto z = run<op::skip_simplified_layer_normalization, device::reference>(
        {.inputs = {x, skip, gamma, bias}, .outputs = {element_of<T>, element::f32, element::f32, element_of<T>}});
    REQUIRE(z.code == status::ok);  // 1 and 7: mean square 25
    CHECK(same<T>(z[0], row({2, 1.4}), 8e-3));
    CHECK(same<T>(z[3], row({1, 7})));
}
TEST_CASE("SkipLayerNormalization repeats a skip without a batch") {
    const tensor x = list<float>({1, 7, 2, 4}).reshaped({2, 1, 2}), gamma = list<float>({1, 1});
    for (const tensor& skip : {list<float>({0, 0}).reshaped({1, 2}), list<float>({0, 0}).reshaped({1, 1, 2})})
        CHECK(same<float>(on_reference<op::skip_layer_normalization>({{x, skip, gamma}}),
                          list<float>({-1, 1, -1, 1}).reshaped({2, 1, 2}), 1e-6));
}
TEST_CASE("SkipLayerNormalization refuses what does not fit") {
    const tensor x(element::f32, {2, 3, 4}), g(element::f32, {4});
    const auto reason = [&](std::vector<operand> in) {
        return run<op::skip_layer_normalization, device::reference>({.inputs = std::move(in)}).answer.reason;
    };
    CHECK(reason({x, x}) == "input, skip or gamma is missing");
    CHECK(reason({x, tensor(element::f32, {2, 1, 4}), g}) == "skip does not fit the input");
    CHECK(reason({x, tensor(element::f32, {3, 1}), g}) == "skip does not fit the input");
    CHECK(reason({x, x, tensor(element::f32, {3})}) == "gamma, beta and bias must be as long as the last axis");
    CHECK(reason({x, x, tensor(element::f64, {4})}) == "the inputs must have one type");
    CHECK(reason({x, x, g, g, tensor(element::f64, {4})}) == "the inputs must have one type");
    CHECK(reason({g, g, g}) == "the input must have two or three axes");
    const tensor empty(element::f32, {0, 3, 4});
    CHECK(on_reference<op::skip_layer_normalization>({{empty, empty, g}}).shape() == shape{0, 3, 4});
}

namespace {
template <class Op> void check_lengths(std::size_t inputs, bool statistics) {
    const attributes with = [](graph_data& g) { return std::vector{g.make("epsilon", 0.01)}; };
    for (std::int64_t n = 1; n <= 70; ++n) {
        CAPTURE(n);
        call c{.inputs = {random_tensor({2, 3, n}, 1), random_tensor(n % 2 ? shape{2, 3, n} : shape{3, n}, 2)},
               .with = with,
               .outputs = {element::f32, statistics ? element::f32 : element::undefined,
                           statistics ? element::f32 : element::undefined, n % 3 ? element::f32 : element::undefined}};
        for (std::size_t k = 2; k < inputs; ++k)
            c.inputs.push_back(k > 2 && n % 4 == 0 ? operand{} : random_tensor({n}, unsigned(k) + 1));
        check_levels<Op>(c, 1e-5, 1e-5);
    }
}
}  // namespace

TEST_CASE("The fast SkipLayerNormalization agrees with the reference kernel at every tail length") {
    check_lengths<op::skip_layer_normalization>(5, true);
}
TEST_CASE("The fast SkipSimplifiedLayerNormalization agrees with the reference kernel at every tail length") {
    check_lengths<op::skip_simplified_layer_normalization>(4, false);
    const tensor x(element::f32, {2, 4}), g(element::f32, {4});
    CHECK(run<op::skip_simplified_layer_normalization, device::cpu>(
              {.inputs = {x, x, g}, .outputs = {element::f32, element::f32}})
              .answer.reason == "the reference kernel returns the mean and the root");
}

// Mirrors kernels/inlay/onnx/layer_normalization.hpp and kernels/inlay/cpu/onnx/layer_normalization.hpp.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/layer_normalization.hpp>
#include <on_test_devices/onnx/layer_normalization.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
attributes numbers(std::int64_t axis, double epsilon = 0) {
    return [=](graph_data& g) { return std::vector{g.make("axis", axis), g.make("epsilon", epsilon)}; };
}
const std::vector<element> all_outputs{element::f32, element::f32, element::f32};
}  // namespace

TEMPLATE_TEST_CASE("LayerNormalization gives rows of mean 0 and deviation 1, scaled and shifted", "", float, double,
                   float16, bfloat16) {
    using T = TestType;
    const tensor x = list<T>({1, 3, -2, 2}).reshaped({2, 2}), scale = list<T>({2, 4}), b = list<T>({10, 20});
    CHECK(same<T>(on_reference<op::layer_normalization>({.inputs = {x, scale, b}, .with = numbers(-1)}),
                  list<T>({8, 24, 8, 24}).reshaped({2, 2})));
    CHECK(same<T>(on_reference<op::layer_normalization>({.inputs = {x, scale}, .with = numbers(1)}),
                  list<T>({-2, 4, -2, 4}).reshaped({2, 2})));
    CHECK(same<T>(on_reference<op::layer_normalization>({.inputs = {x, list<T>({1})}, .with = numbers(-1, 3)}),
                  list<T>({-0.5, 0.5, -2 / std::sqrt(7.), 2 / std::sqrt(7.)}).reshaped({2, 2}), 8e-3));
}
TEST_CASE("LayerNormalization also gives Mean and InvStdDev, in float or bfloat16") {
    const tensor x = list<float>({1, 3, -2, 2}).reshaped({2, 1, 2}), scale = list<float>({1, 1});
    const outcome o = run<op::layer_normalization, device::reference>(
        {.inputs = {x, scale}, .with = numbers(-2), .outputs = all_outputs});
    CHECK(same<float>(o[1], list<float>({2, 0}).reshaped({2, 1, 1})));
    CHECK(same<float>(o[2], list<float>({1, 0.5}).reshaped({2, 1, 1})));
    const call small{
        .inputs = {x, scale}, .with = numbers(-2), .outputs = {element::f32, element::undefined, element::bf16}};
    CHECK(same<bfloat16>(run<op::layer_normalization, device::reference>(small)[2],
                         list<bfloat16>({1, 0.5}).reshaped({2, 1, 1})));
    CHECK_FALSE(run<op::layer_normalization, device::cpu>(small).answer);
    CHECK_FALSE(run<op::layer_normalization, device::reference>(
                    {.inputs = {x, scale}, .with = numbers(-2), .outputs = {element::f32, element::f64}})
                    .answer);
}
TEST_CASE("LayerNormalization broadcasts Scale and B along any axis") {
    const tensor x = list<float>({1, 3, -2, 2, 0, 8}).reshaped({3, 2});
    const tensor rows = list<float>({1, 2, 3}).reshaped({3, 1}), scale = list<float>({5}).reshaped({1, 1});
    const call c{.inputs = {x, rows, scale}, .with = numbers(-1)};
    CHECK(same<float>(on_reference<op::layer_normalization>(c), list<float>({4, 6, 3, 7, 2, 8}).reshaped({3, 2})));
    CHECK(run<op::layer_normalization, device::cpu>(c).answer.reason ==
          "fast only where Scale and B have the shape of the normalised axes");
    CHECK_FALSE(
        run<op::layer_normalization, device::reference>({.inputs = {x, list<float>({1, 2, 3})}, .with = numbers(-1)})
            .answer);
    CHECK_FALSE(run<op::layer_normalization, device::reference>(
                    {.inputs = {x, list<float>({1, 2}).reshaped({1, 1, 2})}, .with = numbers(-1)})
                    .answer);
    CHECK_FALSE(
        run<op::layer_normalization, device::reference>({.inputs = {x, list<float>({1, 2})}, .with = numbers(2)})
            .answer);
    CHECK_FALSE(run<op::layer_normalization, device::reference>({.inputs = {x}}).answer);
}
TEST_CASE("LayerNormalization of rows that are constant, empty or not numbers") {
    const auto result = [](std::initializer_list<double> x) {
        return on_reference<op::layer_normalization>(
            {.inputs = {list<float>(x), list<float>({1})}, .with = numbers(0, 1e-5)});
    };
    CHECK(same<float>(result({7, 7, 7}), list<float>({0, 0, 0})));
    CHECK(same<float>(result({1, quiet_nan}), list<float>({quiet_nan, quiet_nan})));
    CHECK(same<float>(result({1, infinity}), list<float>({quiet_nan, quiet_nan})));
    CHECK(on_reference<op::layer_normalization>(
              {.inputs = {tensor(element::f32, {2, 0}), tensor(element::f32, {0})}, .with = numbers(-1)})
              .shape() == shape{2, 0});
}
TEST_CASE(
    "LayerNormalization on the CPU and on other devices agrees with the reference kernel at every tail length, with "
    "all its outputs") {
    for (int n = 0; n <= 67; ++n)
        for (bool shifted : {true, false}) {
            CAPTURE(n, shifted);
            call c{.inputs = {random_tensor({3, 2, n}, unsigned(n)), random_tensor({n}, 1),
                              shifted ? operand(random_tensor({n}, 2)) : operand()},
                   .with = numbers(-1, 1e-5),
                   .outputs = all_outputs};
            if (!shifted) c.inputs.pop_back();
            const outcome expected = run<op::layer_normalization, device::reference>(c);
            for (isa::level level : tested_levels())
                for (int threads : {1, 3}) {
                    c.level = level;
                    c.threads = threads;
                    const outcome o = run<op::layer_normalization, device::cpu>(c);
                    REQUIRE(o.answer);
                    for (std::size_t k = 0; k < 3; ++k) CHECK(same<float>(o[k], expected[k], 1e-5));
                }
            for (const device_runner& d : on_test_devices<op::layer_normalization>()) {
                const outcome o = d.run(c);
                REQUIRE(o.answer);
                for (std::size_t k = 0; k < 3; ++k) CHECK(same<float>(o[k], expected[k], 1e-5));
            }
        }
}
TEST_CASE(
    "LayerNormalization on the CPU agrees with the reference kernel for long rows, several axes and a large mean") {
    agree<op::layer_normalization>(
        {.inputs = {random_tensor({17, 768}, 1), random_tensor({768}, 2), random_tensor({768}, 3)},
         .with = numbers(-1, 1e-5)},
        1e-5);
    agree<op::layer_normalization>(
        {.inputs = {random_tensor({2, 3, 5, 7}, 1), random_tensor({3, 5, 7}, 2), random_tensor({1, 3, 5, 7}, 3)},
         .with = numbers(1, 1e-5)},
        1e-5);
    agree<op::layer_normalization>(
        {.inputs = {random_tensor({300001}, 1), random_tensor({300001}, 2)}, .with = numbers(0, 1e-5)}, 1e-5);
    agree<op::layer_normalization>(
        {.inputs = {random_tensor({3, 100}, 1, 999, 1001), random_tensor({100}, 2)}, .with = numbers(-1, 1e-5)}, 1e-3);
}

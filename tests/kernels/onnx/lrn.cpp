// Mirrors kernels/inlay/onnx/lrn.hpp and kernels/inlay/cpu/onnx/lrn.hpp.
#include "../elementwise.hpp"
#include <inlay/cpu/onnx/lrn.hpp>
#include <on_test_devices/onnx/lrn.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

static attributes numbers(std::int64_t size, double alpha = 1e-4, double beta = 0.75, double bias = 1) {
    return [=](graph_data& g) {
        return std::vector{g.make("size", size), g.make("alpha", alpha), g.make("beta", beta), g.make("bias", bias)};
    };
}

TEMPLATE_TEST_CASE("LRN divides by the squares of the channels around", "", float, double, float16, bfloat16) {
    using T = TestType;
    const double precision = std::is_same_v<T, double> ? 1e-15 : std::is_same_v<T, float> ? 1e-6 : 8e-3;
    const tensor x = list<T>({1, 2, 3, 4}).reshaped({1, 4, 1, 1});
    // Windows: {1 2}, {1 2 3}, {2 3 4}, {3 4}; alpha / size = 1.
    CHECK(same<T>(on_reference<op::lrn>({.inputs = {x}, .with = numbers(3, 3, 1, 2)}),
                  list<T>({1. / 7, 2. / 16, 3. / 31, 4. / 27}).reshaped({1, 4, 1, 1}), precision));
    // An even window has one more channel above: {1 2}, {2 3}, {3 4}, {4}.
    CHECK(same<T>(on_reference<op::lrn>({.inputs = {x}, .with = numbers(2, 2, 1, 0)}),
                  list<T>({1. / 5, 2. / 13, 3. / 25, 4. / 16}).reshaped({1, 4, 1, 1}), precision));
    CHECK(same<T>(on_reference<op::lrn>({.inputs = {x}, .with = numbers(1, 1, 0.5, 0), .version = 1}),
                  list<T>({1, 1, 1, 1}).reshaped({1, 4, 1, 1}), precision));
}
TEST_CASE("LRN takes any number of axes and windows wider than the channels") {
    CHECK(same<float>(on_reference<op::lrn>({.inputs = {list<float>({3, 4}).reshaped({1, 2})},
                                             .with = numbers(std::numeric_limits<std::int64_t>::max(), 1, 1, 1)}),
                      list<float>({3, 4}).reshaped({1, 2})));
    CHECK(on_reference<op::lrn>({.inputs = {tensor(element::f32, {2, 0, 3})}, .with = numbers(5)}).shape() ==
          shape{2, 0, 3});
    CHECK_FALSE(run<op::lrn, device::reference>({.inputs = {tensor(element::f32, {2})}, .with = numbers(5)}).answer);
    CHECK_FALSE(run<op::lrn, device::reference>({.inputs = {tensor(element::f32, {2, 3})}, .with = numbers(0)}).answer);
    CHECK_FALSE(run<op::lrn, device::reference>({{tensor(element::f32, {2, 3})}}).answer);
}
TEST_CASE("LRN on the CPU agrees with the reference kernel at every number of channels and pixels") {
    for (std::int64_t n = 0; n <= 67; ++n) {
        CAPTURE(n);
        agree<op::lrn>({.inputs = {random_tensor({2, n, 3, 2}, unsigned(n))}, .with = numbers(5, 0.3)}, 2e-6);
        agree<op::lrn>({.inputs = {random_tensor({1, 6, n, 1}, unsigned(n))}, .with = numbers(4, 0.3)}, 2e-6);
    }
    for (double beta : {0.75, 1., 0.5, 0.6, 2.})
        for (std::int64_t size : {1, 2, 7, 100}) {
            CAPTURE(beta, size);
            agree<op::lrn>({.inputs = {random_tensor({1, 40, 5, 7}, 3)}, .with = numbers(size, 0.5, beta, 2)}, 4e-6);
        }
    agree<op::lrn>({.inputs = {random_tensor({2, 96, 27, 27}, 4)}, .with = numbers(5)}, 2e-6);
    tensor x = random_tensor({1, 33, 3, 3}, 5);
    for (std::size_t i : {3u, 100u, 200u}) x.as<float>()[i] = i == 3 ? quiet_nan : i == 100 ? infinity : 0;
    agree<op::lrn>({.inputs = {x}, .with = numbers(3, 1, 0.75, 0)}, 2e-6);
    CHECK_FALSE(run<op::lrn, device::cpu>({.inputs = {x}, .with = numbers(3, -1)}).answer);
}

// Mirrors kernels/inlay/microsoft/grid_sample.hpp.
#include "../elementwise.hpp"
#include <on_test_devices/microsoft/grid_sample.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

TEMPLATE_TEST_CASE("GridSample of com.microsoft is ONNX's", "", float, double, float16) {
    using T = TestType;
    const tensor x = list<T>({1, 2, 3, 4}).reshaped({1, 1, 2, 2}),
                 grid = list<T>({.5, -.5, 0, .25}).reshaped({1, 1, 2, 2});
    CHECK(same<T>(on_reference<op::microsoft_grid_sample>({{x, grid}}), list<T>({2, 3}).reshaped({1, 1, 1, 2})));
    const attributes with = [](graph_data& g) {
        return std::vector{g.make("mode", std::string_view("bicubic")),
                           g.make("padding_mode", std::string_view("reflection")),
                           g.make("align_corners", std::int64_t(1))};
    };
    CHECK(same<T>(on_reference<op::microsoft_grid_sample>({.inputs = {x, grid}, .with = with}),
                  on_reference<op::grid_sample>({.inputs = {x, grid}, .with = with})));
}
TEST_CASE("GridSample of com.microsoft takes images only") {
    CHECK(run<op::microsoft_grid_sample, device::reference>(
              {{tensor(element::f32, {1, 1, 2, 2, 2}), tensor(element::f32, {1, 1, 1, 1, 3})}})
              .answer.reason == "X must have four dimensions");
}

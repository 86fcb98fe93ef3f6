#include "../../catch.hpp"
#include "../elementwise.hpp"
#include <inlay/onnx/window.hpp>
#include <on_test_devices/onnx/window.hpp>
using namespace inlay;
using namespace inlay::testing;
using elementwise::list;
using elementwise::same;

namespace {
template <class Op> outcome window(std::int64_t size, std::int64_t periodic, element type, bool narrow = false) {
    const tensor n = narrow ? tensor(shape{}, {std::int32_t(size)}) : tensor(shape{}, {size});
    return run<Op, device::reference>(
        {{n},
         [=](graph_data& g) {
             return std::vector<attribute>{g.make("periodic", periodic), g.make("output_datatype", std::int64_t(type))};
         },
         0,
         {type}});
}
}  // namespace

TEST_CASE("Windows of cosines have their values over a period, or between their ends") {
    CHECK(same<double>(window<op::hann_window>(4, 1, element::f64)[0], list<double>({0, .5, 1, .5}), 1e-15));
    CHECK(same<double>(window<op::hann_window>(5, 0, element::f64, true)[0], list<double>({0, .5, 1, .5, 0}), 1e-15));
    CHECK(same<double>(window<op::hamming_window>(2, 1, element::f64)[0], list<double>({2. / 23, 1}), 1e-15));
    CHECK(same<double>(window<op::blackman_window>(4, 1, element::f64)[0], list<double>({0, .34, 1, .34}), 1e-15));
    CHECK(same<float>(window<op::hann_window>(3, 0, element::f32)[0], list<float>({0, 1, 0}), 1e-7));
    CHECK(window<op::hann_window>(5, 0, element::i32)[0].as<std::int32_t>()[2] == 1);
    CHECK(window<op::hann_window>(0, 1, element::f32)[0].shape() == shape{0});
}
TEST_CASE("A window of one place between its ends is no number, as ONNX's formula has it") {
    CHECK(std::isnan(window<op::hann_window>(1, 0, element::f32)[0].as<float>()[0]));
    CHECK(window<op::hann_window>(1, 1, element::f32)[0].as<float>()[0] == 0.f);
}
TEST_CASE("A window refuses negative and huge sizes, and several") {
    CHECK(!window<op::hann_window>(-1, 1, element::f32).answer);
    CHECK(!window<op::hann_window>(std::int64_t(1) << 41, 1, element::f32).answer);
    CHECK(!run<op::hann_window, device::reference>({{tensor({2}, {std::int64_t(1), std::int64_t(2)})}}).answer);
}

// Mirrors kernels/inlay/microsoft/crop_and_resize.hpp. Expected values are those of ONNX Runtime 1.31.
#include "../elementwise.hpp"
#include <on_test_devices/microsoft/crop_and_resize.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
template <class T = float> tensor of(const shape& dims, const std::vector<double>& values) {
    tensor t(element_of<T>, dims);
    for (std::size_t i = 0; i < values.size(); ++i) t.as<T>()[i] = static_cast<T>(values[i]);
    return t;
}
template <class T = float> tensor pixels() {
    tensor t(element_of<T>, {2, 1, 4, 5});
    for (std::size_t i = 0; i < 40; ++i) t.as<T>()[i] = static_cast<T>(float(int(i) * 7 % 23 - 9));
    return t;
}
const std::vector<double> boxes{0, 0, 1, 1, .2, .1, .8, .7, -.2, -.1, 1.3, 1.1, .9, .8, .1, .3, .5, .5, .5, .5};
attributes how(std::string mode, double beyond = 0) {
    return [=](graph_data& g) {
        return std::vector{g.make("mode", std::string_view(mode)), g.make("extrapolation_value", beyond)};
    };
}
tensor ints(std::initializer_list<double> values) { return list<std::int32_t>(values); }
outcome cropped(const tensor& x, const tensor& b, const tensor& images, std::initializer_list<double> size,
                const attributes& with = how("bilinear"), int threads = 1) {
    call c{.inputs = {x, b, images, operand::weight(ints(size))}, .with = with};
    c.threads = threads;
    return run<op::crop_and_resize, device::reference>(c);
}
}  // namespace

TEMPLATE_TEST_CASE("CropAndResize in both modes", "", float, double, float16) {
    using T = TestType;
    const double tolerance = std::is_same_v<T, float16> ? 2e-2 : 4e-6;
    const tensor x = pixels<T>(), b = of<T>({5, 4}, boxes), images = ints({0, 1, 0, 1, 0});
    for (double beyond : {0., -7.}) {
        const double o = beyond;
        CHECK(same<T>(cropped(x, b, images, {2, 3}, how("bilinear", beyond))[0],
                      of<T>({5, 1, 2, 3}, {-9, 5, -4, 4,   -5,  9,    3,  3.12, -1.36, 1.6, 4.48, -1.84, o, o, o,
                                           o,  o, o,  1.8, .32, 7.58, -4, 1.88, 3.62,  0,   0,    0,     0, 0, 0}),
                      tolerance));
        CHECK(same<T>(cropped(x, b, images, {2, 3}, how("nearest", beyond), 3)[0],
                      of<T>({5, 1, 2, 3}, {-9, 5, -4, 4, -5, 9,  5,  -4, 3, -6, 8, -8, o, o, o,
                                           o,  o, o,  4, -3, 13, -9, 7,  0, 6,  6, 6,  6, 6, 6})));
    }
    CHECK(same<T>(cropped(x, b, images, {1, 1})[0], of<T>({5, 1, 1, 1}, {0, 3.8, 1.8, 1.1, 0}), tolerance));
    if (!std::is_same_v<T, float16>)  // which rounds a middle of 1.5 down
        CHECK(same<T>(cropped(x, b, images, {1, 1}, how("nearest"))[0], of<T>({5, 1, 1, 1}, {6, 8, 6, 8, 6})));
}
TEST_CASE("CropAndResize rounds halves up where it takes the nearest pixel") {
    CHECK(same<float>(cropped(pixels(), of({1, 4}, {0, 0, 0, 1}), ints({0}), {1, 9}, how("nearest"))[0],
                      of({1, 1, 1, 9}, {-9, -2, -2, 5, 5, 12, 12, -4, -4})));
}
TEST_CASE("CropAndResize of boxes that are no numbers or have no end is the extrapolation value") {
    for (double odd : {double(quiet_nan), double(infinity), -double(infinity), 1e30})
        for (const char* mode : {"bilinear", "nearest"})
            CHECK(same<float>(cropped(pixels(), of({1, 4}, {odd, odd, odd, odd}), ints({0}), {1, 2}, how(mode, 3))[0],
                              of({1, 1, 1, 2}, {3, 3})));
    CHECK(same<float>(cropped(tensor(element::f32, {1, 1, 0, 2}), of({1, 4}, {0, 0, 1, 1}), ints({0}), {1, 1})[0],
                      of({1, 1, 1, 1}, {0})));
    CHECK(cropped(pixels(), tensor(element::f32, {0, 4}), tensor(element::i32, {0}), {2, 2})[0].shape() ==
          shape{0, 1, 2, 2});
}
TEST_CASE("CropAndResize refuses what does not fit") {
    const tensor x = pixels(), box = of({1, 4}, {0, 0, 1, 1});
    for (double wrong : {2., -1.})
        CHECK(cropped(x, box, ints({wrong}), {1, 1}).detail == "a batch index is out of range");
    CHECK(cropped(x, box, ints({0}), {0, 1}).answer.reason == "crop_size must be positive");
    CHECK(cropped(x, box, ints({0}), {1}).answer.reason == "crop_size must have two numbers");
    CHECK(cropped(x, box, ints({0, 0}), {1, 1}).answer.reason == "the boxes and batch_indices differ in length");
    CHECK(cropped(x, of({1, 3}, {0, 0, 1}), ints({0}), {1, 1}).answer.reason ==
          "the boxes must be rows of four numbers");
    CHECK(cropped(x, box, ints({0}), {1, 1}, how("cubic")).answer.reason == "mode is neither bilinear nor nearest");
    CHECK(cropped(x, box, list<std::int64_t>({0}), {1, 1}).answer.reason == "batch_indices or crop_size is not int32");
}

// Mirrors kernels/inlay/onnx/conv_integer.hpp.
#include "../quantized.hpp"
#include <inlay/onnx/conv_integer.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::quantization;
using enum element;

namespace {
using integers = std::vector<std::int64_t>;
attributes window(integers pads, integers strides = {1, 1}, std::int64_t group = 1) {
    return [=](graph_data& g) {
        return std::vector{g.make("pads", std::span<const std::int64_t>(pads)),
                           g.make("strides", std::span<const std::int64_t>(strides)), g.make("group", group)};
    };
}
const attributes bare = window({0, 0, 0, 0});
tensor as_floats(const tensor& t, const tensor& zeros = {}) {  // zeros: one, or one per first axis
    tensor y(f32, t.shape());
    for (std::int64_t i = 0; i < t.elements(); ++i)
        y.as<float>()[std::size_t(i)] =
            float(quantized::load(t.type(), t.data(), i) -
                  (zeros ? quantized::load(zeros.type(), zeros.data(),
                                           zeros.elements() == 1 ? 0 : i * t.shape()[0] / t.elements())
                         : 0));
    return y;
}
}  // namespace

TEST_CASE("ConvInteger subtracts the zero points, and pads with what stands for zero") {
    const tensor x = numbers(u8, {1, 1, 3, 3}, {2, 3, 4, 5, 6, 7, 8, 9, 10}),
                 w = numbers(u8, {1, 1, 2, 2}, {1, 1, 1, 1});
    CHECK(numbers(on_reference<op::conv_integer>({.inputs = {x, w, scalar(u8, 1)}, .with = bare, .outputs = {i32}})) ==
          real_numbers{12, 16, 24, 28});
    CHECK(numbers(on_reference<op::conv_integer>(
              {.inputs = {x, w, scalar(u8, 1)}, .with = window({1, 1, 1, 1}), .outputs = {i32}})) ==
          real_numbers{1, 3, 5, 3, 5, 12, 16, 9, 11, 24, 28, 15, 7, 15, 17, 9});
    CHECK(numbers(
              on_reference<op::conv_integer>({.inputs = {x, w, {}, scalar(u8, 2)}, .with = bare, .outputs = {i32}})) ==
          real_numbers{-16, -20, -28, -32});
}
TEST_CASE("ConvInteger is Conv of the differences, whatever the signs, groups and steps") {
    for (element xe : {u8, i8})
        for (element we : {u8, i8})
            for (bool each : {false, true}) {
                CAPTURE(int(xe), int(we), each);
                const tensor x = random_codes(xe, {2, 4, 7, 6}, 1), w = random_codes(we, {6, 2, 3, 2}, 2),
                             x_zero = random_codes(xe, {}, 3), w_zero = random_codes(we, each ? shape{6} : shape{1}, 4);
                const attributes list = window({1, 0, 2, 1}, {2, 1}, 2);
                const tensor found = on_reference<op::conv_integer>(
                    {.inputs = {x, w, x_zero, w_zero}, .with = list, .outputs = {i32}, .threads = 3});
                CHECK(numbers(found) == numbers(on_reference<op::conv>(
                                            {.inputs = {as_floats(x, x_zero), as_floats(w, w_zero)}, .with = list})));
            }
}
TEST_CASE("QLinearConv scales the sums, rounds ties to even and saturates") {
    const tensor x = numbers(u8, {1, 1, 2, 3}, {10, 11, 13, 15, 255, 0}), w = numbers(i8, {2, 1, 1, 1}, {1, -3}),
                 one = scalar(f32, 1);
    const auto y = [&](const tensor& w_scale, const tensor& y_zero, const operand& bias) {
        return numbers(on_reference<op::qlinear_conv>(
            {.inputs = {x, one, scalar(u8, 10), w, w_scale, scalar(i8, 0), scalar(f32, 2), y_zero, bias},
             .with = bare,
             .outputs = {y_zero.type()}}));
    };
    CHECK(y(one, scalar(u8, 100), {}) == real_numbers{100, 100, 102, 102, 222, 95, 100, 98, 96, 92, 0, 115});
    CHECK(y(one, scalar(i8, 0), {}) == real_numbers{0, 0, 2, 2, 122, -5, 0, -2, -4, -8, -128, 15});
    CHECK(y(numbers(f32, {2}, {2, 4}), scalar(i8, 1), numbers(i32, {2}, {5, -1})) ==
          real_numbers{6, 7, 9, 11, 127, -4, -1, -7, -19, -31, -128, 59});
}
TEST_CASE("ConvInteger and QLinearConv refuse what does not fit") {
    const tensor x = random_codes(u8, {1, 2, 4, 4}, 1), w = random_codes(i8, {3, 2, 2, 2}, 2), one = scalar(f32, 1);
    const auto integer = [&](const operand& x_zero, const operand& w_zero) {
        return run<op::conv_integer, device::reference>(
                   {.inputs = {x, w, x_zero, w_zero}, .with = bare, .outputs = {i32}})
            .answer.reason;
    };
    CHECK(integer(random_codes(u8, {2}, 1), {}) == "a zero point must be one number, or W's one per output channel");
    CHECK(integer({}, random_codes(i8, {2}, 1)) == "a zero point must be one number, or W's one per output channel");
    CHECK(integer(scalar(i8, 0), {}) == "a zero point has another type than what it belongs to");
    CHECK(integer({}, random_codes(i8, {3}, 1)).empty());
    const auto linear = [&](const tensor& w_scale, const tensor& y_zero, const operand& bias) {
        return run<op::qlinear_conv, device::reference>(
                   {.inputs = {x, one, scalar(u8, 0), w, w_scale, scalar(i8, 0), one, y_zero, bias},
                    .with = bare,
                    .outputs = {u8}})
            .answer.reason;
    };
    CHECK(linear(one, scalar(u8, 0), numbers(i32, {3}, {1, 2, 3})).empty());
    CHECK(linear(numbers(f32, {2}, {1, 1}), scalar(u8, 0), {}) ==
          "w's scale and zero point must be one number, or one per output channel");
    CHECK(linear(one, scalar(i8, 0), {}) == "y_zero_point has another type than y");
    CHECK(linear(one, random_codes(u8, {2}, 1), {}) == "the scales and zero points of x and y must be one number");
    CHECK(linear(one, scalar(u8, 0), numbers(i32, {2}, {1, 2})) == "B must have one element per output channel");
    CHECK(linear(one, scalar(u8, 0), numbers(f32, {3}, {1, 2, 3})) == "B must be int32");
}

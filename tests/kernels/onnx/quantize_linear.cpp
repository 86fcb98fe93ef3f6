// Mirrors kernels/inlay/onnx/quantize_linear.hpp and kernels/inlay/cpu/onnx/quantize_linear.hpp.
#include "../quantized.hpp"
#include <inlay/cpu/onnx/quantize_linear.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::quantization;
using elementwise::agree;
using elementwise::infinity;
using elementwise::quiet_nan;
using enum element;

namespace {
template <class Op> real_numbers made(element y, call c) {
    c.outputs = {y};
    const tensor t = on_reference<Op>(c);
    CHECK(t.type() == y);
    CHECK(t.shape() == c.inputs[0].value.shape());
    return numbers(t);
}
real_numbers quantize(element y, const call& c) { return made<op::quantize_linear>(y, c); }
real_numbers dequantize(element y, const call& c) { return made<op::dequantize_linear>(y, c); }
std::string_view reason(bool back, call c, element y) {
    c.outputs = {y};
    return (back ? run<op::dequantize_linear, device::reference>(c) : run<op::quantize_linear, device::reference>(c))
        .answer.reason;
}
}  // namespace

TEST_CASE("QuantizeLinear rounds ties to even and saturates") {
    const tensor x = numbers(f32, {10}, {0, 2, 3, 5, -1, -3, 1000, -254, -1000, 253});
    CHECK(quantize(u8, {{x, scalar(f32, 2), scalar(u8, 128)}}) ==
          real_numbers{128, 129, 130, 130, 128, 126, 255, 1, 0, 254});
    CHECK(quantize(i8, {{x, scalar(f32, 2), scalar(i8, 1)}}) == real_numbers{1, 2, 3, 3, 1, -1, 127, -126, -128, 127});
    CHECK(quantize(u8, {{x, scalar(f32, 2)}}) == real_numbers{0, 1, 2, 2, 0, 0, 255, 0, 0, 126});
    const tensor large = numbers(f32, {6}, {1e6, -1e6, 40000, infinity, -infinity, quiet_nan});
    CHECK(quantize(u16, {{large, scalar(f32, 1), scalar(u16, 7)}}) == real_numbers{65535, 0, 40007, 65535, 0, 0});
    CHECK(quantize(i16, {{large, scalar(f32, 2)}}) == real_numbers{32767, -32768, 20000, 32767, -32768, -32768});
    CHECK(quantize(i4, {{x, scalar(f32, 1), scalar(i4, -1)}}) == real_numbers{-1, 1, 2, 4, -2, -4, 7, -8, -8, 7});
    CHECK(quantize(u4, {{x, scalar(f32, 1), scalar(u4, 3)}}) == real_numbers{3, 5, 6, 8, 2, 0, 15, 0, 0, 15});
    CHECK(quantize(i2, {{x, scalar(f32, 1)}}) == real_numbers{0, 1, 1, 1, -1, -2, 1, -2, -2, 1});
    CHECK(quantize(u2, {{x, scalar(f32, 1)}}) == real_numbers{0, 2, 3, 3, 0, 0, 3, 0, 0, 3});
}
TEST_CASE("QuantizeLinear takes fp16, bf16 and int32, and divides in the precision of the scale or the one given") {
    for (element e : {f16, bf16})
        CHECK(quantize(u8, {{numbers(e, {3}, {1, 2.5, -8}), scalar(e, 0.5), scalar(u8, 10)}}) ==
              real_numbers{12, 15, 0});
    CHECK(quantize(u8, {{numbers(i32, {4}, {-5, 3, 5, 9999}), scalar(f32, 2), scalar(u8, 1)}}) ==
          real_numbers{0, 3, 3, 255});
    CHECK(quantize(i16, {{numbers(i32, {2}, {-7, 9}), scalar(i32, 2)}}) == real_numbers{-4, 4});
    const tensor x = numbers(f32, {2}, {2049, 2051});
    CHECK(quantize(i16, {{x, scalar(f32, 1)}}) == real_numbers{2049, 2051});
    CHECK(quantize(i16, {{x, scalar(f16, 1)}}) == real_numbers{2048, 2052});
    CHECK(quantize(i16, {{x, scalar(f32, 1)}, with({{"precision", int(f16)}})}) == real_numbers{2048, 2052});
    CHECK(quantize(i16, {{x, scalar(f16, 1)}, with({{"precision", int(f32)}})}) == real_numbers{2049, 2051});
    CHECK(quantize(i16, {{x, scalar(f8e8m0, 0.5)}}) == real_numbers{4098, 4102});
    CHECK(reason(false, {{x, scalar(f32, 1)}, with({{"precision", int(f64)}})}, i16) ==
          "precision must be float, float16 or bfloat16");
}
TEST_CASE("QuantizeLinear to small floats saturates unless it may not, and keeps the sign of zero") {
    const tensor x = numbers(f32, {5}, {1, -3, 1e9, -1e9, 0.3});
    CHECK(quantize(f8e4m3fn, {{x, scalar(f32, 2)}}) == real_numbers{0.5, -1.5, 448, -448, 0.15625});
    const real_numbers wild = quantize(f8e5m2, {{x, scalar(f32, 2)}, with({{"saturate", 0}})});
    CHECK((wild[0] == 0.5 && wild[2] == infinity && wild[3] == -infinity));
    CHECK(std::isnan(quantize(f8e4m3fnuz, {{x, scalar(f32, 2)}, with({{"saturate", 0}})})[2]));
    CHECK(quantize(f4e2m1, {{x, scalar(f32, 1), scalar(f4e2m1, 1)}}) == real_numbers{2, -2, 6, -6, 1.5});
    CHECK(std::signbit(quantize(f8e4m3fn, {{numbers(f32, {1}, {-0.}), scalar(f32, 1), scalar(f8e4m3fn, 0)}})[0]));
}
TEST_CASE("QuantizeLinear and DequantizeLinear with a scale per element of an axis") {
    const tensor x = numbers(f32, {2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}),
                 three = numbers(f32, {3}, {1, 2, 4}), zeros = numbers(u8, {3}, {0, 10, 20});
    const real_numbers y{1, 2, 12, 12, 21, 22, 7, 8, 14, 15, 23, 23}, back{1, 2, 4, 4, 4, 8, 7, 8, 8, 10, 12, 12};
    for (std::int64_t axis : {1, -2}) {
        CHECK(quantize(u8, {{x, three, zeros}, with({{"axis", axis}})}) == y);
        CHECK(dequantize(f32, {{numbers(u8, {2, 3, 2}, y), three, zeros}, with({{"axis", axis}})}) == back);
    }
    CHECK(quantize(u8, {{x, three, zeros}}) == y);  // axis 1 unless it is given
    CHECK(quantize(i8, {{x, numbers(f32, {2}, {1, 2})}, with({{"axis", 2}})}) ==
          real_numbers{1, 1, 3, 2, 5, 3, 7, 4, 9, 5, 11, 6});
    CHECK(dequantize(f32, {{numbers(i8, {2, 2}, {1, 2, 3, 4}), numbers(f32, {2}, {0.5, 2})}, with({{"axis", 0}})}) ==
          real_numbers{0.5, 1, 6, 8});
    CHECK(dequantize(f32, {{numbers(i32, {2}, {100000, -3}), numbers(f32, {2}, {0.5, 2})}, with({{"axis", 0}})}) ==
          real_numbers{50000, -6});
}
TEST_CASE("QuantizeLinear and DequantizeLinear with a scale per block") {
    const tensor x = numbers(f32, {2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
                 scales = numbers(f32, {2, 3}, {1, 2, 5, 2, 1, 10}), zeros = numbers(i8, {2, 3}, {0, 1, 2, 3, 4, 5});
    const attributes along_rows = with({{"axis", 1}, {"block_size", 2}}),
                     along_columns = with({{"axis", 0}, {"block_size", 2}});
    CHECK(quantize(i8, {{x, scales, zeros}, along_rows}) == real_numbers{1, 2, 3, 3, 3, 6, 7, 12, 13, 6});
    CHECK(dequantize(f32, {{numbers(i8, {2, 5}, {1, 2, 3, 3, 3, 6, 7, 12, 13, 6}), scales, zeros}, along_rows}) ==
          real_numbers{1, 2, 4, 4, 5, 6, 8, 8, 9, 10});
    const tensor tall = numbers(f32, {3, 2}, {1, 2, 3, 4, 5, 6}), two = numbers(f32, {2, 2}, {1, 2, 5, 3});
    CHECK(quantize(i4, {{tall, two}, along_columns}) == real_numbers{1, 1, 3, 2, 1, 2});
    CHECK(dequantize(f16, {{numbers(i4, {3, 2}, {1, 1, 3, 2, 1, 2}), two}, along_columns}) ==
          real_numbers{1, 2, 3, 4, 5, 6});
    CHECK(quantize(u8, {{numbers(f32, {3}, {1, 2, 3}), numbers(f32, {1}, {1})},
                        with({{"axis", 0}, {"block_size", 9}})}) == real_numbers{1, 2, 3});
    CHECK(reason(false, {{x, scales}, with({{"axis", 1}, {"block_size", 3}})}, i8) ==
          "the scale must have the shape of the input, but one element per block along the axis");
    CHECK(reason(false, {{x, scales}, with({{"axis", 1}, {"block_size", -1}})}, i8) ==
          "block_size must not be negative");
}
TEST_CASE("DequantizeLinear of every type") {
    for (element e : {u8, i16, u16, i32, u4})
        CHECK(dequantize(f32, {{numbers(e, {3}, {0, 1, 12}), scalar(f32, 0.5), scalar(e, 2)}}) ==
              real_numbers{-1, -0.5, 5});
    for (element e : {i8, i4})
        CHECK(dequantize(bf16, {{numbers(e, {3}, {-8, 1, 7}), scalar(f32, 0.5), scalar(e, -2)}}) ==
              real_numbers{-3, 1.5, 4.5});
    CHECK(dequantize(f32, {{numbers(i2, {3}, {-2, 1, 0}), scalar(f16, 3)}}) == real_numbers{-6, 3, 0});
    CHECK(dequantize(f16, {{numbers(u2, {3}, {2, 1, 3}), scalar(f16, 3), scalar(u2, 1)}}) == real_numbers{3, 0, 6});
    for (element e : {f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, f4e2m1})
        CHECK(dequantize(f32, {{numbers(e, {3}, {-1.5, 2, 6}), scalar(f32, 4)}}) == real_numbers{-6, 8, 24});
    CHECK(dequantize(f32, {{numbers(f4e2m1, {2}, {-1.5, 6}), scalar(f8e8m0, 4)}}) == real_numbers{-6, 24});
}
TEST_CASE("QuantizeLinear and DequantizeLinear refuse scales and zero points that do not fit") {
    const tensor x = numbers(f32, {2, 3}, {1, 2, 3, 4, 5, 6}), two = numbers(f32, {2}, {1, 1});
    CHECK(reason(false, {{x}}, u8) == "the scale is missing");
    CHECK(reason(false, {{x, two}}, u8) == "the scale must be one number, or one per element of the axis");
    CHECK(reason(false, {{x, two}, with({{"axis", 2}})}, u8) == "axis is out of range");
    CHECK(reason(false, {{x, two, scalar(u8, 0)}, with({{"axis", 0}})}, u8) == "scale and zero point differ in shape");
    CHECK(reason(false, {.inputs = {x, numbers(f32, {3}, {1, 1, 1})}, .version = 10}, u8) ==
          "the scale must be one number before version 13");
    CHECK(reason(false, {{x, scalar(f32, 1), scalar(i8, 0)}}, u8) ==
          "the zero point has another type than what is quantised");
    CHECK(reason(true, {{numbers(u8, {1}, {1}), scalar(f32, 1), scalar(i8, 0)}}, f32) ==
          "the zero point has another type than what is quantised");
    CHECK(reason(true, {{numbers(u8, {1}, {1}), scalar(i32, 1)}}, f32) == "the scale has a type that is not for it");
}
TEMPLATE_TEST_CASE(
    "QuantizeLinear and DequantizeLinear on the CPU agree with the reference kernel at every tail length", "",
    std::uint8_t, std::int8_t, std::uint16_t, std::int16_t) {
    constexpr element e = element_of<TestType>;
    const auto compare = [&](const tensor& x, const tensor& scale, const operand& zero, const attributes& list) {
        agree<op::quantize_linear, TestType>({.inputs = {x, scale, zero}, .with = list, .outputs = {e}});
        agree<op::dequantize_linear>(
            {.inputs = {random_codes(e, x.shape(), 7), scale, zero}, .with = list, .outputs = {f32}});
        if (scale.elements() != 1 && scale.shape().rank != 1) return;  // com.microsoft has no blocks
        agree<op::microsoft_quantize_linear, TestType>({.inputs = {x, scale, zero}, .with = list, .outputs = {e}});
        agree<op::microsoft_dequantize_linear>(
            {.inputs = {random_codes(e, x.shape(), 7), scale, zero}, .with = list, .outputs = {f32}});
    };
    const auto no_attributes = with({});
    for (int n = 0; n <= 67; ++n) {
        CAPTURE(n);
        tensor x = elementwise::random_tensor({n}, unsigned(n), -200, 200);
        for (int i = 0; i < n; ++i) {
            const float unusual[] = {quiet_nan, infinity, -infinity, -0.f, 0.75f, 1.25f, 1e30f};
            if (i % 3 == 0) x.as<float>()[std::size_t(i)] = unusual[i / 3 % 7];
        }
        compare(x, scalar(f32, 0.5), scalar(e, 100), no_attributes);
        compare(x, scalar(f32, 1.7), operand{}, no_attributes);
        compare(x, scalar(f32, .001), scalar(e, 3), no_attributes);
        compare(x, elementwise::random_tensor({n}, 1, 0.1, 3), random_codes(e, {n}, 3), with({{"axis", 0}}));
        compare(x.reshaped({1, n}), elementwise::random_tensor({n}, 2, 0.1, 3), operand{}, no_attributes);
        compare(elementwise::random_tensor({2, 3, n}, 4, -200, 200), elementwise::random_tensor({3}, 5, 0.1, 3),
                random_codes(e, {3}, 6), no_attributes);
        compare(elementwise::random_tensor({n, 5}, 4, -200, 200), elementwise::random_tensor({n, 3}, 5, 0.1, 3),
                random_codes(e, {n, 3}, 6), with({{"block_size", 2}}));
        compare(elementwise::random_tensor({2, 5, n}, 4, -200, 200), elementwise::random_tensor({2, 2, n}, 5, 0.1, 3),
                operand{}, with({{"block_size", 3}}));
    }
    compare(elementwise::random_tensor({2, 3, 5, 7}, 1, -200, 200), scalar(f32, 0.5), scalar(e, 3), no_attributes);
    compare(elementwise::random_tensor({2, 3, 5, 7}, 1, -200, 200), elementwise::random_tensor({3}, 2, 0.1, 3),
            random_codes(e, {3}, 3), no_attributes);
    compare(elementwise::random_tensor({7, 9001}, 1, -200, 200), elementwise::random_tensor({7}, 2, 0.1, 3),
            random_codes(e, {7}, 3), with({{"axis", 0}}));
}
TEST_CASE("The fast QuantizeLinear leaves other precisions to the reference kernel") {
    const call c{
        .inputs = {numbers(f32, {1}, {1}), scalar(f32, 1)}, .with = with({{"precision", int(f16)}}), .outputs = {u8}};
    CHECK(run<op::quantize_linear, device::cpu>(c).answer.reason == "fast only where the division is float");
}
TEST_CASE("The fast QuantizeLinear and DequantizeLinear leave other types to the reference kernel") {
    const call to_four{.inputs = {numbers(f32, {1}, {1}), scalar(f32, 1)}, .outputs = {i4}},
        of_half{.inputs = {numbers(f16, {1}, {1}), scalar(f16, 1)}, .outputs = {i16}},
        back{.inputs = {numbers(i32, {1}, {1}), scalar(f32, 1)}, .outputs = {f32}};
    const std::string_view reason = "fast only between float and integers of 8 or 16 bits";
    CHECK(run<op::quantize_linear, device::cpu>(to_four).answer.reason == reason);
    CHECK(run<op::quantize_linear, device::cpu>(of_half).answer.reason == "fast only where the division is float");
    CHECK(run<op::dequantize_linear, device::cpu>(back).answer.reason == reason);
}
TEST_CASE("QuantizeLinear and DequantizeLinear of com.microsoft have types of 16 and 4 bits, and an axis") {
    using op::microsoft_dequantize_linear, op::microsoft_quantize_linear;
    const tensor x = numbers(f32, {2, 3}, {25.5, 78.25, 27, 116, -94, 177.5});
    const auto quantised = [&](element e) {
        return numbers(
            on_reference<microsoft_quantize_linear>({.inputs = {x, scalar(f32, .5), scalar(e, 3)}, .outputs = {e}}));
    };
    CHECK(quantised(element::i16) == real_numbers{54, 159, 57, 235, -185, 358});
    CHECK(quantised(element::u16) == real_numbers{54, 159, 57, 235, 0, 358});
    CHECK(quantised(element::i8) == real_numbers{54, 127, 57, 127, -128, 127});
    CHECK(quantised(element::u4) == real_numbers{15, 15, 15, 15, 0, 15});
    CHECK(quantised(element::i4) == real_numbers{7, 7, 7, 7, -8, 7});
    const call by_axis{.inputs = {x, numbers(f32, {3}, {.5, 1, 2}), numbers(element::i16, {3}, {3, 4, 5})},
                       .with = with({{"axis", 1}}),
                       .outputs = {element::i16}};
    CHECK(numbers(on_reference<microsoft_quantize_linear>(by_axis)) == real_numbers{54, 82, 19, 235, -90, 94});
    CHECK(numbers(on_reference<microsoft_dequantize_linear>(
              {.inputs = {numbers(element::i16, {1, 2}, {1, -5}), numbers(f16, {2}, {.5, 2})},
               .with = with({{"axis", -1}}),
               .outputs = {f16}})) == real_numbers{.5, -10});
    CHECK(numbers(on_reference<microsoft_dequantize_linear>(
              {.inputs = {numbers(element::i4, {3}, {1, -8, 7}), scalar(f32, .5), scalar(element::i4, 2)},
               .outputs = {f32}})) == real_numbers{-.5, -5, 2.5});
    CHECK(numbers(on_reference<microsoft_dequantize_linear>(
              {.inputs = {numbers(element::i32, {2}, {1, -5}), scalar(f32, .5)}, .outputs = {f32}})) ==
          real_numbers{.5, -2.5});
    call wrong = by_axis;
    wrong.inputs[2] = numbers(element::i16, {2}, {3, 4});
    CHECK(run<microsoft_quantize_linear, device::reference>(wrong).answer.reason ==
          "scale and zero point differ in shape");
}

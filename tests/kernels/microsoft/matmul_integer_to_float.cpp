// Mirrors kernels/inlay/microsoft/matmul_integer_to_float.hpp and
// kernels/inlay/cpu/microsoft/matmul_integer_to_float.hpp.
#include "../every_level.hpp"
#include "../quantized.hpp"
#include <on_test_devices/microsoft/matmul_integer_to_float.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;
using namespace inlay::testing::quantization;

namespace {
tensor floats(const shape& dims, const real_numbers& x) { return numbers(element::f32, dims, x); }
std::vector<operand> integers(element a, element b, element real = element::f32) {
    return {numbers(a, {2, 2}, {3, 1, 4, 2}),
            numbers(b, {2, 3}, {2, 3, 4, 1, 0, 2}),
            numbers(real, {}, {.5}),
            numbers(real, {3}, {.25, .5, 1}),
            numbers(a, {}, {2}),
            numbers(b, {3}, {1, 1, 0}),
            numbers(real, {3}, {1, 2, 3})};
}
std::vector<operand> dynamic(element b) {
    return {floats({2, 2}, {.3, -1.2, 2.5, .7}), numbers(b, {2, 3}, {2, 3, 4, 1, 0, 2}), floats({3}, {.25, .5, 1}),
            numbers(b, {3}, {1, 1, 0}), floats({3}, {1, 2, 3})};
}
}  // namespace

TEST_CASE("MatMulIntegerToFloat multiplies 8-bit numbers, scales them by column of B and adds a bias") {
    for (element a : {element::u8, element::i8})
        for (element b : {element::u8, element::i8})
            for (element real : {element::f32, element::f16}) {
                call c{.inputs = integers(a, b, real), .outputs = {real}};
                CHECK(numbers(on_reference<op::matmul_integer_to_float>(c)) ==
                      real_numbers{1.125, 2.75, 4, 1.25, 3, 7});
                c.inputs.resize(4);  // no zero points
                CHECK(numbers(on_reference<op::matmul_integer_to_float>(c)) ==
                      real_numbers{.875, 2.25, 7, 1.25, 3, 10});
            }
}
TEST_CASE("MatMulIntegerToFloat takes one scale and zero point per column of A, and one for all of B") {
    auto in = integers(element::u8, element::i8);
    in[2] = floats({2}, {.5, .25});
    in[3] = floats({1}, {2});
    in[4] = numbers(element::u8, {2}, {2, 1});
    in[5] = numbers(element::i8, {1}, {1});
    in.resize(6);
    CHECK(numbers(on_reference<op::matmul_integer_to_float>({.inputs = in, .outputs = {element::f32}})) ==
          real_numbers{1, 2, 3, 2, 3.5, 6.5});
}
TEST_CASE("MatMulIntegerToFloat multiplies matrices of leading axes, whose columns may have scales of their own") {
    const element e = element::i8;
    call c{.inputs = {numbers(e, {2, 1, 2}, {1, 2, 3, 4}), numbers(e, {2, 2, 1}, {1, 1, 2, 2}), floats({}, {1}),
                      floats({2, 1, 1}, {10, 100})},
           .outputs = {element::f32}};
    CHECK(numbers(on_reference<op::matmul_integer_to_float>(c)) == real_numbers{30, 1400});
    c.inputs[0] = tensor(e, {0, 1, 2});
    c.inputs[1] = numbers(e, {2, 1}, {1, 1});
    c.inputs[3] = floats({}, {1});
    CHECK(on_reference<op::matmul_integer_to_float>(c).shape() == shape{0, 1, 1});
}
TEST_CASE("DynamicQuantizeMatMul quantizes A as DynamicQuantizeLinear does") {
    for (element b : {element::i8, element::u8})
        for (int threads : {1, 3}) {
            call c{.inputs = dynamic(b), .threads = threads};
            CHECK(same<float>(on_reference<op::dynamic_quantize_matmul>(c),
                              floats({2, 3}, {1.0761765, 2.9068627, 1.810196, 1.6239216, 4.1474514, 14.375687}), 1e-6));
            c.inputs.resize(3);
            const auto plain = numbers(on_reference<op::dynamic_quantize_matmul>(c));
            CHECK(plain[0] == Approx(.25 * (2 * .3 - 1.2)).margin(.01));
            CHECK(plain[5] == Approx(4 * 2.5 + 2 * .7).margin(.1));
        }
    auto in = dynamic(element::i8);
    in[0] = floats({2, 2}, {1, NAN, 2, 3});
    for (double y : numbers(on_reference<op::dynamic_quantize_matmul>({.inputs = in}))) CHECK(std::isnan(y));
    in[0] = tensor(element::f32, {0, 2});
    CHECK(on_reference<op::dynamic_quantize_matmul>({.inputs = in}).shape() == shape{0, 3});
}
TEST_CASE("Products of 8-bit numbers that become floats refuse what does not fit") {
    const auto reason = [](std::vector<operand> in) {
        return run<op::matmul_integer_to_float, device::reference>({.inputs = std::move(in), .outputs = {element::f32}})
            .answer.reason;
    };
    const element e = element::u8;
    auto in = integers(e, e);
    in[2] = floats({3}, {1, 2, 3});
    CHECK(reason(in) == "A's scale and zero point must be one number, or one per column");
    in = integers(e, e);
    in[3] = floats({2}, {1, 2});
    CHECK(reason(in) == "B's scales and zero points must be one number, or one per column");
    in = integers(e, e);
    in[6] = floats({2}, {1, 2});
    CHECK(reason(in) == "bias must have one number per column");
    in[6] = numbers(element::f16, {3}, {1, 2, 3});
    CHECK(reason(in) == "scales and bias must have one type");
    in = integers(e, e);
    in[4] = numbers(element::i8, {}, {1});
    CHECK(reason(in) == "a zero point has another type than what it belongs to");
    in[1] = tensor(e, {3, 3});
    CHECK(reason(in) == "the operands disagree on the axis that is summed over");
    in.resize(3);
    CHECK(reason(in) == "an input is missing");
    const auto of_dynamic = [](std::vector<operand> in) {
        return run<op::dynamic_quantize_matmul, device::reference>({.inputs = std::move(in)}).answer.reason;
    };
    auto d = dynamic(e);
    d[2] = floats({2}, {1, 2});
    CHECK(of_dynamic(d) == "B's scales and zero points must be one number, or one per column");
    d = dynamic(e);
    d[3] = numbers(element::i8, {}, {1});
    CHECK(of_dynamic(d) == "a zero point has another type than what it belongs to");
    d = dynamic(e);
    d[4] = floats({1}, {2});
    CHECK(of_dynamic(d) == "bias must have one number per column");
    d.resize(2);
    CHECK(of_dynamic(d) == "an input is missing");
}
TEST_CASE("MatMulIntegerToFloat and DynamicQuantizeMatMul on the CPU agree with the reference kernel at every tail") {
    const auto product = [](element ae, element be, const shape& x, const shape& w, int form) {
        CAPTURE(int(ae), int(be), to_string(x), to_string(w), form);
        const std::int64_t n = w[w.rank - 1];
        shape columns = w;
        columns[w.rank - 2] = 1;
        const shape scale_shape = form == 0 ? shape{} : form == 1 ? shape{n} : columns;
        const tensor scales = random_tensor(scale_shape, 3, .01, .02), bias = random_tensor({n}, 5);
        const operand b = operand::weight(random_codes(be, w, 2)),
                      zeros = operand::weight(random_codes(be, scale_shape, 4));
        call c{.inputs = {random_codes(ae, x, 1), b, single(.013f), scales, scalar(ae, 100), zeros, bias},
               .outputs = {element::f32}};
        check_levels<op::matmul_integer_to_float>(c, 1e-6);
        c.inputs.resize(4);  // no zero points, no bias
        check_levels<op::matmul_integer_to_float>(c, 1e-6);
        call dynamic_call{.inputs = {random_tensor(x, 1), b, scales, zeros, bias}};
        check_levels<op::dynamic_quantize_matmul>(dynamic_call, 1e-6);
        dynamic_call.inputs.resize(3);
        check_levels<op::dynamic_quantize_matmul>(dynamic_call, 1e-6);
    };
    for (element be : {element::u8, element::i8}) {
        for (int n = 1; n <= 67; ++n) product(n % 2 ? element::u8 : element::i8, be, {3, 9}, {9, n}, n % 3);
        for (int k = 0; k <= 33; ++k) product(element::u8, be, {5, k}, {k, 20}, k % 3);
    }
    product(element::u8, element::i8, {40, 70}, {70, 300}, 1);
    product(element::i8, element::i8, {2, 5, 40}, {2, 40, 33}, 2);
    product(element::u8, element::u8, {2, 5, 40}, {40, 33}, 0);
    product(element::u8, element::u8, {0, 40}, {40, 33}, 0);
}
TEST_CASE("MatMulIntegerToFloat on the CPU leaves several scales of A to the reference kernel") {
    const auto reason = [](std::vector<operand> in) {
        return run<op::matmul_integer_to_float, device::cpu>({.inputs = std::move(in), .outputs = {element::f32}})
            .answer.reason;
    };
    auto in = integers(element::u8, element::i8);
    CHECK(reason(in).empty());
    in[2] = floats({2}, {.5, .25});
    CHECK(reason(in) == "the fast kernel has one scale and zero point of A");
}

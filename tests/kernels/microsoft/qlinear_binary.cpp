// Mirrors kernels/inlay/microsoft/qlinear_binary.hpp.
#include "../quantized.hpp"
#include <on_test_devices/microsoft/qlinear_binary.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::quantization;

namespace {
std::vector<operand> operands(element e, const tensor& a, const tensor& b) {
    return {a,
            scalar(element::f32, 0.5),
            scalar(e, 2),
            b,
            scalar(element::f32, 0.25),
            scalar(e, 1),
            scalar(element::f32, 0.5),
            scalar(e, 3)};
}
}  // namespace

TEST_CASE("QLinearAdd and QLinearMul compute with the numbers that codes mean, and saturate") {
    for (element e : {element::u8, element::i8}) {
        CAPTURE(int(e));
        const double top = e == element::u8 ? 255 : 127, bottom = e == element::u8 ? 0 : -128;
        // a: 0, 1, -1, 62.5 and more; b: 2, broadcast
        const tensor a = numbers(e, {2, 2}, {2, 4, 0, top}), b = numbers(e, {1}, {9});
        const auto sum = [&](double code) { return std::clamp(code, bottom, top); };
        CHECK(numbers(on_reference<op::qlinear_add>({operands(e, a, b)})) ==
              real_numbers{7, 9, 5, sum(((top - 2) / 2 + 2) * 2 + 3)});
        CHECK(numbers(on_reference<op::qlinear_mul>({operands(e, a, b)})) ==
              real_numbers{3, 7, sum(-1), sum((top - 2) * 2 + 3)});
    }
}
TEST_CASE("QLinearAdd rounds ties to even, takes absent zero points for 0, and one over threads") {
    const element e = element::u8;
    std::vector<operand> in{numbers(e, {4}, {1, 2, 3, 5}), scalar(element::f32, 0.5), {},
                            numbers(e, {4}, {0, 1, 0, 0}), scalar(element::f32, 0.5), {},
                            scalar(element::f32, 1)};
    CHECK(numbers(on_reference<op::qlinear_add>({.inputs = in, .threads = 3})) == real_numbers{0, 2, 2, 2});
    in[0] = tensor(e, {0, 4});
    CHECK(on_reference<op::qlinear_add>({in}).shape() == shape{0, 4});
}
TEST_CASE("QLinearAdd broadcasts both operands against each other") {
    const element e = element::i8;
    std::vector<operand> in = operands(e, numbers(e, {2, 1}, {2, 4}), numbers(e, {1, 3}, {1, 5, 9}));
    CHECK(numbers(on_reference<op::qlinear_add>({in})) == real_numbers{3, 5, 7, 5, 7, 9});
}
TEST_CASE("QLinearAdd refuses shapes and types that do not fit") {
    const element e = element::u8;
    const auto reason = [](std::vector<operand> in) {
        return run<op::qlinear_add, device::reference>({.inputs = std::move(in)}).answer.reason;
    };
    CHECK(reason(operands(e, tensor(e, {2}), tensor(e, {3}))) == "the inputs' shapes do not broadcast");
    CHECK(reason(operands(e, tensor(e, {2}), tensor(element::i8, {2}))) == "A and B must have one type");
    auto in = operands(e, tensor(e, {2}), tensor(e, {2}));
    in[1] = tensor(element::f32, {2});
    CHECK(reason(in) == "scales and zero points must be one number");
    in[1] = tensor(element::f64, {});
    CHECK(reason(in) == "the scales must be float");
    in[1] = {};
    CHECK(reason(in) == "a scale is missing");
    in = operands(e, tensor(e, {2}), tensor(e, {2}));
    in[7] = tensor(element::i8, {});
    CHECK(reason(in) == "a zero point has another type than what it belongs to");
}

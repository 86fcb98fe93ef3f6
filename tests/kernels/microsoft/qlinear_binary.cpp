// Mirrors kernels/inlay/microsoft/qlinear_binary.hpp, kernels/inlay/cpu/microsoft/qlinear_binary.hpp and
// kernels/inlay/cpu/isa/qlinear_binary.hpp.
#include "../quantized.hpp"
#include <inlay/cpu/microsoft/qlinear_binary.hpp>
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

TEST_CASE("QLinearAdd and QLinearMul compute with the dequantized numbers, and saturate") {
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

namespace {
void both(const tensor& a, const tensor& b, const std::array<float, 3>& scales = {.013f, .021f, .017f},
          std::array<double, 3> zeros = {3, 100, 7}) {
    const element e = a.type();
    CAPTURE(to_string(a.shape()), to_string(b.shape()), scales[0], scales[1], scales[2]);
    const call c{.inputs = {a, single(scales[0]), scalar(e, zeros[0]), b, single(scales[1]), scalar(e, zeros[1]),
                            single(scales[2]), scalar(e, zeros[2])}};
    agree_in_codes<op::qlinear_add>(c);
    agree_in_codes<op::qlinear_mul>(c);
}
}  // namespace
TEST_CASE("QLinearAdd and QLinearMul on the CPU agree with the reference kernel at every tail and every broadcast") {
    for (element e : {element::u8, element::i8}) {
        const auto codes = [=](const shape& dims, unsigned seed) { return random_codes(e, dims, seed); };
        for (int n = 0; n <= 131; ++n) both(codes({n}, 1), codes({n}, 2));
        for (int n : {0, 1, 3, 15, 16, 17, 64, 600}) {
            both(codes({5, n}, 1), codes({}, 2));
            both(codes({1}, 1), codes({3, n}, 2));
            both(codes({5, n}, 1), codes({n}, 2));
            both(codes({2, 5, n}, 1), codes({5, 1}, 2));
            both(codes({n, 1, 3}, 1), codes({1, 4, 1}, 2));
            both(codes({1, n, 4, 3}, 1), codes({2, n, 1, 1}, 2));
            both(codes({2, n, 3, 5}, 1), codes({2, n, 3, 5}, 2));
            both(codes({2, n, 3, 5}, 1), codes({n, 1, 1}, 2));
            both(codes({5}, 1), codes({2, n, 3, 5}, 2));
        }
        both(codes({70000}, 1), codes({70000}, 2));
        both(codes({2, 40, 30, 41}, 1), codes({1, 40, 1, 1}, 2));
    }
}
TEST_CASE(
    "QLinearAdd and QLinearMul on the CPU agree with the reference kernel for every quantized value and any scales") {
    constexpr std::size_t second_count = 37;  // of the second operand, 7 apart
    for (element e : {element::u8, element::i8}) {
        tensor a(e, {256, second_count}), b(e, {256, second_count});
        for (std::size_t i = 0; i < 256 * second_count; ++i) {
            static_cast<std::uint8_t*>(a.data())[i] = std::uint8_t(i / second_count);
            static_cast<std::uint8_t*>(b.data())[i] = std::uint8_t(i % second_count * 7);
        }
        const double low = e == element::u8 ? 0 : -128;
        for (const auto& scales : odd_scales)
            for (const auto& zeros : {std::array<double, 3>{low, low, low},
                                      {low + 255, low + 255, low + 255},
                                      {low + 128, low + 128, low + 128},
                                      {low, low + 255, low + 100}})
                both(a, b, scales, zeros);
    }
}

// Mirrors kernels/inlay/microsoft/qlinear_unary.hpp, kernels/inlay/cpu/microsoft/qlinear_unary.hpp,
// kernels/inlay/cpu/support/code_tables.hpp and kernels/inlay/cpu/isa/look_up_u8.hpp.
#include "../quantized.hpp"
#include <inlay/cpu/microsoft/qlinear_unary.hpp>
#include <on_test_devices/microsoft/qlinear_unary.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::quantization;

namespace {
std::vector<operand> operands(const tensor& x, double y_scale) {
    const element e = x.type();
    return {x, scalar(element::f32, 0.5), scalar(e, 4), scalar(element::f32, y_scale), scalar(e, 1)};
}
}  // namespace

TEST_CASE("QLinearSigmoid and QLinearLeakyRelu compute with the numbers that codes mean") {
    for (element e : {element::u8, element::i8}) {
        const tensor x = numbers(e, {4}, {4, 0, 8, 127});  // 0 -2 2 61.5
        // 0.5, 0.1192, 0.8808, 1 in steps of 1/64
        CHECK(numbers(on_reference<op::qlinear_sigmoid>({operands(x, 1 / 64.)})) == real_numbers{33, 9, 57, 65});
        const attributes alpha = [](graph_data& g) { return std::vector{g.make("alpha", 0.25)}; };
        CHECK(numbers(on_reference<op::qlinear_leaky_relu>({.inputs = operands(x, 0.5), .with = alpha})) ==
              real_numbers{1, 0, 5, 124});
        CHECK(numbers(on_reference<op::qlinear_leaky_relu>({.inputs = operands(x, 0.125), .with = alpha}))[3] ==
              (e == element::u8 ? 255 : 127));
        CHECK(on_reference<op::qlinear_sigmoid>({operands(tensor(e, {0, 3}), 1)}).shape() == shape{0, 3});
    }
}
TEST_CASE("QLinearSigmoid refuses scales that are not one number") {
    auto in = operands(tensor(element::u8, {2}), 1);
    in[3] = tensor(element::f32, {2});
    CHECK(run<op::qlinear_sigmoid, device::reference>({in}).answer.reason ==
          "scales and zero points must be one number");
    in[3] = {};
    CHECK(run<op::qlinear_sigmoid, device::reference>({in}).answer.reason == "a scale is missing");
}
TEST_CASE(
    "QLinearSigmoid and QLinearLeakyRelu on the CPU agree with the reference kernel, whatever of the scales is "
    "constant") {
    const attributes alpha = [](graph_data& g) { return std::vector{g.make("alpha", -0.25)}; };
    for (element e : {element::u8, element::i8})
        for (int constants : {0, 1, 2}) {  // of none, of some, of all scales
            const auto in = [&](const tensor& x, float x_scale = .05f, float y_scale = .004f) {
                std::vector<operand> operands{x, single(x_scale), scalar(e, 90), single(y_scale), scalar(e, 3)};
                for (std::size_t k = 1; k < (constants == 0 ? 1u : constants == 1 ? 3u : 5u); ++k)
                    operands[k].constant = true;
                return operands;
            };
            CAPTURE(constants);
            for (int n = 0; n <= 200; ++n) {
                CAPTURE(n);
                agree_in_codes<op::qlinear_sigmoid>({in(random_codes(e, {n}, unsigned(n)))});
            }
            for (const auto& scales : odd_scales)
                agree_in_codes<op::qlinear_leaky_relu>(
                    {.inputs = in(random_codes(e, {2, 3, 64, 17}, 5), scales[0], scales[2]), .with = alpha});
            agree_in_codes<op::qlinear_leaky_relu>({.inputs = in(random_codes(e, {3, 70001}, 5)), .with = alpha});
            auto without = in(random_codes(e, {333}, 5));
            without[2] = without[4] = {};
            agree_in_codes<op::qlinear_sigmoid>({without});
        }
}

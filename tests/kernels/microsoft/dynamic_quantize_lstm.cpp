// Mirrors kernels/inlay/microsoft/dynamic_quantize_lstm.hpp and kernels/inlay/cpu/microsoft/dynamic_quantize_lstm.hpp.
// Expected values: ONNX Runtime's.
#include "../every_level.hpp"
#include "../ramp.hpp"
#include "../recurrent.hpp"
#include <on_test_devices/microsoft/dynamic_quantize_lstm.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::quantization;
using ramps::ramp;
using recurrent::options;

namespace {
using op_type = op::dynamic_quantize_lstm;
const std::vector<element> floats{element::f32, element::f32, element::f32};
operand bytes(element e, const shape& dims, int by, int first) {
    tensor t(e, dims);
    for (std::int64_t i = 0; i < t.elements(); ++i)
        static_cast<std::uint8_t*>(t.data())[i] = std::uint8_t(i * by + first);
    return operand::weight(t);
}
// Three steps of two sequences, with three inputs and two hidden units.
call small(element e, std::int64_t directions, bool by_column) {
    const shape scale_shape = by_column ? shape{directions, 8} : shape{directions};
    const operand zeros = bytes(e, scale_shape, 0, e == element::i8 ? 0 : 120);
    return {.inputs = {ramp({3, 2, 3}, 7, 13, .25, 6), bytes(e, {directions, 3, 8}, 37, 0),
                       bytes(e, {directions, 2, 8}, 91, 5), ramp({directions, 16}, 5, 11, .125, 5), operand(),
                       ramp({directions, 2, 2}, 3, 5, .25, 2), ramp({directions, 2, 2}, 2, 7, .25, 3), operand(),
                       ramp(scale_shape, 3, 7, .001, -4), zeros, ramp(scale_shape, 5, 9, .001, -3), zeros},
            .with = options{.direction = directions == 2 ? "bidirectional" : "forward", .hidden = 2},
            .outputs = floats};
}
void check(const call& c, const std::vector<real_numbers>& expected) {
    ramps::check_outputs(run<op_type, device::reference>(c), expected, 2e-6);
    ramps::check_outputs(run<op_type, device::cpu>(c), expected, 2e-6);
}
std::string_view refusal_of(const call& c) { return run<op_type, device::reference>(c).answer.reason; }
}  // namespace

TEST_CASE("DynamicQuantizeLSTM quantizes X and h, and multiplies them by weights of 8 bits") {
    check(small(element::i8, 1, false), {{-0.3385406, -0.03783048, 0.1300326, 0.2210909, -0.1670139, -0.004920358,
                                          0.1705781, 0.210906, -0.03216536, -0.005908299, 0.2215559, 0.07555707},
                                         {-0.03216536, -0.005908299, 0.2215559, 0.07555707},
                                         {-0.06446371, -0.01307209, 0.3213525, 0.3536748}});
}
TEST_CASE("DynamicQuantizeLSTM has scales per column, two directions and sequences that end before others") {
    check(small(element::i8, 2, true),
          {{-0.4282805,  -0.0185992, 0.07364597, 0.2770758,  -0.07822091, -0.363593, -0.2817734,  0.06491247,
            -0.2557552,  0.01487447, 0.1275377,  0.2699882,  -0.1516397,  -0.204517, -0.06081248, -0.1042994,
            -0.03715206, 0.06880928, 0.2648386,  0.07767566, -0.3377845,  0.1343932, 0.09914252,  -0.3972747},
           {-0.03715206, 0.06880928, 0.2648386, 0.07767566, -0.07822091, -0.363593, -0.2817734, 0.06491247},
           {-0.1562669, 0.1351186, 0.354267, 0.4634916, -0.1383018, -1.039199, -0.6194705, 0.1196156}});
    call c = small(element::u8, 2, true);
    c.inputs[4] = recurrent::lengths({2, 3});
    check(c, {{-0.1525739, 0.08847876, 0.3669601,   0.1378436,  -0.3306358, -0.0477307,  -0.08803546, -0.1262533,
               -0.2913052, 0.08885124, 0.3885071,   0.01292299, -0.3343612, -0.01565418, -0.07276676, 0.08579461,
               0,          0,          -0.08123347, 0.06803484, 0,          0,           0.07549257,  -0.1360306},
              {-0.2913052, 0.08885124, -0.08123347, 0.06803484, -0.3306358, -0.0477307, -0.08803546, -0.1262533},
              {-0.4446118, 0.2407745, -0.1098237, 0.3421538, -0.6122131, -0.1957613, -0.2983712, -0.1750071}});
}
TEST_CASE("DynamicQuantizeLSTM is LSTM where nothing is lost by quantization") {
    // X has whole numbers from 0 to 255, and R is zero. The gates are linear, for the sums to be seen.
    const std::vector<std::string_view> linear{"Relu", "Affine", "Affine"};
    const tensor x = numbers(element::f32, {2, 1, 2}, {0, 255, 3, 17}), scale = numbers(element::f32, {1}, {.5}),
                 zero = numbers(element::u8, {1}, {0});
    call c{.inputs = {x, numbers(element::u8, {1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), tensor(element::u8, {1, 1, 4}),
                      operand(), operand(), operand(), operand(), operand(), scale, zero, scale, zero},
           .with = options{.activations = linear},
           .outputs = floats};
    std::memset(c.inputs[2].value.data(), 0, 4);
    call plain{.inputs = {x, numbers(element::f32, {1, 4, 2}, {.5, 2.5, 1, 3, 1.5, 3.5, 2, 4}),
                          numbers(element::f32, {1, 4, 1}, {0, 0, 0, 0})},
               .with = c.with,
               .outputs = floats};
    const auto compare = [&] {
        const outcome y = run<op_type, device::reference>(c), z = run<op::lstm, device::reference>(plain);
        for (std::size_t k = 0; k < 3; ++k) CHECK(numbers(y[k]) == numbers(z[k]));
    };
    compare();
    c.with = plain.with = options{.direction = "reverse", .flag = 1, .clip = 90, .activations = linear};
    compare();
    const tensor peepholes = numbers(element::f32, {1, 3}, {1, 2, 3});
    c.inputs[7] = peepholes;
    plain.inputs.resize(7);
    plain.inputs.push_back(peepholes);
    compare();
}
TEST_CASE("The fast DynamicQuantizeLSTM agrees with the reference kernel") {
    for (element e : {element::u8, element::i8})
        for (auto [steps, batch, inputs, hidden] :
             {std::array{1, 1, 1, 1}, {3, 1, 5, 7}, {4, 3, 17, 16}, {2, 5, 33, 40}, {0, 2, 3, 4}, {3, 0, 2, 4}})
            for (bool by_column : {false, true}) {
                CAPTURE(int(e), steps, batch, inputs, hidden, by_column);
                const shape scale_shape = by_column ? shape{2, 4 * hidden} : shape{2};
                const operand zeros = operand::weight(random_codes(e, scale_shape, 7));
                call c{
                    .inputs = {elementwise::random_tensor({steps, batch, inputs}, 1),
                               operand::weight(random_codes(e, {2, inputs, 4 * hidden}, 2)),
                               operand::weight(random_codes(e, {2, hidden, 4 * hidden}, 3)), operand(), operand(),
                               operand(), operand(), operand(), elementwise::random_tensor(scale_shape, 4, .0005, .001),
                               zeros, elementwise::random_tensor(scale_shape, 5, .0005, .001), zeros},
                    .with = options{.direction = "bidirectional"},
                    .outputs = {element::f32}};
                // A sum that is a tie of two quantized values may become either: 1 / 255 of h's range.
                check_levels<op_type>(c, 1e-2);
            }
}
TEST_CASE("DynamicQuantizeLSTM refuses what does not fit") {
    const element e = element::u8;
    call c = small(e, 1, false);
    c.inputs[8] = ramp({2}, 1, 7, 1, 0);
    CHECK(refusal_of(c) == "scales and zero points must be [num_directions], or [num_directions, 4 * hidden_size]");
    c.inputs.resize(11);
    CHECK(refusal_of(c) == "a scale or zero point of W or R is missing");
    c = small(e, 1, false);
    c.inputs[2] = bytes(e, {1, 8, 2}, 1, 0);
    CHECK(refusal_of(c) ==
          "W and R must be [num_directions, ..., gates * hidden_size] and agree with each other and with X");
    c = small(e, 1, false);
    c.inputs[9] = bytes(element::i8, {1}, 1, 0);
    CHECK(refusal_of(c) == "W, R and their zero points must have one type");
    c = small(e, 1, false);
    c.inputs[4] = recurrent::lengths({2, 4});
    CHECK(run<op_type, device::reference>(c).code == status::invalid_value);
    CHECK(run<op_type, device::cpu>(c).code == status::invalid_value);
}

// Mirrors kernels/inlay/microsoft/qlinear_concat.hpp and kernels/inlay/cpu/microsoft/qlinear_concat.hpp.
#include "../quantized.hpp"
#include <inlay/cpu/microsoft/qlinear_concat.hpp>
#include <on_test_devices/microsoft/qlinear_concat.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::quantization;

namespace {
constexpr element f32 = element::f32;
call joined(element e, int less = 0) {  // less: what is subtracted from all values
    const auto code = [=](double x) { return scalar(e, x - less); };
    real_numbers a{159, 91, 101, 140}, b{142, 68};
    for (double& x : a) x -= less;
    for (double& x : b) x -= less;
    return {.inputs = {scalar(f32, .5), code(10), numbers(e, {2, 2}, a), scalar(f32, .25), code(5),
                       numbers(e, {2, 1}, b), scalar(f32, 2), code(100)},
            .with = with({{"axis", -1}}),
            .outputs = {e}};
}
}  // namespace

TEST_CASE("QLinearConcat gives tensors of different scales one scale") {  // as ONNX Runtime does
    const real_numbers expected{87, 53, 178, 58, 78, 0};
    CHECK(numbers(on_reference<op::qlinear_concat>(joined(element::u8))) == expected);
    real_numbers less = expected;
    for (double& x : less) x -= 128;
    call c = joined(element::i8, 128);
    for (c.threads = 1; c.threads <= 3; ++c.threads) CHECK(numbers(on_reference<op::qlinear_concat>(c)) == less);
}
TEST_CASE("QLinearConcat joins many tensors, some of them empty") {
    call c{.inputs = {scalar(f32, 1), scalar(element::u8, 0)}, .with = with({{"axis", 0}}), .outputs = {element::u8}};
    real_numbers expected;
    for (int k = 0; k < 40; ++k) {
        const int length = k % 3;
        c.inputs.push_back(numbers(element::u8, {length, 2}, real_numbers(std::size_t(length) * 2, k)));
        c.inputs.push_back(scalar(f32, 2));
        c.inputs.push_back(scalar(element::u8, 1));
        for (int i = 0; i < 2 * length; ++i) expected.push_back(std::max(2 * k - 2, 0));
    }
    CHECK(numbers(on_reference<op::qlinear_concat>(c)) == expected);
}
TEST_CASE("QLinearConcat refuses what does not fit") {
    const auto reason = [](const call& c) { return run<op::qlinear_concat, device::reference>(c).answer.reason; };
    call c = joined(element::u8);
    c.with = with({});
    CHECK(reason(c) == "there is no axis");
    c.with = with({{"axis", 2}});
    CHECK(reason(c) == "axis is out of range");
    c.with = with({{"axis", 0}});
    CHECK(reason(c) == "the inputs differ in a dimension other than the axis");
    c = joined(element::u8);
    c.inputs[5] = tensor(element::u8, {2});
    CHECK(reason(c) == "the inputs have different ranks");
    c.inputs[5] = tensor(element::i8, {2, 1});
    CHECK(reason(c) == "the tensors must have one type");
    c.inputs[6] = tensor(f32, {2});
    CHECK(reason(c) == "scales and zero points must be one number");
    c.inputs[7] = {};
    CHECK(reason(c) == "an input is missing");
    c.inputs.resize(7);
    CHECK(reason(c) == "each tensor must come with scale and zero point");
}
TEST_CASE("QLinearConcat on the CPU agrees with the reference kernel along every axis, in either layout") {
    for (element e : {element::u8, element::i8})
        for (int axis = 0; axis < 4; ++axis)
            for (bool constant : {false, true}) {
                CAPTURE(int(e), axis, constant);
                call c{.inputs = {single(.5f), scalar(e, 10)}, .with = with({{"axis", axis}}), .outputs = {e}};
                for (int length : {3, 0, 70, 70, 1}) {
                    shape dims{2, 5, 3, 66};
                    dims[axis] = length;
                    c.inputs.push_back(random_codes(e, dims, unsigned(length)));
                    // The values of the first and the last are not requantized.
                    c.inputs.push_back(single(length < 70 ? .5f : .35f));
                    c.inputs.push_back(scalar(e, length < 70 ? 10 : 7));
                }
                for (std::size_t k = 0; k < c.inputs.size(); ++k) c.inputs[k].constant = constant && k % 3 != 2;
                agree_in_codes<op::qlinear_concat>(c);
                c.inputs[8].constant = true;
                agree_in_codes<op::qlinear_concat>(c);
            }
}
TEST_CASE("QLinearConcat on the CPU shares long tensors among threads") {
    const element e = element::u8;
    const call c{.inputs = {single(.5f), scalar(e, 10), random_codes(e, {3, 50000}, 1), single(.25f), scalar(e, 1),
                            random_codes(e, {3, 30001}, 2), single(2), scalar(e, 200)},
                 .with = with({{"axis", 1}}),
                 .outputs = {e}};
    agree_in_codes<op::qlinear_concat>(c);
}

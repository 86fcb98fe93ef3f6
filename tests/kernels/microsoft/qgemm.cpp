// Mirrors kernels/inlay/microsoft/qgemm.hpp.
#include "../quantized.hpp"
#include <on_test_devices/microsoft/qgemm.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::quantization;

namespace {
// A less its zero point: 1 -1 / 2 0; B: 1 2 3 / 0 -1 1
std::vector<operand> operands(element a, element b) {
    return {numbers(a, {2, 2}, {3, 1, 4, 2}),       scalar(element::f32, 0.5),  scalar(a, 2),
            numbers(b, {2, 3}, {2, 3, 4, 1, 0, 2}), scalar(element::f32, 0.25), scalar(b, 1)};
}
}  // namespace

TEST_CASE("QGemm multiplies 8-bit numbers less their zero points, and adds C in the same steps") {
    for (element a : {element::u8, element::i8})
        for (element b : {element::u8, element::i8}) {
            call c{.inputs = operands(a, b), .outputs = {element::f32}};
            CHECK(numbers(on_reference<op::qgemm>(c)) == real_numbers{0.125, 0.375, 0.25, 0.25, 0.5, 0.75});
            c.inputs.push_back(numbers(element::i32, {3}, {10, 20, 30}));
            CHECK(numbers(on_reference<op::qgemm>(c)) == real_numbers{1.375, 2.875, 4, 1.5, 3, 4.5});
            c.inputs.push_back(scalar(element::f32, 0.5));
            c.inputs.push_back(scalar(a, 4));
            c.outputs = {a};
            CHECK(numbers(on_reference<op::qgemm>(c)) == real_numbers{7, 10, 12, 7, 10, 13});
            c.inputs[7] = scalar(element::f32, 0.001);
            CHECK(numbers(on_reference<op::qgemm>(c))[5] == (a == element::u8 ? 255 : 127));
        }
}
TEST_CASE("QGemm transposes its operands, and has a scale and a zero point per column of B") {
    const element e = element::i8;
    call c{.inputs = {numbers(e, {2, 2}, {3, 4, 1, 2}), scalar(element::f32, 1), scalar(e, 2),
                      numbers(e, {3, 2}, {2, 1, 3, 0, 4, 2}), numbers(element::f32, {3}, {1, 2, 3}),
                      numbers(e, {3}, {1, 0, 2})},
           .with = with({{"transA", 1}, {"transB", 1}}),
           .outputs = {element::f32}};
    CHECK(numbers(on_reference<op::qgemm>(c)) == real_numbers{1, 6, 6, 2, 12, 12});
}
TEST_CASE("QGemm refuses what does not fit") {
    const auto reason = [](std::vector<operand> in) {
        return run<op::qgemm, device::reference>({.inputs = std::move(in), .outputs = {element::f32}}).answer.reason;
    };
    const element e = element::u8;
    auto in = operands(e, e);
    in[3] = tensor(e, {3, 3});
    CHECK(reason(in) == "A and B disagree on K");
    in[3] = tensor(e, {3});
    CHECK(reason(in) == "A and B must be matrices");
    in = operands(e, e);
    in[4] = tensor(element::f32, {2});
    CHECK(reason(in) == "B's scale and zero point must be one number, or one per column");
    in = operands(e, e);
    in.push_back(tensor(element::i32, {2, 2}));
    CHECK(reason(in) == "C does not broadcast to the result's shape");
    in[6] = tensor(element::f32, {3});
    CHECK(reason(in) == "C must be int32");
    in.resize(5);
    CHECK(reason(in) == "an input is missing");
}

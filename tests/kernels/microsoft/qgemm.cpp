// Mirrors kernels/inlay/microsoft/qgemm.hpp and kernels/inlay/cpu/microsoft/qgemm.hpp.
#include "../every_level.hpp"
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
TEST_CASE("QGemm on the CPU agrees with the reference kernel at every tail, with every form of C, scales and results") {
    const auto gemm = [](element ae, element be, std::int64_t m, std::int64_t k, std::int64_t n, int form,
                         std::int64_t turned) {
        CAPTURE(int(ae), int(be), m, k, n, form, turned);
        const shape scale_shape = form % 2 ? shape{n} : shape{};
        const std::vector<shape> addends{{}, {n}, {m, 1}, {m, n}, {1}};
        const bool codes = form % 3 != 0;
        call c{.inputs = {random_codes(ae, {m, k}, 1), single(.013f), scalar(ae, 100),
                          operand::weight(random_codes(be, turned ? shape{n, k} : shape{k, n}, 2)),
                          elementwise::random_tensor(scale_shape, 3, .01, .02),
                          operand::weight(form % 2 ? random_codes(be, scale_shape, 4) : scalar(be, form ? 3 : 0))},
               .with =
                   [=](graph_data& g) {
                       return std::vector{g.make("transB", turned), g.make("alpha", .7)};
                   },
               .outputs = {codes ? ae : element::f32}};
        if (form) c.inputs.push_back(random_codes(element::i32, addends[std::size_t(form - 1)], 5));
        if (codes) {
            c.inputs.resize(7);
            c.inputs.push_back(single(.4f));
            c.inputs.push_back(scalar(ae, 7));
            // Sums of C that wrap around are as good as others.
        }
        beside_plain<op::qgemm>(c, [](const outcome& y, const outcome& plain) {
            CHECK(std::memcmp(y[0].data(), plain[0].data(), std::size_t(plain[0].bytes())) == 0);
        });
    };
    for (element ae : {element::u8, element::i8})
        for (element be : {element::u8, element::i8})
            for (int form = 0; form <= 5; ++form)
                for (std::int64_t turned : {0, 1}) {
                    for (std::int64_t n : {1, 15, 17, 33, 67}) gemm(ae, be, 3, 9, n, form, turned);
                    for (std::int64_t k : {0, 1, 4, 30, 32}) gemm(ae, be, 5, k, 8, form, turned);
                    gemm(ae, be, 0, 4, 5, form, turned);
                    gemm(ae, be, 40, 70, 130, form, turned);
                }
    gemm(element::u8, element::i8, 500, 40, 300, 1, 1);
}
TEST_CASE("QGemm on the CPU leaves A that is turned to the reference kernel") {
    const auto reason = [](std::int64_t turned) {
        const call c{.inputs = operands(element::u8, element::u8),
                     .with = with({{"transA", turned}}),
                     .outputs = {element::f32}};
        return run<op::qgemm, device::cpu>(c).answer.reason;
    };
    CHECK(reason(0).empty());
    CHECK(reason(1) == "the fast kernel has no transA");
}

// Mirrors kernels/inlay/microsoft/qlinear_softmax.hpp and kernels/inlay/cpu/microsoft/qlinear_softmax.hpp. The expected
// values are ONNX Runtime's.
#include "../quantized.hpp"
#include <inlay/cpu/microsoft/qlinear_softmax.hpp>
#include <on_test_devices/microsoft/qlinear_softmax.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::quantization;

namespace {
constexpr element f32 = element::f32;
call softmax_of(element e, std::int64_t opset, std::int64_t axis) {
    const double less = e == element::i8 ? 128 : 0;
    real_numbers x{8,  92, 74, 126, 211, 92,  83, 17, 136, 174, 144, 146,
                   45, 22, 56, 172, 85,  105, 41, 20, 154, 176, 248, 120};
    for (double& v : x) v -= less;
    return {.inputs = {numbers(e, {2, 3, 4}, x), scalar(f32, .02), scalar(e, 100 - less), scalar(f32, 1. / 256),
                       scalar(e, -less)},
            .with = with({{"opset", opset}, {"axis", axis}})};
}
real_numbers codes(const call& c) { return numbers(on_reference<op::qlinear_softmax>(c)); }
}  // namespace

TEST_CASE("QLinearSoftmax is Softmax of 8-bit numbers along one axis, or before version 13 from one axis on") {
    CHECK(codes(softmax_of(element::u8, 13, -1)) == real_numbers{12, 66, 46, 131, 215, 20,  17, 4,  46, 99, 54,  57,
                                                                 16, 10, 21, 209, 81,  120, 33, 22, 27, 41, 175, 13});
    CHECK(codes(softmax_of(element::u8, 13, 1)) == real_numbers{4,  36, 41, 98,  206, 36, 49, 11, 46,  184, 166, 147,
                                                                21, 9,  5,  183, 47,  48, 4,  9,  188, 199, 247, 65});
    CHECK(codes(softmax_of(element::u8, 12, 1)) ==
          real_numbers{2, 9, 6, 17, 92, 9, 7, 2, 21, 44, 24, 25, 2, 2, 3, 30, 5, 8, 2, 1, 21, 33, 138, 11});
    CHECK(codes(softmax_of(element::i8, 13, -1)) == real_numbers{-116, -62, -82, 3,    87,   -108, -111, -124,
                                                                 -82,  -29, -74, -71,  -112, -118, -107, 81,
                                                                 -47,  -8,  -95, -106, -101, -87,  47,   -115});
    call c = softmax_of(element::u8, 13, -1);
    c.inputs[3] = scalar(f32, .01);
    c.inputs[4] = scalar(element::u8, 7);
    CHECK(codes(c) ==
          real_numbers{12, 33, 25, 58, 91, 15, 13, 9, 25, 46, 28, 29, 13, 11, 15, 89, 38, 54, 20, 16, 17, 23, 75, 12});
    c.inputs[0] = tensor(element::u8, {2, 0, 4});
    CHECK(codes(c).empty());
}
TEST_CASE("QLinearSoftmax of numbers far apart is that of their distance to the largest, wherever that stands") {
    for (const double scale : {1., -1.})
        for (const bool last_wins : {false, true}) {
            CAPTURE(scale, last_wins);
            const real_numbers x = (scale > 0) == last_wins ? real_numbers{0, 255} : real_numbers{255, 0};
            call c = softmax_of(element::u8, 13, -1);
            c.inputs[0] = numbers(element::u8, {1, 2}, x);
            c.inputs[1] = scalar(f32, scale);
            CHECK(codes(c) == (last_wins ? real_numbers{0, 255} : real_numbers{255, 0}));
        }
}
TEST_CASE("QLinearSoftmax refuses what does not fit") {
    const auto reason = [](const call& c) { return run<op::qlinear_softmax, device::reference>(c).answer.reason; };
    CHECK(reason(softmax_of(element::u8, 0, -1)) == "opset must be the version of Softmax");
    CHECK(reason(softmax_of(element::u8, 13, 3)) == "axis is out of range");
    call c = softmax_of(element::u8, 13, -1);
    c.inputs[1] = tensor(f32, {2});
    CHECK(reason(c) == "scales and zero points must be one number");
    c.inputs[2] = scalar(element::i8, 1);
    CHECK(reason(c) == "a zero point has another type than what it belongs to");
}
TEST_CASE("QLinearSoftmax on the CPU agrees with the reference kernel at every length, along every axis") {
    for (element e : {element::u8, element::i8}) {
        const auto soft = [=](const shape& dims, std::int64_t axis, std::int64_t opset, float scale, float y_scale) {
            CAPTURE(int(e), to_string(dims), axis, opset, scale, y_scale);
            agree_in_codes<op::qlinear_softmax>(
                {.inputs = {random_codes(e, dims, 3), single(scale), scalar(e, 7), single(y_scale), scalar(e, 1)},
                 .with = with({{"opset", opset}, {"axis", axis}})});
        };
        for (int n = 0; n <= 70; ++n) {
            soft({3, n}, -1, 13, .02f, 1 / 256.f);
            soft({2, n, 5}, 1, 13, .05f, .0039f);
            soft({2, n, 5}, 1, 12, .05f, .0039f);
        }
        soft({40, 1000}, 1, 13, .1f, 1e-5f);
        soft({2, 100, 7, 9}, 1, 13, .1f, .003f);
        for (const auto& scales : odd_scales) soft({5, 33}, 1, 13, scales[0], scales[2]);
    }
}

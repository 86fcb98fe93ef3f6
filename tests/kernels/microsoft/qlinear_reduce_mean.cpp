// Mirrors kernels/inlay/microsoft/qlinear_reduce_mean.hpp and kernels/inlay/cpu/microsoft/qlinear_reduce_mean.hpp.
#include "../quantized.hpp"
#include <inlay/cpu/microsoft/qlinear_reduce_mean.hpp>
#include <on_test_devices/microsoft/qlinear_reduce_mean.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::quantization;

namespace {
constexpr element f32 = element::f32;
call mean(element e, std::vector<std::int64_t> axes, std::int64_t keep) {
    return {.inputs = {numbers(e, {2, 3, 2}, {3, 5, 7, 9, 8, 10, 100, 101, 102, 3, 4, 5}), scalar(f32, .5),
                       scalar(e, 3), scalar(f32, .25), scalar(e, 9)},
            .with =
                [=](graph_data& g) {
                    return std::vector{g.make("axes", axes), g.make("keepdims", keep)};
                },
            .outputs = {e}};
}
tensor of(const call& c) { return on_reference<op::qlinear_reduce_mean>(c); }
}  // namespace

TEST_CASE("QLinearReduceMean averages 8-bit numbers over the axes that are named") {
    for (element e : {element::u8, element::i8}) {
        const tensor one_axis = of(mean(e, {1}, 1)), two = of(mean(e, {0, -1}, 0)), every_axis = of(mean(e, {}, 0));
        CHECK(one_axis.shape() == shape{2, 1, 2});
        // Sums less the zero points: 9 15 / 197 100; times .5 / 3, in steps of .25: 6 10 / 131.3 66.7
        const double most = e == element::u8 ? 255 : 127;
        CHECK(numbers(one_axis) == real_numbers{15, 19, std::min(140., most), 76});
        CHECK(two.shape() == shape{3});
        CHECK(numbers(two) == real_numbers{107, 63, 17});  // 98.5, 54.5 and 7.5 steps: ties go to the even one
        CHECK(every_axis.shape() == shape{});
        CHECK(numbers(every_axis) == real_numbers{63});  // 53.5 steps
    }
}
TEST_CASE("QLinearReduceMean rounds ties to the even step, and needs no zero points") {
    call c = mean(element::u8, {0}, 0);
    c.inputs = {numbers(element::u8, {2, 4}, {0, 1, 2, 3, 1, 2, 3, 4}), scalar(f32, 1), {}, scalar(f32, 1)};
    CHECK(numbers(of(c)) == real_numbers{0, 2, 2, 4});
    c.inputs[0] = tensor(element::u8, {2, 0});
    CHECK(of(c).shape() == shape{0});
}
TEST_CASE("QLinearReduceMean refuses what does not fit") {
    const auto reason = [](const call& c) { return run<op::qlinear_reduce_mean, device::reference>(c).answer.reason; };
    CHECK(reason(mean(element::u8, {3}, 1)) == "an axis is out of range");
    CHECK(reason(mean(element::u8, {1, -2}, 1)) == "an axis is given twice");
    call c = mean(element::u8, {1}, 1);
    c.inputs[3] = tensor(f32, {0});
    CHECK(reason(c) == "scales and zero points must be one number");
}
TEST_CASE(
    "QLinearReduceMean on the CPU agrees with the reference kernel over axes side by side, and leaves others to it") {
    const auto mean = [](element e, const shape& dims, std::vector<std::int64_t> axes) {
        return call{
            .inputs = {random_codes(e, dims, 1), single(.013f), scalar(e, 90), single(.009f), scalar(e, 3)},
            .with = [=](graph_data& g) { return std::vector{g.make("axes", std::span<const std::int64_t>(axes))}; }};
    };
    for (element e : {element::u8, element::i8})
        for (int n = 1; n <= 70; ++n) {
            CAPTURE(int(e), n);
            agree_in_codes<op::qlinear_reduce_mean>(mean(e, {2, 3, n}, {-1}));
            agree_in_codes<op::qlinear_reduce_mean>(mean(e, {2, 3, n}, {1}));
            agree_in_codes<op::qlinear_reduce_mean>(mean(e, {5, n, 7}, {0}));
            agree_in_codes<op::qlinear_reduce_mean>(mean(e, {2, n, 3, 5}, {2, 3}));
            agree_in_codes<op::qlinear_reduce_mean>(mean(e, {2, n, 3, 5}, {}));
        }
    const auto reason = [&](const shape& dims, std::vector<std::int64_t> axes) {
        return run<op::qlinear_reduce_mean, device::cpu>(mean(element::u8, dims, std::move(axes))).answer.reason;
    };
    CHECK(reason({2, 3, 4}, {0, 2}) == "the axes do not lie side by side");
    CHECK(reason({2, 0, 4}, {1}) == "there is nothing to take a mean of");
}

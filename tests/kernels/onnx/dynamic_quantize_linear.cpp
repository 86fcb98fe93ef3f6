// Mirrors kernels/inlay/onnx/dynamic_quantize_linear.hpp and kernels/inlay/cpu/onnx/dynamic_quantize_linear.hpp.
#include "../quantized.hpp"
#include <inlay/cpu/onnx/dynamic_quantize_linear.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::quantization;
using elementwise::infinity;
using elementwise::quiet_nan;
using enum element;

namespace {
template <class Device>
outcome quantize(const tensor& x, isa::level level = *isa::choose(std::nullopt), int threads = 1,
                 layout in = layout::plain) {
    outcome o = run<op::dynamic_quantize_linear, Device>(
        {.inputs = {x}, .outputs = {u8, f32, u8}, .level = level, .in = in, .threads = threads});
    REQUIRE(o.answer);
    REQUIRE(o.code == status::ok);
    return o;
}
void agree(const tensor& x) {
    const outcome plain = quantize<device::reference>(x);
    for (isa::level level : tested_levels())
        for (int threads : {1, 3})
            for (layout in : {layout::plain, layout::channels_last}) {
                CAPTURE(isa::name_of(level), threads, int(in));
                const outcome fast = quantize<device::cpu>(x, level, threads, in);
                CHECK(elementwise::same<std::uint8_t>(fast[0], plain[0]));
                CHECK(elementwise::same<float>(fast[1], plain[1]));
                CHECK(elementwise::same<std::uint8_t>(fast[2], plain[2]));
            }
}
}  // namespace

TEST_CASE("DynamicQuantizeLinear gives zero and the extremes a place") {
    const outcome outputs = quantize<device::reference>(numbers(f32, {6}, {0, 2, -3, -2.5, 1.34, 0.5}));
    CHECK(outputs[1].as<float>()[0] == 5.f / 255);
    CHECK(outputs[1].shape() == shape{});
    CHECK(numbers(outputs[2]) == real_numbers{153});
    CHECK(numbers(outputs[0]) == real_numbers{153, 255, 0, 26, 221, 179});
    const outcome negative = quantize<device::reference>(numbers(f32, {3}, {-1, -2.1, -1.3}));
    CHECK(numbers(negative[2]) == real_numbers{255});
    CHECK(numbers(negative[0]) == real_numbers{134, 0, 97});
    const outcome positive = quantize<device::reference>(numbers(f32, {2, 2}, {1, 2.1, 1.3, 2.5}));
    CHECK(numbers(positive[2]) == real_numbers{0});
    CHECK(numbers(positive[0]) == real_numbers{102, 214, 133, 255});
}
TEST_CASE("DynamicQuantizeLinear of nothing but zeros, of nothing, and of NaN") {
    for (const tensor& x : {numbers(f32, {2}, {0, -0.}), tensor(f32, {0})}) {
        const outcome o = quantize<device::reference>(x);
        CHECK(o[1].as<float>()[0] == 1);
        CHECK(numbers(o[0]) == real_numbers(std::size_t(x.elements()), 0));
    }
    const outcome o = quantize<device::reference>(numbers(f32, {4}, {1, quiet_nan, -5, 2}));
    CHECK(std::isnan(o[1].as<float>()[0]));
    CHECK(numbers(o[0]) == real_numbers{0, 0, 0, 0});
}
TEST_CASE("DynamicQuantizeLinear on the CPU agrees with the reference kernel at every tail length") {
    for (int n = 0; n <= 67; ++n) {
        CAPTURE(n);
        tensor x = elementwise::random_tensor({n}, unsigned(n));
        agree(x);
        if (n > 5) x.as<float>()[5] = quiet_nan;
        agree(x);
    }
    agree(elementwise::random_tensor({2, 3, 5, 7}, 1, 0.5, 9));
    agree(elementwise::random_tensor({2, 3, 5, 7}, 1, -9, -0.5));
    agree(elementwise::random_tensor({100003}, 1, -3, 5));
    agree(numbers(f32, {3}, {infinity, 1, -1}));
}
TEST_CASE("DynamicQuantizeLinear without one of its outputs is refused") {
    const call c{.inputs = {numbers(f32, {2}, {1, 2})}, .outputs = {u8, undefined, u8}};
    CHECK(run<op::dynamic_quantize_linear, device::reference>(c).answer.reason ==
          "y, y_scale and y_zero_point must all be there");
}

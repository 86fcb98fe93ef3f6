// Mirrors kernels/inlay/microsoft/qlinear_pool.hpp, kernels/inlay/cpu/microsoft/qlinear_pool.hpp and
// kernels/inlay/cpu/isa/pool_u8.hpp.
#include "../quantized.hpp"
#include <inlay/cpu/microsoft/qlinear_pool.hpp>
#include <on_test_devices/microsoft/qlinear_pool.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::quantization;

namespace {
std::vector<operand> operands(const tensor& x) {
    const element e = x.type();
    return {x, scalar(element::f32, 0.5), scalar(e, 2), scalar(element::f32, 0.25), scalar(e, 1)};
}
attributes windows(std::int64_t channels_last, std::int64_t include = 0) {
    return [=](graph_data& g) {
        const std::vector<std::int64_t> two{2, 2}, pads{0, 0, 1, 1};
        return std::vector{g.make("kernel_shape", std::span<const std::int64_t>(two)),
                           g.make("strides", std::span<const std::int64_t>(two)),
                           g.make("pads", std::span<const std::int64_t>(pads)), g.make("channels_last", channels_last),
                           g.make("count_include_pad", include)};
    };
}
}  // namespace

TEST_CASE("QLinearAveragePool and QLinearGlobalAveragePool take means of the numbers that codes mean") {
    for (element e : {element::u8, element::i8}) {
        // less the zero point: 0 2 4 / 2 4 6 / 4 6 8, halved
        const real_numbers values{2, 4, 6, 4, 6, 8, 6, 8, 10};
        const tensor x = numbers(e, {1, 1, 3, 3}, values);
        CHECK(numbers(on_reference<op::qlinear_average_pool>({.inputs = operands(x), .with = windows(0)})) ==
              real_numbers{5, 11, 11, 17});
        CHECK(numbers(on_reference<op::qlinear_average_pool>({.inputs = operands(x), .with = windows(0, 1)})) ==
              real_numbers{5, 6, 6, 5});
        CHECK(numbers(on_reference<op::qlinear_global_average_pool>({operands(x)})) == real_numbers{9});
    }
}
TEST_CASE("Quantised pools take the channels as the last axis where channels_last is 1") {
    const element e = element::u8;
    // two channels, the second 2 throughout
    const tensor x = numbers(e, {1, 2, 2, 2}, {2, 6, 4, 6, 4, 6, 6, 6});
    const auto y = on_reference<op::qlinear_average_pool>({.inputs = operands(x), .with = windows(1)});
    CHECK(y.shape() == shape{1, 1, 1, 2});
    CHECK(numbers(y) == real_numbers{5, 9});
    const auto z =
        on_reference<op::qlinear_global_average_pool>({.inputs = operands(x), .with = with({{"channels_last", 1}})});
    CHECK(z.shape() == shape{1, 1, 1, 2});
    CHECK(numbers(z) == real_numbers{5, 9});
}
TEST_CASE("Quantised pools refuse what does not fit, and take tensors without elements") {
    const element e = element::u8;
    const auto reason = [](std::vector<operand> in) {
        return run<op::qlinear_average_pool, device::reference>({.inputs = std::move(in), .with = windows(0)})
            .answer.reason;
    };
    CHECK(reason(operands(tensor(e, {2}))) == "the input needs a batch, a channel and a spatial axis");
    CHECK(reason(operands(tensor(e, {1, 1, 3}))) == "kernel_shape needs one number per spatial axis");
    auto in = operands(tensor(e, {1, 1, 3, 3}));
    in[3] = {};
    CHECK(reason(in) == "a scale is missing");
    CHECK(on_reference<op::qlinear_global_average_pool>({operands(tensor(e, {0, 2, 3, 3}))}).shape() ==
          shape{0, 2, 1, 1});
    CHECK(numbers(on_reference<op::qlinear_global_average_pool>({operands(tensor(e, {1, 2, 0, 3}))})) ==
          real_numbers{1, 1});
}

namespace {
std::vector<operand> odd(const tensor& x, float x_scale = .013f, float y_scale = .011f, double x_zero = 90,
                         double y_zero = 5) {
    return {x, single(x_scale), scalar(x.type(), x_zero), single(y_scale), scalar(x.type(), y_zero)};
}
}  // namespace
TEST_CASE("Quantised pools on the CPU agree with the reference kernel at every number of channels, in either layout") {
    for (element e : {element::u8, element::i8})
        for (int n = 0; n <= 70; ++n) {
            CAPTURE(int(e), n);
            for (int channels_last : {0, 1}) {
                CAPTURE(channels_last);
                const tensor x = random_codes(e, channels_last ? shape{2, 5, 4, n} : shape{2, n, 5, 4}, unsigned(n));
                for (int include : {0, 1})
                    agree_in_codes<op::qlinear_average_pool>(
                        {.inputs = odd(x), .with = windows(channels_last, include)});
                agree_in_codes<op::qlinear_global_average_pool>(
                    {.inputs = odd(x), .with = with({{"channels_last", channels_last}})});
            }
            agree_in_codes<op::qlinear_global_average_pool>({odd(random_codes(e, {3, 19, n}, unsigned(n)))});
        }
}
TEST_CASE(
    "Quantised pools on the CPU agree with the reference kernel for extreme quantized values, scales and windows") {
    for (element e : {element::u8, element::i8}) {
        const double low = e == element::u8 ? 0 : -128;
        for (std::uint8_t code : {0, 127, 128, 255})
            for (double zero : {low, low + 255})
                for (const auto& scales : odd_scales) {
                    CAPTURE(int(e), int(code), zero, scales[0], scales[2]);
                    tensor x(e, {1, 20, 3, 3});
                    std::memset(x.data(), code, std::size_t(x.bytes()));
                    const auto in = odd(x, scales[0], scales[2], zero, low + 100);
                    agree_in_codes<op::qlinear_average_pool>({.inputs = in, .with = windows(0, 1)});
                    agree_in_codes<op::qlinear_global_average_pool>({in});
                }
        agree_in_codes<op::qlinear_global_average_pool>({odd(random_codes(e, {2, 3, 300, 301}, 5))});
        agree_in_codes<op::qlinear_global_average_pool>({odd(random_codes(e, {2, 300, 20, 20}, 5))});
        agree_in_codes<op::qlinear_average_pool>(
            {.inputs = odd(random_codes(e, {2, 130, 40, 40}, 5)), .with = windows(0)});
        agree_in_codes<op::qlinear_average_pool>(
            {.inputs = odd(random_codes(e, {2, 7, 6, 5, 4}, 6)), .with = [](graph_data& g) {
                 const std::vector<std::int64_t> sizes{3, 2, 3};
                 return std::vector{g.make("kernel_shape", std::span<const std::int64_t>(sizes))};
             }});
    }
}
TEST_CASE("Quantised pools on the CPU leave windows whose sums may pass 32 bits to the reference kernel") {
    const attributes wide = [](graph_data& g) {
        const std::vector<std::int64_t> sizes{1 << 13, 1 << 11}, pads{1 << 12, 1 << 10, 1 << 12, 1 << 10};
        return std::vector{g.make("kernel_shape", std::span<const std::int64_t>(sizes)),
                           g.make("pads", std::span<const std::int64_t>(pads))};
    };
    CHECK(run<op::qlinear_average_pool, device::cpu>({.inputs = odd(tensor(element::u8, {1, 1, 1, 1})), .with = wide})
              .answer.reason == "the fast kernel takes means of 2^23 elements at most");
}

// Mirrors kernels/inlay/microsoft/qlinear_pool.hpp.
#include "../quantized.hpp"
#include <on_test_devices/microsoft/qlinear_pool.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::quantization;

namespace {
std::vector<operand> operands(const tensor& x) {
    const element e = x.type();
    return {x, scalar(element::f32, 0.5), scalar(e, 2), scalar(element::f32, 0.25), scalar(e, 1)};
}
attributes windows(std::int64_t last, std::int64_t include = 0) {
    return [=](graph_data& g) {
        const std::vector<std::int64_t> two{2, 2}, pads{0, 0, 1, 1};
        return std::vector{g.make("kernel_shape", std::span<const std::int64_t>(two)),
                           g.make("strides", std::span<const std::int64_t>(two)),
                           g.make("pads", std::span<const std::int64_t>(pads)), g.make("channels_last", last),
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
TEST_CASE("Quantised pools take the channels as the last axis where they are told so") {
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

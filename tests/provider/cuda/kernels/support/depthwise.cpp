// Mirrors kernels/inlay/cuda/support/depthwise.hpp: its threads, which the host runs, against Conv's reference kernel.
#include "kernels/elementwise.hpp"
#include <inlay/cuda/support/depthwise.hpp>
#include <inlay/onnx/conv.hpp>
using namespace inlay;
using namespace inlay::testing;
using namespace inlay::testing::elementwise;

namespace {
template <class T> tensor channels_last(const tensor& x) {  // of [a, channels, rows, columns]
    tensor y(element_of<T>, x.shape());
    const shape &d = x.shape(), to = strides_of(d, layout::channels_last);
    std::int64_t i = 0;
    for (std::int64_t a = 0; a < d[0]; ++a)
        for (std::int64_t b = 0; b < d[1]; ++b)
            for (std::int64_t v = 0; v < d[2]; ++v)
                for (std::int64_t u = 0; u < d[3]; ++u)
                    y.as<T>()[std::size_t(a * to[0] + b * to[1] + v * to[2] + u * to[3])] = x.as<T>()[std::size_t(i++)];
    return y;
}
template <class T> tensor in_float(const tensor& x) {
    tensor y(element::f32, x.shape());
    std::ranges::transform(x.as<T>(), y.as<float>().begin(), [](T v) { return float(v); });
    return y;
}
template <class T = float>
void agrees(std::int64_t channels, std::int64_t rows, std::int64_t columns, std::int64_t kernel, std::int64_t stride,
            std::int64_t pad, std::int64_t dilation = 1, bool has_epilogue = false) {
    CAPTURE(channels, rows, columns, kernel, stride, pad, dilation, has_epilogue);
    const tensor x = random_tensor<T>({2, channels, rows, columns}, 1),
                 w = random_tensor<T>({channels, 1, kernel, kernel}, 2), b = random_tensor<T>({channels}, 3);
    const auto with = [&](graph_data& g) {
        const std::int64_t strides[] = {stride, stride}, pads[] = {pad, pad, pad, pad},
                           dilations[] = {dilation, dilation};
        return std::vector{g.make("group", channels), g.make("strides", std::span<const std::int64_t>(strides)),
                           g.make("pads", std::span<const std::int64_t>(pads)),
                           g.make("dilations", std::span<const std::int64_t>(dilations))};
    };
    tensor expected =
        on_reference<op::conv>({has_epilogue ? std::vector<operand>{in_float<T>(x), in_float<T>(w), in_float<T>(b)}
                                             : std::vector<operand>{in_float<T>(x), in_float<T>(w)},
                                with});
    const tensor addend = random_tensor<T>(expected.shape(), 4);
    if (has_epilogue)
        for (std::size_t i = 0; i < expected.as<float>().size(); ++i)
            expected.as<float>()[i] = std::max(expected.as<float>()[i] + float(addend.as<T>()[i]), 0.f);
    depthwise_on_cuda p{element_of<T>,
                        2,
                        channels,
                        rows,
                        columns,
                        expected.shape()[2],
                        expected.shape()[3],
                        kernel,
                        kernel,
                        stride,
                        stride,
                        dilation,
                        dilation,
                        pad,
                        pad,
                        {}};
    if (has_epilogue) p.activation = {plain_activation::clip, 0, infinity};
    const tensor image = channels_last<T>(x), packed = channels_last<T>(w.reshaped({1, channels, kernel, kernel})),
                 more = channels_last<T>(addend);
    tensor y(element_of<T>, expected.shape());
    context c;
    REQUIRE(p.run(image.data(), packed.data(), has_epilogue ? b.data() : nullptr, has_epilogue ? more.data() : nullptr,
                  y.data(), c) == status::ok);
    constexpr double rounding = std::is_same_v<T, float> ? 1e-5
                                : std::is_same_v<T, float16>
                                    ? 6e-4
                                    : 5e-3;  // half a unit in the last place, and the order of the accumulation
    CHECK(same<float>(in_float<T>(y), channels_last<float>(expected), rounding));
}
}  // namespace

TEST_CASE("Depthwise convolution on CUDA agrees with the reference kernel at every number of channels") {
    for (std::int64_t channels = 1; channels <= 67; ++channels) agrees(channels, 5, 6, 3, 1, 1);
}
TEST_CASE("Depthwise convolution on CUDA agrees with the reference kernel for windows of all kinds") {
    for (std::int64_t kernel : {1, 2, 3, 5, 7})
        for (std::int64_t stride : {1, 2, 3})
            for (std::int64_t pad = 0; pad < kernel; ++pad)
                for (std::int64_t columns = 7; columns <= 12; ++columns) agrees(8, 9, columns, kernel, stride, pad);
    for (std::int64_t dilation : {2, 3}) agrees(8, 9, 10, 3, 1, dilation, dilation);
    agrees(12, 1, 1, 3, 2, 1);
    agrees(12, 3, 2, 5, 1, 2);
}
TEST_CASE("Depthwise convolution on CUDA adds bias and addend before the activation") {
    for (std::int64_t channels : {7, 8})
        for (std::int64_t kernel : {2, 3, 5}) agrees(channels, 6, 9, kernel, 1, 1, 1, true);
}
TEMPLATE_TEST_CASE("Depthwise convolution on CUDA in 16 bits agrees with the reference kernel", "", float16, bfloat16) {
    for (std::int64_t channels : {3, 8, 20})
        for (std::int64_t kernel : {2, 3, 5})
            for (std::int64_t stride : {1, 2})
                for (bool has_epilogue : {false, true})
                    agrees<TestType>(channels, 6, 9, kernel, stride, 1, 1, has_epilogue);
}

// What src/provider/cuda calls cuDNN for, by simple loops, so that tests without a GPU see what the kernels of Conv
// and ConvTranspose request: sizes, pads, groups, layouts.
#include <inlay/cuda/onnx/conv.hpp>
#include <vector>

namespace inlay {
inline namespace v1 {
struct bound_convolution {
    std::vector<float> w;
};

status bind_convolution(const conv_on_cuda_params& p, const void* weights, const setup&,
                        std::shared_ptr<bound_convolution>& to) noexcept {
    const auto* const w = static_cast<const float*>(weights);
    to = std::make_shared<bound_convolution>();
    to->w.assign(w, w + p.out_channels * p.filter());
    return status::ok;
}
status run_convolution(const conv_on_cuda_params& p, bound_convolution& b, const void* x, const void* bias,
                       const void* z, void* y, context& c) noexcept {
    // The library calculates the result's size from the rest.
    const auto size = [](std::int64_t length, std::int64_t pads, std::int64_t kernel, std::int64_t dilation,
                         std::int64_t stride) { return (length + pads - (kernel - 1) * dilation - 1) / stride + 1; };
    if (size(p.height, p.pad_top + p.pad_bottom, p.kernel_h, p.dilation_h, p.stride_h) != p.out_height ||
        size(p.width, p.pad_left + p.pad_right, p.kernel_w, p.dilation_w, p.stride_w) != p.out_width ||
        p.pad_bottom < 0 || p.pad_right < 0)
        return c.fail("the library would make a result of another size", status::failed);
    const auto at = [&](const conv_on_cuda_params::image& i, std::int64_t n, std::int64_t channel, std::int64_t row,
                        std::int64_t column) {
        return std::size_t(p.plain ? ((n * i.channels + channel) * i.height + row) * i.width + column
                                   : ((n * i.height + row) * i.width + column) * i.channels + channel);
    };
    std::vector<float> sums(std::size_t(p.elements(p.y())));
    const std::int64_t channels = p.channels / p.group, filters = p.out_channels / p.group;
    for (std::int64_t n = 0; n < p.batch; ++n)
        for (std::int64_t m = 0; m < p.out_channels; ++m)
            for (std::int64_t u = 0; u < p.out_height; ++u)
                for (std::int64_t v = 0; v < p.out_width; ++v)
                    for (std::int64_t k = 0; k < channels; ++k)
                        for (std::int64_t i = 0; i < p.kernel_h; ++i)
                            for (std::int64_t j = 0; j < p.kernel_w; ++j) {
                                const std::int64_t row = u * p.stride_h + i * p.dilation_h - p.pad_top,
                                                   column = v * p.stride_w + j * p.dilation_w - p.pad_left;
                                if (row < 0 || row >= p.height || column < 0 || column >= p.width) continue;
                                const std::size_t result = at(p.result(), n, m, u, v),
                                                  source = at(p.read(), n, m / filters * channels + k, row, column);
                                sums[p.transposed ? source : result] +=
                                    static_cast<const float*>(x)[p.transposed ? result : source] *
                                    b.w[std::size_t(((m * channels + k) * p.kernel_h + i) * p.kernel_w + j)];
                            }
    for (std::int64_t n = 0; n < p.batch; ++n)
        for (std::int64_t m = 0; m < p.y().channels; ++m)
            for (std::int64_t u = 0; u < p.y().height; ++u)
                for (std::int64_t v = 0; v < p.y().width; ++v) {
                    const std::size_t i = at(p.y(), n, m, u, v);
                    static_cast<float*>(y)[i] = p.activation(sums[i] + (bias ? static_cast<const float*>(bias)[m] : 0) +
                                                             (z ? static_cast<const float*>(z)[i] : 0));
                }
    return status::ok;
}
}  // namespace v1
}  // namespace inlay

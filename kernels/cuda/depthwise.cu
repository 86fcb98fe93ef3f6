// What the threads of kernels/cuda/depthwise.hpp do.
#include "depthwise.hpp"
#include "launch.cuh"

namespace inlay::inline v1 {
namespace {
struct depthwise_arguments {
    depthwise_on_cuda p;
    divider channels, columns, rows;  // channels in steps of lanes, columns in steps of pixels
    const float *x, *w, *bias, *addend;
    float* y;
    template <int W> INLAY_ON_DEVICE void finish(float (&sums)[W], std::int64_t at, std::int64_t channel) const {
        const auto b = bias ? load_lanes<W>(bias + channel) : lanes<float, W>{}, more = addend ? load_lanes<W>(addend + at) : lanes<float, W>{};
        lanes<float, W> r;
        for (int e = 0; e < W; ++e) r.at[e] = p.last(sums[e] + b.at[e] + more.at[e]);
        store_lanes(y + at, r);
    }
};
template <int W> struct depthwise_body : depthwise_arguments {  // windows of any kind: one pixel per thread
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t n = i;
        const std::int64_t channel = channels.split(n) * W, u = columns.split(n), v = rows.split(n);
        float sums[W] = {};
        for (std::int64_t k = 0; k < p.kernel_h; ++k) for (std::int64_t l = 0; l < p.kernel_w; ++l) {
            const std::int64_t row = v * p.stride_h + k * p.dilation_h - p.pad_top, column = u * p.stride_w + l * p.dilation_w - p.pad_left;
            if (row < 0 || row >= p.height || column < 0 || column >= p.width) continue;
            const auto of_x = load_lanes<W>(x + ((n * p.height + row) * p.width + column) * p.channels + channel), of_w = load_lanes<W>(w + (k * p.kernel_w + l) * p.channels + channel);
            for (int e = 0; e < W; ++e) sums[e] += of_x.at[e] * of_w.at[e];
        }
        finish<W>(sums, i * W, channel);
    }
};
template <int Side, int Stride> struct depthwise_square : depthwise_arguments {  // four pixels of a row share what they read
    static constexpr int pixels = 4, reads = (pixels - 1) * Stride + Side;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        std::int64_t n = i;
        const std::int64_t channel = channels.split(n) * 4, first = columns.split(n) * pixels, v = rows.split(n), left = first * Stride - p.pad_left;
        float sums[pixels][4] = {};
        for (int k = 0; k < Side; ++k) {
            const std::int64_t row = v * Stride + k - p.pad_top;
            if (row < 0 || row >= p.height) continue;
            const float* const from = x + (n * p.height + row) * p.width * p.channels + channel;
            lanes<float, 4> of_x[reads];
            for (int r = 0; r < reads; ++r) of_x[r] = left + r >= 0 && left + r < p.width ? load_lanes<4>(from + (left + r) * p.channels) : lanes<float, 4>{};
            for (int l = 0; l < Side; ++l) {
                const auto of_w = load_lanes<4>(w + (k * Side + l) * p.channels + channel);
                for (int j = 0; j < pixels; ++j) for (int e = 0; e < 4; ++e) sums[j][e] += of_x[j * Stride + l].at[e] * of_w.at[e];
            }
        }
        for (int j = 0; j < pixels; ++j) if (first + j < p.out_width) finish<4>(sums[j], ((n * p.out_height + v) * p.out_width + first + j) * p.channels + channel, channel);
    }
};
}  // namespace
status depthwise_on_cuda::run(const float* x, const float* w, const float* bias, const float* addend, float* y, context& c) const noexcept {
    const bool wide = channels % 4 == 0 && aligned(x, w, y) && (!bias || aligned(bias)) && (!addend || aligned(addend));
    const auto start = [&](auto body, int width, int pixels) noexcept {
        const std::int64_t across = (out_width + pixels - 1) / pixels;
        static_cast<depthwise_arguments&>(body) = {*this, divider(channels / width), divider(across), divider(out_height), x, w, bias, addend, y};
        return launch(c, batch * out_height * across * (channels / width), body);
    };
    const bool square = wide && kernel_h == kernel_w && stride_h == stride_w && dilation_h == 1 && dilation_w == 1;
    if (square && kernel_h == 3 && stride_h == 1) return start(depthwise_square<3, 1>{}, 4, 4);
    if (square && kernel_h == 3 && stride_h == 2) return start(depthwise_square<3, 2>{}, 4, 4);
    if (square && kernel_h == 5 && stride_h == 1) return start(depthwise_square<5, 1>{}, 4, 4);
    if (square && kernel_h == 5 && stride_h == 2) return start(depthwise_square<5, 2>{}, 4, 4);
    return wide ? start(depthwise_body<4>{}, 4, 1) : start(depthwise_body<1>{}, 1, 1);
}
}  // namespace inlay::inline v1

// Device code of kernels/inlay/cuda/support/depthwise.hpp.
#include "depthwise.hpp"
#include "launch.cuh"

namespace inlay {
inline namespace v1 {
namespace {
template <class T> struct depthwise_arguments {
    depthwise_on_cuda p;
    divider channels, columns, rows;  // channels in steps of lanes, columns in steps of pixels
    const T *x, *w, *bias, *addend;
    T* y;
    template <int W> INLAY_ON_DEVICE void finish(float (&sums)[W], std::int64_t at, std::int64_t channel) const {
        const auto b = bias ? load_lanes<W>(bias + channel) : lanes<T, W>{},
                   more = addend ? load_lanes<W>(addend + at) : lanes<T, W>{};
        lanes<T, W> r;
        for (int e = 0; e < W; ++e)
            r.at[e] = narrowed<T>(p.activation(sums[e] + widened(b.at[e]) + widened(more.at[e])));
        store_lanes(y + at, r);
    }
};
template <int W, class T> struct depthwise_body : depthwise_arguments<T> {  // windows of any kind: one pixel per thread
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        const auto& [p, channels, columns, rows, x, w, bias, addend, y] =
            static_cast<const depthwise_arguments<T>&>(*this);
        std::int64_t n = i;
        const std::int64_t channel = channels.split(n) * W, u = columns.split(n), v = rows.split(n);
        float sums[W] = {};
        for (std::int64_t k = 0; k < p.kernel_h; ++k)
            for (std::int64_t l = 0; l < p.kernel_w; ++l) {
                const std::int64_t row = v * p.stride_h + k * p.dilation_h - p.pad_top,
                                   column = u * p.stride_w + l * p.dilation_w - p.pad_left;
                if (row < 0 || row >= p.height || column < 0 || column >= p.width) continue;
                const auto of_x = load_lanes<W>(x + ((n * p.height + row) * p.width + column) * p.channels + channel),
                           of_w = load_lanes<W>(w + (k * p.kernel_w + l) * p.channels + channel);
                for (int e = 0; e < W; ++e) sums[e] += widened(of_x.at[e]) * widened(of_w.at[e]);
            }
        this->template finish<W>(sums, i * W, channel);
    }
};
template <int Side, int Stride, class T>
struct depthwise_square : depthwise_arguments<T> {  // four pixels of a row share what they read
    static constexpr int pixels = 4, reads = (pixels - 1) * Stride + Side;
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        const auto& [p, channels, columns, rows, x, w, bias, addend, y] =
            static_cast<const depthwise_arguments<T>&>(*this);
        std::int64_t n = i;
        const std::int64_t channel = channels.split(n) * 4, first = columns.split(n) * pixels, v = rows.split(n),
                           left = first * Stride - p.pad_left;
        float sums[pixels][4] = {};
        for (int k = 0; k < Side; ++k) {
            const std::int64_t row = v * Stride + k - p.pad_top;
            if (row < 0 || row >= p.height) continue;
            const T* const from = x + (n * p.height + row) * p.width * p.channels + channel;
            lanes<T, 4> of_x[reads];
            for (int r = 0; r < reads; ++r)
                of_x[r] =
                    left + r >= 0 && left + r < p.width ? load_lanes<4>(from + (left + r) * p.channels) : lanes<T, 4>{};
            for (int l = 0; l < Side; ++l) {
                const auto of_w = load_lanes<4>(w + (k * Side + l) * p.channels + channel);
                for (int j = 0; j < pixels; ++j)
                    for (int e = 0; e < 4; ++e) sums[j][e] += widened(of_x[j * Stride + l].at[e]) * widened(of_w.at[e]);
            }
        }
        for (int j = 0; j < pixels; ++j)
            if (first + j < p.out_width)
                this->template finish<4>(
                    sums[j], ((n * p.out_height + v) * p.out_width + first + j) * p.channels + channel, channel);
    }
};
template <class T>
status run_depthwise(const depthwise_on_cuda& p, const T* x, const T* w, const T* bias, const T* addend, T* y,
                     context& c) noexcept {
    const bool wide =
        p.channels % 4 == 0 && is_aligned(x, w, y) && (!bias || is_aligned(bias)) && (!addend || is_aligned(addend));
    const auto start = [&](auto body, int width, int pixels) noexcept {
        const std::int64_t across = (p.out_width + pixels - 1) / pixels;
        static_cast<depthwise_arguments<T>&>(body) = {
            p, divider(p.channels / width), divider(across), divider(p.out_height), x, w, bias, addend, y};
        return launch(c, p.batch * p.out_height * across * (p.channels / width), body);
    };
    const bool square =
        wide && p.kernel_h == p.kernel_w && p.stride_h == p.stride_w && p.dilation_h == 1 && p.dilation_w == 1;
    if (square && p.kernel_h == 3 && p.stride_h == 1) return start(depthwise_square<3, 1, T>{}, 4, 4);
    if (square && p.kernel_h == 3 && p.stride_h == 2) return start(depthwise_square<3, 2, T>{}, 4, 4);
    if (square && p.kernel_h == 5 && p.stride_h == 1) return start(depthwise_square<5, 1, T>{}, 4, 4);
    if (square && p.kernel_h == 5 && p.stride_h == 2) return start(depthwise_square<5, 2, T>{}, 4, 4);
    return wide ? start(depthwise_body<4, T>{}, 4, 1) : start(depthwise_body<1, T>{}, 1, 1);
}
}  // namespace
status depthwise_on_cuda::run(const void* x, const void* w, const void* bias, const void* addend, void* y,
                              context& c) const noexcept {
    return for_float_type(type, [&]<class T>(T) noexcept {
        const auto in = [](const void* p) { return static_cast<const T*>(p); };
        return run_depthwise(*this, in(x), in(w), in(bias), in(addend), static_cast<T*>(y), c);
    });
}
}  // namespace v1
}  // namespace inlay

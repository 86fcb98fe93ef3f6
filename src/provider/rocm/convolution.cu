// Convolutions by kernels of our own, in the place of a library's: one pixel as a product, groups of one channel as
// CUDA's kernel does them, others a thread per result. Limit of the last: the multiplications, whose operands come from
// the caches. Weights are kept as neighbouring threads read them.
#include "upload.hpp"
#include <inlay/cuda/onnx/conv.hpp>
#include <inlay/cuda/support/depthwise.hpp>
#include <inlay/cuda/support/launch.cuh>
#include <inlay/cuda/support/product.hpp>

namespace inlay {
inline namespace v1 {
struct bound_convolution {
    tensor weights;  // [tap][channel of the group][out]; of a transposed one [tap][out][channel of the group]
};
namespace {
template <class T> struct convolution_body {
    conv_on_cuda_params p;
    const T *x, *w, *bias, *z;
    T* y;
    divider channels, height, width;  // of Y
    struct place {
        std::int64_t image, channel, row, column;
    };
    INLAY_ON_DEVICE place of(std::int64_t i) const {
        place at{i, 0, 0, 0};
        if (!p.plain) at.channel = channels.split(at.image);
        at.column = width.split(at.image);
        at.row = height.split(at.image);
        if (p.plain) at.channel = channels.split(at.image);
        return at;
    }
    INLAY_ON_DEVICE float read(const conv_on_cuda_params::image& i, std::int64_t image, std::int64_t channel,
                               std::int64_t row, std::int64_t column) const {
        return widened(x[p.plain ? ((image * i.channels + channel) * i.height + row) * i.width + column
                                 : ((image * i.height + row) * i.width + column) * i.channels + channel]);
    }
    INLAY_ON_DEVICE float forwards(const place& at) const {
        const std::int64_t group_channels = p.channels / p.group,
                           first = at.channel / (p.out_channels / p.group) * group_channels;
        float sum = 0;
        for (std::int64_t i = 0; i < p.kernel_h; ++i)
            for (std::int64_t j = 0; j < p.kernel_w; ++j) {
                const std::int64_t row = at.row * p.stride_h + i * p.dilation_h - p.pad_top,
                                   column = at.column * p.stride_w + j * p.dilation_w - p.pad_left;
                if (row < 0 || row >= p.height || column < 0 || column >= p.width) continue;
                const T* const tap = w + (i * p.kernel_w + j) * group_channels * p.out_channels + at.channel;
                for (std::int64_t k = 0; k < group_channels; ++k)
                    sum += read(p.read(), at.image, first + k, row, column) * widened(tap[k * p.out_channels]);
            }
        return sum;
    }
    // The results that read the place, if there is one on this axis for a tap.
    INLAY_ON_DEVICE static bool reader(std::int64_t& at, std::int64_t pad, std::int64_t tap, std::int64_t stride,
                                       std::int64_t results) {
        at += pad - tap;
        if (at < 0 || at % stride != 0) return false;
        at /= stride;
        return at < results;
    }
    INLAY_ON_DEVICE float backwards(const place& at) const {
        const std::int64_t group_channels = p.channels / p.group, filters = p.out_channels / p.group;
        const std::int64_t first = at.channel / group_channels * filters, k = at.channel % group_channels;
        float sum = 0;
        for (std::int64_t i = 0; i < p.kernel_h; ++i)
            for (std::int64_t j = 0; j < p.kernel_w; ++j) {
                std::int64_t row = at.row, column = at.column;
                if (!reader(row, p.pad_top, i * p.dilation_h, p.stride_h, p.out_height) ||
                    !reader(column, p.pad_left, j * p.dilation_w, p.stride_w, p.out_width))
                    continue;
                const T* const tap = w + ((i * p.kernel_w + j) * p.out_channels + first) * group_channels + k;
                for (std::int64_t m = 0; m < filters; ++m)
                    sum += read(p.result(), at.image, first + m, row, column) * widened(tap[m * group_channels]);
            }
        return sum;
    }
    INLAY_ON_DEVICE void operator()(std::int64_t i) const {
        const place at = of(i);
        float sum = p.transposed ? backwards(at) : forwards(at);
        if (bias) sum += widened(bias[at.channel]);
        if (z) sum += widened(z[i]);
        y[i] = narrowed<T>(p.activation(sum));
    }
};
product_shape product_of(const conv_on_cuda_params& p) {  // of pixels and channels
    product_shape s{.type = p.type, .m = p.batch * p.read().area(), .n = p.out_channels, .k = p.channels};
    s.a_row = s.k;
    s.b_row = s.d_row = s.n;
    s.bias = p.has_bias;
    s.activation = p.activation;
    return s;
}
}  // namespace

status bind_convolution(const conv_on_cuda_params& p, const void* weights, const setup& u,
                        std::shared_ptr<bound_convolution>& to) noexcept try {
    const std::int64_t channels = p.channels / p.group, taps = p.kernel_h * p.kernel_w;
    tensor packed(p.type, {taps, p.out_channels, channels});
    const auto pack = [&]<class T>(T) {
        const auto* from = static_cast<const T*>(weights);
        auto* const order = static_cast<T*>(packed.data());
        for (std::int64_t o = 0; o < p.out_channels; ++o)
            for (std::int64_t c = 0; c < channels; ++c)
                for (std::int64_t t = 0; t < taps; ++t)
                    order[p.transposed ? (t * p.out_channels + o) * channels + c
                                       : (t * channels + c) * p.out_channels + o] = *from++;
    };
    if (bits_of(p.type) == 16)
        pack(std::uint16_t());
    else
        pack(float());
    to = std::make_shared<bound_convolution>(bound_convolution{upload(packed)});
    return status::ok;
} catch (const error& e) {
    if (u.failure) *u.failure = e;
    return status::out_of_memory;
} catch (...) {
    return status::out_of_memory;
}
status run_convolution(const conv_on_cuda_params& p, bound_convolution& b, const void* x, const void* bias,
                       const void* z, void* y, context& c) noexcept {
    if (p.depthwise())
        return depthwise_on_cuda{p.type,       p.batch,    p.channels, p.height,    p.width,    p.out_height,
                                 p.out_width,  p.kernel_h, p.kernel_w, p.stride_h,  p.stride_w, p.dilation_h,
                                 p.dilation_w, p.pad_top,  p.pad_left, p.activation}
            .run(x, b.weights.data(), bias, z, y, c);
    if (p.pointwise())
        return bound_product().run(product_of(p), x, b.weights.data(), 0, nullptr, bias, y, c, {.addend = z});
    return for_float_type(p.type, [&]<class T>(T) noexcept {
        const auto of = [](const void* from) { return static_cast<const T*>(from); };
        return launch(c, p.elements(p.y()),
                      convolution_body<T>{p, of(x), of(b.weights.data()), of(bias), of(z), static_cast<T*>(y),
                                          divider(p.y().channels), divider(p.y().height), divider(p.y().width)});
    });
}
}  // namespace v1
}  // namespace inlay

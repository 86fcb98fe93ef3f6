// Conv of floating-point types, and with addend and activation, on CUDA, channels last: groups of one channel by
// kernels of our own, others through cuDNN's graphs, or as a GEMM through cuBLASLt where the window is one pixel and
// that is faster; an epilogue that a graph does not support is one more pass over the result. Limit: the device's rate
// of multiplications, or the bytes of weights, input and output.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/conv.hpp>
#include <inlay/support/activation.hpp>
#include <memory>

namespace inlay {
inline namespace v1 {
struct conv_on_cuda_params {  // of a convolution, which may run backwards, from its result to its input; one spatial
                              // axis is a width, of an image of one row
    std::int64_t batch = 1, channels = 1, height = 1, width = 1, out_channels = 1, group = 1, out_height = 1,
                 out_width = 1;
    std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1, pad_top = 0,
                 pad_left = 0, pad_bottom = 0, pad_right = 0;
    element type = element::f32;                               // or f16, bf16; of all operands
    bool has_bias = false, has_addend = false, plain = false;  // plain: channels first, which only one spatial axis is
    bool transposed = false;  // ConvTranspose: X is the convolution's result, Y its input
    plain_activation activation{};
    struct image {
        std::int64_t channels, height, width;
        constexpr std::int64_t area() const { return height * width; }
    };
    constexpr image read() const { return {channels, height, width}; }
    constexpr image result() const { return {out_channels, out_height, out_width}; }
    constexpr image x() const { return transposed ? result() : read(); }
    constexpr image y() const { return transposed ? read() : result(); }
    constexpr std::int64_t elements(const image& i) const { return batch * i.channels * i.area(); }
    constexpr bool depthwise() const {
        return group > 1 && group == channels && group == out_channels && !plain && !transposed;
    }
    constexpr bool pointwise() const {  // the GEMM of pixels and weights, in place
        return kernel_h == 1 && kernel_w == 1 && stride_h == 1 && stride_w == 1 && pad_top == 0 && pad_left == 0 &&
               pad_bottom == 0 && pad_right == 0 && group == 1 && !plain && !transposed;
    }
    constexpr std::int64_t filter() const { return channels / group * kernel_h * kernel_w; }
    // The windows of a convolution or a transposed one over the spatial dimensions of its input, except for the pads at
    // the end.
    static constexpr conv_on_cuda_params over(const auto& windows, const shape& input, const shape& result) {
        conv_on_cuda_params p;
        const int w = input.rank - 1, h = input.rank - 2;  // the axes of width and height
        const auto at = [h](const shape& s, std::int64_t otherwise) { return h < 0 ? otherwise : s[h]; };
        p.group = windows.group;
        p.height = at(input, 1), p.width = input[w];
        p.out_height = at(result, 1), p.out_width = result[w];
        p.kernel_h = at(windows.kernel, 1), p.kernel_w = windows.kernel[w];
        p.stride_h = at(windows.strides, 1), p.stride_w = windows.strides[w];
        p.dilation_h = at(windows.dilations, 1), p.dilation_w = windows.dilations[w];
        p.pad_top = at(windows.pads, 0), p.pad_left = windows.pads[w];
        p.plain = input.rank == 1;
        return p;
    }
};
struct bound_convolution;  // src/provider/cuda/convolution.cpp: of the library, with weights in its format
status bind_convolution(const conv_on_cuda_params&, const void* weights, const setup&,
                        std::shared_ptr<bound_convolution>&) noexcept;  // weights: on the host
status run_convolution(const conv_on_cuda_params&, bound_convolution&, const void* x, const void* bias, const void* z,
                       void* y, context&) noexcept;

template <bool Fused> struct conv_on_cuda : simple_kernel {
    using params = conv_on_cuda_params;
    struct state {
        std::shared_ptr<bound_convolution> plan;
    };
    static constexpr int addend = 3;
    static constexpr unsigned packs = 1 << 1;

    static constexpr verdict supports(const node_view& n) {
        const shape &x = n.input(0).dims, &y = n.output(0).dims;
        plain_activation activation;
        if (x.rank != 3 && x.rank != 4) return no("written for one or two spatial axes");
        if (!n.is_constant(1)) return no("W is no constant, so it cannot be brought into the library's order");
        if (n.is_constant(0) || (Fused && n.has_input(addend) && n.is_constant(addend)))
            return no("X or the addend is a constant, which is never channels last");
        if (Fused && !plain_activation::read(n, activation)) return no("the activation is unknown");
        if (x.elements() == 0 || y.elements() == 0) return no("an empty image");
        for (const shape& s : {x, y, n.input(1).dims})
            if (s.elements() > std::numeric_limits<std::int32_t>::max()) return no("2^31 elements or more");
        return yes();
    }
    static constexpr layout_rule layouts(const node_view& n) {
        return n.input(0).dims.rank == 4 ? layout_rule{layout::channels_last, layout::channels_last} : layout_rule{};
    }
    static constexpr params prepare(const node_view& n) {
        const shape &x = n.input(0).dims, &w = n.input(1).dims;
        convolution c;
        shape y;
        convolution::read(n, c, y);
        params p = params::over(c, c.input, c.output);
        p.batch = x[0], p.channels = x[1], p.out_channels = w[0];
        // No more than the last window sees, since the library calculates the output's size from them.
        p.pad_bottom = std::max<std::int64_t>(
            0, (p.out_height - 1) * p.stride_h + (p.kernel_h - 1) * p.dilation_h + 1 - p.height - p.pad_top);
        p.pad_right = std::max<std::int64_t>(
            0, (p.out_width - 1) * p.stride_w + (p.kernel_w - 1) * p.dilation_w + 1 - p.width - p.pad_left);
        p.type = n.input(0).type;
        p.has_bias = n.has_input(2);
        p.has_addend = Fused && n.has_input(addend);
        if (Fused) plain_activation::read(n, p.activation);
        return p;
    }
    static constexpr bool reduced(const params& p) {
        return p.type == element::f32 && !p.depthwise();
    }  // by the option `precision`
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        return bind_convolution(p, w.in<void>(1), u, s.plan);
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        return run_convolution(p, *s.plan, a.inputs[0], p.has_bias ? a.inputs[2] : nullptr,
                               p.has_addend ? a.inputs[addend] : nullptr, a.outputs[0], c);
    }
};
template <> struct kernel<op::conv, device::cuda, types<float>> : conv_on_cuda<false> {};
template <> struct kernel<op::fused_conv, device::cuda, types<float>> : conv_on_cuda<true> {};
template <> struct kernel<op::conv, device::cuda, types<float16>> : conv_on_cuda<false> {};
template <> struct kernel<op::fused_conv, device::cuda, types<float16>> : conv_on_cuda<true> {};
template <> struct kernel<op::conv, device::cuda, types<bfloat16>> : conv_on_cuda<false> {};
template <> struct kernel<op::fused_conv, device::cuda, types<bfloat16>> : conv_on_cuda<true> {};
}  // namespace v1
}  // namespace inlay

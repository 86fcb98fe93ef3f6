// Sizes of a convolution on the CPU. One axis is a width, two are a height and a width, a third before these are frames
// of such images.
#pragma once
#include <inlay/onnx/conv.hpp>
#include <inlay/support/window_axis.hpp>

namespace inlay {
inline namespace v1 {
struct conv_geometry {
    std::int64_t batch = 1, channels = 1, height = 1, width = 1, out_channels = 1, group = 1, out_height = 1,
                 out_width = 1;
    std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1, pad_top = 0,
                 pad_left = 0;
    window_axis frames{};  // batches of single frames, where the window does not reach from one to another
    bool plain_input = false;

    // weight, bias: the inputs that they are; no bias: 0. turns_depthwise: an image of one column may become a row of a
    // depthwise convolution too, as its weights lie in an order that is the same for both.
    constexpr void read(const node_view& n, int weight = 1, int bias = 2, bool turns_depthwise = true) {
        const shape &x = n.input(0).dims, &w = n.input(weight).dims;
        convolution c;
        shape y;
        convolution::read(n, c, y, weight, bias);
        const int v = x.rank - 3, h = x.rank - 4, t = x.rank - 5;
        const auto at = [](const shape& s, int i) { return i < 0 ? 1 : s[i]; };
        batch = x[0];
        channels = x[1];
        out_channels = w[0];
        group = c.group;
        height = at(c.input, h), width = c.input[v];
        out_height = at(c.output, h), out_width = c.output[v];
        kernel_h = at(c.kernel, h), kernel_w = c.kernel[v];
        stride_h = at(c.strides, h), stride_w = c.strides[v];
        dilation_h = at(c.dilations, h), dilation_w = c.dilations[v];
        pad_top = h < 0 ? 0 : c.pads[h], pad_left = c.pads[v];
        if (width == 1 && out_width == 1 && kernel_w == 1 && pad_left == 0 && (channels > 4 || group > 1) &&
            (turns_depthwise || !depthwise())) {  // a column is a row, and GEMM reads rows; planar() must not change
            std::swap(height, width), std::swap(out_height, out_width), std::swap(kernel_h, kernel_w),
                std::swap(pad_top, pad_left);
            stride_w = std::exchange(stride_h, 1), dilation_w = std::exchange(dilation_h, 1);
        }
        plain_input = n.input_layout(0) == layout::plain && x[1] > 1;
        if (t < 0) return;
        const bool alone = c.kernel[t] == 1 && c.strides[t] == 1 && c.input[t] == c.output[t] && !plain_input;
        if (alone)
            batch *= c.input[t];
        else
            frames = {c.input[t], c.output[t], c.kernel[t], c.strides[t], c.dilations[t], c.pads[t], 0};
    }
    constexpr bool deep() const { return frames.in * frames.out * frames.kernel != 1; }
    constexpr std::int64_t images() const { return batch * frames.out; }  // of the output
    constexpr bool depthwise() const { return group > 1 && group == channels && group == out_channels; }
    constexpr std::int64_t columns() const { return out_channels / group; }
    constexpr std::int64_t taps() const { return kernel_h * kernel_w; }  // of a frame
    constexpr std::int64_t filter() const { return channels / group * frames.kernel * taps(); }
    constexpr std::int64_t reach_h() const { return (kernel_h - 1) * dilation_h + 1; }
    constexpr std::int64_t reach_w() const { return (kernel_w - 1) * dilation_w + 1; }
    constexpr std::int64_t seen_width(std::int64_t pixels) const {
        return (pixels - 1) * stride_w + reach_w();
    }  // of a row of the padded input, by so many pixels of the output
    constexpr bool padded() const {
        return pad_top > 0 || pad_left > 0 || (out_height - 1) * stride_h + reach_h() > height ||
               seen_width(out_width) > width;
    }
    constexpr bool joined() const {
        return taps() == 1 && !padded();
    }  // neighbours in a row of the output are neighbours in the input
    constexpr bool samples() const {
        return joined() && stride_h * stride_w > 1;
    }                                                                           // only pixels that are used are copied
    constexpr std::int64_t step_h() const { return samples() ? 1 : stride_h; }  // of what the GEMM reads
    constexpr std::int64_t step_w() const { return samples() ? 1 : stride_w; }
};
}  // namespace v1
}  // namespace inlay

// ConvTranspose of floating-point types on CUDA through cuDNN: the backward-data convolution of Y to X. Channels last,
// but for one spatial axis. Limit: the device's rate of multiplications, or the bytes of weights, input and output.
#pragma once
#include "conv.hpp"
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/conv_transpose.hpp>

namespace inlay {
inline namespace v1 {
struct conv_transpose_on_cuda : simple_kernel {
    using params = conv_on_cuda_params;
    using state = conv_on_cuda<false>::state;
    static constexpr unsigned packs = 1 << 1;

    static constexpr verdict supports(const node_view& n) {
        const shape &x = n.input(0).dims, &y = n.output(0).dims;
        if (x.rank != 3 && x.rank != 4) return no("written for one or two spatial axes");
        if (!n.is_constant(1)) return no("W is no constant, so it cannot be brought into the library's order");
        if (n.is_constant(0)) return no("X is a constant, which is never channels last");
        if (x.elements() == 0 || y.elements() == 0) return no("an empty image");
        for (const shape& s : {x, y, n.input(1).dims})
            if (s.elements() > std::numeric_limits<std::int32_t>::max()) return no("2^31 elements or more");
        transposed_convolution c;
        shape whole;
        transposed_convolution::read(n, c, whole);
        for (int i = 0; i < c.input.rank; ++i)
            if (end_pad(c, i) <= -c.strides[i]) return no("Y goes on beyond what the last windows reach");
        return yes();
    }
    static constexpr layout_rule layouts(const node_view& n) { return conv_on_cuda<false>::layouts(n); }
    static constexpr params prepare(const node_view& n) {
        const shape &x = n.input(0).dims, &w = n.input(1).dims;
        transposed_convolution c;
        shape y;
        transposed_convolution::read(n, c, y);
        params p = params::over(c, c.output, c.input);
        p.batch = x[0], p.channels = w[1] * c.group, p.out_channels = x[1];
        p.pad_bottom = p.plain ? 0 : std::max<std::int64_t>(0, end_pad(c, 0));
        p.pad_right = std::max<std::int64_t>(0, end_pad(c, c.input.rank - 1));
        p.type = n.input(0).type;
        p.has_bias = n.has_input(2);
        p.transposed = true;
        return p;
    }
    static constexpr bool reduced(const params& p) { return p.type == element::f32; }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        return bind_convolution(p, w.in<void>(1), u, s.plan);
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        return run_convolution(p, *s.plan, a.inputs[0], p.has_bias ? a.inputs[2] : nullptr, nullptr, a.outputs[0], c);
    }

  private:
    // The distance from the end of Y to that of the last window; below zero where Y goes on.
    static constexpr std::int64_t end_pad(const transposed_convolution& c, int i) {
        return c.strides[i] * (c.input[i] - 1) + (c.kernel[i] - 1) * c.dilations[i] + 1 - c.output[i] - c.pads[i];
    }
};
template <> struct kernel<op::conv_transpose, device::cuda, types<float>> : conv_transpose_on_cuda {};
template <> struct kernel<op::conv_transpose, device::cuda, types<float16>> : conv_transpose_on_cuda {};
template <> struct kernel<op::conv_transpose, device::cuda, types<bfloat16>> : conv_transpose_on_cuda {};
}  // namespace v1
}  // namespace inlay

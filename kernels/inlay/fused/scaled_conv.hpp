// inlay.ScaledConv (1): Y = activation(Conv(X * S, W, B) + Z), where S has one number per image and channel: how a
// squeeze-excite block ends. Only the passes write it: inputs X, W, B or none, Z or none, S; attributes of FusedConv.
#pragma once
#include <inlay/onnx/conv.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct scaled_conv : fused_conv {
    static constexpr std::string_view onnx_name = "ScaledConv";
    static constexpr int scale = 4;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(scale)) return no("the scale is missing");
        const verdict v = fused_conv::shapes(n, y);
        shape per_channel = n.input(0).dims;
        for (int i = 2; i < per_channel.rank; ++i) per_channel[i] = 1;
        return !v || !per_channel.known() || !n.input(scale).dims.known() || n.input(scale).dims == per_channel
                   ? v
                   : no("the scale must have one number per image and channel");
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

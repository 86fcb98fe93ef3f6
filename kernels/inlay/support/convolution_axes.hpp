// Common to Conv and ConvTranspose: attributes of their spatial axes, groups, and where elements lie.
#pragma once
#include "movable.hpp"
#include <inlay/sdk/operator.hpp>

namespace inlay {
inline namespace v1 {
struct convolution_attributes {
    static constexpr std::int64_t most = std::int64_t(1) << 30;  // of each, and of kernels, so that what follows from
                                                                 // them does not overflow
    std::span<const std::int64_t> strides, dilations, pads, kernel;
    std::string_view mode;
    constexpr explicit convolution_attributes(const node_view& n)
        : strides(n.integers("strides")),
          dilations(n.integers("dilations")),
          pads(n.integers("pads")),
          kernel(n.integers("kernel_shape")),
          mode(n.text("auto_pad", "NOTSET")) {}
    static constexpr bool fits(std::span<const std::int64_t> list, int count) {
        return list.empty() || int(list.size()) == count;
    }
    constexpr bool fit(int axes) const {
        return fits(strides, axes) && fits(dilations, axes) && fits(pads, 2 * axes) && fits(kernel, axes);
    }
    constexpr bool same_size() const { return mode == "SAME_UPPER" || mode == "SAME_LOWER"; }
    constexpr bool mode_known() const { return same_size() || mode == "NOTSET" || mode == "VALID" || mode.empty(); }
    // The pads of an axis; false: out of range.
    constexpr bool read_pads(int axis, int axes, std::int64_t& begin, std::int64_t& end) const {
        begin = end = 0;
        if (mode == "VALID" || pads.empty()) return true;
        begin = pads[axis];
        end = pads[axis + axes];
        return begin >= 0 && end >= 0 && begin <= most && end <= most;
    }
};

struct convolution_axes {                                               // dims of the spatial axes only
    shape input{}, kernel{}, output{}, strides{}, dilations{}, pads{};  // pads: at the begin
    std::int64_t group = 1;

    constexpr void set_rank(int axes) {
        input = kernel = output = strides = dilations = pads = shape::of_rank(axes, -1);
    }
    // An axis of this size, and of the kernel's; negative: not known.
    constexpr verdict read_axis(const convolution_attributes& a, int axis, std::int64_t size, std::int64_t taps) {
        const std::int64_t stride = a.strides.empty() ? 1 : a.strides[axis],
                           dilation = a.dilations.empty() ? 1 : a.dilations[axis];
        if (stride < 1 || dilation < 1 || stride > a.most || dilation > a.most)
            return no("a stride or dilation is out of range");
        if (!a.kernel.empty() && taps >= 0 && a.kernel[axis] != taps) return no("kernel_shape is not W's");
        input[axis] = size;
        kernel[axis] = taps;
        strides[axis] = stride;
        dilations[axis] = dilation;
        return yes();
    }
    // Input k, if there is one, has an element per output channel.
    static constexpr verdict check_bias(const node_view& n, int k, std::int64_t channels) {
        if (!n.has_input(k)) return yes();
        const shape& b = n.input(k).dims;
        const bool fits = b.rank < 0 || (b.rank == 1 && (b[0] < 0 || channels < 0 || b[0] == channels));
        return fits ? yes() : no("B must have one element per output channel");
    }
    // Elements from one to the next along the channels, then along the spatial axes.
    static constexpr shape steps_of(const shape& dims) {
        const shape strides = strides_of(dims, layout::plain);
        shape steps;
        for (int i = 1; i < dims.rank; ++i) steps.push_back(strides[i]);
        return steps;
    }
};
}  // namespace v1
}  // namespace inlay

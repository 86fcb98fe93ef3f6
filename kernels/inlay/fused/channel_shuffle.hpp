// ChannelShuffle (inlay, 1): the channels as rows of `group` by channels / group, transposed: channel c * group + g of
// Y is channel g * (channels / group) + c of X. What models write as Reshape, Transpose and Reshape.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct channel_shuffle : standard {
    static constexpr std::string_view onnx_name = "ChannelShuffle", domain = "inlay";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = movable_types;
    static constexpr operator_facts facts{.moves = true};
    static constexpr std::int64_t group(const node_view& n) { return n.integer("group", 1); }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const shape& x = n.input(0).dims;
        if (x.rank >= 0 && (x.rank < 2 || x.rank >= max_rank))
            return no("X needs channels, and room for one more axis");
        if (group(n) < 1 || (x.rank > 1 && x[1] >= 0 && x[1] % group(n) != 0))
            return no("the groups do not divide the channels");
        return same_shape(n, y);
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct channel_shuffle_axes {  // batch, channels of a group, groups, and what follows; the steps in X and in Y
    shape dims, from, to;
};
constexpr channel_shuffle_axes shuffled_axes(const node_view& n) {
    const shape &dims = n.input(0).dims, x = strides_of(dims, n.input_layout(0)),
                y = strides_of(dims, n.output_layout(0));
    const std::int64_t group = op::channel_shuffle::group(n), members = dims[1] / group;
    channel_shuffle_axes a{{dims[0], members, group}, {x[0], x[1], members * x[1]}, {y[0], group * y[1], y[1]}};
    for (int i = 2; i < dims.rank; ++i) {
        a.dims.push_back(dims[i]);
        a.from.push_back(x[i]);
        a.to.push_back(y[i]);
    }
    return a;
}
template <class T> struct kernel<op::channel_shuffle, device::reference, types<T>> : simple_kernel {
    using params = channel_shuffle_axes;
    static constexpr params prepare(const node_view& n) { return shuffled_axes(n); }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        copy_strided<T>(a.outputs[0], a.inputs[0], 0, p.dims, p.from);
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

// DepthToSpace (since 1): blocks of channels become blocks of pixels; SpaceToDepth (since 1): the other way round. The
// channels of a block lie `DCR`: all of its first pixel, then all of the next; or `CRD`: each channel's pixels side by
// side.
#pragma once
#include <inlay/support/strided_copy.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct depth_to_space : standard {
    static constexpr std::string_view onnx_name = "DepthToSpace";
    static constexpr version_range versions{1, 28};
    static constexpr auto elements = movable_types;
    static constexpr bool to_space = true;
    static constexpr operator_facts facts{.moves = true};
    static constexpr verdict check(const node_view& n, std::int64_t& block) {
        const auto mode = n.text("mode", "DCR");
        if (mode != "DCR" && mode != "CRD") return no("mode is neither DCR nor CRD");
        block = n.integer("blocksize", 0);
        if (block < 1 || block > (1 << 20)) return no("blocksize is missing, not positive or too large");
        if (n.input(0).dims.rank >= 0 && n.input(0).dims.rank != 4) return no("the input does not have 4 dimensions");
        return yes();
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        std::int64_t block = 0;
        if (const verdict v = check(n, block); !v || n.input(0).dims.rank < 0) return v;
        shape s = n.input(0).dims;
        if (s[1] >= 0 && s[1] % (block * block) != 0) return no("the channels do not divide into blocks");
        if (s[1] >= 0) s[1] /= block * block;
        for (const int i : {2, 3})
            if (s[i] >= 0 && !multiplied(s[i], block)) return no("the output is too large");
        if (!countable(s)) return no("the output is too large");
        y[0] = s;
        return yes();
    }
};
struct space_to_depth : depth_to_space {
    static constexpr std::string_view onnx_name = "SpaceToDepth";
    static constexpr bool to_space = false;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        std::int64_t block = 0;
        if (const verdict v = check(n, block); !v || n.input(0).dims.rank < 0) return v;
        shape s = n.input(0).dims;
        for (const int i : {2, 3}) {
            if (s[i] >= 0 && s[i] % block != 0) return no("the pixels do not divide into blocks");
            if (s[i] >= 0) s[i] /= block;
        }
        if (s[1] >= 0 && !multiplied(s[1], block * block)) return no("the output is too large");
        if (!countable(s)) return no("the output is too large");
        y[0] = s;
        return yes();
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct block_view {  // in the order of the plain output
    shape dims, from, to;
    template <class Op> static constexpr block_view of(const node_view& n) {
        const shape &x = n.input(0).dims, &y = n.output(0).dims, &wide = Op::to_space ? y : x;
        const shape sx = strides_of(x, n.input_layout(0)), sy = strides_of(y, n.output_layout(0));
        const shape &deep = Op::to_space ? sx : sy, &spread = Op::to_space ? sy : sx;
        const std::int64_t block = n.integer("blocksize", 1), channels = wide[1];
        const bool dcr = n.text("mode", "DCR") == "DCR";
        // Image, channel, row of blocks, row of a block, column of blocks, column of a block.
        const shape sizes{wide[0], channels, wide[2] / block, block, wide[3] / block, block};
        const shape a{deep[0], dcr ? deep[1] : deep[1] * block * block,
                      deep[2], dcr ? deep[1] * block * channels : deep[1] * block,
                      deep[3], dcr ? deep[1] * channels : deep[1]};
        const shape b{spread[0], spread[1], spread[2] * block, spread[2], spread[3] * block, spread[3]};
        constexpr int orders[3][6] = {{0, 1, 2, 3, 4, 5}, {0, 3, 5, 1, 2, 4}, {0, 1, 3, 5, 2, 4}};
        block_view v;
        for (const int i : orders[Op::to_space ? 0 : dcr ? 1 : 2]) {
            v.dims.push_back(sizes[i]);
            v.from.push_back(Op::to_space ? a[i] : b[i]);
            v.to.push_back(Op::to_space ? b[i] : a[i]);
        }
        return v;
    }
};
template <class Op, class T> struct blocks_kernel : simple_kernel {
    using params = block_view;
    static constexpr params prepare(const node_view& n) { return block_view::of<Op>(n); }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        copy_strided<T>(a.outputs[0], a.inputs[0], 0, p.dims, p.from);
        return status::ok;
    }
};
template <class T>
struct kernel<op::depth_to_space, device::reference, types<T>> : blocks_kernel<op::depth_to_space, T> {};
template <class T>
struct kernel<op::space_to_depth, device::reference, types<T>> : blocks_kernel<op::space_to_depth, T> {};
template <class Op, class Mover>
struct blocks_by : Mover {  // on a device that supports a strided_copy, in either layout
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr strided_copy prepare(const node_view& n) {
        const auto v = block_view::of<Op>(n);
        return make_copy(v.dims, v.from, v.to);
    }
};
}  // namespace v1
}  // namespace inlay

// Concat on CUDA, in either layout; an input of the other layout, a constant, is converted on the way.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/cuda/support/moving.hpp>
#include <inlay/cuda/support/pieces.hpp>
#include <inlay/onnx/concat.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::concat, device::cuda, types<raw<Bits>>> : simple_kernel {
    struct params {
        pieces list;
        shape dims;  // of the output
        int axis;
        layout order;
    };
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr verdict supports(const node_view& n) { return concat_kernel::supports(n); }
    static constexpr params prepare(const node_view& n) {
        const shape& y = n.output(0).dims;
        return {concat_kernel::prepare(n), y, op::concat::axis(n, y.rank), n.output_layout(0)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (!p.list.mixed) return move_pieces_on_cuda<Bits, true>(p.list, a.outputs[0], a.inputs, c);
        auto* y = a.out<std::byte>(0);
        const shape to = strides_of(p.dims, p.order);
        shape x = p.dims;
        for (int r = 0, k = 0; r < p.list.used; ++r) {
            x[p.axis] = p.list.runs[r].length;
            const strided_copy copy = make_copy(x, strides_of(x, p.list.runs[r].order), to);
            for (int i = 0; i < p.list.runs[r].count; ++i, ++k) {
                if (const status s = copy_on_cuda<Bits>(copy, a.inputs[k], y, c); s != status::ok) return s;
                y += x[p.axis] * to[p.axis] * (Bits / 8);
            }
        }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

// Split on the CPU, in either layout: the input is read row by row. Along the channels of pixels, outputs that lie
// inside the input are not copied.
#pragma once
#include <inlay/cpu/support/strided_copy.hpp>
#include <inlay/onnx/split.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::split, device::cpu, types<raw<Bits>>> : simple_kernel {
    struct params {
        pieces list;
        shape dims;  // of the input
        int axis;
        layout order;
        std::int64_t pixel;
    };
    static constexpr reuse shares = reuse::divides;
    static constexpr bool strided(const node_view& n, int) { return op::split::axis(n) == 1; }
    static constexpr bool spaced(const node_view& n, int argument) {
        return Bits == 32 && n.input_layout(0) == layout::channels_last && strided(n, argument);
    }
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr verdict supports(const node_view& n) { return split_kernel::supports(n); }
    static constexpr params prepare(const node_view& n) {
        shape x = n.input(0).dims;
        const bool halves = n.input_pitch(0) < 0;  // a bf16 pair counts as one
        if (halves) x[1] /= 2;
        return {split_kernel::prepare(n), x, op::split::axis(n), n.input_layout(0),
                halves ? -n.input_pitch(0) / 2 : n.input_pitch(0)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        constexpr std::int64_t size = Bits / 8;
        const auto* x = a.in<std::byte>(0);
        if (!p.list.mixed) {
            c.split(p.list.elements(), 16384 / size, [&](std::int64_t first, std::int64_t end, int) {
                over_pieces(p.list, first, end, [&](int k, std::int64_t from, std::int64_t to, std::int64_t count) {
                    if (a.outputs[k]) copy_row(a.out<std::byte>(k) + from * size, x + to * size, count * size);
                });
            });
            return status::ok;
        }
        const shape from = strides_of(p.dims, p.order, p.pixel);
        shape y = p.dims;
        for (int r = 0, k = 0; r < p.list.used; ++r) {
            y[p.axis] = p.list.runs[r].length;
            const strided_copy copy = make_copy(y, from, strides_of(y, p.list.runs[r].order, p.list.runs[r].pixel));
            for (int i = 0; i < p.list.runs[r].count; ++i, ++k) {
                if (a.outputs[k] && a.outputs[k] != x) run_copy<Bits>(copy, x, a.outputs[k], c);
                x += y[p.axis] * from[p.axis] * size;
            }
        }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

// Concat on the CPU, in either layout: the output is written row by row; an input of the other layout, a constant, is
// converted on the way. Along the channels of pixels, an input already in place is not copied; nor is a first input
// that the output extends by more rows.
#pragma once
#include <inlay/cpu/support/strided_copy.hpp>
#include <inlay/onnx/concat.hpp>

namespace inlay {
inline namespace v1 {
template <int Bits>
requires whole_bytes<Bits>
struct kernel<op::concat, device::cpu, types<raw<Bits>>> : simple_kernel {
    struct params {
        pieces list;
        shape dims;  // of the output
        int axis;
        layout order;
        std::int64_t pixel;
    };
    static constexpr reuse shares = reuse::joins;
    static constexpr bool strided(const node_view& n, int) { return op::concat::axis(n, n.output(0).dims.rank) == 1; }
    static constexpr bool spaced(const node_view& n, int argument) {
        if (n.output_layout(0) == layout::channels_last) return Bits == 32 && strided(n, argument);
        return argument == input(0) || argument == output(0);
    }
    static constexpr layout_rule layouts(const node_view&) { return {layout::any, layout::any}; }
    static constexpr verdict supports(const node_view& n) { return concat_kernel::supports(n); }
    static constexpr params prepare(const node_view& n) {
        shape y = n.output(0).dims;
        const bool halves = n.output_pitch(0) < 0;  // a bf16 pair counts as one
        if (halves) y[1] /= 2;
        return {concat_kernel::prepare(n), y, op::concat::axis(n, y.rank), n.output_layout(0),
                halves ? -n.output_pitch(0) / 2 : n.output_pitch(0)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        constexpr std::int64_t size = Bits / 8;
        auto* y = a.out<std::byte>(0);
        if (!p.list.mixed) {
            c.split(p.list.elements(), 16384 / size, [&](std::int64_t first, std::int64_t end, int) {
                over_pieces(p.list, first, end, [&](int k, std::int64_t from, std::int64_t to, std::int64_t count) {
                    if (a.inputs[k] != y || from != to)
                        copy_row(y + to * size, a.in<std::byte>(k) + from * size, count * size);
                });
            });
            return status::ok;
        }
        const shape to = strides_of(p.dims, p.order, p.pixel);
        shape x = p.dims;
        for (int r = 0, k = 0; r < p.list.used; ++r) {
            x[p.axis] = p.list.runs[r].length;
            const strided_copy copy = make_copy(x, strides_of(x, p.list.runs[r].order, p.list.runs[r].pixel), to);
            for (int i = 0; i < p.list.runs[r].count; ++i, ++k) {
                if (a.inputs[k] != y) run_copy<Bits>(copy, a.inputs[k], y, c);
                y += x[p.axis] * to[p.axis] * size;
            }
        }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

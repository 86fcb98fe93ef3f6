// ScaledConv on the CPU, 1x1, channels last: the few weights are scaled in each run, instead of the many
// pixels.
#pragma once
#include <inlay/cpu/isa/binary_f32.hpp>
#include <inlay/cpu/onnx/conv.hpp>
#include <inlay/fused/scaled_conv.hpp>

namespace inlay {
inline namespace v1 {
struct scaled_conv_f32_kernel : conv_f32_kernel<true> {
    struct state : conv_f32_state {
        const binary_f32_table* binary = nullptr;
    };
    static constexpr verdict supports(const node_view& n) {
        if (const verdict v = conv_f32_kernel<true>::supports(n); !v) return v;
        const params p = params::of(n);
        if (n.input(0).dims.rank > 4 || !p.joined() || p.stride_h * p.stride_w > 1 || p.group > 1)
            return no("written for a product of each pixel, over one or two spatial axes");
        if (p.bf16()) return no("weights in bfloat16 would be rounded twice");
        if (p.height * p.width <= 4 * p.out_channels) return no("to scale W takes as long as to scale X");
        return yes();
    }
    static constexpr layout_rule layouts(const node_view&) { return {layout::channels_last, layout::channels_last}; }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        const bytes_needed bytes = conv_f32_loops::footprint(p, l, threads);
        return {bytes.constant, bytes.scratch + 4 * p.packed(l)};
    }
    template <families Linked = all_families>
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s.binary = &binary_f32(u.level);
        return conv_f32_loops::bind<Linked>(p, w, u, s);
    }
    template <families = all_families>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const isa::level l = s.level;
        const std::int64_t n = p.columns(), padded = gemm_f32_padded(l, n), pixels = p.height * p.width,
                           room = p.part_room(l);
        const gemm_f32_depth depth = p.depth();
        const auto cuts = depth.cuts(l);
        float *const weights = reinterpret_cast<float*>(c.scratch), *const parts = weights + p.packed(l);
        for (std::int64_t image = 0; image < p.batch && !c.stopped(); ++image) {
            const float* const scale = a.in<float>(op::scaled_conv::scale) + image * p.channels;
            for (std::int64_t i = 0; i < cuts.i1; ++i) {  // each row of a panel is a channel's
                const auto slab = depth.part(cuts, i);
                const std::int64_t count = depth.size(slab);
                for (std::int64_t j = 0; j < padded; j += gemm_f32_width(l)) {
                    const std::int64_t columns = std::min(gemm_f32_width(l), padded - j),
                                       panel = slab.i0 * padded + j * count;
                    s.binary->mul.vector_scalar(s.packed + panel, columns, scale + slab.i0, 1, weights + panel, columns,
                                                count, columns);
                }
            }
            const std::int64_t row = image * pixels;
            const gemm_f32_call call{a.in<float>(0) + row * p.x_pixel,
                                     0,
                                     p.x_pixel,
                                     pixels,
                                     depth,
                                     0,
                                     0,
                                     {weights},
                                     n,
                                     p.has_bias ? a.in<float>(2) : nullptr,
                                     p.has_addend ? a.in<float>(addend) + row * p.add_pixel : nullptr,
                                     p.add_pixel,
                                     a.out<float>(0) + row * p.y_pixel,
                                     p.y_pixel,
                                     p.post_op};
            multiply_all(*s.table, l, std::span(&call, 1), pixels, room ? parts : nullptr, room, c);
        }
        return c.stopped() ? status::stopped : status::ok;
    }
};
template <> struct kernel<op::scaled_conv, device::cpu, types<float>> : packs_at_run<scaled_conv_f32_kernel> {};
}  // namespace v1
}  // namespace inlay

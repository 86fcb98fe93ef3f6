// Conv and Conv with addend and activation on the CPU, over one to three axes, channels last.
#pragma once
#include <inlay/cpu/support/conv_dense.hpp>
#include <inlay/cpu/support/conv_depthwise.hpp>
#include <inlay/cpu/support/conv_winograd.hpp>
#include <inlay/cpu/support/packs_at_run.hpp>

namespace inlay {
inline namespace v1 {
struct conv_f32_loops : simple_kernel {  // shared by both operators, so that a program has it once
    using params = conv_f32_params;
    using state = conv_f32_state;
    static constexpr unsigned packs = 1 << 1;
    static constexpr int addend = 3;
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {4 * p.frames.kernel * (p.packed_frame(l) + p.other_frame(l)), 4 * threads * p.part_room(l)};
    }
    // The families of loops that a convolution needs: a program that knows its parameters links no others.
    struct families {
        bool dense, depthwise, depthwise_wide, winograd, bf16, pairs;
        constexpr bool any_depthwise() const { return depthwise || depthwise_wide; }
    };
    static constexpr families all_families{true, true, true, true, true, true};
    static constexpr families needs_of_any_weights = all_families;
    static constexpr families needs(const params& p) {
        return {!p.depthwise() && !p.winograd() && !p.bf16(),
                p.depthwise() && !p.wide_windows(),
                p.wide_windows(),
                p.winograd(),
                p.bf16(),
                p.depthwise() && (p.x_pairs || p.y_pairs)};
    }
    static constexpr bool reduced(const params& p) { return p.bf16() && !p.transforms(isa::level::avx512bf16); }
    template <families Linked = all_families>
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        float *const second_form = reinterpret_cast<float*>(u.storage), *const packed =
                                                                            second_form +
                                                                            p.frames.kernel * p.other_frame(u.level);
        s.level = u.level;
        s.packed = packed;
        s.loop_weights = second_form;
        if constexpr (Linked.dense || Linked.winograd) s.table = &gemm_f32(u.level);
        if constexpr (Linked.bf16) s.bf16 = &gemm_bf16(u.level);
        if constexpr (Linked.pairs) s.pairs = kept_pairs::of(u.level);
        if constexpr (Linked.depthwise)
            if (!p.wide_windows()) s.depthwise = &depthwise_f32(u.level);
        if constexpr (Linked.depthwise_wide)
            if (p.wide_windows()) s.depthwise = &depthwise_wide_f32(u.level);
        if constexpr (Linked.winograd) s.winograd = &winograd_f32(u.level);
        for (std::int64_t k = 0; k < p.frames.kernel; ++k) {
            const float* const from = w.in<float>(1) + k * p.taps();
            pack_other<Linked>(p, s, from, second_form + k * p.other_frame(u.level), u);
            if constexpr (Linked.dense || Linked.bf16)
                if (p.multiplies(u.level))
                    conv_f32_dense<Linked.bf16>::pack(p, s, from, packed + k * p.packed_frame(u.level), u);
        }
        return status::ok;
    }
    template <families Linked = all_families>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const bool multiplies = !p.depthwise() && !p.transforms(s.level);
        const conv_f32_arguments conv_arguments{a.in<float>(0),
                                                multiplies ? s.packed : s.loop_weights,
                                                multiplies ? p.packed_frame(s.level) : p.other_frame(s.level),
                                                p.has_bias ? a.in<float>(2) : nullptr,
                                                p.has_addend ? a.in<float>(addend) : nullptr,
                                                a.out<float>(0),
                                                reinterpret_cast<float*>(c.scratch)};
        if (Linked.any_depthwise() && p.depthwise())
            conv_f32_depthwise::run(p, s, conv_arguments, c);
        else if (Linked.winograd && !multiplies)
            conv_f32_winograd::run(p, s, conv_arguments, c);
        else if constexpr (Linked.dense || Linked.bf16)
            conv_f32_dense<Linked.bf16>::run(p, s, conv_arguments, c);
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    // The weights of one tap along the frames.
    template <families Linked>
    static void pack_other(const params& p, const state& s, const float* from, float* to, const setup& u) noexcept {
        const std::int64_t taps = p.taps(), element = p.frames.kernel * taps;  // element: from one channel to the next
        if (Linked.any_depthwise() && p.depthwise())
            for (std::int64_t t = 0; t < taps; ++t)
                for (std::int64_t c = 0; c < p.channels; ++c) to[t * p.channels + c] = from[c * element + t];
        else if (Linked.winograd && p.may_transform(s.level))
            u.split(gemm_f32_panels(s.level, p.columns()), packing_grain(s.level, p.depth()),
                    [&](std::int64_t first, std::int64_t end, int) {
                        for (std::int64_t i = 0; i < p.form().slabs(); ++i)
                            s.table->pack({from + i * winograd_f32_slab * element, p.columns(), p.filter(), element, 1},
                                          p.form().depth(i), first, end,
                                          to + i * winograd_f32_slab * taps * gemm_f32_padded(s.level, p.columns()));
                    });
    }
};

template <bool Fused> struct conv_f32_kernel : conv_f32_loops {
    static constexpr verdict supports(const node_view& n) {
        const int rank = n.input(0).dims.rank;
        epilogue e;
        if (rank > 5) return no("written for one to three spatial axes");
        if (n.is_constant(0)) return no("X is a constant, which is never channels last");
        if (Fused && !read_epilogue(n, e)) return no("the activation is not one that Conv ends with");
        if (Fused && n.has_input(addend) && n.is_constant(addend)) return no("the addend is not channels last");
        const params p = params::of(n);
        return countable({p.seen_width(p.out_width), p.channels + 16, p.reach_h()})
                   ? yes()
                   : no("the padded rows are too large to copy");
    }
    static constexpr layout_rule layouts(const node_view& n) {
        const shape& x = n.input(0).dims;
        const bool reads_both = x[1] >= 0 && x[1] <= 4 && n.integer("group", 1) == 1 &&
                                !(Fused && n.has_input(addend));  // a first layer copies its rows anyway
        return {reads_both ? layout::any : layout::channels_last, layout::channels_last};
    }
    static constexpr bool strided(const node_view& n, int argument) {
        return (argument == input(0) || argument == input(addend) || argument == output(0)) &&
               !params::of(n).depthwise();
    }
    static constexpr bool spaced(const node_view& n, int argument) {
        const params p = params::of(n);
        return (argument == input(0) || (argument == input(addend) && !p.depthwise()) || argument == output(0)) &&
               p.keeps_pairs(argument != input(0));
    }
    static constexpr params prepare(const node_view& n) {
        params p = params::of(n);
        if (Fused) {
            read_epilogue(n, p.post_op);
            p.has_addend = n.has_input(addend);
        }
        return p;
    }
};
template <> struct kernel<op::conv, device::cpu, types<float>> : packs_at_run<conv_f32_kernel<false>> {};
template <> struct kernel<op::fused_conv, device::cpu, types<float>> : packs_at_run<conv_f32_kernel<true>> {};
}  // namespace v1
}  // namespace inlay

// Gemm, and Gemm with an activation, on the CPU: B is packed once where it is constant, else in each run; A' is copied
// to scratch.
#pragma once
#include <inlay/cpu/support/dense.hpp>
#include <inlay/onnx/gemm.hpp>

namespace inlay {
inline namespace v1 {
template <bool Fused> struct gemm_f32_kernel : simple_kernel {
    struct params : gemm_params {
        bool constant = false, bf16 = false;  // B is, and is kept as bf16
        epilogue post_op{};
        constexpr std::int64_t b_column() const { return trans_b ? k : 1; }
        constexpr std::int64_t a_row() const { return trans_a && gemm_f32_aliases(k) ? k + 16 : k; }
        constexpr gemm_f32_depth depth() const { return {1, 1, k}; }
        constexpr bool packs(isa::level l) const { return alpha != 1 || !gemm_f32_in_place(l, m, n, k, b_column()); }
        // Scratch, in float32 elements: A', B, then each part's own.
        constexpr std::int64_t rows_room() const { return trans_a ? padded_floats(m * a_row()) : 0; }
        constexpr std::int64_t b_room(isa::level l) const {
            return constant ? 0 : padded_floats(gemm_f32_padded(l, packs(l) ? n : n % gemm_f32_width(l)) * k);
        }
        constexpr bool rounds(isa::level l) const { return bf16 && gemm_bf16_pairs(l); }  // A
        constexpr std::int64_t part_room(isa::level l) const {
            return gemm_f32_scratch(l, depth(), a_row(), m, rounds(l));
        }
        gemm_f32_source source(const float* b) const { return {b, n, b_column(), 0, trans_b ? 1 : n, float(alpha)}; }
    };
    struct state {
        const gemm_f32_table* table = nullptr;
        isa::level level{};
        const float* panels = nullptr;
    };
    static constexpr unsigned packs = 1 << 1;
    static constexpr verdict supports(const node_view& n) {
        epilogue e;
        return !Fused || read_epilogue(n, e) ? yes() : no("the activation is not one that Gemm ends with");
    }
    static constexpr params prepare(const node_view& n) {
        params p{gemm_params::of(n)};
        p.constant = n.is_constant(1);
        p.bf16 = p.constant && n.graph.precision == precision::bfloat16;
        if (Fused) read_epilogue(n, p.post_op);
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {p.constant ? 4 * packed_floats(p.bf16, l, p.depth(), p.n) : 0,
                4 * (p.rows_room() + p.b_room(l) + threads * p.part_room(l))};
    }
    static constexpr bool reduced(const params& p) { return p.bf16; }
    static constexpr weight_formats needs(const params& p) { return {!p.bf16, p.bf16}; }
    template <weight_formats Linked = weight_formats{true, true}>
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s = {&gemm_table<Linked>(p.bf16, u.level), u.level, nullptr};
        if (!p.constant) return status::ok;
        float* panels = reinterpret_cast<float*>(u.storage);
        s.table->pack(p.source(w.in<float>(1)), p.depth(), 0, gemm_f32_panels(u.level, p.n), panels);
        s.panels = panels;
        return status::ok;
    }
    template <weight_formats = weight_formats{true, true}>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        float *const scratch = reinterpret_cast<float*>(c.scratch), *const own_b = scratch + p.rows_room(),
                     *const y = a.out<float>(0);
        gemm_f32_call call{a.in<float>(0), 0,       p.a_row(),        p.m,     p.depth(), 0, 0,
                           {s.panels},     p.n,     nullptr,          nullptr, 0,         y, p.n,
                           p.post_op,      nullptr, p.rounds(s.level)};
        if (p.trans_a) {
            c.split(p.m, 16, [&](std::int64_t first, std::int64_t end, int) {
                for (std::int64_t i = first; i < end; ++i)
                    for (std::int64_t k = 0; k < p.k; ++k) scratch[i * call.a_row + k] = call.a[k * p.m + i];
            });
            call.a = scratch;
        }
        if (!p.constant) {
            const auto source = p.source(a.in<float>(1));
            if (p.packs(s.level)) {
                c.split(gemm_f32_panels(s.level, p.n), 1, [&](std::int64_t first, std::int64_t end, int) {
                    s.table->pack(source, call.depth, first, end, own_b);
                });
                call.b = {own_b};
            } else {
                s.table->pack_tail(source, call.depth, own_b);
                call.b = {source.b, p.n, own_b};
            }
        }
        if (p.has_c) {
            const float *const addend = a.in<float>(2), beta = float(p.beta);
            if (beta == 1 && p.c_row == 0 && p.c_column == 1)
                call.bias = addend;
            else if (beta == 1 && p.c_row == p.n && (p.c_column == 1 || p.n == 1)) {
                call.add = addend;
                call.add_row = p.n;
            } else {
                c.split(p.m, 16, [&](std::int64_t first, std::int64_t end, int) {
                    for (std::int64_t i = first; i < end; ++i)
                        for (std::int64_t j = 0; j < p.n; ++j)
                            y[i * p.n + j] = beta * addend[i * p.c_row + j * p.c_column];
                });
                call.add = y;
                call.add_row = p.n;
            }
        }
        multiply_all(*s.table, s.level, std::span(&call, 1), p.m,
                     p.part_room(s.level) ? own_b + p.b_room(s.level) : nullptr, p.part_room(s.level), c);
        return c.stopped() ? status::stopped : status::ok;
    }
};
template <> struct kernel<op::gemm, device::cpu, types<float>> : gemm_f32_kernel<false> {};
template <> struct kernel<op::fused_gemm, device::cpu, types<float>> : gemm_f32_kernel<true> {};
}  // namespace v1
}  // namespace inlay

// MatMul on the CPU, also with bias, residual and activation: a constant B is packed once and leading axes of A become
// rows; else each matrix of B is read in place or packed in scratch.
#pragma once
#include <inlay/cpu/support/dense.hpp>
#include <inlay/onnx/matmul.hpp>

namespace inlay {
inline namespace v1 {
template <bool Fused> struct matmul_f32_kernel : simple_kernel {
    struct params : matmul_params {
        bool constant = false, bf16 = false;  // B is, and is kept as bf16
        presence has{};
        epilogue post_op{};
        std::int64_t b_matrices = 1;
        constexpr gemm_f32_depth depth() const { return {1, 1, k}; }
        constexpr std::int64_t packed(isa::level l) const { return packed_floats(bf16, l, depth(), n); }
        constexpr bool rounds(isa::level l) const { return bf16 && gemm_bf16_pairs(l); }  // A
        // Scratch of each part, in float32 elements: its matrix of B, then the rows that it copies.
        constexpr std::int64_t b_room(isa::level l) const { return constant ? 0 : gemm_f32_room(l, m, n, k, 1); }
        constexpr std::int64_t part_room(isa::level l) const { return gemm_f32_scratch(l, depth(), k, m, rounds(l)); }
    };
    struct state {
        const gemm_f32_table* table = nullptr;
        isa::level level{};
        const float* panels = nullptr;
    };
    static constexpr unsigned packs = 1 << 1;
    static constexpr verdict supports(const node_view& v) {
        epilogue e;
        if (!Fused) return yes();
        return read_epilogue(v, e) ? fused_matmul_fits(v) : no("the activation is not one that MatMul ends with");
    }
    static constexpr params prepare(const node_view& v) {
        params p{matmul_params::of(v)};
        p.constant = v.is_constant(1);
        p.bf16 = p.constant && v.graph.precision == precision::bfloat16;
        if (Fused) {
            p.has = presence(v);
            read_epilogue(v, p.post_op);
        }
        const shape& b = v.input(1).dims;
        p.b_matrices = b.elements(0, b.rank > 2 ? b.rank - 2 : 0);
        if (p.b_matrices == 1) {  // then A's matrices lie in the order of the result's: one matrix of all their rows
            p.m *= p.batches;
            p.batches = 1;
            p.batch.rank = 0;
        }
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {p.constant ? 4 * p.packed(l) * p.b_matrices : 0,
                4 * (std::min<std::int64_t>(p.batches, threads) * p.b_room(l) + threads * p.part_room(l))};
    }
    static constexpr bool reduced(const params& p) { return p.bf16; }
    static constexpr weight_formats needs(const params& p) { return {!p.bf16, p.bf16}; }
    template <weight_formats Linked = weight_formats{true, true}>
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s = {&gemm_table<Linked>(p.bf16, u.level), u.level, nullptr};
        if (!p.constant) return status::ok;
        float* const panels = reinterpret_cast<float*>(u.storage);
        for (std::int64_t i = 0; i < p.b_matrices; ++i)
            s.table->pack({w.in<float>(1) + i * p.k * p.n, p.n, 1, 0, p.n}, p.depth(), 0, gemm_f32_panels(u.level, p.n),
                          panels + i * p.packed(u.level));
        s.panels = panels;
        return status::ok;
    }
    template <weight_formats = weight_formats{true, true}>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const isa::level l = s.level;
        const std::int64_t panels = gemm_f32_panels(l, p.n), b_room = p.b_room(l), part_room = p.part_room(l);
        const bool by_batch = p.batches >= c.threads, in_place = gemm_f32_in_place(l, p.m, p.n, p.k, 1);
        float* const scratch = reinterpret_cast<float*>(c.scratch);
        float* const rows_room = part_room ? scratch + (by_batch ? c.threads : 1) * b_room : nullptr;
        const auto run_panels = [&](gemm_f32_call& call, float* room, std::int64_t first,
                                    std::int64_t end) {  // prepares B for reading: in place, or in panels
            const gemm_f32_source source{call.b.b, p.n, 1, 0, p.n};
            if (!in_place)
                s.table->pack(source, call.depth, first, end, room);
            else if (first == 0)
                s.table->pack_tail(source, call.depth, room);
        };
        const auto reads = [&](gemm_f32_call& call, float* room) {
            call.b = in_place ? gemm_f32_panels_of_b{call.b.b, p.n, room} : gemm_f32_panels_of_b{room};
        };
        if (by_batch) {
            c.split(p.batches, 1, [&](std::int64_t first, std::int64_t end, int part) {
                const float* matrix = nullptr;  // the one in the part's scratch
                for (std::int64_t i = first; i < end && !c.stopped(); ++i) {
                    gemm_f32_call call = product(p, s, a, i);
                    if (!p.constant) {
                        float* const room = scratch + part * b_room;
                        if (matrix != call.b.b) run_panels(call, room, 0, panels);
                        matrix = call.b.b;
                        reads(call, room);
                    }
                    multiply_blocks(*s.table, l, call, 0, p.m, 0, panels,
                                    rows_room ? rows_room + part * part_room : nullptr, c);
                }
            });
        } else
            for (std::int64_t i = 0; i < p.batches && !c.stopped(); ++i) {
                gemm_f32_call call = product(p, s, a, i);
                if (!p.constant) {
                    c.split(panels, in_place ? panels : 1,
                            [&](std::int64_t first, std::int64_t end, int) { run_panels(call, scratch, first, end); });
                    reads(call, scratch);
                }
                multiply_all(*s.table, l, std::span(&call, 1), p.m, rows_room, part_room, c);
            }
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    // One matrix of the result, by B in place or as bind() has packed it.
    static gemm_f32_call product(const params& p, const state& s, const arguments& a, std::int64_t index) noexcept {
        const auto at = p.matrices(index);
        const float* const b = p.constant ? s.panels + at.b * p.packed(s.level) : a.in<float>(1) + at.b * p.k * p.n;
        gemm_f32_call call = plain_product(a.in<float>(0) + at.a * p.m * p.k, p.k, p.m, p.depth(), {b}, p.n,
                                           a.out<float>(0) + index * p.m * p.n, p.n);
        call.rounds = p.rounds(s.level);
        if (!Fused) return call;
        call.bias = p.has.template in<float>(a, 2);
        if (const float* addend = p.has.template in<float>(a, 3)) {
            call.add = addend + index * p.m * p.n;
            call.add_row = p.n;
        }
        call.post_op = p.post_op;
        return call;
    }
};
template <> struct kernel<op::matmul, device::cpu, types<float>> : matmul_f32_kernel<false> {};
template <> struct kernel<op::fused_matmul, device::cpu, types<float>> : matmul_f32_kernel<true> {};
}  // namespace v1
}  // namespace inlay

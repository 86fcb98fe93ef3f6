// MatMulInteger on the CPU with constant weights: the bits are multiplied as they are, unsigned A by signed B, and the
// zero points corrected after that,
//   sum((a - s)(b - t)) = sum(a b) - s (sum(b) - k t) - t sum(a),
// by a bias where one zero point of A does, else by an addend. A fused node turns the sums into floats where they lie.
#pragma once
#include <inlay/cpu/isa/gemm_u8s8.hpp>
#include <inlay/cpu/support/dense.hpp>
#include <inlay/onnx/matmul_integer.hpp>

namespace inlay {
inline namespace v1 {
template <class A, class B, bool Fused> struct matmul_integer_kernel : simple_kernel {
    struct params : matmul_integer_params {
        std::int64_t lines = 1, a_matrices = 1, b_matrices = 1;  // lines: rows of A's matrices
        constexpr gemm_f32_depth depth(isa::level l) const { return gemm_u8s8_depth(l, k); }
        // Memory, in floats: of a matrix of B its panels, its columns' sums less k t, and t; of a run A's words, their
        // sums, the bias, then each part's own.
        constexpr std::int64_t panels_room(isa::level l) const { return padded_floats(gemm_u8s8_packed(l, k, n)); }
        constexpr std::int64_t matrix_room(isa::level l) const { return panels_room(l) + 2 * padded_floats(n); }
        constexpr std::int64_t words_room(isa::level l) const {
            return padded_floats(a_matrices * m * depth(l).total());
        }
        constexpr std::int64_t parts_at(isa::level l) const {
            return words_room(l) + padded_floats(a_matrices * m) + padded_floats(n);
        }
        constexpr std::int64_t part_room(isa::level l) const {
            return gemm_f32_scratch(l, depth(l), depth(l).total(), m);
        }
    };
    struct state {  // shifted: t is not 0 everywhere
        const gemm_u8s8_table* table = nullptr;
        isa::level level{};
        const float* matrices = nullptr;
        bool shifted = false;
    };
    static constexpr unsigned packs = 1 << 1 | 1 << 3;
    static constexpr verdict supports(const node_view& v) {
        if (!v.is_constant(1)) return no("B must be constant");
        if (v.has_input(3) && !v.is_constant(3)) return no("B's zero points must be constant");
        return Fused ? fused_matmul_integer_fits(v) : yes();
    }
    static constexpr params prepare(const node_view& v) {
        params p{matmul_integer_params::of(v)};
        const shape &a = v.input(0).dims, &b = v.input(1).dims;
        p.lines = std::max<std::int64_t>(1, p.m);
        p.a_matrices = a.elements(0, a.rank > 2 ? a.rank - 2 : 0);
        p.b_matrices = b.elements(0, b.rank > 2 ? b.rank - 2 : 0);
        if (p.b_matrices == 1) {  // then A's matrices lie in the order of the result's: one matrix of all their rows
            p.m *= p.batches;
            p.a_matrices = p.batches = 1;
            p.batch.rank = 0;
        }
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {4 * p.matrix_room(l) * p.b_matrices, 4 * (p.parts_at(l) + threads * p.part_room(l))};
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s = {&gemm_u8s8(u.level), u.level, reinterpret_cast<const float*>(u.storage), false};
        float* to = reinterpret_cast<float*>(u.storage);
        for (std::int64_t i = 0; i < p.b_matrices; ++i, to += p.matrix_room(u.level)) {
            auto* const sums = reinterpret_cast<std::int32_t*>(to + p.panels_room(u.level));
            std::int32_t* const zeros = sums + padded_floats(p.n);
            s.table->pack_numbers(w.in<std::uint8_t>(1) + i * p.k * p.n, p.k, p.n, b_flip, to, sums);
            for (std::int64_t j = 0; j < p.n; ++j) {
                zeros[j] = (p.b_zero.present ? int(w.in<B>(3)[p.b_zero.at(i, j)]) : 0) - b_flip;
                sums[j] =
                    static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[j]) -
                                              static_cast<std::uint32_t>(p.k) * static_cast<std::uint32_t>(zeros[j]));
                s.shifted |= zeros[j] != 0;
            }
        }
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const isa::level l = s.level;
        const std::int64_t row = p.depth(l).total();
        float* const scratch = reinterpret_cast<float*>(c.scratch);
        const bool in_place = fits_in_place(p, s, a);
        const float* const words = in_place ? reinterpret_cast<const float*>(a.in<std::uint8_t>(0)) : scratch;
        if (!in_place) make_words(p, s, a, c);
        for (std::int64_t i = 0; i < p.batches && !c.stopped(); ++i) {
            const auto at = p.matrices(i);
            const matrix b = matrix_at(p, s, at.b);
            float* const y = a.out<float>(0) + i * p.m * p.n;  // or what else takes 4 bytes
            gemm_f32_call call = plain_product(words + at.a * p.m * row, row, p.m, p.depth(l), {b.panels}, p.n, y, p.n);
            correct(p, s, a, at.a, b, call, c);
            multiply_all(*s.table, l, std::span(&call, 1), p.m, p.part_room(l) ? scratch + p.parts_at(l) : nullptr,
                         p.part_room(l), c);
            if constexpr (Fused)
                c.split(p.m, 16384 / std::max<std::int64_t>(1, p.n) + 1,
                        [&](std::int64_t first, std::int64_t last, int) {
                            s.table->scale(last - first, p.n, a.in<float>(4), p.per_column,
                                           p.has_c ? a.in<float>(5) : nullptr, y + first * p.n);
                        });
        }
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    static constexpr std::uint8_t a_flip = std::is_signed_v<A> ? 128 : 0, b_flip = std::is_signed_v<B> ? 0 : 128;
    struct matrix {  // of B, as bind() has packed it
        const float* panels;
        const std::int32_t *sums, *zeros;
    };
    static matrix matrix_at(const params& p, const state& s, std::int64_t index) noexcept {
        const float* const panels = s.matrices + index * p.matrix_room(s.level);
        const auto* const sums = reinterpret_cast<const std::int32_t*>(panels + p.panels_room(s.level));
        return {panels, sums, sums + padded_floats(p.n)};
    }
    static bool has_one_zero(const params& p, const state& s) noexcept { return !s.shifted && p.a_zero.per_line == 0; }
    // Whether A's bytes are words as they lie, whose sums nobody needs.
    static bool fits_in_place(const params& p, const state& s, const arguments& a) noexcept {
        return has_one_zero(p, s) && a_flip == 0 && gemm_u8s8_group(s.level) == 4 && p.k % 4 == 0 &&
               reinterpret_cast<std::uintptr_t>(a.in<std::uint8_t>(0)) % 4 == 0;
    }
    static std::int32_t* sums_of_a(const params& p, const state& s, context& c) noexcept {
        return reinterpret_cast<std::int32_t*>(reinterpret_cast<float*>(c.scratch) + p.words_room(s.level));
    }
    // A's words and their sums, in scratch.
    static void make_words(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const std::int64_t row = p.depth(s.level).total();
        float* const words = reinterpret_cast<float*>(c.scratch);
        std::int32_t* const sums = sums_of_a(p, s, c);
        c.split(p.a_matrices * p.m, 16384 / std::max<std::int64_t>(1, p.k) + 1,
                [&](std::int64_t first, std::int64_t last, int) {
                    s.table->make_words(a.in<std::uint8_t>(0) + first * p.k, last - first, p.k, a_flip,
                                        words + first * row, sums + first);
                });
    }
    // What the zero points take from the product of matrix `index` of A: its bias or, in Y, its addend.
    static void correct(const params& p, const state& s, const arguments& a, std::int64_t index, const matrix& b,
                        gemm_f32_call& call, context& c) noexcept {
        const auto zero = [&](std::int64_t r) {
            return p.a_zero.template of<A>(a, 0, r / p.lines, r % p.lines) + a_flip;
        };
        const std::int32_t* const sums = sums_of_a(p, s, c);
        if (has_one_zero(p, s)) {
            std::int32_t* const bias = sums_of_a(p, s, c) + padded_floats(p.a_matrices * p.m);
            s.table->correct(p.n, zero(0), b.sums, 0, b.zeros, bias);
            call.bias = reinterpret_cast<const float*>(bias);
            return;
        }
        c.split(p.m, 4096 / std::max<std::int64_t>(1, p.n) + 1, [&](std::int64_t first, std::int64_t last, int) {
            for (std::int64_t r = first; r < last; ++r)
                s.table->correct(p.n, zero(index * p.m + r), b.sums, sums[index * p.m + r], b.zeros,
                                 reinterpret_cast<std::int32_t*>(call.y + r * p.n));
        });
        call.add = call.y;
        call.add_row = p.n;
    }
};
template <class A, class B>
struct kernel<op::matmul_integer, device::cpu, types<A, B, std::int32_t>> : matmul_integer_kernel<A, B, false> {};
template <class A, class B>
struct kernel<op::fused_matmul_integer, device::cpu, types<A, B, float>> : matmul_integer_kernel<A, B, true> {};
}  // namespace v1
}  // namespace inlay

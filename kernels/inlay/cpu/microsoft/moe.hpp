// MoE and QMoE on the CPU, by packed weights: the rows of all tokens routed to an expert are
// multiplied together. QMoE of accuracy_level 4 rounds these rows to int8 per block of its weights.
#pragma once
#include <inlay/cpu/isa/unary_f32.hpp>
#include <inlay/cpu/support/nbits.hpp>
#include <inlay/cpu/support/packs_at_run.hpp>
#include <inlay/microsoft/moe.hpp>

namespace inlay {
inline namespace v1 {
template <class Op> struct moe_f32_kernel : simple_kernel {
    static constexpr bool of_codes = std::same_as<Op, op::qmoe>;
    using plain = kernel<Op, device::reference, types<float>>;
    struct params : moe_params {
        std::array<nbits_product, 3> product{};
        constexpr bool has_layer(int i) const { return this->has.has_in(this->fc[std::size_t(i)].weights); }
        constexpr gemm_f32_depth depth(int i) const { return {1, 1, fc[std::size_t(i)].depth}; }
        constexpr std::int64_t packed(isa::level l, int i) const {  // float32 elements of one expert
            if (of_codes) return product[std::size_t(i)].packed(l);
            return packed_floats(false, l, depth(i), fc[std::size_t(i)].rows);
        }
        constexpr std::int64_t row(int i) const { return i == 1 ? fc[0].rows : hidden; }  // from one of x to the next
        constexpr std::int64_t room(isa::level l, int i, int threads) const {             // float32 of scratch
            if (of_codes) return product[std::size_t(i)].scratch(l, routing.tokens, threads);
            return threads * gemm_f32_scratch(l, depth(i), row(i), routing.tokens);
        }
    };
    struct state {
        isa::level level{};
        std::array<const float*, 3> weights{};
    };
    static constexpr unsigned packs = of_codes ? 0b11101101101100u : 0b1010100u;  // weights, scales and zero points
    static constexpr unsigned reads_as_is = of_codes ? 0b1001001000u : 0;         // scales, in the type that they have
    static constexpr verdict supports(const node_view& n) {
        if (const verdict v = plain::supports(n); !v) return v;
        moe_params p;
        (void)Op::read(n, p);
        if (p.hidden == 0 || p.inter == 0) return no("fast only where rows have numbers");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        params p{plain::prepare(n)};
        const bool rounds = n.integer("accuracy_level", 0) == 4 && n.graph.precision != precision::strict;
        for (int i = 0; of_codes && i < 3; ++i) {
            const expert_layer& l = p.fc[std::size_t(i)];
            p.product[std::size_t(i)] = {l.rows,
                                         l.depth,
                                         l.per_block ? l.block : (l.depth + 15) / 16 * 16,
                                         l.bits,
                                         n.has_input(l.zeros) ? nbits_zeros::bytes : nbits_zeros::none,
                                         rounds && l.per_block};
        }
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        std::int64_t weights = 0, room = 0;
        for (int i = 0; i < 3; ++i)
            if (p.has_layer(i)) {
                weights += p.routing.experts * p.packed(l, i);
                room = std::max(room, p.room(l, i, threads));
            }
        return {4 * weights, expert_run<float>::bytes(p) + 4 * room};
    }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s.level = u.level;
        float* to = reinterpret_cast<float*>(u.storage);
        for (int i = 0; i < 3; ++i) {
            if (!p.has_layer(i)) continue;
            s.weights[std::size_t(i)] = to;
            for (std::int64_t e = 0; e < p.routing.experts; ++e, to += p.packed(u.level, i)) pack(p, w, u, i, e, to);
        }
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        float* const scratch = reinterpret_cast<float*>(c.scratch + expert_run<float>::bytes(p));
        const auto multiply = [&](int i, std::int64_t e, const float* x, std::int64_t rows, float* y) {
            const std::int64_t n = p.fc[std::size_t(i)].rows;
            const float* weights = s.weights[std::size_t(i)] + e * p.packed(s.level, i);
            if constexpr (of_codes)
                p.product[std::size_t(i)].run(s.level, weights, x, p.row(i), rows, nullptr, y, n, scratch, c);
            else {
                const gemm_f32_call call = plain_product(x, p.row(i), rows, p.depth(i), {weights}, n, y, n);
                const std::int64_t room = gemm_f32_scratch(s.level, p.depth(i), p.row(i), p.routing.tokens);
                multiply_all(gemm_f32(s.level), s.level, std::span(&call, 1), rows, room ? scratch : nullptr, room, c);
            }
        };
        const auto map = function(p, s.level);
        return expert_run<float>(p, a, c)(multiply, [&](float* x, std::int64_t count) {
            if (map) map(x, x, count, p.swiglu < 0 ? 1.f : p.alpha, 0);
        });
    }

  private:
    static unary_f32_table::map function(const params& p, isa::level l) noexcept {
        const unary_f32_table& table = unary_f32(l);
        if (p.swiglu >= 0) return table.swish;
        switch (p.activation.kind) {
            case plain_activation::clip: return table.relu;
            case plain_activation::gelu_tanh: return table.gelu_tanh;
            case plain_activation::silu: return table.swish;
            default: return nullptr;
        }
    }
    static void pack(const params& p, constants w, const setup& u, int i, std::int64_t e, float* to) noexcept {
        const expert_layer& l = p.fc[std::size_t(i)];
        if constexpr (of_codes) {
            const expert_codes codes(p, l, w);
            const nbits_product& product = p.product[std::size_t(i)];
            const auto code = [&](std::int64_t j, std::int64_t k) { return codes.code(e * l.rows + j, k); };
            const auto scale = [&](std::int64_t j, std::int64_t b) { return codes.scale(e * l.rows + j, b); };
            const auto zero = [&](std::int64_t j, std::int64_t b) { return codes.zero(e * l.rows + j, b); };
            const std::uint8_t* const first = codes.codes + e * l.rows * l.row_bytes();
            if (l.depth % product.block == 0)
                product.pack(u, to, product.words_at(first, l.row_bytes()), scale, zero);
            else  // the last words of a row would include values of the next
                product.pack(u, to, product.words_of(code), scale, zero);
        } else
            u.split(gemm_f32_panels(u.level, l.rows), packing_grain(u.level, p.depth(i)),
                    [&](std::int64_t first, std::int64_t end, int) {
                        gemm_f32(u.level).pack({w.in<float>(l.weights) + e * l.rows * l.depth, l.rows, l.depth, 0, 1},
                                               p.depth(i), first, end, to);
                    });
    }
};
template <> struct kernel<op::moe, device::cpu, types<float>> : packs_at_run<moe_f32_kernel<op::moe>> {};
template <> struct kernel<op::qmoe, device::cpu, types<float>> : packs_at_run<moe_f32_kernel<op::qmoe>> {};
}  // namespace v1
}  // namespace inlay

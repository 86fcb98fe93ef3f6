// QAttention of float32 on the CPU: an 8-bit integer
// matmul, then the attention of com.microsoft's Attention.
#pragma once
#include <inlay/cpu/microsoft/matmul_integer_to_float.hpp>
#include <inlay/cpu/microsoft/multi_head_attention.hpp>
#include <inlay/cpu/support/packs_at_run.hpp>
#include <inlay/microsoft/attention.hpp>
#include <inlay/microsoft/qattention.hpp>

namespace inlay {
inline namespace v1 {
struct qattention_f32_kernel : simple_kernel {
    using plain = kernel<op::qattention, device::reference, types<quantized::byte, quantized::byte, float>>;
    using heads_kernel = kernel<op::multi_head_attention, device::cpu, types<float>>;
    struct params {
        product_to_floats product;
        microsoft_attention_params base;  // Attention's, as if its input were the projection
        heads_kernel::params heads;
        presence has;
        constexpr std::int64_t projected() const { return padded_floats(base.rows() * base.columns); }
        constexpr std::int64_t masked() const { return padded_floats(base.mask_elements()); }
    };
    struct state {
        integer_product::weights weights;
        attention_tables tables;
    };
    static constexpr unsigned packs = 1 << 1 | 1 << 7;
    static constexpr verdict supports(const node_view& n) { return plain::supports(n); }
    static constexpr params prepare(const node_view& n) {
        const qattention_params q = plain::prepare(n);
        params p{};
        p.has = q.has;
        p.base = attention_of(q);
        p.heads = heads_kernel::of(p.base.heads, n.graph.precision == precision::bfloat16);
        const shape x{p.base.rows(), q.depth}, w{q.depth, p.base.columns};
        p.product = {{matmul_params::of(x, w, {x[0], w[1]}), x, w, q.x, q.w}};
        p.product.has = p.has;
        p.product.b_scale.per_line = q.scale_step;
        p.product.b_zero.per_line = q.zero_step;
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        bytes_needed b = p.product.footprint(l, threads);
        b.scratch = 4 * (p.projected() + p.masked()) +
                    std::max(b.scratch, heads_kernel::footprint(p.heads, l, threads).scratch);
        return b;
    }
    static constexpr bool reduced(const params& p) { return heads_kernel::reduced(p.heads); }
    static status bind(const params& p, constants w, const setup& u, state& s) noexcept {
        s.weights = p.product.pack(w.in<std::uint8_t>(1), p.has.in<std::uint8_t>(w, 7), u);
        s.tables = attention_tables::of<weight_formats{true, true}>(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        std::byte* const scratch = c.scratch;
        float *const qkv = reinterpret_cast<float*>(scratch), *const rest = qkv + p.projected() + p.masked();
        p.product.run(s.weights, {a.in<std::uint8_t>(0), p.has.in<std::uint8_t>(a, 6)}, *a.in<float>(3), a.in<float>(4),
                      a.in<float>(2), qkv, rest, c);
        if (c.stopped()) return status::stopped;
        const auto* const mask_input = p.has.in<std::int32_t>(a, 5);
        std::int32_t* mask = nullptr;
        if (p.base.form != microsoft_attention_params::as_it_is) {
            mask = reinterpret_cast<std::int32_t*>(qkv + p.projected());
            p.base.write_mask(mask_input, mask);
        }
        // Attention's inputs.
        const void* const inputs[] = {a.inputs[0], nullptr, nullptr, mask_input, p.has.in<float>(a, 8), nullptr};
        c.scratch = reinterpret_cast<std::byte*>(rest);
        const status result = p.base.attend(arguments{inputs, a.outputs}, qkv, mask, [&](const arguments& b) {
            return heads_kernel::run(p.heads, s.tables, b, c);
        });
        c.scratch = scratch;
        return result;
    }

  private:
    static constexpr microsoft_attention_params attention_of(const qattention_params& q) {
        microsoft_attention_params o;
        o.width = q.depth;
        o.columns = 3 * q.hidden();
        multi_head_params& m = o.heads;
        m.batches = q.batches;
        m.heads = q.heads;
        m.past = q.past;
        m.scale = q.scale;
        m.fill = q.fill;
        m.causal = q.causal;
        multi_head_params::operand* const operands[] = {&m.q, &m.k, &m.v};
        for (int k = 0; k < 3; ++k)
            *operands[k] = {k, q.rows * o.columns, q.size, o.columns, k * q.hidden(), q.rows, q.size, -1};
        if (q.has.has_in(8)) {
            o.has.inputs |= 1u << 4;
            m.has.inputs |= 3u << 6;
        }
        if (q.has.has_out(1)) {
            o.has.outputs |= 1u << 1;
            m.has.outputs |= 3u << 1;
        }
        if (q.mask == qattention_params::none) return o;
        o.has.inputs |= 1u << 3;
        m.has.inputs |= 1u << 4;
        m.mask_columns = m.keys();
        m.mask = q.mask == qattention_params::lengths   ? multi_head_params::lengths
                 : q.mask == qattention_params::per_row ? multi_head_params::per_row
                                                        : multi_head_params::per_key;
        if (q.mask == qattention_params::spans) o.form = microsoft_attention_params::from_to;
        return o;
    }
};
template <>
struct kernel<op::qattention, device::cpu, types<quantized::byte, quantized::byte, float>>
    : packs_at_run<qattention_f32_kernel> {};
}  // namespace v1
}  // namespace inlay

// Attention of ONNX on the CPU, by the core that all attention has: of floats, with truth values or floats as a mask.
// Keys and values of former calls are copied once, into the present where it is asked for.
#pragma once
#include <inlay/cpu/support/attention.hpp>
#include <inlay/onnx/attention.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::onnx_attention, device::cpu, types<float>> : attention_core_kernel<> {
    struct params {
        onnx_attention_params own;
        attention_core core;
        std::array<std::int64_t, 2> joined;  // floats of scratch for keys and values that no output holds
    };
    static constexpr verdict supports(const node_view& n) {
        if (const verdict v = onnx_attention_types(n); !v) return v;
        if (n.has_output(3)) return no("the plain loop tells the scores");
        const auto fits = [](element e) { return e == element::f32 || is_half(e); };
        if (!fits(n.input(2).type)) return no("fast only where V has floats");
        if (n.has_input(3) && n.input(3).type != element::boolean && !fits(n.input(3).type))
            return no("fast only with truth values or floats as a mask");
        const std::int64_t softened = n.integer("softmax_precision", 0);
        return softened == 0 || softened == 1 ? yes() : no("fast only where scores are softened as floats");
    }
    static constexpr params prepare(const node_view& n) {
        params p{};
        onnx_attention_params& o = p.own;
        (void)o.read(n);
        attention_core& c = p.core;
        const auto operand = [](const onnx_attention_params::operand& x) {
            return attention_core::operand{x.batch, x.head, x.row};
        };
        c.q = operand(o.q);
        c.k = operand(o.k);
        c.v = operand(o.v);
        c.y = operand(o.y);
        c.mask = {o.mask_steps[0], o.mask_steps[1], o.mask_steps[2]};
        c.mask_column = o.mask_steps[3];
        c.batches = o.batches;
        c.heads = o.heads;
        c.groups = o.groups;
        c.rows = o.rows;
        c.keys = o.keys();
        c.size = o.size;
        c.value_size = o.value_size;
        c.scale = o.scale;
        c.softcap = o.softcap;
        c.fill = -std::numeric_limits<double>::infinity();
        c.bf16 = n.graph.precision == precision::bfloat16;
        c.zeros = true;
        c.hides = o.has.has_in(3);
        c.sees =
            o.causal || o.left >= 0 || o.right >= 0 || o.has.has_in(6) || (o.has.has_in(3) && o.mask_keys < o.keys());
        for (int k : {0, 1}) {
            const std::int64_t size = k == 0 ? o.size : o.value_size;
            if (!o.has.has_in(4) && !o.has.has_out(1 + k)) continue;
            c.joins = true;
            (k == 0 ? c.k : c.v) = {o.groups * o.keys() * size, o.keys() * size, size};
            if (!o.has.has_out(1 + k)) p.joined[std::size_t(k)] = padded_floats(o.batches * o.groups * o.keys() * size);
        }
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {0, p.core.bytes(l, threads) + 4 * (p.joined[0] + p.joined[1])};
    }
    template <weight_formats = weight_formats{true, true}>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const onnx_attention_params& o = p.own;
        if (!o.valid(a)) return c.fail("nonpad_kv_seqlen is not within the keys");
        const float* rows[] = {a.in<float>(1), a.in<float>(2)};
        hooks more{{}, o, o.has.in<std::int64_t>(a, 6), a, {}};
        std::byte* room = c.scratch;
        for (int k : {0, 1}) {
            auto* const to = p.joined[std::size_t(k)] > 0 ? room : o.has.out<std::byte>(a, 1 + k);
            room += 4 * p.joined[std::size_t(k)];
            if (to) rows[k] = reinterpret_cast<const float*>(more.joined[std::size_t(k)] = to);
        }
        attention_operands x{a.in<float>(0), rows[0], rows[1], a.out<float>(0)};
        if (o.mask == element::boolean)
            x.truths = a.in<std::uint8_t>(3);
        else
            x.add = o.has.in<float>(a, 3);
        return attention_of_core<hooks>(p.core, s, x, more, c).run(room);
    }

  private:
    struct hooks : attention_hooks {
        const onnx_attention_params& p;
        const std::int64_t* valid;
        const arguments& a;
        std::array<std::byte*, 2> joined;
        attention_core::range seen(std::int64_t b, std::int64_t i) const noexcept {
            const auto r = p.seen(i, valid ? valid[b] : p.keys());
            return {r.begin, r.end};
        }
        void fetch(std::int64_t b, std::int64_t g, std::int64_t from, std::int64_t to,
                   const attention_block&) const noexcept {
            for (int k : {0, 1})
                if (joined[std::size_t(k)]) p.join(k, 4, a, joined[std::size_t(k)], b, g, from, to);
        }
    };
};
}  // namespace v1
}  // namespace inlay

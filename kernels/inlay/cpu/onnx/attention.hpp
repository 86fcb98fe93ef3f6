// Attention of ONNX on the CPU, by the shared attention core: of float32, with a bool or float32 mask. Keys and values
// of former calls are copied once, into the present where it is an output. Those of 16 bits stay as they are and are
// widened to float32 in scratch; where a call has few rows, a block at a time.
#pragma once
#include <inlay/cpu/support/attention.hpp>
#include <inlay/onnx/attention.hpp>

namespace inlay {
inline namespace v1 {
struct onnx_attention_kernel : attention_core_kernel<> {
    struct params {
        onnx_attention_params base;
        attention_core core;
        std::array<std::int64_t, 2> joined;  // float32 of scratch for keys and values that no output holds
        std::array<element, 2> input_types;  // the type of the given keys and values
        // Scratch, in float32 elements, for keys (0) or values (1) that are given in 16 bits and not widened by blocks.
        constexpr std::int64_t wide(isa::level l, int k) const {
            const std::int64_t size = k == 0 ? base.size : base.value_size;
            return core.narrow && !core.by_block(l) ? padded_floats(base.batches * base.groups * base.keys() * size)
                                                    : 0;
        }
    };
    struct state {
        attention_tables tables{};
        const half_f32_table* halves = nullptr;  // where keys have 16 bits
    };
    static constexpr verdict supports(const node_view& n) {
        if (const verdict v = onnx_attention_types(n); !v) return v;
        if (n.has_output(3)) return no("the reference kernel returns the scores");
        const bool half = is_half(n.input(0).type);  // else nothing is widened
        const auto fits = [&](element e) { return e == element::f32 || (half && is_half(e)); };
        if (!fits(n.input(2).type)) return no("fast only where V has floats, or 16 bits as Q");
        if (n.has_input(3) && n.input(3).type != element::boolean && !fits(n.input(3).type))
            return no("fast only with truth values or floats as a mask");
        const std::int64_t softened = n.integer("softmax_precision", 0);
        return softened == 0 || softened == 1 ? yes() : no("fast only where scores are softened as floats");
    }
    static constexpr params prepare(const node_view& n) {
        params p{};
        onnx_attention_params& o = p.base;
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
        c.narrow = is_half(n.input(1).type);
        c.hides = o.has.has_in(3);
        c.sees =
            o.causal || o.left >= 0 || o.right >= 0 || o.has.has_in(6) || (o.has.has_in(3) && o.mask_keys < o.keys());
        for (int k : {0, 1}) {
            const std::int64_t size = k == 0 ? o.size : o.value_size;
            p.input_types[std::size_t(k)] = n.input(1 + k).type;
            if (!c.narrow && !o.has.has_in(4) && !o.has.has_out(1 + k)) continue;
            c.joins = true;
            (k == 0 ? c.k : c.v) = {o.groups * o.keys() * size, o.keys() * size, size};
            if (!c.narrow && !o.has.has_out(1 + k))
                p.joined[std::size_t(k)] = padded_floats(o.batches * o.groups * o.keys() * size);
        }
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {0, p.core.bytes(l, threads) + 4 * (p.joined[0] + p.joined[1] + p.wide(l, 0) + p.wide(l, 1))};
    }
    template <weight_formats Linked = weight_formats{true, true}>
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s = {attention_tables::of<Linked>(u.level), nullptr};
        return status::ok;
    }
    template <weight_formats = weight_formats{true, true}>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const onnx_attention_params& o = p.base;
        if (!o.valid(a)) return c.fail("nonpad_kv_seqlen is not within the keys");
        const float* rows[] = {a.in<float>(1), a.in<float>(2)};
        hooks more{{}, p, s, o.has.in<std::int64_t>(a, 6), a, {}, {}};
        float* room = reinterpret_cast<float*>(c.scratch);
        for (std::size_t k : {0, 1}) {
            more.joined[k] = p.joined[k] > 0 ? reinterpret_cast<std::byte*>(room) : o.has.out<std::byte>(a, 1 + int(k));
            room += p.joined[k];
            if (const std::int64_t wide = p.wide(s.tables.level, int(k))) {
                more.wide[k] = room;
                room += wide;
            }
            if (p.core.narrow)
                rows[k] = more.wide[k];
            else if (more.joined[k])
                rows[k] = reinterpret_cast<const float*>(more.joined[k]);
        }
        attention_operands x{a.in<float>(0), rows[0], rows[1], a.out<float>(0)};
        if (o.mask == element::boolean)
            x.truths = a.in<std::uint8_t>(3);
        else
            x.add = o.has.in<float>(a, 3);
        return attention_of_core<hooks>(p.core, s.tables, x, more, c).run(reinterpret_cast<std::byte*>(room));
    }

  private:
    struct hooks : attention_hooks {
        const params& p;
        const state& s;
        const std::int64_t* valid;
        const arguments& a;
        std::array<std::byte*, 2> joined;  // all keys and values as they are given
        std::array<float*, 2> wide;        // as float32, where they are not widened by blocks
        attention_core::range seen(std::int64_t b, std::int64_t i) const noexcept {
            const auto r = p.base.seen(i, valid ? valid[b] : p.base.keys());
            return {r.begin, r.end};
        }
        void fetch(std::int64_t b, std::int64_t g, std::int64_t from, std::int64_t to,
                   const attention_block& block) const noexcept {
            for (int k : {0, 1}) {
                const auto at = std::size_t(k);
                if (joined[at]) p.base.join(k, bits_of(p.input_types[at]) / 8, a, joined[at], b, g, from, to);
                const std::int64_t size = k == 0 ? p.base.size : p.base.value_size, first = std::max(from, block.first);
                if (block.rows[at])
                    widen(k, b, g, first, to, block.rows[at] + (first - block.first) * size);
                else if (wide[at])
                    widen(k, b, g, first, to, wide[at] + ((b * p.base.groups + g) * p.base.keys() + first) * size);
            }
        }

      private:
        // Rows [from, to) of keys or values of a head.
        void widen(int k, std::int64_t b, std::int64_t g, std::int64_t from, std::int64_t to, float* y) const noexcept {
            const onnx_attention_params& o = p.base;
            const onnx_attention_params::operand& x = k == 0 ? o.k : o.v;
            const std::int64_t size = k == 0 ? o.size : o.value_size, former = std::min(to, o.past) - from;
            if (former > 0) {
                widen(k, 4 + k, ((b * o.groups + g) * o.past + from) * size, former * size, y);
                y += former * size;
                from += former;
            }
            const bool together = x.row == size;
            for (std::int64_t rows = together ? to - from : 1; from < to; from += rows, y += rows * size)
                widen(k, 1 + k, x.at(b, g, from - o.past), rows * size, y);
        }
        // Elements of an input from `first` on.
        void widen(int k, int input, std::int64_t first, std::int64_t count, float* y) const noexcept {
            const element type = p.input_types[std::size_t(k)];
            if (type == element::f32)
                std::copy_n(a.in<float>(input) + first, count, y);
            else
                (type == element::f16 ? s.halves->float16 : s.halves->bfloat16)
                    .widen(a.in<std::uint16_t>(input) + first, y, count);
        }
    };
};
template <> struct kernel<op::onnx_attention, device::cpu, types<float>> : onnx_attention_kernel {};
// Keys and values stay as they are.
using half_onnx_attention_kernel =
    narrow_attention_kernel<onnx_attention_kernel, 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5, 1 << 1 | 1 << 2>;
template <>
struct kernel<op::onnx_attention, device::cpu, types<float16>> : widened_kernel<half_onnx_attention_kernel> {};
template <>
struct kernel<op::onnx_attention, device::cpu, types<bfloat16>> : widened_kernel<half_onnx_attention_kernel> {};
}  // namespace v1
}  // namespace inlay

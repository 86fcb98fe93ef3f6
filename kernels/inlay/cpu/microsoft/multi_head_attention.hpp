// MultiHeadAttention on the CPU, by the shared attention core. Keys and values of former calls, and those with a bias,
// are written once, into the present where it is an output; the mask of keys is converted to numbers that are added.
#pragma once
#include <inlay/cpu/support/attention.hpp>
#include <inlay/microsoft/multi_head_attention.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::multi_head_attention, device::cpu, types<float>> : attention_core_kernel<> {
    struct params {
        multi_head_params base;
        attention_core core;
        std::array<std::int64_t, 3> room;  // float32 of scratch for keys and values that no output holds, and the mask
        std::array<bool, 2> joined;
    };
    static constexpr verdict supports(const node_view& n) {
        if (n.has_input(6) && n.has_input(8)) return no("buffers with room: the reference kernel runs");
        return kernel<op::multi_head_attention, device::reference, types<float>>::supports(n);
    }
    static constexpr params prepare(const node_view& n) {
        multi_head_params p;
        (void)multi_head_params::read(n, p);
        return of(p, n.graph.precision == precision::bfloat16);
    }
    static constexpr params of(const multi_head_params& base, bool bf16) {
        params p{};
        p.base = base;
        multi_head_params& o = p.base;
        attention_core& c = p.core;
        const auto operand = [](const multi_head_params::operand& x) {
            return attention_core::operand{x.batch, x.head, x.row};
        };
        c.q = operand(o.q);
        c.k = operand(o.k);
        c.v = operand(o.v);
        c.y = {o.q.rows * o.heads * o.v.size, o.v.size, o.heads * o.v.size};
        c.mask = {o.bias_batch, o.bias_head, o.keys()};
        c.mask_column = 1;
        c.batches = o.batches;
        c.heads = c.groups = o.heads;
        c.rows = o.q.rows;
        c.keys = o.keys();
        c.size = o.q.size;
        c.value_size = o.v.size;
        c.scale = o.scale;
        c.bf16 = bf16;
        c.loads = o.q.bias >= 0;
        c.sees = o.causal;
        c.zeros = true;
        c.hides = o.has.has_in(5);
        for (int k : {0, 1}) {
            const multi_head_params::operand& x = k == 0 ? o.k : o.v;
            p.joined[std::size_t(k)] = o.has.has_in(6) || x.bias >= 0 || o.has.has_out(1 + k);
            if (!p.joined[std::size_t(k)]) continue;
            (k == 0 ? c.k : c.v) = {o.heads * o.keys() * x.size, o.keys() * x.size, x.size};
            c.joins = true;
            if (!o.has.has_out(1 + k)) p.room[std::size_t(k)] = padded_floats(o.batches * o.heads * o.keys() * x.size);
        }
        if (o.mask != multi_head_params::none)
            p.room[2] = padded_floats(o.batches * (o.mask == multi_head_params::per_row ? o.q.rows : 1) * o.keys());
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {0, p.core.bytes(l, threads) + 4 * (p.room[0] + p.room[1] + p.room[2])};
    }
    template <weight_formats = weight_formats{true, true}>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const multi_head_params& o = p.base;
        float* room = reinterpret_cast<float*>(c.scratch);
        hooks more{{}, p, s, a, {}};
        const float* rows[2];
        for (int k : {0, 1}) {
            const multi_head_params::operand& x = k == 0 ? o.k : o.v;
            rows[k] = a.in<float>(x.input) + x.at;
            if (!p.joined[std::size_t(k)]) continue;
            rows[k] = more.joined[std::size_t(k)] = o.has.has_out(1 + k) ? a.out<float>(1 + k) : room;
            room += p.room[std::size_t(k)];
        }
        attention_operands x{a.in<float>(0) + o.q.at, rows[0], rows[1], a.out<float>(0), o.has.in<float>(a, 5)};
        if (o.mask != multi_head_params::none) {
            write_mask(o, a, room);
            x.also = room;
            x.also_row = o.mask == multi_head_params::per_row ? o.keys() : 0;
            x.also_batch = o.mask == multi_head_params::per_row ? o.q.rows * o.keys() : o.keys();
            room += p.room[2];
        }
        return attention_of_core<hooks>(p.core, s, x, more, c).run(reinterpret_cast<std::byte*>(room));
    }

  private:
    struct hooks : attention_hooks {
        const params& p;
        const state& s;
        const arguments& a;
        std::array<float*, 2> joined;
        attention_core::range seen(std::int64_t, std::int64_t i) const noexcept { return {0, p.base.end(i)}; }
        void load(std::int64_t b, std::int64_t h, std::int64_t i, float* to) const noexcept {
            with_bias(p.base.q, s, a, b, h, i, to);
        }
        void fetch(std::int64_t b, std::int64_t h, std::int64_t from, std::int64_t to,
                   const attention_block&) const noexcept {
            for (int k : {0, 1})
                if (joined[std::size_t(k)]) join(k, b, h, from, to);
        }

      private:
        void join(int k, std::int64_t b, std::int64_t h, std::int64_t from, std::int64_t to) const noexcept {
            const multi_head_params& o = p.base;
            const multi_head_params::operand& x = k == 0 ? o.k : o.v;
            const std::int64_t head = b * o.heads + h;
            const float* const old = o.has.in<float>(a, 6 + k);
            float* const rows = joined[std::size_t(k)] + head * o.keys() * x.size;
            if (old && old != joined[std::size_t(k)] && from < o.past)
                std::copy(old + (head * o.past + from) * x.size, old + (head * o.past + std::min(to, o.past)) * x.size,
                          rows + from * x.size);
            for (std::int64_t j = std::max(from, o.past); j < to; ++j)
                with_bias(x, s, a, b, h, j - o.past, rows + j * x.size);
        }
    };
    static void with_bias(const multi_head_params::operand& o, const state& s, const arguments& a, std::int64_t b,
                          std::int64_t h, std::int64_t i, float* to) noexcept {
        std::copy_n(a.in<float>(o.input) + b * o.batch + h * o.head + i * o.row + o.at, o.size, to);
        if (o.bias >= 0) s.attention->add(to, 0, 1, o.size, a.in<float>(3) + o.bias + h * o.size, 0);
    }
    static void write_mask(const multi_head_params& p, const arguments& a, float* to) noexcept {
        const std::int64_t rows = p.mask == multi_head_params::per_row ? p.q.rows : 1;
        for (std::int64_t b = 0; b < p.batches; ++b)
            for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t j = 0; j < p.keys(); ++j)
                    *to++ = p.masked(a.in<std::int32_t>(4), b, i, j) ? float(p.fill) : 0;
    }
};
}  // namespace v1
}  // namespace inlay

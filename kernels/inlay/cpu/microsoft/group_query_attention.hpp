// GroupQueryAttention on the CPU, by the core that all attention has: rows of Q are normalised and turned as a block of
// them is multiplied, those of K once, into the present.
#pragma once
#include <inlay/cpu/isa/norm_f32.hpp>
#include <inlay/cpu/support/attention.hpp>
#include <inlay/microsoft/group_query_attention.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::group_query_attention, device::cpu, types<float>> : simple_kernel {
    struct params {
        group_query_params own;
        attention_core core;
    };
    struct state {
        attention_tables tables{};
        const norm_f32_table* norm = nullptr;
    };
    static constexpr verdict supports(const node_view& n) {
        if (n.text("k_quant_type", "NONE") != "NONE") return no("the plain loop reads quantised keys and values");
        return kernel<op::group_query_attention, device::reference, types<float>>::supports(n);
    }
    static constexpr params prepare(const node_view& n) {
        params p{};
        group_query_params& o = p.own;
        (void)o.read_all(n);
        attention_core& c = p.core;
        c.q = {o.rows * o.row_width(), o.size, o.row_width()};
        c.k = c.v = {o.groups * o.present * o.size, o.present * o.size, o.size};
        c.y = {o.rows * o.heads * o.size, o.size, o.heads * o.size};
        c.mask = {o.bias_batch, o.bias_head, o.bias_width};
        c.mask_column = 1;
        c.batches = o.batches;
        c.heads = o.heads;
        c.groups = o.groups;
        c.rows = o.rows;
        c.keys = o.present;
        c.size = c.value_size = o.size;
        c.scale = o.scale;
        c.softcap = o.softcap;
        c.bf16 = n.graph.precision == precision::bfloat16;
        c.loads = o.rotary || o.has.has_in(14);
        c.sees = c.zeros = c.joins = true;
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {0, p.core.bytes(l, threads)};
    }
    static constexpr bool reduced(const params& p) { return p.core.rounds(isa::level::avx512bf16); }
    static constexpr weight_formats needs(const params& p) { return {true, p.core.bf16}; }
    template <weight_formats Linked = weight_formats{true, true}>
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s = {attention_tables::of<Linked>(u.level), &norm_f32(u.level)};
        return status::ok;
    }
    template <weight_formats = weight_formats{true, true}>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const group_query_params& o = p.own;
        if (const status done = o.check(a, c); done != status::ok) return done;
        const hooks more{{}, o, s, a};
        if (!p.core.fetches(s.tables.level))
            c.split(o.batches * o.groups, 1 + 65536 / std::max<std::int64_t>(1, o.present * o.size),
                    [&](std::int64_t first, std::int64_t last, int) {
                        for (std::int64_t i = first; i < last && !c.stopped(); ++i)
                            more.fetch(i / o.groups, i % o.groups, 0, o.present);
                    });
        const attention_operands x{a.in<float>(0), a.out<float>(1), a.out<float>(2), a.out<float>(0),
                                   o.has.in<float>(a, 10)};
        return attention_of_core<hooks>(p.core, s.tables, x, more, c).run(c.scratch);
    }

  private:
    struct hooks : attention_hooks {
        const group_query_params& p;
        const state& s;
        const arguments& a;
        attention_core::range seen(std::int64_t b, std::int64_t i) const noexcept {
            const auto r = p.seen(p.former(a, b), i);
            return {r.begin, r.end};
        }
        bool sinks() const noexcept { return p.smooth || p.has.has_in(11); }
        float sink(std::int64_t h) const noexcept { return p.has.has_in(11) ? a.in<float>(11)[h] : 0; }
        void load(std::int64_t b, std::int64_t h, std::int64_t i, float* to) const noexcept {
            load(a.in<float>(0) + (b * p.rows + i) * p.row_width() + h * p.size, b, i, 14, to);
        }
        void fetch(std::int64_t b, std::int64_t g, std::int64_t from, std::int64_t to) const noexcept {
            for (int k : {0, 1}) extend(k, b, g, from, to);
        }

      private:
        // Rows [from, to) of present keys (0) or values (1) of a head: the former ones, the new ones; behind them what
        // was there, or 0.
        void extend(int k, std::int64_t b, std::int64_t g, std::int64_t from, std::int64_t to) const noexcept {
            const std::int64_t head = b * p.groups + g, old = p.former(a, b), end = old + p.rows;
            const float* past = p.has.in<float>(a, 3 + k);
            float* const present = a.out<float>(1 + k) + head * p.present * p.size;
            if (past != a.out<float>(1 + k)) {
                const std::int64_t kept = past ? p.past : 0;
                const auto copy = [&](std::int64_t first, std::int64_t last) {
                    if (first < last)
                        std::copy(past + (head * p.past + first) * p.size, past + (head * p.past + last) * p.size,
                                  present + first * p.size);
                };
                copy(from, std::min({to, old, kept}));
                copy(std::max(from, end), std::min(to, kept));
                if (const std::int64_t first = std::max({from, end, kept}); first < to)
                    std::fill(present + first * p.size, present + to * p.size, 0.f);
            }
            const float* rows = p.packed ? a.in<float>(0) + (p.heads + k * p.groups) * p.size : a.in<float>(1 + k);
            for (std::int64_t i = std::max<std::int64_t>(0, from - old); i < std::min(p.rows, to - old); ++i) {
                const float* row = rows + (b * p.rows + i) * p.other_width() + g * p.size;
                if (k == 1)
                    std::copy_n(row, p.size, present + (old + i) * p.size);
                else
                    load(row, b, i, 15, present + (old + i) * p.size);
            }
        }
        // A row of a head as it is compared: normalised and turned.
        void load(const float* x, std::int64_t b, std::int64_t i, int norm, float* to) const noexcept {
            if (const float* weight = p.has.in<float>(a, norm)) {
                s.norm->rms_norm({x, weight, nullptr, to, nullptr, nullptr, p.size, p.epsilon}, 0, 1);
                x = to;
            }
            if (p.rotary) {
                const std::int64_t at = p.position(a, b, i) * p.turned;
                s.tables.own->turn(x, a.in<float>(7) + at, a.in<float>(8) + at, p.turned, p.size, p.interleaved, to);
            } else if (x != to)
                std::copy_n(x, p.size, to);
        }
    };
};
}  // namespace v1
}  // namespace inlay

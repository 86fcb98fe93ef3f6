// GroupQueryAttention on the CPU, by the shared attention core: rows of Q are normalized and rotated as a block of them
// is multiplied, those of K once, into the present. Keys and values that are quantized or have 16 bits are converted to
// float32 in scratch; where a call has few rows, a block at a time.
#pragma once
#include <inlay/cpu/isa/norm_f32.hpp>
#include <inlay/cpu/isa/quantize_f32.hpp>
#include <inlay/cpu/support/attention.hpp>
#include <inlay/microsoft/group_query_attention.hpp>

namespace inlay {
inline namespace v1 {
struct group_query_kernel : attention_core_kernel<> {
    struct params {
        group_query_params base;
        attention_core core;
        // Scratch, in float32 elements, for keys, and for values, that are not float32 and not converted by blocks.
        constexpr std::int64_t wide(isa::level l) const {
            return core.narrow && !core.by_block(l)
                       ? padded_floats(base.batches * base.groups * base.present * base.size)
                       : 0;
        }
    };
    using plain = kernel<op::group_query_attention, device::reference, types<float>>;
    struct state {
        attention_tables tables{};
        const norm_f32_table* norm = nullptr;
        const quantize_f32_table* quantize = nullptr;
        const half_f32_table* halves = nullptr;  // where the caches have 16 bits
    };
    static constexpr verdict supports(const node_view& n) {
        if (group_query_params::cache_type(n) == element::f8e4m3fn) return no("the reference kernel reads float8");
        return plain::supports(n);
    }
    static constexpr params prepare(const node_view& n) {
        params p{};
        group_query_params& o = p.base;
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
        c.hides = o.has.has_in(10);
        c.narrow = o.quantised || is_half(o.cache);
        return p;
    }
    static constexpr std::int64_t unkept(const params& p) { return p.base.unkept(plain::row_bytes(p.base)); }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {0, p.core.bytes(l, threads) + 8 * p.wide(l) + 2 * unkept(p)};
    }
    template <weight_formats Linked = weight_formats{true, true}>
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s = {attention_tables::of<Linked>(u.level), &norm_f32(u.level), &quantize_f32(u.level)};
        return status::ok;
    }
    template <weight_formats = weight_formats{true, true}>
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        const group_query_params& o = p.base;
        if (const status result = o.check(a, c); result != status::ok) return result;
        float* const wide = reinterpret_cast<float*>(c.scratch + p.core.bytes(s.tables.level, c.threads));
        const std::int64_t cache_floats = p.wide(s.tables.level);
        std::byte* const room = reinterpret_cast<std::byte*>(wide + 2 * cache_floats);
        const std::int64_t row = plain::row_bytes(o);
        const hooks more{
            {}, o, s, a, {wide, wide + cache_floats}, {o.cache_of(a, 0, room, row), o.cache_of(a, 1, room, row)}};
        const auto floats = [&](int k) {
            return p.core.narrow ? more.wide[std::size_t(k)] : reinterpret_cast<float*>(more.caches[std::size_t(k)]);
        };
        const attention_operands x{a.in<float>(0), floats(0), floats(1), a.out<float>(0), o.has.in<float>(a, 10)};
        return attention_of_core<hooks>(p.core, s.tables, x, more, c).run(c.scratch);
    }

  private:
    struct hooks : attention_hooks {
        const group_query_params& p;
        const state& s;
        const arguments& a;
        std::array<float*, 2> wide;
        std::array<std::byte*, 2> caches;
        attention_core::range seen(std::int64_t b, std::int64_t i) const noexcept {
            const auto r = p.seen(p.former(a, b), i);
            return {r.begin, r.end};
        }
        bool sinks() const noexcept { return p.smooth || p.has.has_in(11); }
        float sink(std::int64_t h) const noexcept { return p.has.has_in(11) ? a.in<float>(11)[h] : 0; }
        void load(std::int64_t b, std::int64_t h, std::int64_t i, float* to) const noexcept {
            load(a.in<float>(0) + (b * p.rows + i) * p.row_width() + h * p.size, b, i, 14, to);
        }
        void fetch(std::int64_t b, std::int64_t g, std::int64_t from, std::int64_t to,
                   const attention_block& block) const noexcept {
            for (int k : {0, 1}) {
                if (!p.reads_past()) extend(k, b, g, from, to, block);
                if (p.quantised || s.halves) widen(k, b, g, from, to, block);
            }
        }

      private:
        std::int64_t row_bytes() const noexcept { return s.halves && !p.quantised ? 2 * p.size : plain::row_bytes(p); }
        std::byte* present(int k, std::int64_t head) const noexcept {
            return caches[std::size_t(k)] + head * p.present * row_bytes();
        }
        const half_f32_table::format& half() const noexcept {
            return p.cache == element::f16 ? s.halves->float16 : s.halves->bfloat16;
        }
        // Where row j of keys or values is as float32; those of a block from its first row on.
        float* wide_row(int k, std::int64_t head, std::int64_t j, const attention_block& block) const noexcept {
            return block.rows[std::size_t(k)] ? block.rows[std::size_t(k)] + (j - block.first) * p.size
                                              : wide[std::size_t(k)] + (head * p.present + j) * p.size;
        }
        // Rows [from, to) of present keys (0) or values (1) of a head: the former ones, the new ones; after them the
        // former contents, or 0.
        void extend(int k, std::int64_t b, std::int64_t g, std::int64_t from, std::int64_t to,
                    const attention_block& block) const noexcept {
            const std::int64_t head = b * p.groups + g, old = p.former(a, b), end = old + p.added, bytes = row_bytes();
            const auto* past = p.has.in<std::byte>(a, 3 + k);
            std::byte* const cache = present(k, head);
            if (past != caches[std::size_t(k)]) {
                const std::int64_t past_rows = past ? p.past : 0;
                const auto copy = [&](std::int64_t first, std::int64_t end) {
                    if (first < end)
                        std::copy(past + (head * p.past + first) * bytes, past + (head * p.past + end) * bytes,
                                  cache + first * bytes);
                };
                copy(from, std::min({to, old, past_rows}));
                copy(std::max(from, end), std::min(to, past_rows));
                if (const std::int64_t first = std::max({from, end, past_rows}); first < to)
                    std::fill(cache + first * bytes, cache + to * bytes, std::byte(0));
            }
            const float* rows = p.packed ? a.in<float>(0) + (p.heads + k * p.groups) * p.size : a.in<float>(1 + k);
            for (std::int64_t i = std::max<std::int64_t>(0, from - old); i < std::min(p.added, to - old); ++i) {
                const float* row = rows + (b * p.rows + i) * p.other_width() + g * p.size;
                std::byte* const at = cache + (old + i) * bytes;
                const bool narrow = p.quantised || s.halves;
                float* const x = narrow ? wide_row(k, head, old + i, block) : reinterpret_cast<float*>(at);
                if (k == 1)
                    std::copy_n(row, p.size, x);
                else
                    load(row, b, i, 15, x);
                if (p.quantised)
                    narrow_row(k, g, x, at);
                else if (narrow)
                    half().narrow(x, reinterpret_cast<std::uint16_t*>(at), p.size);
            }
        }
        void narrow_row(int k, std::int64_t g, const float* x, std::byte* row) const noexcept {
            if (p.bits == 4) return plain::store_cached(p, a, k, g, x, row);
            const float* scale = a.in<float>(12 + k) + g * p.steps[std::size_t(2 * k)];
            auto* const codes = reinterpret_cast<std::int8_t*>(row);
            if (p.steps[std::size_t(2 * k + 1)] == 0)
                s.quantize->i8.quantize(x, codes, p.size, *scale, 0);
            else
                s.quantize->i8.quantize_each(x, codes, p.size, scale, nullptr);
        }
        // Rows [from, to) as float32, as the caches have them.
        void widen(int k, std::int64_t b, std::int64_t g, std::int64_t from, std::int64_t to,
                   const attention_block& block) const noexcept {
            const std::int64_t head = b * p.groups + g, bytes = row_bytes();
            from = std::max(from, block.first);
            to = std::min(to, p.former(a, b) + p.rows);
            if (from >= to) return;
            const std::byte* const rows = present(k, head) + from * bytes;
            float* const x = wide_row(k, head, from, block);
            if (!p.quantised)
                return half().widen(reinterpret_cast<const std::uint16_t*>(rows), x, (to - from) * p.size);
            for (std::int64_t j = 0; j < to - from; ++j) widen_row(k, g, rows + j * bytes, x + j * p.size);
        }
        void widen_row(int k, std::int64_t g, const std::byte* row, float* x) const noexcept {
            const std::int64_t step = p.steps[std::size_t(2 * k + 1)];
            const float* scale = a.in<float>(12 + k) + g * p.steps[std::size_t(2 * k)];
            if (p.bits == 8)
                return s.tables.attention->widen(reinterpret_cast<const std::int8_t*>(row), scale, step, p.size, x);
            std::int8_t codes[64];
            for (std::int64_t d = 0; d < p.size; d += 64) {
                const std::int64_t width = std::min<std::int64_t>(64, p.size - d);
                for (std::int64_t i = 0; i < width; i += 2) {
                    const auto two = std::to_integer<unsigned>(row[(d + i) / 2]);
                    codes[i] = static_cast<std::int8_t>(int(two & 15u) - 8);
                    codes[i + 1] = static_cast<std::int8_t>(int(two >> 4) - 8);
                }
                s.tables.attention->widen(codes, scale + d * step, step, width, x + d);
            }
        }
        // A row of a head as it is compared: normalized and rotated.
        void load(const float* x, std::int64_t b, std::int64_t i, int norm, float* to) const noexcept {
            if (const float* weight = p.has.in<float>(a, norm)) {
                s.norm->rms_norm({x, weight, nullptr, to, nullptr, nullptr, p.size, p.epsilon}, 0, 1);
                x = to;
            }
            if (p.rotary) {
                const std::int64_t at = p.position(a, b, i) * p.turned;
                s.tables.attention->turn(x, a.in<float>(7) + at, a.in<float>(8) + at, p.turned, p.size, p.interleaved,
                                         to);
            } else if (x != to)
                std::copy_n(x, p.size, to);
        }
    };
};
template <> struct kernel<op::group_query_attention, device::cpu, types<float>> : group_query_kernel {};
// The caches stay as they are.
using half_group_query_kernel = narrow_attention_kernel<group_query_kernel, 1 << 3 | 1 << 4, 1 << 1 | 1 << 2>;
template <>
struct kernel<op::group_query_attention, device::cpu, types<float16>> : widened_kernel<half_group_query_kernel> {};
template <>
struct kernel<op::group_query_attention, device::cpu, types<bfloat16>> : widened_kernel<half_group_query_kernel> {};
}  // namespace v1
}  // namespace inlay

// DecoderMaskedMultiHeadAttention of float32 on the CPU: keys and values are multiplied in place, those of former calls
// as far as one beam has them.
#pragma once
#include <inlay/cpu/isa/attention_f32.hpp>
#include <inlay/cpu/support/widened.hpp>
#include <inlay/microsoft/decoder_masked_multi_head_attention.hpp>

namespace inlay {
inline namespace v1 {
template <> struct kernel<op::decoder_masked_multi_head_attention, device::cpu, types<float>> : simple_kernel {
    using plain = kernel<op::decoder_masked_multi_head_attention, device::reference, types<float>>;
    using params = plain::params;
    struct state {
        const attention_f32_table* functions;
    };
    static constexpr verdict supports(const node_view& n) { return plain::supports(n); }
    static constexpr params prepare(const node_view& n) { return plain::prepare(n); }
    // Of a part, in float32 elements: the scores, a row of Q, and one of K or of V.
    static constexpr std::int64_t room(const params& p) {
        return (p.present() + p.size + std::max(p.size, p.value_size) + 15) / 16 * 16;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, 4 * threads * room(p)};
    }
    static status bind(const params&, constants, const setup& u, state& s) noexcept {
        s.functions = &attention_f32(u.level);
        return status::ok;
    }
    static status run(const params& p, const state& s, const arguments& a, context& c) noexcept {
        plain::run_sizes n{};
        if (const status result = plain::read_sizes(p, a, c, n); result != status::ok) return result;
        const std::int64_t work = n.keys * (p.size + p.value_size);
        c.split(p.batches * p.heads, 1 + 16384 / (work + 1), [&](std::int64_t first, std::int64_t end, int part) {
            float* const scores = reinterpret_cast<float*>(c.scratch) + part * room(p);
            for (std::int64_t i = first; i < end && !c.stopped(); ++i) {
                plain::keep(p, a, i, n.former);
                attend(p, *s.functions, a, scores, i, n);
            }
        });
        return c.stopped() ? c.end_of_run() : status::ok;
    }

  private:
    // The new row of Q (0), K (1) or V (2) of a head: where it lies, or with its bias in `to`.
    static const float* fresh(const params& p, const arguments& a, int k, std::int64_t i, float* to) noexcept {
        const plain::row_of row = plain::fresh(p, a, k, i);
        if (!row.bias) return row.x;
        for (std::int64_t d = 0; d < (k == 2 ? p.value_size : p.size); ++d) to[d] = row(d);
        return to;
    }
    // f(rows of K (1) or V (2), the first key, so many keys) for those that follow each other.
    template <class F>
    static void each_run(const params& p, const arguments& a, int k, std::int64_t i, const plain::run_sizes& n,
                         float* row, F f) noexcept {
        if (p.across) return f(a.in<float>(k) + i * p.cross_keys * (k == 2 ? p.value_size : p.size), 0, p.cross_keys);
        const std::int32_t* beam = p.has.in<std::int32_t>(a, 9);
        if (beam) beam += i / p.heads * p.beams_rows;
        for (std::int64_t first = 0, end; first < n.former; first = end) {
            for (end = first + 1; end < n.former && (!beam || beam[end] == beam[first]);) ++end;
            f(plain::former_row(p, a, k, i, first, n.beams), first, end - first);
        }
        f(fresh(p, a, k, i, row), n.former, 1);
    }
    static void attend(const params& p, const attention_f32_table& functions, const arguments& a, float* scores,
                       std::int64_t i, const plain::run_sizes& n) noexcept {
        float *const q_room = scores + p.present(), *const row = q_room + p.size,
                     *const y = a.out<float>(0) + i * p.value_size;
        const attention_f32_few q{fresh(p, a, 0, i, q_room), 0, 1};
        each_run(p, a, 1, i, n, row, [&](const float* k, std::int64_t first, std::int64_t keys) {
            functions.dots(q, k, p.size, keys, p.size, float(p.scale), scores + first, 0);
        });
        const std::int64_t b = i / p.heads;
        if (const float* bias = p.has.in<float>(a, 4)) {
            bias += b * p.bias_batch + i % p.heads * p.bias_head;
            for (std::int64_t j = 0; j < n.keys; ++j) scores[j] += bias[j];
        }
        if (const std::int32_t* mask = p.has.in<std::int32_t>(a, 3))
            for (std::int64_t j = 0; j < n.keys; ++j)
                if (mask[b * p.mask_keys + j] <= 0) scores[j] += float(p.fill);
        if (float* scores_output = p.has.out<float>(a, 3)) std::copy_n(scores, n.keys, scores_output + i * n.keys);
        soften(scores, n.keys, false, 0);
        if (n.keys == 0) std::fill_n(y, p.value_size, 0.f);
        each_run(p, a, 2, i, n, row, [&](const float* v, std::int64_t first, std::int64_t keys) {
            functions.weigh({scores + first, 0, 1}, v, p.value_size, keys, p.value_size, first > 0, y, 0);
        });
    }
};
}  // namespace v1
}  // namespace inlay

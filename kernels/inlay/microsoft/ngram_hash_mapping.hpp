// NGramHashMapping (com.microsoft, since 1): for each token and n from 2 to max_ngram_size, mix = the bitwise exclusive
// or of the last n tokens, each times its multiplier. For each of n_head_per_ngram heads mix modulo the head's
// vocabulary size, plus the head's offset. What is before a sequence is past_ids; before these, or without them, the
// end-of-sequence token, or pad_id where there is none. With reset_on_eos a token sees of what is before the last
// end-of-sequence token, itself included, and else of other segments, nothing but the end-of-sequence token (or
// pad_id). Multiplication wraps around; remainders are not negative.
// VarlenNGramHashMapping (since 1): the same of sequences that lie one after the other.
// Inputs: input_ids [batch, tokens] (or [tokens]), multipliers, vocab_sizes, cumulative_sequence_length (Varlen),
// past_ids, head_offsets, eos_token_id, segment_ids, past_segment_ids and capture_count (Varlen). Outputs: hashes, the
// last ids, their segments and the last ids after each of the first tokens (both Varlen).
#pragma once
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <inlay/support/stop_check.hpp>
#include <algorithm>

namespace inlay {
inline namespace v1 {
struct ngram_hash_params {
    std::int64_t batches = 0, tokens = 0, order = 2, heads_per_order = 1, pad = 0, capacity = 0;
    bool packed = false, resets = false;
    presence has{};
    static constexpr int absent = 31;  // no input
    int lengths = absent, past = 3, offsets = 4, eos = 5, segments = 6, past_segments = absent, captures = absent;

    constexpr std::int64_t past_length() const { return order - 1; }
    constexpr std::int64_t heads() const { return past_length() * heads_per_order; }
    constexpr verdict read(const node_view& n, bool varlen) {
        constexpr std::int64_t most = std::int64_t(1) << 24;  // so that nothing here overflows
        packed = varlen;
        if (varlen) {
            lengths = 3, past = 4, offsets = 5, eos = 6, segments = 7, past_segments = 8, captures = 9;
            capacity = n.integer("state_update_capacity", 0);
            if (capacity < 0 || capacity > 8) return no("state_update_capacity must be 0 to 8");
        }
        has = presence(n);
        for (int k = 0; k < (varlen ? 4 : 3); ++k)
            if (!has.has_in(k)) return no("an input is missing");
        if (!n.has("pad_id")) return no("pad_id is missing");
        pad = n.integer("pad_id", 0);
        order = n.integer("max_ngram_size", 0);
        heads_per_order = n.integer("n_head_per_ngram", 0);
        resets = n.integer("reset_on_eos", 0) != 0;
        if (order < 2 || order > most) return no("max_ngram_size must be 2 or more");
        if (heads_per_order < 1 || heads_per_order > most) return no("n_head_per_ngram must be positive");
        if (has.has_in(past_segments) && !has.has_in(segments)) return no("past_segment_ids needs segment_ids");
        return has.has_in(captures) == (capacity > 0)
                   ? yes()
                   : no("capture_count is there exactly where state_update_capacity is positive");
    }
    constexpr verdict read_shapes(const node_view& n) {  // where all of them are known
        const shape& ids = n.input(0).dims;
        if (ids.rank != (packed ? 1 : 2)) return no("input_ids must be [batch, tokens], packed [tokens]");
        tokens = ids.elements();
        batches = packed ? 0 : ids[0];
        if (packed) {
            const shape& cuts = n.input(lengths).dims;
            if (cuts.rank != 1 || cuts[0] < 1)
                return no("cumulative_sequence_length must have one number more than there are sequences");
            batches = cuts[0] - 1;
        }
        if (n.input(1).dims.rank != 1 || n.input(1).dims[0] < order)
            return no("multipliers must have max_ngram_size numbers");
        for (int k : {2, offsets})
            if (has.has_in(k) && n.input(k).dims != shape{heads()})
                return no("vocab_sizes and head_offsets must have one number per head");
        for (int k : {past, past_segments})
            if (has.has_in(k) && n.input(k).dims != shape{batches, past_length()})
                return no("past_ids and past_segment_ids must be [batch, max_ngram_size - 1]");
        if (has.has_in(eos) && n.input(eos).dims.elements() != 1) return no("eos_token_id must be one number");
        if (has.has_in(segments) && n.input(segments).dims != ids)
            return no("input_ids and segment_ids differ in shape");
        if (has.has_in(captures) && n.input(captures).dims != shape{batches})
            return no("capture_count must have one number per sequence");
        return countable({tokens, heads()}) && countable({batches, past_length(), std::max<std::int64_t>(capacity, 1)})
                   ? yes()
                   : no("the output is too large");
    }
    constexpr verdict outputs(const node_view& n, std::span<shape> y) const {
        y[0] = n.input(0).dims;
        y[0].push_back(heads());
        for (std::size_t k = 1; k < y.size(); ++k)
            y[k] = k == 3 ? shape{batches, capacity, past_length()} : shape{batches, past_length()};
        return yes();
    }
};
namespace op {
template <bool Varlen> struct ngram_hashes : standard {
    static constexpr std::string_view domain = "com.microsoft";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<std::int32_t, std::int64_t>;
    static constexpr int required_inputs = 3;
    static constexpr bool varlen = Varlen;
    static constexpr operator_facts facts{.required_outputs = 1};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() > (varlen ? 10 : 7)) return no("there are too many inputs");
        ngram_hash_params p;
        if (const verdict v = p.read(n, varlen); !v) return v;
        for (int k = 0; k < n.input_count(); ++k)
            if (n.has_input(k) && !n.input(k).dims.known()) return yes();
        const verdict v = p.read_shapes(n);
        return v ? p.outputs(n, y) : v;
    }
    static constexpr element output_type(const node_view& n, int k) { return k == 2 ? element::i32 : n.input_type(0); }
};
struct ngram_hash_mapping : ngram_hashes<false> {
    static constexpr std::string_view onnx_name = "NGramHashMapping";
};
struct varlen_ngram_hash_mapping : ngram_hashes<true> {
    static constexpr std::string_view onnx_name = "VarlenNGramHashMapping";
};
}  // namespace op

template <class Op, class T> struct ngram_hash_kernel : simple_kernel {
    using params = ngram_hash_params;
    static constexpr verdict supports(const node_view& n) {
        params p;
        (void)p.read(n, Op::varlen);
        for (int k : {1, 2, p.past, p.offsets, p.eos})
            if (n.has_input(k) && n.input(k).type != n.input(0).type)
                return no("ids, multipliers, sizes and offsets must have one type");
        for (int k : {p.lengths, p.segments, p.past_segments, p.captures})
            if (n.has_input(k) && n.input(k).type != element::i32) return no("lengths and segments must be int32");
        if (n.has_output(2) && !n.has_input(p.segments)) return no("present_segment_ids needs segment_ids");
        return p.pad == static_cast<T>(p.pad) ? yes() : no("pad_id is no number of input_ids' type");
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.read(n, Op::varlen);
        (void)p.read_shapes(n);
        return p;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        for (std::int64_t h = 0; h < p.heads(); ++h)
            if (a.in<T>(2)[h] < 1) return c.fail("vocab_sizes: a size is not positive");
        if (!well_cut(p, a)) return c.fail("cumulative_sequence_length must ascend from 0 to the number of tokens");
        c.split(p.batches, 1, [&](std::int64_t first, std::int64_t end, int) {
            stop_check stops(c);
            for (std::int64_t b = first; b < end; ++b) {
                const sequence s(p, a, b);
                if (!hash(p, a, s, stops)) return;
                keep(p, a, s, b);
            }
        });
        return c.stopped() ? c.end_of_run() : status::ok;
    }

  private:
    using wrapping = std::make_unsigned_t<T>;
    static bool well_cut(const params& p, const arguments& a) noexcept {
        const std::int32_t* cuts = p.has.template in<std::int32_t>(a, p.lengths);
        if (!cuts) return true;
        for (std::int64_t b = 0; b < p.batches; ++b)
            if (cuts[b] >= cuts[b + 1]) return false;  // each sequence has a token
        return cuts[0] == 0 && cuts[p.batches] == p.tokens;
    }
    struct sequence {  // positions count from its first token; those of the past are negative
        std::int64_t begin = 0, length = 0, past_length = 0;
        const T *ids, *past;
        const std::int32_t *segments, *past_segments;
        T missing;
        sequence(const params& p, const arguments& a, std::int64_t b) noexcept
            : begin(b * (p.packed ? 0 : p.tokens / p.batches)),
              length(p.packed ? 0 : p.tokens / p.batches),
              past_length(p.past_length()),
              past(p.has.template in<T>(a, p.past)),
              segments(p.has.template in<std::int32_t>(a, p.segments)),
              past_segments(p.has.template in<std::int32_t>(a, p.past_segments)),
              missing(p.has.has_in(p.eos) ? *a.in<T>(p.eos) : static_cast<T>(p.pad)) {
            if (p.packed) {
                const std::int32_t* cuts = a.in<std::int32_t>(p.lengths);
                begin = cuts[b];
                length = cuts[b + 1] - begin;
            }
            ids = a.in<T>(0) + begin;
            if (past) past += (b + 1) * past_length;
            if (segments) segments += begin;
            if (past_segments) past_segments += (b + 1) * past_length;
        }
        T id(std::int64_t t) const noexcept { return t >= 0 ? ids[t] : past && t >= -past_length ? past[t] : missing; }
        std::int32_t segment(std::int64_t t) const noexcept {
            return t >= 0 ? segments[t] : past_segments ? past_segments[t] : segments[0];
        }
        // The last position that the first token does not see, or none.
        std::int64_t hidden_at_start(bool resets) const noexcept {
            std::int64_t hidden = -past_length - 1;
            for (std::int64_t t = -past_length; t < 0; ++t)
                if ((resets && id(t) == missing) || (past_segments && segment(t) != segment(t + 1))) hidden = t;
            return hidden;
        }
        bool ends_before(std::int64_t t, bool resets) const noexcept {  // t: not the first token
            return (resets && ids[t - 1] == missing) || (segments && segments[t] != segments[t - 1]);
        }
    };
    static bool hash(const params& p, const arguments& a, const sequence& s, stop_check& stops) noexcept {
        const bool resets = p.resets && p.has.has_in(p.eos);
        const T *multipliers = a.in<T>(1), *sizes = a.in<T>(2), *offsets = p.has.template in<T>(a, p.offsets);
        std::int64_t hidden = s.length > 0 ? s.hidden_at_start(resets) : 0;
        for (std::int64_t t = 0; t < s.length; ++t) {
            if (stops(p.order + p.heads())) return false;
            if (t > 0 && s.ends_before(t, resets)) hidden = t - 1;
            T* y = a.out<T>(0) + (s.begin + t) * p.heads();
            wrapping mix = 0;
            for (std::int64_t k = 0; k < p.order; ++k) {
                const T token = t - k <= hidden ? s.missing : s.id(t - k);
                mix = static_cast<wrapping>(
                    mix ^ static_cast<wrapping>(static_cast<wrapping>(token) * static_cast<wrapping>(multipliers[k])));
                for (std::int64_t h = (k - 1) * p.heads_per_order; k > 0 && h < k * p.heads_per_order; ++h) {
                    const T rest = static_cast<T>(static_cast<T>(mix) % sizes[h]);
                    y[h] = rest < 0 ? static_cast<T>(rest + sizes[h]) : rest;
                    if (offsets) y[h] = static_cast<T>(static_cast<wrapping>(y[h]) + static_cast<wrapping>(offsets[h]));
                }
            }
        }
        return true;
    }
    static void keep(const params& p, const arguments& a, const sequence& s, std::int64_t b) noexcept {
        T *present = p.has.template out<T>(a, 1), *update = p.has.template out<T>(a, 3);
        auto* segments = p.has.template out<std::int32_t>(a, 2);
        for (std::int64_t i = 0; i < p.past_length(); ++i) {
            const std::int64_t t = s.length - p.past_length() + i;
            if (present) present[b * p.past_length() + i] = s.id(t);
            if (segments) segments[b * p.past_length() + i] = s.segment(t);
        }
        for (std::int64_t slot = 0; update && slot < p.capacity; ++slot) {
            const bool has_token = slot < s.length && slot < a.in<std::int32_t>(p.captures)[b];
            for (std::int64_t i = 0; i < p.past_length(); ++i)
                update[(b * p.capacity + slot) * p.past_length() + i] =
                    has_token ? s.id(slot + 1 - p.past_length() + i) : static_cast<T>(p.pad);
        }
    }
};
template <class T>
struct kernel<op::ngram_hash_mapping, device::reference, types<T>> : ngram_hash_kernel<op::ngram_hash_mapping, T> {};
template <class T>
struct kernel<op::varlen_ngram_hash_mapping, device::reference, types<T>>
    : ngram_hash_kernel<op::varlen_ngram_hash_mapping, T> {};
}  // namespace v1
}  // namespace inlay

// DecoderMaskedMultiHeadAttention (com.microsoft, since 1): MultiHeadAttention of one row of Q. Self attention: key and
// value are one row, or follow the query in its rows, and follow those of former calls; cross attention: they are
// [batch, heads, keys, size]. bias is added to the rows of Q, K and V, across to Q alone. mask_filter_value is added to
// the scores of keys that mask_index, [batch, keys], is not above 0 for. With past_present_share_buffer past and
// present have capacity for more rows, and past_sequence_length is how many there are. With beams a batch reads the
// former rows of the one of its beams that cache_indirection, [batch / beam_width, beam_width, rows], names for each
// row. Inputs: query, key, value, mask_index, attention_bias, past_key, past_value, past_sequence_length, beam_width,
// cache_indirection, bias. Outputs: output, present_key, present_value, the scores, masked.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/attention_rows.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <inlay/support/quantized.hpp>
#include <inlay/support/stop_check.hpp>

namespace inlay {
inline namespace v1 {
struct decoder_attention_params {
    std::int64_t batches = 0, heads = 0, size = 0, value_size = 0, past = 0, cross_keys = 0;
    std::int64_t mask_keys = -1, bias_keys = -1, bias_batch = 0, bias_head = 0, beams_rows = 0;
    double scale = 0, fill = 0;
    bool packed = false, across = false, shared = false;
    presence has{};
    constexpr std::int64_t present() const { return across ? cross_keys : shared ? past : past + 1; }  // rows
    constexpr std::int64_t width() const { return heads * (packed ? 2 * size + value_size : size); }

    constexpr verdict read(const node_view& n) {
        constexpr std::int64_t most = std::int64_t(1) << 24;  // so that nothing here overflows
        has = presence(n);
        if (!has.has_in(0)) return no("query is missing");
        if (has.has_in(1) != has.has_in(2)) return no("key and value must come together");
        if (has.has_in(5) != has.has_in(6)) return no("past_key and past_value must come together");
        if (has.has_in(8) != has.has_in(9)) return no("beam_width and cache_indirection must come together");
        heads = n.integer("num_heads", 0);
        if (heads < 1 || heads > most) return no("num_heads must be positive");
        shared = n.integer("past_present_share_buffer", 0) != 0;
        if (shared && !has.has_in(7)) return no("a shared buffer needs past_sequence_length");
        scale = n.real("scale", 0);
        fill = n.real("mask_filter_value", -10000.);
        packed = !has.has_in(1);
        for (int k = 0; k < 11; ++k)
            if (has.has_in(k) && !n.input(k).dims.known()) return yes();
        if (const verdict v = read_rows(n); !v) return v;
        if (scale == 0) scale = 1 / std::sqrt(double(size));
        if (const verdict v = read_past(n); !v) return v;
        return read_rest(n);
    }

  private:
    constexpr verdict read_rows(const node_view& n) {
        const shape& q = n.input(0).dims;
        if (q.rank != 3 || q[1] != 1 || !countable(q)) return no("query must be [batch, 1, heads * size]");
        batches = q[0];
        const std::int64_t parts = packed ? 3 * heads : heads;
        if (q[2] < 1 || q[2] % parts != 0) return no("query does not divide into heads");
        size = value_size = q[2] / parts;
        if (packed) return yes();
        const shape &k = n.input(1).dims, &v = n.input(2).dims;
        across = k.rank == 4;
        if (across) {
            cross_keys = k[2];
            value_size = v.rank == 4 ? v[3] : 0;
            return v.rank == 4 && k == shape{batches, heads, cross_keys, size} &&
                           v == shape{batches, heads, cross_keys, value_size} && value_size > 0 && countable(k) &&
                           countable(v)
                       ? yes()
                       : no("key and value of cross attention must be [batch, heads, keys, size]");
        }
        if (k != q || v.rank != 3 || v[0] != batches || v[1] != 1 || v[2] < 1 || v[2] % heads != 0 || !countable(v))
            return no("key and value must be [batch, 1, heads * size]");
        value_size = v[2] / heads;
        return yes();
    }
    constexpr verdict read_past(const node_view& n) {
        if (across && (has.has_in(5) || shared)) return no("cross attention has no former keys");
        if (shared && !has.has_in(5)) return no("a shared buffer needs past_key and past_value");
        if (!has.has_in(5)) return yes();
        const shape &a = n.input(5).dims, &b = n.input(6).dims;
        if (a.rank != 4 || a != shape{batches, heads, a[2], size} || b != shape{batches, heads, a[2], value_size} ||
            !countable(a) || !countable(b))
            return no("past_key and past_value must be [batch, heads, rows, size]");
        past = a[2];
        return yes();
    }
    constexpr verdict read_rest(const node_view& n) {
        for (int k : {7, 8})
            if (has.has_in(k) && n.input(k).dims.elements() != 1)
                return no("past_sequence_length and beam_width must be one number");
        if (has.has_in(10) && n.input(10).dims != shape{heads * (2 * size + value_size)})
            return no("bias must have one number per column of Q, K and V");
        if (has.has_in(3)) {
            const shape& m = n.input(3).dims;
            if (m.rank != 2 || m[0] != batches) return no("mask_index must be [batch, keys]");
            mask_keys = m[1];
        }
        if (has.has_in(4)) {
            const shape& b = n.input(4).dims;
            if (b.rank != 4 || (b[0] != 1 && b[0] != batches) || (b[1] != 1 && b[1] != heads) || b[2] != 1 ||
                !countable(b))
                return no("attention_bias must be [batch or 1, heads or 1, 1, keys]");
            bias_keys = b[3];
            bias_head = b[1] > 1 ? b[3] : 0;
            bias_batch = b[0] > 1 ? b[1] * b[3] : 0;
        }
        if (has.has_in(9)) {
            const shape& c = n.input(9).dims;
            if (c.rank != 3 || c[0] * c[1] != batches) return no("cache_indirection must be [batch, beams, rows]");
            beams_rows = c[2];
        }
        const std::int64_t keys = across ? cross_keys : past + 1;
        if (!shared && ((mask_keys >= 0 && mask_keys != keys) || (bias_keys >= 0 && bias_keys != keys)))
            return no("mask_index or attention_bias has another number of keys");
        return yes();
    }
};

namespace op {
struct decoder_masked_multi_head_attention : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "DecoderMaskedMultiHeadAttention";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16>;
    static constexpr operator_facts facts{.required_outputs = 1};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() > 11) return no("there are too many inputs");
        decoder_attention_params p;
        if (const verdict v = p.read(n); !v) return v;
        if (p.size == 0) return yes();  // a shape is not known
        const shape output_shapes[] = {
            {p.batches, 1, p.heads * p.value_size},
            {p.batches, p.heads, p.present(), p.size},
            {p.batches, p.heads, p.present(), p.value_size},
            {p.batches, p.heads, 1, p.shared ? std::max(p.mask_keys, p.bias_keys) : p.present()}};
        for (std::size_t k = 0; k < std::min<std::size_t>(y.size(), 4); ++k) {
            if (!countable(output_shapes[k])) return no("an output is too large");
            y[k] = output_shapes[k];
        }
        return yes();
    }
    static constexpr element output_type(const node_view& n, int) { return n.input_type(0); }
};
}  // namespace op

template <class T> struct kernel<op::decoder_masked_multi_head_attention, device::reference, types<T>> : simple_kernel {
    using params = decoder_attention_params;
    static constexpr verdict supports(const node_view& n) {
        for (int k : {1, 2, 4, 5, 6, 10})
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("the inputs must have one type");
        for (int k : {3, 7, 8, 9})
            if (n.has_input(k) && n.input(k).type != element::i32) return no("mask, lengths and beams must be int32");
        params p;
        (void)p.read(n);
        if (p.across && (n.has_output(1) || n.has_output(2))) return no("cross attention has no present");
        if (!n.has_output(3)) return yes();
        if (n.output(3).type != n.input(0).type) return no("the scores must have the type of the query");
        return p.shared ? no("the scores of a shared buffer are not given back") : yes();
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.read(n);
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, std::int64_t(sizeof(float)) * scratch(p) * threads};
    }
    // The keys of former calls, and how many batches are beams of one.
    struct run_sizes {
        std::int64_t former, keys, beams;
    };
    static status read_sizes(const params& p, const arguments& a, context& c, run_sizes& s) noexcept {
        s.former = p.across ? 0 : p.shared ? *a.in<std::int32_t>(7) : p.past;
        s.keys = p.across ? p.cross_keys : s.former + 1;
        if (s.former < 0 || s.keys > p.present()) return c.fail("past_sequence_length does not fit past_key");
        if ((p.mask_keys >= 0 && p.mask_keys < s.keys) || (p.bias_keys >= 0 && p.bias_keys < s.keys))
            return c.fail("mask_index or attention_bias has too few keys");
        s.beams = p.has.has_in(8) ? *a.in<std::int32_t>(8) : 1;
        if (s.beams < 1 || p.batches % s.beams != 0) return c.fail("beam_width does not divide the batch");
        if (!p.has.has_in(9)) return status::ok;
        if (p.beams_rows < s.former) return c.fail("cache_indirection has too few rows");
        for (std::int64_t i = 0; i < p.batches * p.beams_rows; ++i)
            if (const auto beam = a.in<std::int32_t>(9)[i];
                i % p.beams_rows < s.former && (beam < 0 || beam >= s.beams))
                return c.fail("cache_indirection names no beam");
        return status::ok;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        run_sizes n{};
        if (const status s = read_sizes(p, a, c, n); s != status::ok) return s;
        c.split(p.batches * p.heads, 1, [&](std::int64_t first, std::int64_t end, int part) {
            stop_check stops(c);
            float* room = reinterpret_cast<float*>(c.scratch) + part * scratch(p);
            for (std::int64_t i = first; i < end; ++i) {
                if (stops(n.keys * (p.size + p.value_size))) return;
                keep(p, a, i, n.former);
                attend(p, a, room, i, n.former, n.beams);
            }
        });
        return c.stopped() ? status::stopped : status::ok;
    }

    struct row_of {
        const T *x, *bias;
        float operator()(std::int64_t d) const noexcept {
            return bias ? static_cast<float>(x[d]) + static_cast<float>(bias[d]) : static_cast<float>(x[d]);
        }
    };
    // The new row of Q (0), K (1) or V (2) of a head.
    static row_of fresh(const params& p, const arguments& a, int k, std::int64_t i) noexcept {
        const std::int64_t b = i / p.heads, h = i % p.heads, size = k == 2 ? p.value_size : p.size,
                           column = k * p.heads * p.size + h * size;
        const T *x = p.packed || k == 0 ? a.in<T>(0) + b * p.width() + (p.packed ? column : h * size)
                                        : a.in<T>(k) + (b * p.heads + h) * size,
                *bias = p.has.in<T>(a, 10);
        return {x, bias ? bias + column : nullptr};
    }
    static void keep(const params& p, const arguments& a, std::int64_t i, std::int64_t former) noexcept {
        for (int k : {1, 2}) {
            const std::int64_t size = k == 2 ? p.value_size : p.size;
            T* present = p.has.out<T>(a, k);
            if (!present) continue;
            const T* past = p.has.in<T>(a, 4 + k);
            if (past && past != present)
                std::copy_n(past + i * p.past * size, p.past * size, present + i * p.present() * size);
            const row_of x = fresh(p, a, k, i);
            T* to = present + (i * p.present() + former) * size;
            for (std::int64_t d = 0; d < size; ++d) to[d] = static_cast<T>(x(d));
        }
    }
    // Former row j of K (1) or V (2) for a head, of the beam that it follows.
    static const T* former_row(const params& p, const arguments& a, int k, std::int64_t i, std::int64_t j,
                               std::int64_t beams) noexcept {
        const std::int64_t size = k == 2 ? p.value_size : p.size, b = i / p.heads;
        const std::int64_t from = p.has.has_in(9) ? b / beams * beams + a.in<std::int32_t>(9)[b * p.beams_rows + j] : b;
        return a.in<T>(4 + k) + ((from * p.heads + i % p.heads) * p.past + j) * size;
    }

  private:
    static constexpr std::int64_t scratch(const params& p) { return p.present() + 1; }
    static row_of key_or_value(const params& p, const arguments& a, int k, std::int64_t i, std::int64_t j,
                               std::int64_t former, std::int64_t beams) noexcept {
        const std::int64_t size = k == 2 ? p.value_size : p.size;
        if (p.across) return {a.in<T>(k) + (i * p.cross_keys + j) * size, nullptr};
        if (j >= former) return fresh(p, a, k, i);
        return {former_row(p, a, k, i, j, beams), nullptr};
    }
    static void attend(const params& p, const arguments& a, float* scores, std::int64_t i, std::int64_t former,
                       std::int64_t beams) noexcept {
        const std::int64_t b = i / p.heads, keys = p.across ? p.cross_keys : former + 1;
        const row_of q = fresh(p, a, 0, i);
        const std::int32_t* mask = p.has.in<std::int32_t>(a, 3);
        T* scores_output = p.has.out<T>(a, 3);
        const T* bias = p.has.in<T>(a, 4);
        if (bias) bias += b * p.bias_batch + i % p.heads * p.bias_head;
        for (std::int64_t j = 0; j < keys; ++j) {
            const row_of k = key_or_value(p, a, 1, i, j, former, beams);
            float sum = 0;
            for (std::int64_t d = 0; d < p.size; ++d) sum += q(d) * k(d);
            sum *= float(p.scale);
            if (bias) sum += static_cast<float>(bias[j]);
            scores[j] = mask && mask[b * p.mask_keys + j] <= 0 ? sum + float(p.fill) : sum;
            if (scores_output) scores_output[i * keys + j] = static_cast<T>(scores[j]);
        }
        soften(scores, keys, false, 0);
        T* y = a.out<T>(0) + i * p.value_size;
        for (std::int64_t d = 0; d < p.value_size; ++d) {
            float sum = 0;
            for (std::int64_t j = 0; j < keys; ++j) sum += scores[j] * key_or_value(p, a, 2, i, j, former, beams)(d);
            y[d] = static_cast<T>(sum);
        }
    }
};
}  // namespace v1
}  // namespace inlay

// MultiHeadAttention (com.microsoft, since 1): softmax(scale Q K' + attention_bias, masked) V for each head, keys and
// values of former calls before the new ones. Q is [batch, rows, heads * size], or packed with K and V as [batch, rows,
// heads, 3, size]; K and V are like Q, or packed as [batch, rows, heads, 2, size], or [batch, heads, rows, size], and
// then have no bias. mask_filter_value is added to the scores of keys for which the mask is not above 0; a key to whose
// score attention_bias adds -inf does not count, whatever it is. key_padding_mask is the keys of each batch, [batch],
// alone or as the first numbers of [3 batch + 2], or one number per key, [batch, keys] or [batch, rows, keys].
// With past_sequence_length past and present have capacity for more rows than it counts, and the new ones follow those.
// With cache_indirection, [batch / beams, beams, capacity], batches are beams; row j of a past is that of the
// beam which it names. Inputs: query, key, value, bias, key_padding_mask, attention_bias, past_key, past_value,
// past_sequence_length, cache_indirection.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/attention_rows.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <inlay/support/quantized.hpp>
#include <inlay/support/stop_check.hpp>

namespace inlay {
inline namespace v1 {
struct multi_head_params {
    // Row i of head h of batch b begins at b * batch + h * head + i * row + at; its bias at `bias` + h * size.
    struct operand {
        int input = 0;
        std::int64_t batch = 0, head = 0, row = 0, at = 0, rows = 0, size = 0, bias = -1;
    };
    enum masks : std::uint8_t { none, lengths, per_key, per_row };
    operand q{}, k{}, v{};
    std::int64_t batches = 0, heads = 0, past = 0, bias_batch = 0, bias_head = 0;
    std::int64_t mask_columns = 0, bias_columns = 0, beams = 0, beam_columns = 0;  // beams 0: no cache_indirection
    double scale = 0, fill = 0;
    bool causal = false, shared = false;  // shared: past and present are buffers with capacity
    masks mask = none;
    presence has{};
    // Rows of the present; in a buffer with capacity a run may have fewer keys.
    constexpr std::int64_t keys() const { return shared ? past : past + k.rows; }
    constexpr std::int64_t end(std::int64_t i) const { return end(i, keys()); }
    // Of the keys that query i sees, of `total` ones: the last query sees all.
    constexpr std::int64_t end(std::int64_t i, std::int64_t total) const {
        return causal ? std::clamp<std::int64_t>(total - q.rows + i + 1, 0, total) : total;
    }
    std::int64_t former(const arguments& a) const noexcept { return shared ? *a.in<std::int32_t>(8) : past; }
    // The batch in whose past row j of batch b is.
    std::int64_t source(const arguments& a, std::int64_t b, std::int64_t j) const noexcept {
        return beams == 0 ? b : b / beams * beams + a.in<std::int32_t>(9)[b * beam_columns + j];
    }
    // Of a run: the inputs of shared buffers and beams.
    status check(const arguments& a, context& c) const noexcept {
        if (!shared) return status::ok;
        const std::int64_t rows = former(a), total = rows + k.rows;
        if (rows < 0 || total > past) return c.fail("past_sequence_length does not fit past_key and the new rows");
        if ((mask_columns > 0 && total > mask_columns) || (has.has_in(5) && total > bias_columns))
            return c.fail("key_padding_mask or attention_bias has too few columns");
        for (std::int64_t b = 0; beams > 0 && b < batches; ++b)
            for (std::int64_t j = 0; j < rows; ++j)
                if (const std::int64_t from = source(a, b, j) - b / beams * beams; from < 0 || from >= beams)
                    return c.fail("cache_indirection names a beam that is none");
        return status::ok;
    }
    bool masked(const std::int32_t* mask_input, std::int64_t batch, std::int64_t row, std::int64_t j) const noexcept {
        switch (mask) {
            case lengths: return j >= mask_input[batch];
            case per_key: return mask_input[batch * mask_columns + j] <= 0;
            case per_row: return mask_input[(batch * q.rows + row) * mask_columns + j] <= 0;
            default: return false;
        }
    }

    static constexpr verdict read(const node_view& n, multi_head_params& p) {
        constexpr std::int64_t most = std::int64_t(1) << 24;  // so that nothing here overflows
        p.has = presence(n);
        p.heads = n.integer("num_heads", 0);
        if (p.heads < 1 || p.heads > most) return no("num_heads must be positive");
        if (!p.has.has_in(0)) return no("query is missing");
        p.causal = n.integer("unidirectional", 0) != 0;
        p.fill = n.real("mask_filter_value", -10000.);
        if (p.has.has_in(6) != p.has.has_in(7)) return no("past_key and past_value must come together");
        p.shared = p.has.has_in(6) && p.has.has_in(8);
        if (p.has.has_in(9) && !p.shared) return no("cache_indirection needs past_sequence_length and past_key");
        for (int k = 0; k < 10; ++k)
            if (p.has.has_in(k) && !n.input(k).dims.known()) return yes();
        const shape& q = n.input(0).dims;
        p.batches = q.rank > 0 ? q[0] : 0;
        if (const verdict v = p.place(n); !v) return v;
        p.scale = n.real("scale", 0);
        if (p.scale == 0) p.scale = 1 / std::sqrt(double(p.q.size));
        return p.read_rest(n);
    }

  private:
    constexpr verdict place(const node_view& n) {
        const shape& x = n.input(0).dims;
        if (x.rank == 5) {
            if (has.has_in(1) || has.has_in(2)) return no("a packed query stands for key and value too");
            if (!packed(x, 3, 0, 0, q) || !packed(x, 3, 0, 1, k) || !packed(x, 3, 0, 2, v))
                return no("a packed query must be [batch, rows, heads, 3, size]");
        } else if (!side_by_side(x, 0, q) || q.size < 1)
            return no("query must be [batch, rows, heads * size]");
        else if (!has.has_in(1))
            return no("key is missing");
        else if (const shape& y = n.input(1).dims; y.rank == 5) {
            if (has.has_in(2) || !packed(y, 2, 1, 0, k) || !packed(y, 2, 1, 1, v))
                return no("a packed key must be [batch, rows, heads, 2, size], without value");
        } else if (!has.has_in(2))
            return no("value is missing");
        else if (!side_by_side(y, 1, k) || !side_by_side(n.input(2).dims, 2, v))
            return no("key and value must be [batch, rows, heads * size] or [batch, heads, rows, size]");
        if (k.size != q.size || k.rows != v.rows) return no("query, key and value do not fit each other");
        if (!has.has_in(3)) return yes();
        const std::int64_t bias = heads * (2 * q.size + v.size);
        if (n.input(3).dims.elements() != bias) return no("bias must have one number per column of Q, K and V");
        q.bias = 0;
        if (!has.has_in(1) || n.input(1).dims.rank != 4) {
            k.bias = heads * q.size;
            v.bias = 2 * heads * q.size;
        }
        return yes();
    }
    constexpr bool packed(const shape& x, int parts, int input, int part, operand& o) const {
        o = {input, x[1] * x[2] * x[3] * x[4], x[3] * x[4], x[2] * x[3] * x[4], part * x[4], x[1], x[4]};
        return x[0] == batches && x[2] == heads && x[3] == parts && x[4] > 0;
    }
    constexpr bool side_by_side(const shape& x, int input, operand& o) const {
        if (x.rank == 4 && input > 0) {
            o = {input, x[1] * x[2] * x[3], x[2] * x[3], x[3], 0, x[2], x[3]};
            return x[0] == batches && x[1] == heads;
        }
        if (x.rank != 3 || x[0] != batches || x[2] % heads != 0) return false;
        o = {input, x[1] * x[2], x[2] / heads, x[2], 0, x[1], x[2] / heads};
        return true;
    }
    constexpr verdict read_rest(const node_view& n) {
        if (has.has_in(6)) {
            const shape &a = n.input(6).dims, &b = n.input(7).dims;
            if (a.rank != 4 || b.rank != 4 || a != shape{batches, heads, a[2], k.size} ||
                b != shape{batches, heads, a[2], v.size})
                return no("past_key and past_value must be [batch, heads, rows, size]");
            past = a[2];
        }
        if (shared)
            if (const verdict v = read_buffers(n); !v) return v;
        if (has.has_in(4))
            if (const verdict v = read_mask(n.input(4).dims); !v) return v;
        if (!has.has_in(5)) return yes();
        const shape& b = n.input(5).dims;
        if (b.rank != 4 || (b[0] != 1 && b[0] != batches) || (b[1] != 1 && b[1] != heads) || b[2] != q.rows ||
            (b[3] != keys() && !shared))
            return no("attention_bias must be [batch or 1, heads or 1, rows, keys]");
        bias_columns = b[3];
        bias_head = b[1] > 1 ? b[2] * b[3] : 0;
        bias_batch = b[0] > 1 ? b[1] * b[2] * b[3] : 0;
        return yes();
    }
    constexpr verdict read_mask(const shape& m) {
        mask_columns = m.rank == 2 || m.rank == 3 ? m[m.rank - 1] : 0;
        if (m == shape{batches} || m == shape{3 * batches + 2})
            mask = lengths;
        else if (!shared && mask_columns != keys())
            return no("key_padding_mask must be [batch], [3 batch + 2], [batch, keys] or [batch, rows, keys]");
        else if (m == shape{batches, mask_columns})
            mask = per_key;
        else if (m == shape{batches, q.rows, mask_columns})
            mask = per_row;
        else
            return no("key_padding_mask must be [batch], [3 batch + 2], [batch, keys] or [batch, rows, keys]");
        return yes();
    }
    constexpr verdict read_buffers(const node_view& n) {
        if (n.input(8).dims.elements() != 1) return no("past_sequence_length must be one number");
        if (k.rows > past) return no("past_key has no room for the new rows");
        if (!has.has_in(9)) return yes();
        const shape& c = n.input(9).dims;
        if (c.rank != 3 || c[1] < 1 || c[0] * c[1] != batches || c[2] < past || !countable(c))
            return no("cache_indirection must be [batch / beams, beams, rows of past_key]");
        beams = c[1];
        beam_columns = c[2];
        return yes();
    }
};

namespace op {
struct multi_head_attention : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "MultiHeadAttention";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr operator_facts facts{.required_outputs = 1};
    static constexpr cached_pairs caches(const node_view&) { return {{{6, 1, 2}, {7, 2, 2}}}; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() > 10) return no("there are too many inputs");
        multi_head_params p;
        if (const verdict v = multi_head_params::read(n, p); !v) return v;
        if (p.q.size == 0) return yes();  // a shape is not known
        y[0] = {p.batches, p.q.rows, p.heads * p.v.size};
        if (y.size() > 1) y[1] = {p.batches, p.heads, p.keys(), p.k.size};
        if (y.size() > 2) y[2] = {p.batches, p.heads, p.keys(), p.v.size};
        for (const shape& s : y)
            if (s.known() && !countable(s)) return no("an output is too large");
        return yes();
    }
};
}  // namespace op

template <class T> struct kernel<op::multi_head_attention, device::reference, types<T>> : simple_kernel {
    using params = multi_head_params;
    static constexpr verdict supports(const node_view& n) {
        for (int k : {1, 2, 3, 5, 6, 7})
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("the inputs must have one type");
        for (int k : {4, 8, 9})
            if (n.has_input(k) && n.input(k).type != element::i32)
                return no("key_padding_mask, past_sequence_length and cache_indirection must be int32");
        return n.has_output(3) ? no("the scores are not given back") : yes();
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)multi_head_params::read(n, p);
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, std::int64_t(sizeof(float)) * p.keys() * threads};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (const status s = p.check(a, c); s != status::ok) return s;
        c.split(p.batches * p.heads, 1, [&](std::int64_t first, std::int64_t end, int part) {
            stop_check stops(c);
            float* scores = reinterpret_cast<float*>(c.scratch) + part * p.keys();
            for (std::int64_t i = first; i < end; ++i) {
                const std::int64_t batch = i / p.heads, head = i % p.heads;
                keep(p, a, p.k, 6, p.has.out<T>(a, 1), batch, head);
                keep(p, a, p.v, 7, p.has.out<T>(a, 2), batch, head);
                for (std::int64_t row = 0; row < p.q.rows; ++row) {
                    if (stops(p.keys() * (p.k.size + p.v.size))) return;
                    attend(p, a, scores, batch, head, row);
                }
            }
        });
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    struct row_of {
        const T *x, *bias;
        float operator()(std::int64_t d) const noexcept {
            return bias ? static_cast<float>(x[d]) + static_cast<float>(bias[d]) : static_cast<float>(x[d]);
        }
    };
    static row_of new_row(const arguments& a, const multi_head_params::operand& o, std::int64_t batch,
                          std::int64_t head, std::int64_t row) noexcept {
        return {a.in<T>(o.input) + batch * o.batch + head * o.head + row * o.row + o.at,
                o.bias < 0 ? nullptr : a.in<T>(3) + o.bias + head * o.size};
    }
    static row_of row(const params& p, const arguments& a, const multi_head_params::operand& o, int past,
                      std::int64_t batch, std::int64_t head, std::int64_t j) noexcept {
        const std::int64_t former = p.former(a);
        if (j >= former) return new_row(a, o, batch, head, j - former);
        return {a.in<T>(past) + ((p.source(a, batch, j) * p.heads + head) * p.past + j) * o.size, nullptr};
    }
    static void keep(const params& p, const arguments& a, const multi_head_params::operand& o, int past, T* present,
                     std::int64_t batch, std::int64_t head) noexcept {
        if (!present) return;
        const std::int64_t index = batch * p.heads + head, former = p.former(a);
        present += index * p.keys() * o.size;
        if (p.past > 0) std::copy_n(a.in<T>(past) + index * p.past * o.size, p.past * o.size, present);
        for (std::int64_t j = 0; j < o.rows; ++j) {
            const row_of x = new_row(a, o, batch, head, j);
            for (std::int64_t d = 0; d < o.size; ++d) present[(former + j) * o.size + d] = static_cast<T>(x(d));
        }
    }
    static void attend(const params& p, const arguments& a, float* scores, std::int64_t batch, std::int64_t head,
                       std::int64_t i) noexcept {
        const row_of q = new_row(a, p.q, batch, head, i);
        const T* bias = p.has.in<T>(a, 5);
        if (bias) bias += batch * p.bias_batch + head * p.bias_head + i * p.bias_columns;
        constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
        const auto hidden = [&](std::int64_t j) { return bias && static_cast<float>(bias[j]) == minus_infinity; };
        const std::int64_t end = p.end(i, p.former(a) + p.k.rows);
        for (std::int64_t j = 0; j < end; ++j) {
            scores[j] = minus_infinity;
            if (hidden(j)) continue;  // such a key may be anything
            const row_of k = row(p, a, p.k, 6, batch, head, j);
            float sum = 0;
            for (std::int64_t d = 0; d < p.k.size; ++d) sum += q(d) * k(d);
            sum *= float(p.scale);
            if (bias) sum += static_cast<float>(bias[j]);
            scores[j] = p.masked(p.has.in<std::int32_t>(a, 4), batch, i, j) ? sum + float(p.fill) : sum;
        }
        soften(scores, end, false, 0);
        T* y = a.out<T>(0) + ((batch * p.q.rows + i) * p.heads + head) * p.v.size;
        for (std::int64_t d = 0; d < p.v.size; ++d) {
            float sum = 0;
            for (std::int64_t j = 0; j < end; ++j)
                if (!hidden(j)) sum += scores[j] * row(p, a, p.v, 7, batch, head, j)(d);
            y[d] = static_cast<T>(sum);
        }
    }
};
}  // namespace v1
}  // namespace inlay

// Attention (com.microsoft, since 1): MultiHeadAttention of Q, K and V = input * weights + bias, which lie side by
// side. Keys and values of former calls are one tensor, past: [2, batch, heads, rows, size]; so is present. mask_index
// is the ends of the keys of each batch, [batch]; ends, then beginnings, [2 batch]; lengths and what they follow from,
// [3 batch + 2]; above 0 for keys that are not masked, [batch, keys] or [batch, rows, keys] or [batch, 1, most keys,
// most keys]; or [batch, 1] or [1, 1], which masks nothing.
// mask_filter_value is added to the scores of masked keys. do_rotary rotates the first rotary_embedding_dim elements of
// each head of Q and K, those of one half with those of the other, by position / 10000^(2 i / rotary_embedding_dim).
// Inputs: input, weights, bias, mask_index, past, attention_bias, past_sequence_length.
#pragma once
#include "multi_head_attention.hpp"

namespace inlay {
inline namespace v1 {
struct microsoft_attention_params {
    enum forms : std::uint8_t { as_it_is, from_to, square };  // of the mask: which is computed per key or per row
    multi_head_params heads{};                                // of the projection
    std::int64_t width = 0, columns = 0, turned = 0, most_keys = 0;
    forms form = as_it_is;
    presence has{};

    constexpr std::int64_t rows() const { return heads.batches * heads.q.rows; }
    constexpr std::int64_t past_elements() const { return heads.batches * heads.heads * heads.past * heads.k.size; }
    constexpr std::int64_t present_elements() const {
        return heads.batches * heads.heads * heads.keys() * heads.k.size;
    }
    constexpr std::int64_t mask_elements() const {  // of the computed mask
        return form == as_it_is ? 0 : heads.batches * (form == square ? heads.q.rows : 1) * heads.keys();
    }

    constexpr verdict read(const node_view& n) {
        constexpr std::int64_t most = std::int64_t(1) << 24;  // so that nothing here overflows
        has = presence(n);
        for (int k : {0, 1})
            if (!has.has_in(k)) return no("input or weights are missing");
        if (has.has_in(6) || n.integer("past_present_share_buffer", 0) != 0)
            return no("shared buffers are not supported");
        heads.heads = n.integer("num_heads", 0);
        if (heads.heads < 1 || heads.heads > most) return no("num_heads must be positive");
        heads.causal = n.integer("unidirectional", 0) != 0;
        heads.fill = n.real("mask_filter_value", -10000.);
        heads.scale = n.real("scale", 0);
        for (int k = 0; k < 6; ++k)
            if (has.has_in(k) && !n.input(k).dims.known()) return yes();
        if (const verdict v = project(n); !v) return v;
        if (heads.scale == 0) heads.scale = 1 / std::sqrt(double(heads.q.size));
        if (const verdict v = read_past(n); !v) return v;
        return has.has_in(3) ? read_mask(n.input(3).dims) : yes();
    }

  private:
    constexpr verdict project(const node_view& n) {
        const shape &x = n.input(0).dims, &w = n.input(1).dims;
        if (x.rank != 3 || w.rank != 2 || x[2] != w[0] || !countable(x) || !countable(w))
            return no("input must be [batch, rows, width], and weights [width, Q, K and V]");
        width = x[2];
        columns = w[1];
        if (has.has_in(2) && n.input(2).dims != shape{columns})
            return no("bias must have one number per column of weights");
        std::int64_t sizes[3] = {columns / 3, columns / 3, columns / 3};
        if (const auto hidden_sizes = n.integers("qkv_hidden_sizes"); !hidden_sizes.empty()) {
            if (hidden_sizes.size() != 3) return no("qkv_hidden_sizes must be three numbers");
            std::copy(hidden_sizes.begin(), hidden_sizes.end(), sizes);
        }
        for (std::int64_t s : sizes)
            if (s < 1 || s > columns || s % heads.heads != 0)
                return no("the columns of weights do not divide into heads of Q, K and V");
        if (sizes[0] != sizes[1] || sizes[0] + sizes[1] + sizes[2] != columns)
            return no("the columns of weights do not divide into heads of Q, K and V");
        if (!countable({x[0], x[1], columns})) return no("Q, K and V are too large");
        heads.batches = x[0];
        std::int64_t at = 0;
        multi_head_params::operand* const operands[] = {&heads.q, &heads.k, &heads.v};
        for (int k = 0; k < 3; at += sizes[k++])
            *operands[k] = {k, x[1] * columns, sizes[k] / heads.heads, columns, at, x[1], sizes[k] / heads.heads, -1};
        if (n.integer("do_rotary", 0) == 0) return yes();
        turned = n.integer("rotary_embedding_dim", 0);
        if (turned == 0) turned = heads.q.size;
        return turned < 0 || turned > heads.q.size || turned % 2 != 0
                   ? no("rotary_embedding_dim must be even, and no more than a head has")
                   : yes();
    }
    constexpr verdict read_past(const node_view& n) {
        if (has.has_in(4)) {
            const shape& p = n.input(4).dims;
            if (p.rank != 5 || p != shape{2, heads.batches, heads.heads, p[3], heads.q.size} || !countable(p))
                return no("past must be [2, batch, heads, rows, size]");
            heads.past = p[3];
            heads.has.inputs |= 3u << 6;
        }
        if ((has.has_in(4) || has.has_out(1)) && heads.q.size != heads.v.size)
            return no("past and present need heads of K and V of one size");
        if (has.has_out(1)) heads.has.outputs |= 3u << 1;
        if (!has.has_in(5)) return yes();
        const shape& b = n.input(5).dims;
        if (b.rank != 4 || (b[0] != 1 && b[0] != heads.batches) || (b[1] != 1 && b[1] != heads.heads) ||
            b[2] != heads.q.rows || b[3] != heads.keys() || !countable(b))
            return no("attention_bias must be [batch or 1, heads or 1, rows, keys]");
        heads.bias_columns = b[3];
        heads.bias_head = b[1] > 1 ? b[2] * b[3] : 0;
        heads.bias_batch = b[0] > 1 ? b[1] * b[2] * b[3] : 0;
        heads.has.inputs |= 1u << 5;
        return yes();
    }
    constexpr verdict read_mask(const shape& m) {
        const std::int64_t batches = heads.batches, keys = heads.keys();
        if (m == shape{batches, 1} || m == shape{1, 1}) return yes();  // as in ONNX Runtime: no mask
        heads.has.inputs |= 1u << 4;
        heads.mask_columns = keys;
        if (m == shape{batches} || m == shape{3 * batches + 2})
            heads.mask = multi_head_params::lengths;
        else if (m == shape{batches, keys} || m == shape{2 * batches}) {
            heads.mask = multi_head_params::per_key;
            form = m.rank == 1 ? from_to : as_it_is;
        } else if (m == shape{batches, heads.q.rows, keys})
            heads.mask = multi_head_params::per_row;
        else if (m.rank == 4 && m == shape{batches, 1, m[2], m[2]} && m[2] >= keys && countable(m)) {
            heads.mask = multi_head_params::per_row;
            form = square;
            most_keys = m[2];
        } else
            return no("mask_index has another shape than those of masks");
        return yes();
    }

  public:
    // The mask that is computed from the given one.
    void write_mask(const std::int32_t* mask_input, std::int32_t* to) const noexcept {
        const std::int64_t keys = heads.keys();
        for (std::int64_t b = 0; b < heads.batches; ++b)
            for (std::int64_t i = 0; i < (form == square ? heads.q.rows : 1); ++i)
                for (std::int64_t j = 0; j < keys; ++j)
                    *to++ = form == from_to ? j < mask_input[b] && j >= mask_input[heads.batches + b]
                                            : mask_input[(b * most_keys + heads.past + i) * most_keys + j];
    }
    // Rotates the heads of Q and K of a row of the projection.
    template <class T> void turn(T* row, std::int64_t position) const noexcept {
        const std::int64_t pairs = turned / 2;
        for (std::int64_t i = 0; i < pairs; ++i) {
            const double angle = double(position) / std::pow(10000., double(2 * i) / double(turned));
            const float c = float(std::cos(angle)), s = float(std::sin(angle));
            for (std::int64_t h = 0; h < 2 * heads.heads; ++h) {  // those of K come after those of Q
                T &a = row[h * heads.q.size + i], &b = row[h * heads.q.size + pairs + i];
                const float x = static_cast<float>(a), y = static_cast<float>(b);
                a = static_cast<T>(x * c - y * s);
                b = static_cast<T>(x * s + y * c);
            }
        }
    }
    // The attention of `qkv`, by a kernel of MultiHeadAttention with these as its arguments.
    template <class T, class Run>
    status attend(const arguments& a, const T* qkv, const std::int32_t* mask, Run run) const noexcept {
        const T* past = has.in<T>(a, 4);
        T* present = has.out<T>(a, 1);
        const void* inputs[] = {qkv,
                                qkv,
                                qkv,
                                nullptr,
                                mask ? mask : has.in<std::int32_t>(a, 3),
                                has.in<T>(a, 5),
                                past,
                                past ? past + past_elements() : nullptr};
        void* outputs[] = {a.outputs[0], present, present ? present + present_elements() : nullptr};
        return run(arguments{inputs, outputs});
    }
};

namespace op {
struct microsoft_attention : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "Attention";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.required_outputs = 1};
    static constexpr cached_pairs caches(const node_view&) { return {{{4, 1, 3}}}; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() > 7) return no("there are too many inputs");
        microsoft_attention_params p;
        if (const verdict v = p.read(n); !v) return v;
        const multi_head_params& m = p.heads;
        if (m.q.size == 0) return yes();  // a shape is not known
        y[0] = {m.batches, m.q.rows, m.heads * m.v.size};
        if (y.size() > 1) y[1] = {2, m.batches, m.heads, m.keys(), m.k.size};
        for (const shape& s : y)
            if (s.known() && !countable(s)) return no("an output is too large");
        return countable({m.batches, m.q.rows, m.keys()}) ? yes() : no("a mask is too large");
    }
};
}  // namespace op

template <class T> struct kernel<op::microsoft_attention, device::reference, types<T>> : simple_kernel {
    using params = microsoft_attention_params;
    using heads_kernel = kernel<op::multi_head_attention, device::reference, types<T>>;
    static constexpr verdict supports(const node_view& n) {
        for (int k : {1, 2, 4, 5})
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("the inputs must have one type");
        return n.has_input(3) && n.input(3).type != element::i32 ? no("mask_index must be int32") : yes();
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.read(n);
        return p;
    }
    static constexpr std::int64_t projected(const params& p) {  // bytes
        return (std::int64_t(sizeof(T)) * p.rows() * p.columns + 63) / 64 * 64;
    }
    static constexpr std::int64_t masked(const params& p) { return (4 * p.mask_elements() + 63) / 64 * 64; }
    static constexpr bytes_needed footprint(const params& p, isa::level l, int threads) {
        return {0, projected(p) + masked(p) + heads_kernel::footprint(p.heads, l, threads).scratch};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        std::byte* const scratch = c.scratch;
        T* const qkv = reinterpret_cast<T*>(scratch);
        auto* const mask =
            p.form == params::as_it_is ? nullptr : reinterpret_cast<std::int32_t*>(scratch + projected(p));
        c.split(p.rows(), 1, [&](std::int64_t first, std::int64_t end, int) {
            stop_check stops(c);
            for (std::int64_t i = first; i < end && !stops(p.width * p.columns); ++i) project(p, a, i, qkv);
        });
        if (c.stopped()) return status::stopped;
        if (mask) p.write_mask(a.in<std::int32_t>(3), mask);
        c.scratch += projected(p) + masked(p);
        const status result =
            p.attend(a, qkv, mask, [&](const arguments& b) { return heads_kernel::run(p.heads, {}, b, c); });
        c.scratch = scratch;
        return result;
    }

  private:
    static void project(const params& p, const arguments& a, std::int64_t row, T* qkv) noexcept {
        const T *x = a.in<T>(0) + row * p.width, *w = a.in<T>(1), *bias = p.has.in<T>(a, 2);
        T* const y = qkv + row * p.columns;
        for (std::int64_t j = 0; j < p.columns; ++j) {
            double sum = bias ? double(static_cast<float>(bias[j])) : 0;
            for (std::int64_t k = 0; k < p.width; ++k)
                sum += double(static_cast<float>(x[k])) * double(static_cast<float>(w[k * p.columns + j]));
            y[j] = static_cast<T>(float(sum));
        }
        if (p.turned > 0) p.turn(y, p.heads.past + row % p.heads.q.rows);
    }
};
}  // namespace v1
}  // namespace inlay

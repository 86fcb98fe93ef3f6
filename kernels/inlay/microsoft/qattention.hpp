// QAttention (com.microsoft, since 1): [Q, K, V] = X W + bias of 8-bit elements (value - zero point) * scale, then
// softmax(scale Q K', masked) V for each head, keys and values of former calls before the new ones. mask_filter_value
// is added to the scores of keys that the mask leaves out. The mask has the number of keys per batch, the ends and then
// the beginnings of the keys per batch, or no number above 0 for keys that are left out, per batch or row of a batch.
// Inputs: X, W, bias, their scales, mask_index, zero points of X and W, past, which holds keys and values.
#pragma once
#include <inlay/onnx/gemm.hpp>
#include <inlay/support/attention_rows.hpp>
#include <inlay/support/linear_code.hpp>
#include <inlay/support/movable.hpp>

namespace inlay {
inline namespace v1 {
struct qattention_params {
    enum masks : std::uint8_t { none, lengths, spans, per_key, per_row };
    std::int64_t batches = 0, rows = 0, depth = 0, heads = 1, size = 0, past = 0;
    double scale = 0, fill = 0;
    bool causal = false;
    masks mask = none;
    element x{}, w{};
    std::int64_t scale_step = 0, zero_step = 0;  // of W's columns
    presence has{};
    constexpr std::int64_t keys() const { return past + rows; }
    constexpr std::int64_t hidden() const { return heads * size; }

    static constexpr verdict read(const node_view& n, qattention_params& p) {
        p.has = presence(n);
        p.heads = n.integer("num_heads", 0);
        if (p.heads < 1 || p.heads > (std::int64_t(1) << 24)) return no("num_heads must be positive");
        if (n.integer("do_rotary", 0) != 0) return no("rotary positions are not supported");
        if (n.integer("past_present_share_buffer", 0) != 0) return no("shared buffers are not supported");
        p.causal = n.integer("unidirectional", 0) != 0;
        p.fill = n.real("mask_filter_value", -10000.);
        for (int k = 0; k < 9; ++k)
            if (p.has.has_in(k) && !n.input(k).dims.known()) return yes();
        for (int k : {0, 1, 8})
            if (p.has.has_in(k) && !countable(n.input(k).dims)) return no("an input is too large");
        const shape &x = n.input(0).dims, &w = n.input(1).dims;
        if (x.rank != 3 || w.rank != 2 || w[0] != x[2]) return no("X must be [batch, rows, depth], W [depth, columns]");
        if (w[1] < 1 || w[1] % 3 != 0 || w[1] / 3 % p.heads != 0)
            return no("W must have columns for Q, K and V of all heads");
        p.batches = x[0];
        p.rows = x[1];
        p.depth = x[2];
        p.size = w[1] / 3 / p.heads;
        p.scale = n.real("scale", 0);
        if (p.scale == 0) p.scale = 1 / std::sqrt(double(p.size));
        return p.read_rest(n);
    }

  private:
    constexpr verdict read_rest(const node_view& n) {
        const std::int64_t columns = 3 * hidden();
        if (n.input(2).dims != shape{columns}) return no("bias must have one number per column of W");
        for (int k : {3, 6})
            if (has.has_in(k) && n.input(k).dims.elements() != 1)
                return no("X's scale and zero point must be one number");
        for (int k : {4, 7})
            if (has.has_in(k) && n.input(k).dims.elements() != 1 && n.input(k).dims != shape{columns})
                return no("W's scale and zero point must be one number, or one per column");
        scale_step = n.input(4).dims.elements() > 1;
        zero_step = has.has_in(7) && n.input(7).dims.elements() > 1;
        if (has.has_in(8)) {
            const shape& k = n.input(8).dims;
            if (k.rank != 5 || k != shape{2, batches, heads, k[3], size})
                return no("past must be [2, batch, heads, rows, size]");
            past = k[3];
        }
        if (!has.has_in(5)) return yes();
        const shape& m = n.input(5).dims;
        if (m == shape{batches})
            mask = lengths;
        else if (m == shape{2 * batches})
            mask = spans;
        else if (m == shape{batches, keys()})
            mask = per_key;
        else if (m == shape{batches, rows, keys()})
            mask = per_row;
        else
            return no("mask_index must be [batch], [2 * batch], [batch, keys] or [batch, rows, keys]");
        return yes();
    }
};

namespace op {
struct qattention : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "QAttention";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(0), v1::input(1), v1::input(2)};
    static constexpr auto elements =
        hana::tuple_t<types<quantized::byte, quantized::byte, float>, types<quantized::byte, quantized::byte, float16>>;
    static constexpr int required_inputs = 5;
    static constexpr operator_facts facts{.required_outputs = 1};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 5; ++k)
            if (!n.has_input(k)) return no("an input is missing");
        if (n.input_count() > 9) return no("there are too many inputs");
        qattention_params p;
        if (const verdict v = qattention_params::read(n, p); !v) return v;
        if (p.size == 0) return yes();  // a shape is not known
        y[0] = {p.batches, p.rows, p.hidden()};
        if (y.size() > 1) y[1] = {2, p.batches, p.heads, p.keys(), p.size};
        for (const shape& s : y)
            if (s.known() && !countable(s)) return no("an output is too large");
        return yes();
    }
    static constexpr element output_type(const node_view& n, int) { return n.input_type(2); }
    static constexpr double flop(const node_view&, const argument_shapes& s) {
        const shape x = s.input(0), w = s.input(1);
        return w.rank == 2 && w.known() ? 2 * count_of(x) * double(w[1]) : 0;
    }
};
}  // namespace op

template <class T>
struct kernel<op::qattention, device::reference, types<quantized::byte, quantized::byte, T>> : simple_kernel {
    using params = qattention_params;
    static constexpr verdict supports(const node_view& n) {
        for (int k : {3, 4, 8})
            if (n.has_input(k) && n.input(k).type != n.input(2).type)
                return no("bias, scales and past must have one type");
        for (int k : {0, 1})
            if (n.has_input(6 + k) && n.input(6 + k).type != n.input(k).type)
                return no("a zero point has another type than what it belongs to");
        return !n.has_input(5) || n.input(5).type == element::i32 ? yes() : no("mask_index must be int32");
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)params::read(n, p);
        p.x = n.input(0).type;
        p.w = n.input(1).type;
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, std::int64_t(sizeof(float)) * (p.batches * p.rows * 3 * p.hidden() + p.keys() * threads)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        float* qkv = reinterpret_cast<float*>(c.scratch);
        project(p, a, qkv, c);
        if (c.stopped()) return status::stopped;
        c.split(p.batches * p.heads, 1, [&](std::int64_t first, std::int64_t end, int part) {
            stop_check stops(c);
            float* scores = qkv + p.batches * p.rows * 3 * p.hidden() + part * p.keys();
            for (std::int64_t i = first; i < end; ++i) {
                const operand k{p, a, qkv, i, 1}, v{p, a, qkv, i, 2};
                keep(p, a, k);
                keep(p, a, v);
                for (std::int64_t row = 0; row < p.rows; ++row) {
                    if (stops(2 * p.keys() * p.size)) return;
                    attend(p, a, qkv, k, v, scores, row);
                }
            }
        });
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    static void project(const params& p, const arguments& a, float* qkv, context& c) noexcept {
        const quantized::bytes x(p.x), w(p.w);
        const int x_zero = p.has.has_in(6) ? x.at(a, 6, 0) : 0;
        const float scale = static_cast<float>(*a.in<T>(3));
        const std::int64_t columns = 3 * p.hidden();
        c.split(p.batches * p.rows, 1, [&](std::int64_t first, std::int64_t end, int) {
            stop_check ends(c);
            for (std::int64_t i = first; i < end; ++i)
                if (!multiply_row<std::uint32_t>(
                        columns, p.depth, ends,
                        [&](std::int64_t k) { return std::uint32_t(x.at(a, 0, i * p.depth + k) - x_zero); },
                        [&](std::int64_t k, std::int64_t j) {
                            return w.at(a, 1, k * columns + j) - (p.has.has_in(7) ? w.at(a, 7, j * p.zero_step) : 0);
                        },
                        [&](std::int64_t j, std::uint32_t sum) {
                            qkv[i * columns + j] =
                                float(std::int32_t(sum)) * (scale * static_cast<float>(a.in<T>(4)[j * p.scale_step])) +
                                static_cast<float>(a.in<T>(2)[j]);
                        }))
                    return;
        });
    }
    struct operand {  // the keys (part 1) or values (part 2) of a head of a batch
        const T* past;
        const float* now;
        T* present;
        std::int64_t batch, head, from;  // from: rows of the past
        operand(const params& p, const arguments& a, const float* qkv, std::int64_t i, int part) noexcept
            : past(p.has.template in<T>(a, 8)),
              present(p.has.template out<T>(a, 1)),
              batch(i / p.heads),
              head(i % p.heads),
              from(p.past) {
            const std::int64_t at = (part - 1) * p.batches * p.heads + i;
            if (past) past += at * p.past * p.size;
            if (present) present += at * p.keys() * p.size;
            now = qkv + batch * p.rows * 3 * p.hidden() + part * p.hidden() + head * p.size;
        }
        float at(const params& p, std::int64_t j, std::int64_t d) const noexcept {
            return j < from ? static_cast<float>(past[j * p.size + d]) : now[(j - from) * 3 * p.hidden() + d];
        }
    };
    static void keep(const params& p, const arguments&, const operand& o) noexcept {
        if (!o.present) return;
        for (std::int64_t j = 0; j < p.keys(); ++j)
            for (std::int64_t d = 0; d < p.size; ++d) o.present[j * p.size + d] = static_cast<T>(o.at(p, j, d));
    }
    static bool masked(const params& p, const std::int32_t* mask, std::int64_t batch, std::int64_t row,
                       std::int64_t j) noexcept {
        switch (p.mask) {
            case params::lengths: return j >= mask[batch];
            case params::spans: return j >= mask[batch] || j < mask[p.batches + batch];
            case params::per_key: return mask[batch * p.keys() + j] <= 0;
            case params::per_row: return mask[(batch * p.rows + row) * p.keys() + j] <= 0;
            default: return false;
        }
    }
    static void attend(const params& p, const arguments& a, const float* qkv, const operand& k, const operand& v,
                       float* scores, std::int64_t row) noexcept {
        const float* q = qkv + (k.batch * p.rows + row) * 3 * p.hidden() + k.head * p.size;
        const std::int64_t end = p.causal ? p.past + row + 1 : p.keys();
        for (std::int64_t j = 0; j < end; ++j) {
            float sum = 0;
            for (std::int64_t d = 0; d < p.size; ++d) sum += q[d] * k.at(p, j, d);
            sum *= float(p.scale);
            scores[j] = masked(p, p.has.in<std::int32_t>(a, 5), k.batch, row, j) ? sum + float(p.fill) : sum;
        }
        soften(scores, end, false, 0);
        T* y = a.out<T>(0) + (k.batch * p.rows + row) * p.hidden() + k.head * p.size;
        for (std::int64_t d = 0; d < p.size; ++d) {
            float sum = 0;
            for (std::int64_t j = 0; j < end; ++j) sum += scores[j] * v.at(p, j, d);
            y[d] = static_cast<T>(sum);
        }
    }
};
}  // namespace v1
}  // namespace inlay

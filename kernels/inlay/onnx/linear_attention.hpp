// LinearAttention (since 27): each head of keys and values has a state S [d_k, d_v], which every row t of a sequence
// changes and its queries read: y_t = scale * q_t S_t. By update_rule:
//   linear       S_t = S + k v            (k v: the outer product)
//   gated        S_t = e^g S + k v        (g: a number of the head, or one for each row of S)
//   delta        S_t = S + beta k (v - k S)
//   gated_delta  as delta, of e^g S
// Several heads of queries share one of keys and values. Inputs: query, key, value [batches, rows, heads * size],
// past_state [batches, heads, d_k, d_v], decay g, beta. Outputs: y, present_state. States and sums are floats.
#pragma once
#include <inlay/support/any_float.hpp>
#include <inlay/support/stop_check.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>

namespace inlay {
inline namespace v1 {
struct linear_attention_sizes {
    std::int64_t heads = 0, queries = 0, keys = 0, values = 0;  // heads of keys; of queries for each; d_k, d_v; -1
    bool gated = false, corrected = false;
    static constexpr verdict read(const node_view& n, linear_attention_sizes& s) {
        const auto rule = n.text("update_rule", "gated_delta");
        s.gated = rule == "gated" || rule == "gated_delta";
        s.corrected = rule == "delta" || rule == "gated_delta";
        if (!s.gated && !s.corrected && rule != "linear")
            return no("update_rule is none of linear, gated, delta, gated_delta");
        if (s.gated != n.has_input(4)) return no("decay is what gated rules have, and no others");
        if (s.corrected != n.has_input(5)) return no("beta is what delta rules have, and no others");
        s.heads = n.integer("kv_num_heads", 0);
        const std::int64_t all = n.integer("q_num_heads", 0);
        if (s.heads < 1 || all < 1 || all % s.heads != 0)
            return no("q_num_heads is no positive multiple of kv_num_heads");
        s.queries = all / s.heads;
        for (int k : {0, 1, 2})
            if (!n.has_input(k)) return no("an input is missing");
        for (int k : {0, 1, 2, 4, 5})
            if (n.has_input(k) && n.input(k).dims.rank >= 0 && n.input(k).dims.rank != 3)
                return no("an input is not [batches, rows, heads * size]");
        for (int k : {1, 2, 4, 5})
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("the inputs are of different types");
        s.keys = width(n, 0, all);
        s.values = width(n, 2, s.heads);
        if (s.keys == none || s.values == none) return no("a width does not divide into heads");
        return yes();
    }
    static constexpr std::int64_t none = -2;
    static constexpr std::int64_t width(const node_view& n, int k, std::int64_t heads) {
        const shape& x = n.input(k).dims;
        if (x.rank < 0 || x[2] < 0) return -1;
        return x[2] % heads == 0 && x[2] > 0 ? x[2] / heads : none;
    }
    constexpr verdict fit(const node_view& n) const {  // where all shapes are known
        const shape& q = n.input(0).dims;
        for (int k : {1, 2, 4, 5})
            if (n.has_input(k) && (n.input(k).dims[0] != q[0] || n.input(k).dims[1] != q[1]))
                return no("the inputs have different batches or rows");
        if (n.input(1).dims[2] / heads != keys || n.input(1).dims[2] % heads != 0)
            return no("queries and keys have different sizes");
        if (gated && n.input(4).dims[2] != heads && n.input(4).dims[2] / heads != keys)
            return no("decay has neither one number for each head nor d_k");
        if (gated && n.input(4).dims[2] % heads != 0) return no("decay has neither one number for each head nor d_k");
        if (corrected && n.input(5).dims[2] != heads && n.input(5).dims[2] != 1)
            return no("beta has neither one number for each head nor one for all");
        if (n.has_input(3) && n.input(3).dims != shape{q[0], heads, keys, values})
            return no("past_state is not [batches, heads, d_k, d_v]");
        return yes();
    }
};
namespace op {
struct linear_attention : standard {
    static constexpr std::string_view onnx_name = "LinearAttention";
    static constexpr version_range versions{27, 27};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 3;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        linear_attention_sizes s;
        if (const verdict v = linear_attention_sizes::read(n, s); !v) return v;
        const shape& q = n.input(0).dims;
        if (q.rank < 0) return yes();
        y[0] = {q[0], q[1], s.values < 0 ? -1 : s.values * s.heads * s.queries};
        if (y.size() > 1) y[1] = {q[0], s.heads, s.keys, s.values};
        for (int k = 0; k < n.input_count(); ++k)
            if (n.has_input(k) && !n.input(k).dims.known()) return yes();
        return s.fit(n);
    }
    static constexpr element output_type(const node_view& n, int k) {
        return n.input_type(k == 1 && n.has_input(3) ? 3 : 0);
    }
    static constexpr double flop(const node_view& n, const argument_shapes& s) {
        const std::int64_t heads = n.integer("q_num_heads", 1);
        return heads > 0 && s.input(0).rank == 3 ? 4 * count_of(s.output(0)) * double(s.input(0)[2]) / double(heads)
                                                 : 0;
    }
};
}  // namespace op

template <class T> struct kernel<op::linear_attention, device::reference, types<T>> : simple_kernel {
    struct params {
        linear_attention_sizes s;
        std::int64_t batches, rows, decays, betas;  // decays: for each head; betas: for all heads
        double scale;                               // 0: 1 / sqrt(d_k)
        element state;                              // of past_state and present_state
        bool continued, keeps;
    };
    static constexpr verdict supports(const node_view& n) {
        if (n.has_input(3) && !is_any_float(n.input(3).type)) return no("past_state is of no type for states");
        return !n.has_output(1) || n.output(1).type == op::linear_attention::output_type(n, 1)
                   ? yes()
                   : no("present_state is not of past_state's type");
    }
    static constexpr params prepare(const node_view& n) {
        params p{};
        (void)linear_attention_sizes::read(n, p.s);
        const shape& q = n.input(0).dims;
        p.batches = q[0];
        p.rows = q[1];
        p.decays = p.s.gated ? n.input(4).dims[2] / p.s.heads : 0;
        p.betas = p.s.corrected ? n.input(5).dims[2] : 0;
        p.scale = n.real("scale", 0);
        p.state = op::linear_attention::output_type(n, 1);
        p.continued = n.has_input(3);
        p.keeps = n.has_output(1);
        return p;
    }
    static constexpr std::int64_t numbers(const params& p) { return (p.s.keys + 2) * p.s.values; }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        if (p.batches == 0) return {};
        return {0,
                numbers(p) * std::int64_t(sizeof(float)) * std::clamp<std::int64_t>(threads, 1, p.batches * p.s.heads)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        std::atomic<bool> ended = false;
        const std::int64_t each = p.s.keys * p.s.values, work = each * (2 + p.s.queries);
        const auto scale = static_cast<float>(p.scale == 0 ? 1 / std::sqrt(static_cast<double>(p.s.keys)) : p.scale);
        c.split(p.batches * p.s.heads, 1 + (1 << 14) / (1 + p.rows * work),
                [&](std::int64_t first, std::int64_t last, int part) {
                    float *now = reinterpret_cast<float*>(c.scratch) + part * numbers(p), *spare = now + each;
                    stop_check stop(c);
                    for (std::int64_t head = first; head < last; ++head) {
                        for (std::int64_t i = 0; i < each; ++i)
                            now[i] = p.continued ? load_float<float>(p.state, a.inputs[3], head * each + i) : 0;
                        for (std::int64_t t = 0; t < p.rows; ++t) {
                            if (ended || stop(work)) {
                                ended = true;
                                return;
                            }
                            step(p, a, head, t, now, spare);
                            read(p, a, head, t, scale, now, spare);
                        }
                        for (std::int64_t i = 0; i < each && p.keeps; ++i)
                            store_float<float>(p.state, a.outputs[1], head * each + i, now[i]);
                    }
                });
        return ended ? c.end_of_run() : status::ok;
    }

  private:
    // The row of head h at step t of an input whose heads have `size` elements.
    static std::int64_t place(const params& p, std::int64_t head, std::int64_t t, std::int64_t size) {
        return ((head / p.s.heads * p.rows + t) * p.s.heads + head % p.s.heads) * size;
    }
    static void step(const params& p, const arguments& a, std::int64_t head, std::int64_t t, float* now,
                     float* row) noexcept {
        const std::int64_t keys = p.s.keys, values = p.s.values;
        const T *k = a.in<T>(1) + place(p, head, t, keys), *v = a.in<T>(2) + place(p, head, t, values);
        if (p.s.gated) {
            const T* g = a.in<T>(4) + place(p, head, t, p.decays);
            for (std::int64_t i = 0; i < keys; ++i) {
                const float by = std::exp(static_cast<float>(g[p.decays == 1 ? 0 : i]));
                for (std::int64_t j = 0; j < values; ++j) now[i * values + j] *= by;
            }
        }
        for (std::int64_t j = 0; j < values; ++j) row[j] = static_cast<float>(v[j]);
        if (p.s.corrected) {
            float* kept = row + values;
            std::fill_n(kept, values, 0.f);
            for (std::int64_t i = 0; i < keys; ++i) {
                const float by = static_cast<float>(k[i]);
                for (std::int64_t j = 0; j < values; ++j) kept[j] += by * now[i * values + j];
            }
            const std::int64_t at = (head / p.s.heads * p.rows + t) * p.betas + (p.betas == 1 ? 0 : head % p.s.heads);
            const float beta = static_cast<float>(a.in<T>(5)[at]);
            for (std::int64_t j = 0; j < values; ++j) row[j] = beta * (row[j] - kept[j]);
        }
        for (std::int64_t i = 0; i < keys; ++i) {
            const float by = static_cast<float>(k[i]);
            for (std::int64_t j = 0; j < values; ++j) now[i * values + j] += by * row[j];
        }
    }
    static void read(const params& p, const arguments& a, std::int64_t head, std::int64_t t, float scale,
                     const float* now, float* row) noexcept {
        const std::int64_t keys = p.s.keys, values = p.s.values;
        for (std::int64_t query = 0; query < p.s.queries; ++query) {
            const T* q = a.in<T>(0) + (place(p, head, t, p.s.queries) + query) * keys;
            T* y = a.out<T>(0) + (place(p, head, t, p.s.queries) + query) * values;
            std::fill_n(row, values, 0.f);
            for (std::int64_t i = 0; i < keys; ++i) {
                const float by = static_cast<float>(q[i]);
                for (std::int64_t j = 0; j < values; ++j) row[j] += by * now[i * values + j];
            }
            for (std::int64_t j = 0; j < values; ++j) y[j] = static_cast<T>(scale * row[j]);
        }
    }
};
}  // namespace v1
}  // namespace inlay

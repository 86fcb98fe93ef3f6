// LinearAttention (since 27): each head of keys and values has a state S [d_k, d_v], which every row t of a sequence
// changes and its queries read: y_t = scale * q_t S_t. By update_rule:
//   linear       S_t = S + k v            (k v: the outer product)
//   gated        S_t = e^g S + k v        (g: a number of the head, or one for each row of S)
//   delta        S_t = S + beta k (v - k S)
//   gated_delta  as delta, of e^g S
// Several heads of queries share one of keys and values. Inputs: query, key, value [batches, rows, heads * size],
// past_state [batches, heads, d_k, d_v], decay g, beta. Outputs: y, present_state. States and accumulators are float32.
// That of com.microsoft (since 1) may have fewer heads of queries, or of keys, than of values: those in a row share
// one. With state_window W > 0 it has past_state and present_state [W, batches, heads, d_k, d_v]: the states after each
// of the last rows, 0 for those before the first one; past_state has the last.
#pragma once
#include <inlay/support/any_float.hpp>
#include <inlay/support/stop_check.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>

namespace inlay {
inline namespace v1 {
struct linear_attention_sizes {
    std::int64_t heads = 0, queries = 0, keys = 0, values = 0;  // heads of values; of queries for each; d_k, d_v; -1
    std::int64_t per_query = 1, per_key = 1;  // heads of values that share one of queries, of keys; 0: they do not fit
    std::int64_t window = 0;
    bool gated = false, corrected = false;
    constexpr std::int64_t slots() const { return window > 0 ? window : 1; }
    constexpr std::int64_t key_heads() const { return heads / per_key; }
    // shared: heads of values may share one of queries or keys, and there may be a window of states.
    static constexpr verdict read(const node_view& n, bool shared, linear_attention_sizes& s) {
        const auto rule = n.text("update_rule", "gated_delta");
        s.gated = rule == "gated" || rule == "gated_delta";
        s.corrected = rule == "delta" || rule == "gated_delta";
        if (!s.gated && !s.corrected && rule != "linear")
            return no("update_rule is none of linear, gated, delta, gated_delta");
        if (s.gated != n.has_input(4)) return no("decay is what gated rules have, and no others");
        if (s.corrected != n.has_input(5)) return no("beta is what delta rules have, and no others");
        s.heads = n.integer("kv_num_heads", 0);
        const std::int64_t query_heads = n.integer("q_num_heads", 0);
        if (s.heads < 1 || query_heads < 1 || (query_heads % s.heads != 0 && (!shared || s.heads % query_heads != 0)))
            return shared ? no("q_num_heads and kv_num_heads must be positive, and one a multiple of the other")
                          : no("q_num_heads is no positive multiple of kv_num_heads");
        s.queries = std::max<std::int64_t>(query_heads / s.heads, 1);
        s.per_query = std::max<std::int64_t>(s.heads / query_heads, 1);
        s.window = shared ? n.integer("state_window", 0) : 0;
        if (s.window < 0 || s.window > 8) return no("state_window must be 0 to 8");
        for (int k : {0, 1, 2})
            if (!n.has_input(k)) return no("an input is missing");
        for (int k : {0, 1, 2, 4, 5})
            if (n.has_input(k) && n.input(k).dims.rank >= 0 && n.input(k).dims.rank != 3)
                return no("an input is not [batches, rows, heads * size]");
        for (int k : {1, 2, 4, 5})
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("the inputs are of different types");
        s.keys = width(n, 0, query_heads);
        s.values = width(n, 2, s.heads);
        if (s.keys == indivisible || s.values == indivisible) return no("a width does not divide into heads");
        const std::int64_t all_keys = n.input(1).dims.rank == 3 ? n.input(1).dims[2] : -1;
        if (s.keys > 0 && all_keys >= 0) s.per_key = shared_by(s.heads, all_keys, s.keys, shared);
        return yes();
    }
    static constexpr std::int64_t shared_by(std::int64_t heads, std::int64_t width, std::int64_t size, bool shared) {
        const std::int64_t head_count = width / size;
        if (width % size != 0 || head_count == 0 || heads % head_count != 0) return 0;
        return head_count == heads || shared ? heads / head_count : 0;
    }
    static constexpr std::int64_t indivisible = -2;
    static constexpr std::int64_t width(const node_view& n, int k, std::int64_t heads) {
        const shape& x = n.input(k).dims;
        if (x.rank < 0 || x[2] < 0) return -1;
        return x[2] % heads == 0 && x[2] > 0 ? x[2] / heads : indivisible;
    }
    constexpr verdict fit(const node_view& n) const {  // where all shapes are known
        const shape& q = n.input(0).dims;
        for (int k : {1, 2, 4, 5})
            if (n.has_input(k) && (n.input(k).dims[0] != q[0] || n.input(k).dims[1] != q[1]))
                return no("the inputs have different batches or rows");
        if (per_key == 0) return no("queries and keys have different sizes");
        if (gated && n.input(4).dims[2] != heads && n.input(4).dims[2] / heads != keys)
            return no("decay has neither one number for each head nor d_k");
        if (gated && n.input(4).dims[2] % heads != 0) return no("decay has neither one number for each head nor d_k");
        if (corrected && n.input(5).dims[2] != heads && n.input(5).dims[2] != 1)
            return no("beta has neither one number for each head nor one for all");
        if (n.has_input(3) && n.input(3).dims != state_of(q[0]))
            return window > 0 ? no("past_state is not [state_window, batches, heads, d_k, d_v]")
                              : no("past_state is not [batches, heads, d_k, d_v]");
        return yes();
    }
    constexpr shape state_of(std::int64_t batches) const {
        return window > 0 ? shape{window, batches, heads, keys, values} : shape{batches, heads, keys, values};
    }
};
namespace op {
struct linear_attention : standard {
    static constexpr std::string_view onnx_name = "LinearAttention";
    static constexpr version_range versions{27, 27};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 3;
    static constexpr bool shared = false;
    static constexpr cached_pairs caches(const node_view&) { return {{{3, 1, -1, cached_pair::form::state, 0, 1}}}; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return shapes_of(n, shared, y); }
    static constexpr verdict shapes_of(const node_view& n, bool may_share, std::span<shape> y) noexcept {
        linear_attention_sizes s;
        if (const verdict v = linear_attention_sizes::read(n, may_share, s); !v) return v;
        const shape& q = n.input(0).dims;
        if (q.rank < 0) return yes();
        y[0] = {q[0], q[1], s.values < 0 ? -1 : s.values * s.heads * s.queries};
        if (y.size() > 1) y[1] = s.state_of(q[0]);
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
struct microsoft_linear_attention : linear_attention {
    static constexpr std::string_view domain = "com.microsoft";
    static constexpr version_range versions{1, 1};
    static constexpr bool shared = true;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return shapes_of(n, shared, y); }
};
}  // namespace op

template <class Op, class T> struct linear_attention_kernel : simple_kernel {
    struct params {
        linear_attention_sizes s;
        std::int64_t batches, rows, decays, betas;  // decays: for each head; betas: for all heads
        double scale;                               // 0: 1 / sqrt(d_k)
        element state;                              // of past_state and present_state
        bool continued, keeps;
    };
    static constexpr verdict supports(const node_view& n) {
        if (n.has_input(3) && !is_any_float(n.input(3).type)) return no("past_state is of no type for states");
        return !n.has_output(1) || n.output(1).type == Op::output_type(n, 1)
                   ? yes()
                   : no("present_state is not of past_state's type");
    }
    static constexpr params prepare(const node_view& n) {
        params p{};
        (void)linear_attention_sizes::read(n, Op::shared, p.s);
        const shape& q = n.input(0).dims;
        p.batches = q[0];
        p.rows = q[1];
        p.decays = p.s.gated ? n.input(4).dims[2] / p.s.heads : 0;
        p.betas = p.s.corrected ? n.input(5).dims[2] : 0;
        p.scale = n.real("scale", 0);
        p.state = Op::output_type(n, 1);
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
        std::atomic<bool> is_stopped = false;
        const std::int64_t state_size = p.s.keys * p.s.values, work = state_size * (2 + p.s.queries);
        const std::int64_t of_slot = p.batches * p.s.heads * state_size;
        const auto scale = static_cast<float>(p.scale == 0 ? 1 / std::sqrt(static_cast<double>(p.s.keys)) : p.scale);
        c.split(p.batches * p.s.heads, 1 + (1 << 14) / (1 + p.rows * work),
                [&](std::int64_t first, std::int64_t end, int part) {
                    float *now = reinterpret_cast<float*>(c.scratch) + part * numbers(p), *spare = now + state_size;
                    stop_check stop(c);
                    for (std::int64_t head = first; head < end; ++head) {
                        for (std::int64_t i = 0; i < state_size; ++i)
                            now[i] = p.continued
                                         ? load_float<float>(p.state, a.inputs[3],
                                                             (p.s.slots() - 1) * of_slot + head * state_size + i)
                                         : 0;
                        const auto keep = [&](std::int64_t slot, bool is_valid) {
                            for (std::int64_t i = 0; i < state_size && p.keeps && slot >= 0; ++i)
                                store_float<float>(p.state, a.outputs[1], slot * of_slot + head * state_size + i,
                                                   is_valid ? now[i] : 0);
                        };
                        for (std::int64_t slot = 0; slot < p.s.window - p.rows; ++slot) keep(slot, false);
                        for (std::int64_t t = 0; t < p.rows; ++t) {
                            if (is_stopped || stop(work)) {
                                is_stopped = true;
                                return;
                            }
                            step(p, a, head, t, now, spare);
                            read(p, a, head, t, scale, now, spare);
                            if (p.s.window > 0) keep(p.s.window - p.rows + t, true);
                        }
                        if (p.s.window == 0) keep(0, true);
                    }
                });
        return is_stopped ? c.end_of_run() : status::ok;
    }

  private:
    // The row at step t of an input or output that has `count` heads of `size` elements, of which `share` heads of
    // values in a row share one. head: of all batches.
    static std::int64_t place(const params& p, std::int64_t head, std::int64_t t, std::int64_t size, std::int64_t share,
                              std::int64_t count) {
        return ((head / p.s.heads * p.rows + t) * count + head % p.s.heads / share) * size;
    }
    static std::int64_t place(const params& p, std::int64_t head, std::int64_t t, std::int64_t size) {
        return place(p, head, t, size, 1, p.s.heads);
    }
    static void step(const params& p, const arguments& a, std::int64_t head, std::int64_t t, float* now,
                     float* row) noexcept {
        const std::int64_t keys = p.s.keys, values = p.s.values;
        const T* k = a.in<T>(1) + place(p, head, t, keys, p.s.per_key, p.s.key_heads());
        const T* v = a.in<T>(2) + place(p, head, t, values);
        if (p.s.gated) {
            const T* g = a.in<T>(4) + place(p, head, t, p.decays);
            for (std::int64_t i = 0; i < keys; ++i) {
                const float by = std::exp(static_cast<float>(g[p.decays == 1 ? 0 : i]));
                for (std::int64_t j = 0; j < values; ++j) now[i * values + j] *= by;
            }
        }
        for (std::int64_t j = 0; j < values; ++j) row[j] = static_cast<float>(v[j]);
        if (p.s.corrected) {
            float* estimate = row + values;
            std::fill_n(estimate, values, 0.f);
            for (std::int64_t i = 0; i < keys; ++i) {
                const float by = static_cast<float>(k[i]);
                for (std::int64_t j = 0; j < values; ++j) estimate[j] += by * now[i * values + j];
            }
            const std::int64_t at = (head / p.s.heads * p.rows + t) * p.betas + (p.betas == 1 ? 0 : head % p.s.heads);
            const float beta = static_cast<float>(a.in<T>(5)[at]);
            for (std::int64_t j = 0; j < values; ++j) row[j] = beta * (row[j] - estimate[j]);
        }
        for (std::int64_t i = 0; i < keys; ++i) {
            const float by = static_cast<float>(k[i]);
            for (std::int64_t j = 0; j < values; ++j) now[i * values + j] += by * row[j];
        }
    }
    static void read(const params& p, const arguments& a, std::int64_t head, std::int64_t t, float scale,
                     const float* now, float* row) noexcept {
        const std::int64_t keys = p.s.keys, values = p.s.values;
        // Where heads share one of queries, each has one; else the `queries` of a head are one wide head.
        const std::int64_t first = place(p, head, t, p.s.queries, p.s.per_query, p.s.heads / p.s.per_query);
        for (std::int64_t query = 0; query < p.s.queries; ++query) {
            const T* q = a.in<T>(0) + (first + query) * keys;
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
template <class T>
struct kernel<op::linear_attention, device::reference, types<T>> : linear_attention_kernel<op::linear_attention, T> {};
template <class T>
struct kernel<op::microsoft_linear_attention, device::reference, types<T>>
    : linear_attention_kernel<op::microsoft_linear_attention, T> {};
}  // namespace v1
}  // namespace inlay

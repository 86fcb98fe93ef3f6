// GatedDeltaNet (com.microsoft, since 1): LinearAttention over sequences that lie one after the other. Each head of
// values has a state S [d_v, d_k], which every token changes and its query reads: y = scale S q. By update_rule:
//   linear       S = S + v k             (v k: the outer product)
//   gated        S = e^g S + v k         (g: a number of the head, or one for each column of S)
//   delta        S = S + beta (v - S k) k
//   gated_delta  as delta, of e^g S
// Heads of values in a row share a head of queries and keys, which qk_l2_norm divides by their length. g is decay, or
// with gate_activation softplus -e^a_log Softplus(decay + dt_bias), or with sigmoid gate_lower_bound Sigmoid(e^a_log
// (decay + dt_bias)); beta may go through Sigmoid. Tokens are the first axis, sequences as cu_seqlens cuts it, or the
// first two, [batch, tokens]. state_update has of the first capture_count tokens of each sequence e^g, the keys and
// what was added to S for each k, state_update_capacity of each, zeros after them. Inputs: query (or all three side by
// side), key, value [tokens, heads, size], cu_seqlens, decay, beta, initial_state [batch, heads, d_v, d_k], a_log,
// dt_bias, capture_count, state_update_active. States and accumulators are float32.
#pragma once
#include <inlay/onnx/unary.hpp>
#include <inlay/support/any_float.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <inlay/support/stop_check.hpp>

namespace inlay {
inline namespace v1 {
struct delta_net_params {
    enum input : int { query, key, value, lengths, decay, beta, state, a_log, bias, captures, active };
    enum gate : std::uint8_t { plain, softplus, sigmoid };
    std::int64_t batches = 0, tokens = 0, key_heads = 0, heads = 0, keys = 0, values = 0;     // keys, values: d_k, d_v
    std::int64_t decays = 1, biases = 1, capacity = 0;                                        // of each head
    bool gated = false, corrected = false, packed = false, normal = false, squeezed = false;  // squeezed: beta
    gate gating = plain;
    double scale = 0, bound = -5;
    element gates = element::undefined;  // the type of decay and beta
    presence has{};

    constexpr std::int64_t shared() const { return heads / key_heads; }
    constexpr std::int64_t update_width() const { return heads * decays + key_heads * keys + heads * values; }
    constexpr verdict read(const node_view& n) {
        const auto rule = n.text("update_rule", "gated_delta");
        gated = rule == "gated" || rule == "gated_delta";
        corrected = rule == "delta" || rule == "gated_delta";
        if (!gated && !corrected && rule != "linear")
            return no("update_rule is none of linear, gated, delta, gated_delta");
        const auto by = n.text("gate_activation", "none"), squeezing = n.text("beta_activation", "none");
        gating = by == "softplus" || by == "qwen" ? softplus : by == "sigmoid" || by == "kda" ? sigmoid : plain;
        if (gating == plain && by != "none") return no("gate_activation must be none, softplus or sigmoid");
        squeezed = squeezing == "sigmoid";
        if (!squeezed && squeezing != "none") return no("beta_activation must be none or sigmoid");
        capacity = n.integer("state_update_capacity", 0);
        if (capacity < 0 || capacity > 8) return no("state_update_capacity must be 0 to 8");
        normal = n.integer("qk_l2_norm", 0) != 0;
        scale = n.real("scale", 0);
        bound = n.real("gate_lower_bound", -5);
        return read_presence(n);
    }
    constexpr verdict read_presence(const node_view& n) {
        has = presence(n);
        if (!has.has_in(query)) return no("query is missing");
        if (has.has_in(key) != has.has_in(value)) return no("key and value must come together");
        packed = !has.has_in(key);
        if (packed && !has.has_in(state)) return no("query, key and value side by side need initial_state");
        if (gated != has.has_in(decay)) return no("decay is what gated rules have, and no others");
        if (corrected != has.has_in(beta)) return no("beta is what delta rules have, and no others");
        for (int k : {a_log, bias})
            if (has.has_in(k) != (gating != plain))
                return no("a_log and dt_bias are what gate_activation reads, and nothing else");
        if (has.has_in(captures) != (capacity > 0))
            return no("capture_count is there exactly where state_update_capacity is positive");
        gates = n.input_type(gated ? decay : beta);
        return yes();
    }
    // Where all shapes are known.
    constexpr verdict read_shapes(const node_view& n) {
        const shape& q = n.input(query).dims;
        const int heads_axes = packed ? 1 : 2, lead = q.rank - heads_axes;  // lead: axes of tokens
        if (lead != 1 && lead != 2) return no("query must be [tokens, heads, size], or [batch, tokens, heads, size]");
        tokens = q.elements(0, lead);
        if (const verdict v = packed ? read_packed(n) : read_heads(n, lead); !v) return v;
        if (const verdict v = read_batches(n, lead); !v) return v;
        if (has.has_in(state) && n.input(state).dims != shape{batches, heads, values, keys})
            return no("initial_state must be [batch, heads of values, d_v, d_k]");
        const shape outer = leading(q, lead);
        if (const verdict v = read_gates(n, outer); !v) return v;
        if (has.has_in(captures) && n.input(captures).dims != shape{batches})
            return no("capture_count must have one number per sequence");
        if (has.has_in(active) && n.input(active).dims.elements() != 1)
            return no("state_update_active must be one number");
        if (scale == 0) scale = 1 / std::sqrt(double(keys));
        return countable({batches, heads, values, keys}) && countable({tokens, heads, values})
                   ? yes()
                   : no("the states or the output are too large");
    }
    static constexpr shape leading(const shape& s, int count) {
        shape outer;
        for (int i = 0; i < count; ++i) outer.push_back(s[i]);
        return outer;
    }
    constexpr verdict read_packed(const node_view& n) {
        const shape &q = n.input(query).dims, &s = n.input(state).dims;
        if (s.rank != 4 || s[1] < 1 || s[3] < 1) return no("initial_state must be [batch, heads of values, d_v, d_k]");
        if (!countable(s)) return no("the states or the output are too large");
        heads = s[1];
        values = s[2];
        keys = s[3];
        const std::int64_t rest = q[q.rank - 1] - heads * values;
        if (rest < 1 || rest % (2 * keys) != 0) return no("query, key and value side by side do not fit initial_state");
        key_heads = rest / (2 * keys);
        return heads % key_heads == 0 ? yes() : no("the heads of values are no multiple of those of queries");
    }
    constexpr verdict read_heads(const node_view& n, int lead) {
        const shape &q = n.input(query).dims, &v = n.input(value).dims;
        key_heads = q[lead];
        keys = q[lead + 1];
        if (n.input(key).dims != q) return no("query and key differ in shape");
        if (v.rank != q.rank || leading(v, lead) != leading(q, lead))
            return no("query and value have different tokens");
        heads = v[lead];
        values = v[lead + 1];
        if (key_heads < 1 || keys < 1 || heads < 1 || heads % key_heads != 0)
            return no("the heads of values are no multiple of those of queries");
        return yes();
    }
    constexpr verdict read_batches(const node_view& n, int lead) {
        if (has.has_in(lengths)) {
            const shape& s = n.input(lengths).dims;
            if (lead != 1) return no("cu_seqlens is for tokens along one axis");
            if (s.rank != 1 || s[0] < 1) return no("cu_seqlens must have one number more than there are sequences");
            batches = s[0] - 1;
            return yes();
        }
        if (lead == 2) {
            batches = n.input(query).dims[0];
            return yes();
        }
        if (!has.has_in(state))
            return no("cu_seqlens, initial_state or an axis must tell how many sequences there are");
        const shape& s = n.input(state).dims;
        batches = s.rank > 0 ? s[0] : 0;
        return batches > 0 && tokens % batches == 0 ? yes() : no("the tokens do not divide into sequences");
    }
    constexpr verdict read_gates(const node_view& n, shape outer) {
        outer.push_back(heads);
        if (corrected && n.input(beta).dims != outer) return no("beta must have one number for each token and head");
        if (!gated) return yes();
        const shape& d = n.input(decay).dims;
        decays = d.rank == outer.rank + 1 ? keys : 1;
        if (d.rank == outer.rank + 1) outer.push_back(keys);
        if (d != outer) return no("decay must have one number, or d_k, for each token and head");
        if (gating == plain) return yes();
        if (n.input(a_log).dims != shape{heads}) return no("a_log must have one number per head");
        const shape& b = n.input(bias).dims;
        biases = b == shape{heads} ? 1 : keys;
        if (biases != 1 && (decays == 1 || (b != shape{heads, keys} && b != shape{heads * keys})))
            return no("dt_bias must have as many numbers as decay has for each token, or one per head");
        return yes();
    }
    struct range {
        std::int64_t begin, end;
    };
    range sequence(const arguments& a, std::int64_t b) const noexcept {
        const std::int32_t* cuts = has.in<std::int32_t>(a, lengths);
        return cuts ? range{cuts[b], cuts[b + 1]} : range{b * (tokens / batches), (b + 1) * (tokens / batches)};
    }
    std::string_view misfit(const arguments& a) const noexcept {
        const std::int32_t* cuts = has.in<std::int32_t>(a, lengths);
        if (!cuts) return {};
        if (cuts[0] != 0 || cuts[batches] != tokens) return "cu_seqlens must go from 0 to the number of tokens";
        for (std::int64_t b = 0; b < batches; ++b)
            if (cuts[b] > cuts[b + 1]) return "cu_seqlens must not descend";
        return {};
    }
};
namespace op {
struct gated_delta_net : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "GatedDeltaNet";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr operator_facts facts{.required_outputs = 1};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() > 11) return no("there are too many inputs");
        delta_net_params p;
        if (const verdict v = p.read(n); !v) return v;
        for (int k = 0; k < n.input_count(); ++k)
            if (n.has_input(k) && !n.input(k).dims.known()) return yes();
        if (const verdict v = p.read_shapes(n); !v) return v;
        const shape& q = n.input(0).dims;
        y[0] = delta_net_params::leading(q, q.rank - (p.packed ? 1 : 2));
        y[0].push_back(p.heads);
        y[0].push_back(p.values);
        if (y.size() > 1) y[1] = {p.batches, p.heads, p.values, p.keys};
        if (y.size() > 2) y[2] = {p.batches, p.capacity * p.update_width()};
        return yes();
    }
    static constexpr element output_type(const node_view& n, int k) { return k == 0 ? n.input_type(0) : element::f32; }
    static constexpr double flop(const node_view&, const argument_shapes& s) {
        const shape y = s.output(0), now = s.output(1);
        return now.rank == 4 ? 4 * count_of(y) * double(now[3]) : 0;
    }
};
}  // namespace op

template <class T> struct kernel<op::gated_delta_net, device::reference, types<T>> : simple_kernel {
    using params = delta_net_params;
    static constexpr verdict supports(const node_view& n) {
        for (int k : {params::key, params::value})
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("query, key and value differ in type");
        for (int k : {params::state, params::a_log, params::bias})
            if (n.has_input(k) && n.input(k).type != element::f32) return no("states, a_log and dt_bias must be float");
        for (int k : {params::lengths, params::captures, params::active})
            if (n.has_input(k) && n.input(k).type != element::i32) return no("lengths and counts must be int32");
        const element e = n.input_type(n.has_input(params::decay) ? params::decay : params::beta);
        for (int k : {params::decay, params::beta})
            if (n.has_input(k) && n.input(k).type != e) return no("decay and beta differ in type");
        return e == element::undefined || e == element::f32 || e == n.input(0).type
                   ? yes()
                   : no("decay and beta must be float, or of query's type");
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.read(n);
        (void)p.read_shapes(n);
        return p;
    }
    static constexpr std::int64_t numbers(const params& p) { return p.keys * p.values + 3 * p.keys + p.values; }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, std::int64_t(sizeof(float)) * numbers(p) * threads};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (const std::string_view reason = p.misfit(a); !reason.empty()) return c.fail(reason);
        if (float* update = p.has.template out<float>(a, 2))
            std::fill_n(update, p.batches * p.capacity * p.update_width(), 0.f);
        c.split(p.batches * p.heads, 1, [&](std::int64_t first, std::int64_t end, int part) {
            stop_check stops(c);
            for (std::int64_t i = first; i < end; ++i)
                if (!advance(p, a, i / p.heads, i % p.heads, reinterpret_cast<float*>(c.scratch) + part * numbers(p),
                             stops))
                    return;
        });
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    struct step {  // what a token has for a head: [d_v, d_k] of the state, then its rows
        float *now, *q, *k, *fade, *added;
        step(const params& p, float* scratch)
            : now(scratch), q(now + p.keys * p.values), k(q + p.keys), fade(k + p.keys), added(fade + p.keys) {}
    };
    // A head of all its tokens; false where the run is to end.
    static bool advance(const params& p, const arguments& a, std::int64_t batch, std::int64_t head, float* scratch,
                        stop_check& stops) noexcept {
        const step s(p, scratch);
        const std::int64_t state_size = p.keys * p.values, at = (batch * p.heads + head) * state_size;
        if (const float* initial = p.has.template in<float>(a, params::state))
            std::copy_n(initial + at, state_size, s.now);
        else
            std::fill_n(s.now, state_size, 0.f);
        const auto tokens = p.sequence(a, batch);
        for (std::int64_t t = tokens.begin; t < tokens.end; ++t) {
            if (stops(4 * state_size)) return false;
            load(p, a, t, head, s);
            update(p, a, t, head, s);
            capture(p, a, batch, head, t - tokens.begin, s);
            T* y = a.out<T>(0) + (t * p.heads + head) * p.values;
            for (std::int64_t j = 0; j < p.values; ++j)
                y[j] = static_cast<T>(float(p.scale) * dot(s.now + j * p.keys, s.q, p.keys));
        }
        if (float* final_state = p.has.template out<float>(a, 1)) std::copy_n(s.now, state_size, final_state + at);
        return true;
    }
    static float dot(const float* x, const float* y, std::int64_t n) noexcept {
        float sum = 0;
        for (std::int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
        return sum;
    }
    // The row of a token in query, key or value, of `head` of their heads.
    static const T* row_of(const params& p, const arguments& a, int k, std::int64_t t, std::int64_t head) noexcept {
        const std::int64_t size = k == params::value ? p.values : p.keys;
        if (!p.packed) return a.in<T>(k) + (t * (k == params::value ? p.heads : p.key_heads) + head) * size;
        const std::int64_t of_keys = p.key_heads * p.keys;
        return a.in<T>(0) + t * (2 * of_keys + p.heads * p.values) + k * of_keys + head * size;
    }
    static void load(const params& p, const arguments& a, std::int64_t t, std::int64_t head, const step& s) noexcept {
        for (int k : {params::query, params::key}) {
            const T* from = row_of(p, a, k, t, head / p.shared());
            float* to = k == params::query ? s.q : s.k;
            for (std::int64_t i = 0; i < p.keys; ++i) to[i] = static_cast<float>(from[i]);
            if (!p.normal) continue;
            const float by = 1 / std::sqrt(dot(to, to, p.keys) + 1e-12f);
            for (std::int64_t i = 0; i < p.keys; ++i) to[i] *= by;
        }
        for (std::int64_t i = 0; i < p.keys; ++i) s.fade[i] = 1;
        for (std::int64_t i = 0; p.gated && i < p.keys; ++i)
            s.fade[i] = i < p.decays ? std::exp(log_decay(p, a, t, head, i)) : s.fade[0];
    }
    static float log_decay(const params& p, const arguments& a, std::int64_t t, std::int64_t head,
                           std::int64_t i) noexcept {
        const float x = load_float<float>(p.gates, a.inputs[params::decay], (t * p.heads + head) * p.decays + i);
        if (p.gating == params::plain) return x;
        const float by = std::exp(a.in<float>(params::a_log)[head]),
                    shifted = x + a.in<float>(params::bias)[head * p.biases + (p.biases == 1 ? 0 : i)];
        return p.gating == params::softplus ? -by * op::softplus::apply(shifted, 0.f, 0.f)
                                            : float(p.bound) * op::sigmoid::apply(by * shifted, 0.f, 0.f);
    }
    static void update(const params& p, const arguments& a, std::int64_t t, std::int64_t head, const step& s) noexcept {
        float beta = 1;
        if (p.corrected) {
            beta = load_float<float>(p.gates, a.inputs[params::beta], t * p.heads + head);
            if (p.squeezed) beta = op::sigmoid::apply(beta, 0.f, 0.f);
        }
        const T* v = row_of(p, a, params::value, t, head);
        for (std::int64_t j = 0; j < p.values; ++j) {
            float* row = s.now + j * p.keys;
            for (std::int64_t i = 0; i < p.keys; ++i) row[i] *= s.fade[i];
            s.added[j] = static_cast<float>(v[j]);
            if (p.corrected) s.added[j] = beta * (s.added[j] - dot(row, s.k, p.keys));
            for (std::int64_t i = 0; i < p.keys; ++i) row[i] += s.added[j] * s.k[i];
        }
    }
    static void capture(const params& p, const arguments& a, std::int64_t batch, std::int64_t head, std::int64_t t,
                        const step& s) noexcept {
        const std::int32_t* active = p.has.template in<std::int32_t>(a, params::active);
        if (t >= p.capacity || !p.has.has_out(2) || (active && *active == 0) ||
            t >= a.in<std::int32_t>(params::captures)[batch])
            return;
        float* to = a.out<float>(2) + batch * p.capacity * p.update_width();
        std::copy_n(s.fade, p.decays, to + (t * p.heads + head) * p.decays);
        to += p.capacity * p.heads * p.decays;
        if (head % p.shared() == 0) std::copy_n(s.k, p.keys, to + (t * p.key_heads + head / p.shared()) * p.keys);
        to += p.capacity * p.key_heads * p.keys;
        std::copy_n(s.added, p.values, to + (t * p.heads + head) * p.values);
    }
};
}  // namespace v1
}  // namespace inlay

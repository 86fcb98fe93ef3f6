// GroupQueryAttention (com.microsoft, since 1): softmax(scale Q K') V for each head of Q, several of which share a head
// of K and V. New keys and values follow those of former calls, row seqlens_k + 1 of each batch being the last one; Q
// and K may be normalised by their root mean square and rotated first. softcap: c tanh(x / c) of the scores; then a
// bias is added, where -inf excludes a key, whatever it is; head_sink, or 0 with smooth_softmax, is one
// more score of each head that has no value.
// With k_quant_type and v_quant_type the caches hold x / scale, rounded: as int8 or float8e4m3fn, or, of 4 bits, two
// values plus 8 in each byte, the first one low; k_scale and v_scale have one number, or one for each channel.
// Key and value of no rows: nothing is added to the caches, and the queries are the last ones of the rows that are
// there (layers that share a cache). Without present_key and present_value the caches are not outputs.
// Inputs: query (or all three side by side), key, value, past_key, past_value, seqlens_k, total_sequence_length,
// cos_cache, sin_cache, position_ids, attention_bias, head_sink, k_scale, v_scale, q_norm_weight, k_norm_weight.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/attention_rows.hpp>
#include <inlay/support/grouped_heads.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/quantized.hpp>
#include <inlay/support/stop_check.hpp>
#include <cmath>
#include <limits>

namespace inlay {
inline namespace v1 {
struct group_query_params : grouped_heads {
    std::int64_t past = 0, present = 0;
    std::int64_t added = 0;  // rows of key and value: as many as of query, or none
    std::int64_t window = -1, bias_batch = 0, bias_head = 0, total = -1;
    bool causal = true, smooth = false, quantised = false;
    element cache = element::undefined;   // the type of the caches
    std::int64_t bits = 0;                // of an element in one that is quantized
    std::array<std::int64_t, 4> steps{};  // of k_scale by head and channel, then of v_scale
    double softcap = 0, epsilon = 0;

    constexpr verdict read(const node_view& n) {
        if (const verdict v = read_heads(n, 7); !v) return v;
        window = n.integer("local_window_size", -1);
        if (window == 0 || window < -1) return no("local_window_size must be positive, or -1");
        causal = n.integer("causal", 1) != 0;
        if (!causal && window > 0) return no("a local window needs causal attention");
        smooth = n.integer("smooth_softmax", 0) == 1;
        softcap = n.real("softcap", 0);
        epsilon = n.real("qk_norm_epsilon", 1e-6f);
        if (has.has_in(3) != has.has_in(4)) return no("past_key and past_value must come together");
        if (has.has_in(14) != has.has_in(15)) return no("q_norm_weight and k_norm_weight must come together");
        if (has.has_out(1) != has.has_out(2)) return no("present_key and present_value must come together");
        if (const verdict v = read_quantisation(n); !v) return v;
        if (const auto t = n.input_integers(6); t && t->size() == 1) total = (*t)[0];
        return yes();
    }
    constexpr verdict read_quantisation(const node_view& n) {
        const auto kind = [&](std::string_view name) {
            const std::string_view k = n.text(name, "NONE");
            return k == "NONE" ? 0 : k == "PER_TENSOR" || k == "PER_CHANNEL" ? 1 : -1;
        };
        if (kind("k_quant_type") < 0 || kind("v_quant_type") < 0)
            return no("k_quant_type and v_quant_type must be NONE, PER_TENSOR or PER_CHANNEL");
        if (kind("k_quant_type") != kind("v_quant_type"))
            return no("keys and values must both be quantised, or neither");
        quantised = kind("k_quant_type") != 0;
        if (!quantised) return yes();
        bits = n.integer("kv_cache_bit_width", 0);
        if (bits != 4 && bits != 8) return no("kv_cache_bit_width must be 4 or 8");
        return has.has_in(12) && has.has_in(13) ? yes() : no("quantised keys and values need k_scale and v_scale");
    }
    constexpr verdict read_scales(const node_view& n) {
        for (int k : {0, 1}) {
            if (!quantised || !n.input(12 + k).dims.known()) continue;
            const shape& s = n.input(12 + k).dims;
            if (s.elements() == 1) continue;
            if (s.rank != 4 || s[0] != 1 || s[2] != 1 || (s[1] != 1 && s[1] != groups) || (s[3] != 1 && s[3] != size))
                return no("k_scale and v_scale must be one number, or [1, heads, 1, size]");
            steps[std::size_t(2 * k)] = s[1] == 1 ? 0 : s[3];
            steps[std::size_t(2 * k + 1)] = s[3] == 1 ? 0 : 1;
        }
        return yes();
    }
    constexpr std::int64_t cache_width() const { return bits == 4 ? (size + 1) / 2 : size; }  // elements of a row
    constexpr verdict read_query(const shape& q, const node_view& n) {
        if (const verdict v = divide(q); !v) return v;
        added = rows;
        if (packed || !n.input(1).dims.known() || !n.input(2).dims.known()) return yes();
        const shape &key = n.input(1).dims, &v = n.input(2).dims;
        if (key == shape{batches, 0, groups * size}) added = 0;
        if (key != v || key != shape{batches, added, groups * size})
            return no("key and value must be [batch, rows of query or 0, heads * size]");
        return added > 0 || rows == 0 || has.has_in(3) ? yes() : no("key and value of no rows need past_key");
    }
    constexpr verdict read_caches(const node_view& n) {
        for (int k : {3, 4}) {
            if (!has.has_in(k)) continue;
            const shape& c = n.input(k).dims;
            if (!c.known()) continue;
            if (c.rank != 4 || c[0] != batches || c[1] != groups || c[3] != cache_width())
                return no("past_key and past_value must be [batch, heads, rows, size]");
            if (k == 4 && n.input(3).dims.known() && c[2] != n.input(3).dims[2])
                return no("past_key and past_value differ in length");
            past = c[2];
        }
        return yes();
    }
    constexpr verdict read_rest(const node_view& n) {
        const auto count = [&](int k, std::int64_t c) {
            return !has.has_in(k) || !n.input(k).dims.known() || n.input(k).dims.elements() == c;
        };
        if (!count(5, batches)) return no("seqlens_k must have one number per batch");
        if (!count(6, 1)) return no("total_sequence_length must be one number");
        if (!count(9, batches * rows)) return no("position_ids must have one number per row");
        if (!count(11, heads)) return no("head_sink must have one number per head");
        if (!count(14, size) || !count(15, size))
            return no("q_norm_weight and k_norm_weight must be as long as a head");
        for (int k : {7, 8}) {
            if (!rotary || !n.input(k).dims.known()) continue;
            if (const verdict v = read_cosines(n.input(n.input(7).dims.known() ? 7 : k).dims, n.input(k).dims); !v)
                return v;
        }
        return yes();
    }
    // Of a node whose shapes are complete.
    constexpr verdict read_bias(const node_view& n) {
        if (!has.has_in(10)) return yes();
        const shape& b = n.input(10).dims;
        if (b.rank != 4 || (b[0] != 1 && b[0] != batches) || (b[1] != 1 && b[1] != heads) || b[2] != rows)
            return no("attention_bias must be [batch or 1, heads or 1, rows, total_sequence_length]");
        bias_width = b[3];
        bias_head = b[1] > 1 ? rows * b[3] : 0;
        bias_batch = b[0] > 1 ? b[1] * rows * b[3] : 0;
        return yes();
    }
    // Of a node whose shapes are complete, present_key's too.
    constexpr verdict read_all(const node_view& n) {
        if (const verdict v = read(n); !v) return v;
        if (const verdict v = read_query(n.input(0).dims, n); !v) return v;
        if (const verdict v = read_caches(n); !v) return v;
        if (const verdict v = read_rest(n); !v) return v;
        if (const verdict v = read_scales(n); !v) return v;
        cache = cache_type(n);
        present = keeps() ? n.output(1).dims[2] : added > 0 ? past + rows : past;
        return read_bias(n);
    }
    static constexpr element cache_type(const node_view& n) {
        if (n.has_input(3)) return n.input_type(3);
        if (n.text("k_quant_type", "NONE") == "NONE") return n.input_type(0);
        return n.integer("kv_cache_bit_width", 0) == 4 ? element::u8 : element::i8;
    }
    constexpr bool keeps() const { return has.has_out(1); }  // the caches are outputs
    constexpr bool reads_past() const { return !keeps() && added == 0; }
    // Bytes of the caches of keys and of values that no output holds, where a row has `row_bytes`.
    constexpr std::int64_t unkept(std::int64_t row_bytes) const {
        return keeps() || reads_past() ? 0 : (batches * groups * present * row_bytes + 63) / 64 * 64;
    }
    // The caches of keys (0) or values (1) that a run reads, and writes if it has rows to add.
    std::byte* cache_of(const arguments& a, int k, std::byte* room, std::int64_t row_bytes) const noexcept {
        if (keeps()) return a.out<std::byte>(1 + k);
        return reads_past() ? const_cast<std::byte*>(a.in<std::byte>(3 + k)) : room + k * unkept(row_bytes);
    }
    // Rows of former calls; a first call may have fewer rows than places, as its last ones are padding.
    std::int64_t former(const arguments& a, std::int64_t batch) const noexcept {
        return *a.in<std::int32_t>(6) == rows ? 0 : a.in<std::int32_t>(5)[batch] + std::int64_t(1) - rows;
    }
    std::int64_t position(const arguments& a, std::int64_t batch, std::int64_t row) const noexcept {
        const std::int64_t* positions = has.in<std::int64_t>(a, 9);
        return positions ? positions[batch * rows + row] : former(a, batch) + row;
    }
    struct range {
        std::int64_t begin, end;
    };
    constexpr range seen(std::int64_t before, std::int64_t row) const {  // by a row, after so many former ones
        const std::int64_t end = before + (causal ? row + 1 : rows);
        return {window > 0 ? std::max<std::int64_t>(end - window, 0) : 0, end};
    }
    status check(const arguments& a, context& c) const noexcept {
        for (std::int64_t b = 0; b < batches; ++b) {
            const std::int64_t old = former(a, b);
            if (a.in<std::int32_t>(5)[b] < 0 || old < 0 || old > past || old + rows > (added > 0 ? present : past))
                return c.fail("seqlens_k does not fit past and new rows");
            if (has.has_in(10) && old + rows > bias_width) return c.fail("attention_bias has too few columns");
            for (std::int64_t i = 0; rotary && i < rows; ++i)
                if (const std::int64_t at = position(a, b, i); at < 0 || at >= positions)
                    return c.fail("a position is not in cos_cache");
        }
        return status::ok;
    }
    std::int64_t bias_width = 0;
};

namespace op {
struct group_query_attention : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "GroupQueryAttention";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 1;
    static constexpr operator_facts facts{.required_outputs = 1};
    static constexpr cached_pairs caches(const node_view&) {
        constexpr auto buffer = cached_pair::form::buffer;
        return {{{3, 1, 2, buffer, 0, 1, 6}, {4, 2, 2, buffer, 0, 1, 6}}};
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k : {0, 5, 6})
            if (!n.has_input(k)) return no("query, seqlens_k or total_sequence_length is missing");
        if (n.input_count() > 16) return no("there are too many inputs");
        group_query_params p;
        if (const verdict v = p.read(n); !v) return v;
        const shape& q = n.input(0).dims;
        if (!q.known()) return yes();
        if (const verdict v = p.read_query(q, n); !v) return v;
        if (const verdict v = p.read_caches(n); !v) return v;
        if (const verdict v = p.read_rest(n); !v) return v;
        y[0] = {p.batches, p.rows, p.heads * p.size};
        if (p.total < 0 || (p.has.has_in(3) && !n.input(3).dims.known())) return yes();
        const shape cache{p.batches, p.groups, std::max(p.past, p.total), p.cache_width()};
        if (!countable(cache)) return no("the output is too large");
        for (std::size_t k = 1; k < std::min<std::size_t>(y.size(), 3); ++k) y[k] = cache;
        return yes();
    }
    static constexpr element output_type(const node_view& n, int k) {
        return k == 1 || k == 2 ? group_query_params::cache_type(n) : n.input_type(0);
    }
};
}  // namespace op

template <class T> struct kernel<op::group_query_attention, device::reference, types<T>> : simple_kernel {
    using params = group_query_params;
    static constexpr verdict supports(const node_view& n) {
        if (n.integer("sliding_window_cache", 0) != 0) return no("caches of a window's size are not supported");
        if (n.has_output(3)) return no("the scores are not given back");
        for (int k : {1, 2, 7, 8, 10, 11, 14, 15})
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("the inputs must have one type");
        if (const verdict v = caches(n); !v) return v;
        for (int k : {5, 6})
            if (n.input(k).type != element::i32) return no("seqlens_k and total_sequence_length must be int32");
        if (n.has_input(9) && n.input(9).type != element::i64) return no("position_ids must be int64");
        params p;
        return p.read_all(n);
    }
    static constexpr verdict caches(const node_view& n) {
        const bool quantised = n.text("k_quant_type", "NONE") != "NONE";
        const element e = params::cache_type(n);
        for (int k : {1, 2})
            if (n.has_output(k) && n.output(k).type != e) return no("past and present must have one type");
        for (int k : {3, 4})
            if (n.has_input(k) && n.input(k).type != e) return no("past and present must have one type");
        if (!quantised) return e == n.input(0).type ? yes() : no("the inputs must have one type");
        for (int k : {12, 13})
            if (n.input_type(k) != element::f32) return no("k_scale and v_scale must be float");
        return n.integer("kv_cache_bit_width", 0) == 4 ? e == element::u8 ? yes() : no("caches of 4 bits must be uint8")
               : e == element::i8 || e == element::f8e4m3fn ? yes()
                                                            : no("caches of 8 bits must be int8 or float8e4m3fn");
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.read_all(n);
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, 2 * p.unkept(row_bytes(p)) + std::int64_t(sizeof(float)) * scratch(p) * threads};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (const status s = p.check(a, c); s != status::ok) return s;
        if (!p.reads_past())
            c.split(p.batches * p.groups, 1, [&](std::int64_t first, std::int64_t end, int part) {
                for (std::int64_t i = first; i < end; ++i) extend(p, a, c, i / p.groups, i % p.groups, part);
            });
        c.split(p.batches * p.heads, 1, [&](std::int64_t first, std::int64_t end, int part) {
            stop_check stops(c);
            for (std::int64_t i = first; i < end; ++i)
                for (std::int64_t row = 0; row < p.rows; ++row) {
                    if (stops(2 * p.present * p.size)) return;
                    attend(p, a, c, i / p.heads, i % p.heads, row, part);
                }
        });
        return c.stopped() ? status::stopped : status::ok;
    }

    static constexpr std::int64_t row_bytes(const params& p) {
        return p.quantised ? p.cache_width() : p.size * std::int64_t(sizeof(T));
    }
    static float scale_of(const params& p, const arguments& a, int k, std::int64_t group, std::int64_t d) noexcept {
        return a.in<float>(12 + k)[group * p.steps[std::size_t(2 * k)] + d * p.steps[std::size_t(2 * k + 1)]];
    }
    // Writes or reads a row of the cache of keys (0) or values (1).
    static void load_cached(const params& p, const arguments& a, int k, std::int64_t group, const std::byte* row,
                            float* x) noexcept {
        for (std::int64_t d = 0; d < p.size; ++d)
            if (!p.quantised)
                x[d] = static_cast<float>(reinterpret_cast<const T*>(row)[d]);
            else if (p.bits == 8)
                x[d] = float(quantized::load(p.cache, row, d)) * scale_of(p, a, k, group, d);
            else
                x[d] = float(int(std::to_integer<unsigned>(row[d / 2]) >> (d % 2 * 4) & 15u) - 8) *
                       scale_of(p, a, k, group, d);
    }
    static void store_cached(const params& p, const arguments& a, int k, std::int64_t group, const float* x,
                             std::byte* row) noexcept {
        for (std::int64_t d = 0; d < p.size; ++d) {
            if (!p.quantised) {
                reinterpret_cast<T*>(row)[d] = static_cast<T>(x[d]);
                continue;
            }
            const double steps = double(x[d] / scale_of(p, a, k, group, d));
            if (p.cache == element::f8e4m3fn) {
                quantized::store(p.cache, row, d, 1, &steps);
                continue;
            }
            const double low = p.bits == 8 ? -128 : -8, near = std::rint(steps),
                         number = !(near > low) ? low : std::min(near, -low - 1);  // NaN is the lowest
            if (p.bits == 8) {
                row[d] = std::byte(std::int8_t(number));
                continue;
            }
            const unsigned code = unsigned(number + 8),
                           low_bits = d % 2 ? std::to_integer<unsigned>(row[d / 2]) & 15u : 0;
            row[d / 2] = std::byte(d % 2 ? low_bits | code << 4 : code);
        }
    }

  private:
    static constexpr std::int64_t scratch(const params& p) { return 3 * p.size + p.present; }
    static float* scratch_of(const params& p, const context& c, int part) noexcept {
        return reinterpret_cast<float*>(c.scratch + 2 * p.unkept(row_bytes(p))) + part * scratch(p);
    }
    // A row of a head as it is compared: normalized and rotated.
    static void load_row(const params& p, const arguments& a, const T* from, std::int64_t batch, std::int64_t row,
                         int norm, float* x) noexcept {
        for (std::int64_t d = 0; d < p.size; ++d) x[d] = static_cast<float>(from[d]);
        if (const T* weight = p.has.in<T>(a, norm)) {
            double squares = 0;
            for (std::int64_t d = 0; d < p.size; ++d) squares += double(x[d]) * double(x[d]);
            const double inverse = 1 / std::sqrt(squares / double(p.size) + p.epsilon);
            for (std::int64_t d = 0; d < p.size; ++d)
                x[d] = float(x[d] * inverse * double(static_cast<float>(weight[d])));
        }
        if (!p.rotary) return;
        const std::int64_t at = p.position(a, batch, row) * p.turned;
        turn_pairs(x, a.in<T>(7) + at, a.in<T>(8) + at, p.turned, p.interleaved);
    }
    // Present keys and values of a head: the former rows, then the new ones; later rows stay.
    static void extend(const params& p, const arguments& a, context& c, std::int64_t batch, std::int64_t group,
                       int part) noexcept {
        float* x = scratch_of(p, c, part);
        const std::int64_t head = batch * p.groups + group, old = p.former(a, batch);
        for (int k : {0, 1}) {
            const std::int64_t bytes = row_bytes(p);
            const auto* past = p.has.in<std::byte>(a, 3 + k);
            std::byte* const cache = p.cache_of(a, k, c.scratch, bytes);
            std::byte* const present = cache + head * p.present * bytes;
            if (past != cache) {
                const std::int64_t past_bytes = past ? p.past * bytes : 0;
                if (past_bytes > 0) std::copy_n(past + head * past_bytes, past_bytes, present);
                std::fill(present + past_bytes, present + p.present * bytes, std::byte(0));
            }
            const T* from = p.packed ? a.in<T>(0) + (p.heads + k * p.groups) * p.size : a.in<T>(1 + k);
            for (std::int64_t i = 0; i < p.added; ++i) {
                const T* row = from + (batch * p.rows + i) * p.other_width() + group * p.size;
                if (k == 0)
                    load_row(p, a, row, batch, i, 15, x);
                else
                    for (std::int64_t d = 0; d < p.size; ++d) x[d] = static_cast<float>(row[d]);
                store_cached(p, a, k, group, x, present + (old + i) * bytes);
            }
        }
    }
    static void attend(const params& p, const arguments& a, context& c, std::int64_t batch, std::int64_t head,
                       std::int64_t row, int part) noexcept {
        float *q = scratch_of(p, c, part), *cached = q + p.size, *sums = cached + p.size, *scores = sums + p.size;
        const std::int64_t at = batch * p.rows + row, old = p.former(a, batch), group = head / (p.heads / p.groups),
                           bytes = row_bytes(p), cache = (batch * p.groups + group) * p.present * bytes;
        load_row(p, a, a.in<T>(0) + at * p.row_width() + head * p.size, batch, row, 14, q);
        const params::range keys_seen = p.seen(old, row);
        const std::int64_t begin = keys_seen.begin, end = keys_seen.end;
        const std::byte *keys = p.cache_of(a, 0, c.scratch, bytes) + cache,
                        *values = p.cache_of(a, 1, c.scratch, bytes) + cache;
        const T* bias = p.has.in<T>(a, 10);
        if (bias) bias += batch * p.bias_batch + head * p.bias_head + row * p.bias_width;
        constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
        const auto hidden = [&](std::int64_t j) { return bias && static_cast<float>(bias[j]) == minus_infinity; };
        for (std::int64_t j = begin; j < end; ++j) {
            scores[j] = minus_infinity;
            if (hidden(j)) continue;  // such a key may be anything
            float sum = 0;
            load_cached(p, a, 0, group, keys + j * bytes, cached);
            for (std::int64_t d = 0; d < p.size; ++d) sum += q[d] * cached[d];
            sum *= float(p.scale);
            if (p.softcap > 0) sum = float(p.softcap) * std::tanh(sum / float(p.softcap));
            scores[j] = bias ? sum + static_cast<float>(bias[j]) : sum;
        }
        const T* sink = p.has.in<T>(a, 11);
        soften(scores + begin, end - begin, sink || p.smooth, sink ? static_cast<float>(sink[head]) : 0);
        std::fill_n(sums, p.size, 0.f);
        for (std::int64_t j = begin; j < end; ++j) {
            if (hidden(j)) continue;
            load_cached(p, a, 1, group, values + j * bytes, cached);
            for (std::int64_t d = 0; d < p.size; ++d) sums[d] += scores[j] * cached[d];
        }
        T* y = a.out<T>(0) + (at * p.heads + head) * p.size;
        for (std::int64_t d = 0; d < p.size; ++d) y[d] = static_cast<T>(sums[d]);
    }
};
}  // namespace v1
}  // namespace inlay

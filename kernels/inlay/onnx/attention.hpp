// Attention (ai.onnx, since 23): Y = softmax(c tanh(scale Q K' / c) + mask) V for each head of Q, several of which may
// share a head of K and V; without softcap, c, the scores are as they are. Keys of former calls come before the new
// ones. 23: a mask has one number for each key, or one for all; 24: a mask may be shorter, and ends the keys then;
// nonpad_kv_seqlen, the number of keys that count, per batch; 25: left_window_size, right_window_size.
// Query i stands at key i + offset, where offset is the number of former keys, or nonpad_kv_seqlen - rows of Q: causal,
// it sees no key after that. A row that sees no key, or whose keys are all masked by -inf, is 0.
// Inputs: Q, K, V, attn_mask, past_key, past_value, nonpad_kv_seqlen. Outputs: Y, present_key, present_value,
// qk_matmul_output, by qk_matmul_output_mode: 0: the scores, 1: after softcap, 2: masked too, 3: after softmax.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/presence.hpp>
#include <inlay/support/quantized.hpp>
#include <inlay/support/stop_check.hpp>
#include <cmath>
#include <limits>

namespace inlay {
inline namespace v1 {
// Copies rows of `row` bytes that lie `from_row` apart into a dense array.
inline void copy_rows(std::byte* to, const std::byte* from, std::int64_t from_row, std::int64_t rows,
                      std::int64_t row) noexcept {
    if (from_row == row) {
        std::memcpy(to, from, std::size_t(rows * row));
        return;
    }
    for (std::int64_t i = 0; i < rows; ++i) std::memcpy(to + i * row, from + i * from_row, std::size_t(row));
}

struct onnx_attention_params {
    // Row i of head h of batch b begins at b * batch + h * head + i * row.
    struct operand {
        std::int64_t batch = 0, head = 0, row = 0;
        constexpr std::int64_t at(std::int64_t b, std::int64_t h, std::int64_t i) const {
            return b * batch + h * head + i * row;
        }
    };
    static constexpr std::int64_t most = std::int64_t(1) << 40;  // rows and windows, so that nothing here overflows
    operand q{}, k{}, v{}, y{};
    std::int64_t batches = 0, heads = 0, groups = 0, rows = 0, past = 0, fresh = 0, size = 0, value_size = 0;
    std::int64_t left = -1, right = -1, mode = 0, mask_steps[4] = {}, mask_keys = 0;
    double scale = 1, softcap = 0;
    bool three = false, causal = false;
    element softened = element::undefined, mask = element::undefined, value = element::undefined;
    presence has{};

    constexpr std::int64_t keys() const { return past + fresh; }
    constexpr std::int64_t group(std::int64_t head) const { return head / (heads / groups); }
    struct range {
        std::int64_t begin, end;
    };
    // The keys that query i sees; `valid`: those of its batch that count.
    constexpr range seen(std::int64_t i, std::int64_t valid) const {
        const std::int64_t at = i + (has.has_in(6) ? valid - rows : past);
        std::int64_t end = std::min(keys(), has.has_in(6) ? valid : keys());
        if (mask != element::undefined) end = std::min(end, mask_keys);
        if (causal) end = std::min(end, at + 1);
        if (right >= 0) end = std::min(end, at + right + 1);
        end = std::max<std::int64_t>(end, 0);
        return {left < 0 ? 0 : std::clamp<std::int64_t>(at - left, 0, end), end};
    }
    constexpr std::int64_t mask_at(std::int64_t b, std::int64_t h, std::int64_t i) const {
        return b * mask_steps[0] + h * mask_steps[1] + i * mask_steps[2];
    }

    // Whether the numbers of valid keys are ones.
    bool valid(const arguments& a) const noexcept {
        for (std::int64_t b = 0; has.has_in(6) && b < batches; ++b)
            if (const std::int64_t n = a.in<std::int64_t>(6)[b]; n < 0 || n > keys()) return false;
        return true;
    }
    // Rows [from, to) of a head of K (0) or V (1), of elements of so many bytes, where all rows of all heads are to be.
    void join(int index, std::int64_t bytes, const arguments& a, std::byte* target, std::int64_t b, std::int64_t g,
              std::int64_t from, std::int64_t to) const noexcept {
        const operand& o = index == 0 ? k : v;
        const std::int64_t row = (index == 0 ? size : value_size) * bytes, head = b * groups + g,
                           first = std::max(from, past);
        if (const auto* const old = has.in<std::byte>(a, 4 + index); old && old != target && from < past && row > 0)
            std::memcpy(target + (head * keys() + from) * row, old + (head * past + from) * row,
                        std::size_t((std::min(to, past) - from) * row));
        if (first < to && row > 0)
            copy_rows(target + (head * keys() + first) * row,
                      a.in<std::byte>(1 + index) + o.at(b, g, first - past) * bytes, o.row * bytes, to - first, row);
    }

    constexpr verdict read(const node_view& n) {
        has = presence(n);
        for (int i = 0; i < 3; ++i)
            if (!has.has_in(i)) return no("Q, K or V is missing");
        if (has.has_in(4) != has.has_in(5)) return no("past_key and past_value must come together");
        if (has.has_in(6) && has.has_in(4)) return no("nonpad_kv_seqlen and past_key exclude each other");
        if (has.has_in(6) && n.version() < 24) return no("version 23 has no nonpad_kv_seqlen");
        causal = n.integer("is_causal", 0) != 0;
        softcap = n.real("softcap", 0);
        mode = n.integer("qk_matmul_output_mode", 0);
        if (mode < 0 || mode > 3) return no("qk_matmul_output_mode must be 0, 1, 2 or 3");
        if (n.version() >= 25) {
            left = n.integer("left_window_size", -1);
            right = n.integer("right_window_size", -1);
        }
        if (left < -1 || right < -1) return no("a window's size must be -1 or more");
        left = std::min(left, most);
        right = std::min(right, most);
        switch (n.integer("softmax_precision", 0)) {
            case 0: break;
            case 1: softened = element::f32; break;
            case 10: softened = element::f16; break;
            case 11: softened = element::f64; break;
            case 16: softened = element::bf16; break;
            default: return no("softmax_precision must be a type of floating-point numbers");
        }
        value = n.input(2).type;
        for (int i = 0; i < 7; ++i)
            if (has.has_in(i) && !n.input(i).dims.known()) return yes();
        if (const verdict v = place(n); !v) return v;
        scale = n.has("scale") ? n.real("scale", 1) : size > 0 ? 1 / std::sqrt(double(size)) : 1;
        return read_rest(n);
    }

  private:
    constexpr verdict place(const node_view& n) {
        const shape &a = n.input(0).dims, &b = n.input(1).dims, &c = n.input(2).dims;
        if (!countable(a) || !countable(b) || !countable(c)) return no("an input is too large");
        if ((a.rank != 3 && a.rank != 4) || b.rank != a.rank || c.rank != a.rank)
            return no("Q, K and V must all have three axes, or four");
        three = a.rank == 3;
        heads = three ? n.integer("q_num_heads", 0) : a[1];
        groups = three ? n.integer("kv_num_heads", 0) : b[1];
        if (heads < 1 || groups < 1 || heads > most || heads % groups != 0)
            return no("the heads of Q must be a positive multiple of those of K and V");
        if (!three && ((n.has("q_num_heads") && n.integer("q_num_heads", 0) != heads) ||
                       (n.has("kv_num_heads") && n.integer("kv_num_heads", 0) != groups)))
            return no("q_num_heads and kv_num_heads are not those of the inputs");
        std::int64_t k_rows = 0, v_rows = 0, k_size = 0;
        if (!split(a, heads, q, rows, size) || !split(b, groups, k, k_rows, k_size) ||
            !split(c, groups, v, v_rows, value_size))
            return no("an input does not divide into heads");
        batches = a[0];
        fresh = k_rows;
        if (b[0] != batches || c[0] != batches || k_rows != v_rows || k_size != size)
            return no("Q, K and V do not fit each other");
        if (rows > most || fresh > most || !countable({batches, heads, rows, value_size}))
            return no("there are too many rows");
        y = three ? operand{rows * heads * value_size, value_size, heads * value_size}
                  : operand{heads * rows * value_size, rows * value_size, value_size};
        return yes();
    }
    constexpr bool split(const shape& x, std::int64_t count, operand& o, std::int64_t& x_rows,
                         std::int64_t& width) const {
        if (three && x[2] % count != 0) return false;
        x_rows = x[three ? 1 : 2];
        width = three ? x[2] / count : x[3];
        o = three ? operand{x[1] * x[2], width, x[2]} : operand{x[1] * x[2] * x[3], x[2] * x[3], x[3]};
        return three || x[1] == count;
    }
    constexpr verdict read_rest(const node_view& n) {
        if (has.has_in(4)) {
            const shape &a = n.input(4).dims, &b = n.input(5).dims;
            if (a.rank != 4 || b.rank != 4 || a != shape{batches, groups, a[2], size} ||
                b != shape{batches, groups, a[2], value_size} || !countable(a) || !countable(b) || a[2] > most)
                return no("past_key and past_value must be [batch, heads, rows, size]");
            past = a[2];
        }
        if (has.has_in(6) && n.input(6).dims != shape{batches})
            return no("nonpad_kv_seqlen must have one number per batch");
        if (!has.has_in(3)) return yes();
        const shape &m = n.input(3).dims, strides = strides_of(m, layout::plain);
        if (m.rank < 1 || m.rank > 4 || !countable(m)) return no("attn_mask must have one to four axes");
        const std::int64_t sizes[] = {batches, heads, rows, keys()}, columns = m[m.rank - 1];
        for (int i = 4 - m.rank; i < 3; ++i) {
            const std::int64_t d = m[i - 4 + m.rank];
            if (d != 1 && d != sizes[i]) return no("attn_mask does not broadcast to [batch, heads, rows, keys]");
            mask_steps[i] = d == 1 ? 0 : strides[i - 4 + m.rank];
        }
        const bool repeats = columns == 1 && n.version() < 24;
        if (!repeats && (n.version() < 24 ? columns != keys() : columns > keys()))
            return no("attn_mask has another number of keys");
        mask_steps[3] = repeats ? 0 : 1;
        mask_keys = repeats ? keys() : columns;
        mask = n.input(3).type;
        return yes();
    }
};

namespace op {
struct onnx_attention : standard {
    static constexpr std::string_view onnx_name = "Attention";
    static constexpr version_range versions{23, 25};
    static constexpr operator_facts facts{.required_outputs = 1};
    static constexpr int required_inputs = 3;
    static constexpr cached_pairs caches(const node_view&) { return {{{4, 1, 2}, {5, 2, 2}}}; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (n.input_count() > 7) return no("there are too many inputs");
        onnx_attention_params p;
        if (const verdict v = p.read(n); !v) return v;
        if (p.heads == 0) return yes();  // a shape is not known
        y[0] = p.three ? shape{p.batches, p.rows, p.heads * p.value_size}
                       : shape{p.batches, p.heads, p.rows, p.value_size};
        const shape output_shapes[] = {{p.batches, p.groups, p.keys(), p.size},
                                       {p.batches, p.groups, p.keys(), p.value_size},
                                       {p.batches, p.heads, p.rows, p.keys()}};
        for (std::size_t k = 1; k < std::min<std::size_t>(y.size(), 4); ++k) y[k] = output_shapes[k - 1];
        for (const shape& s : y)
            if (s.known() && !countable(s)) return no("an output is too large");
        return yes();
    }
    static constexpr element output_type(const node_view& n, int k) { return n.input_type(k == 2 ? 2 : 0); }
    static constexpr double flop(const node_view& n, const argument_shapes& s) {
        const shape k = s.input(1), v = s.input(2), past = s.input(4);
        if (!s.input(0).known() || !k.known() || !v.known() || k.rank < 3 || v.rank != k.rank ||
            s.input(0).rank != k.rank)
            return 0;
        const bool three = k.rank == 3;
        const double groups = double(three ? n.integer("kv_num_heads", 0) : k[1]),
                     heads = double(three ? n.integer("q_num_heads", 0) : s.input(0)[1]),
                     keys = double(k[three ? 1 : 2]) + (past.known() && past.rank == 4 ? double(past[2]) : 0);
        if (groups < 1) return 0;
        return 2 * double(s.input(0)[0]) * double(s.input(0)[three ? 1 : 2]) * keys * heads *
               (double(k[k.rank - 1]) + double(v[v.rank - 1])) / (three ? groups : 1);
    }
};
}  // namespace op

// Cases that no kernel of Attention supports.
constexpr verdict onnx_attention_types(const node_view& n) {
    const auto real = [](element e) {
        return e == element::f32 || e == element::f64 || e == element::f16 || e == element::bf16;
    };
    for (int k : {1, 4})
        if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("Q, K and past_key must have one type");
    if (!real(n.input(2).type)) return no("V must be of floating-point numbers");
    if (n.has_input(5) && n.input(5).type != n.input(2).type) return no("V and past_value must have one type");
    if (n.has_input(6) && n.input(6).type != element::i64) return no("nonpad_kv_seqlen must be int64");
    constexpr element_set masks = element_set::of({element::boolean, element::f32, element::f64, element::f16,
                                                   element::bf16, element::i8, element::i16, element::i32, element::i64,
                                                   element::u8, element::u16, element::u32, element::u64});
    if (n.has_input(3) && !masks.has(n.input(3).type)) return no("attn_mask must be of truth values or numbers");
    return yes();
}
// A number, rounded to an operand's type.
inline double as_element(element e, double x) noexcept {
    switch (e) {
        case element::f32: return double(float(x));
        case element::f16: return double(static_cast<float>(static_cast<float16>(float(x))));
        case element::bf16: return double(static_cast<float>(static_cast<bfloat16>(float(x))));
        default: return x;
    }
}

template <class T> struct kernel<op::onnx_attention, device::reference, types<T>> : simple_kernel {
    using params = onnx_attention_params;
    static constexpr verdict supports(const node_view& n) { return onnx_attention_types(n); }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.read(n);
        return p;
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int threads) {
        return {0, std::int64_t(sizeof(double)) * (p.keys() + p.value_size) * threads};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        if (!p.valid(a)) return c.fail("nonpad_kv_seqlen is not within the keys");
        for (int k : {0, 1})
            if (auto* const present = p.has.out<std::byte>(a, 1 + k))
                for (std::int64_t i = 0; i < p.batches * p.groups; ++i)
                    p.join(k, k == 0 ? std::int64_t(sizeof(T)) : bits_of(p.value) / 8, a, present, i / p.groups,
                           i % p.groups, 0, p.keys());
        c.split(p.batches * p.heads, 1, [&](std::int64_t first, std::int64_t end, int part) {
            stop_check stops(c);
            double* scores = reinterpret_cast<double*>(c.scratch) + part * (p.keys() + p.value_size);
            for (std::int64_t i = first * p.rows; i < end * p.rows; ++i) {
                if (stops((p.keys() + 1) * (p.size + p.value_size + 1))) return;
                attend(p, a, scores, i / p.rows / p.heads, i / p.rows % p.heads, i % p.rows);
            }
        });
        return c.stopped() ? status::stopped : status::ok;
    }

  private:
    // Row j of a head of K or V, of type E.
    template <class E>
    static const E* row(const params& p, const arguments& a, int k, std::int64_t b, std::int64_t g,
                        std::int64_t j) noexcept {
        const params::operand& o = k == 1 ? p.k : p.v;
        if (j >= p.past) return a.in<E>(k) + o.at(b, g, j - p.past);
        return a.in<E>(k + 3) + ((b * p.groups + g) * p.past + j) * (k == 1 ? p.size : p.value_size);
    }
    static double compared(const params& p, const arguments& a, const T* q, std::int64_t b, std::int64_t g,
                           std::int64_t j) noexcept {
        const T* k = row<T>(p, a, 1, b, g, j);
        double sum = 0;
        for (std::int64_t d = 0; d < p.size; ++d) sum += double(q[d]) * double(k[d]);
        return sum * p.scale;
    }
    // What is added to the score of a key.
    static double bias(const params& p, const arguments& a, params::range range, std::int64_t mask,
                       std::int64_t j) noexcept {
        constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
        if (j < range.begin || j >= range.end) return minus_infinity;
        if (p.mask == element::undefined) return 0;
        mask += j * p.mask_steps[3];
        if (p.mask == element::boolean)
            return a.in<std::uint8_t>(3)[mask] != 0
                       ? 0
                       : minus_infinity;  // bytes: a caller's true may be any nonzero value
        return quantized::load(p.mask, a.inputs[3], mask);
    }
    static void attend(const params& p, const arguments& a, double* scores, std::int64_t b, std::int64_t h,
                       std::int64_t i) noexcept {
        constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
        const std::int64_t g = p.group(h), mask = p.mask_at(b, h, i), keys = p.keys();
        const params::range range = p.seen(i, p.has.has_in(6) ? a.in<std::int64_t>(6)[b] : keys);
        const T* q = a.in<T>(0) + p.q.at(b, h, i);
        T* scores_output = p.has.out<T>(a, 3);
        if (scores_output) scores_output += ((b * p.heads + h) * p.rows + i) * keys;
        double most = minus_infinity;
        bool open = false;
        for (std::int64_t j = 0; j < keys; ++j) {
            const double added = bias(p, a, range, mask, j);
            if (added == minus_infinity && !(scores_output && p.mode < 2)) {
                scores[j] = minus_infinity;
                if (scores_output) scores_output[j] = static_cast<T>(float(minus_infinity));
                continue;
            }
            double score = compared(p, a, q, b, g, j);
            if (scores_output && p.mode == 0) scores_output[j] = static_cast<T>(score);
            if (p.softcap > 0) score = p.softcap * std::tanh(score / p.softcap);
            if (scores_output && p.mode == 1) scores_output[j] = static_cast<T>(score);
            score = added == minus_infinity ? minus_infinity : score + added;
            if (scores_output && p.mode == 2) scores_output[j] = static_cast<T>(score);
            scores[j] = as_element(p.softened, score);
            open = open || added != minus_infinity;
            if (!(scores[j] <= most)) most = scores[j];  // NaN stays, and spreads to all
        }
        soften(p, scores, open ? most : minus_infinity);
        for (std::int64_t j = 0; scores_output && p.mode == 3 && j < keys; ++j)
            scores_output[j] = static_cast<T>(scores[j]);
        weigh(p, a, scores, b, g, a.out<T>(0) + p.y.at(b, h, i));
    }
    static void soften(const params& p, double* scores, double most) noexcept {
        const std::int64_t keys = p.keys();
        if (most == -std::numeric_limits<double>::infinity()) {
            std::fill_n(scores, keys, 0.);
            return;
        }
        double sum = 0;
        for (std::int64_t j = 0; j < keys; ++j) sum += scores[j] = std::exp(scores[j] - most);
        for (std::int64_t j = 0; j < keys; ++j) scores[j] = as_element(p.softened, scores[j] / sum);
    }
    static void weigh(const params& p, const arguments& a, const double* scores, std::int64_t b, std::int64_t g,
                      T* y) noexcept {
        double* const sums = const_cast<double*>(scores) + p.keys();
        std::fill_n(sums, p.value_size, 0.);
        for (std::int64_t j = 0; j < p.keys(); ++j) {
            if (scores[j] == 0) continue;  // what is not seen may be anything
            if (p.value == element_of<T>) {
                const T* v = row<T>(p, a, 2, b, g, j);
                for (std::int64_t d = 0; d < p.value_size; ++d) sums[d] += scores[j] * double(v[d]);
                continue;
            }
            const std::int64_t bytes = bits_of(p.value) / 8;
            const std::byte* v = j >= p.past
                                     ? a.in<std::byte>(2) + p.v.at(b, g, j - p.past) * bytes
                                     : a.in<std::byte>(5) + ((b * p.groups + g) * p.past + j) * p.value_size * bytes;
            for (std::int64_t d = 0; d < p.value_size; ++d) sums[d] += scores[j] * quantized::load(p.value, v, d);
        }
        for (std::int64_t d = 0; d < p.value_size; ++d) y[d] = static_cast<T>(sums[d]);
    }
};
}  // namespace v1
}  // namespace inlay

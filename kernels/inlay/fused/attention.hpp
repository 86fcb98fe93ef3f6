// inlay.Attention (1): Y = softmax(scale Q K' with a mask) V for each head, over the projections as they lie. Only the
// passes write it.
//   Q, K, V: [batch, rows, ...], head h from column q_at (k_at, v_at) + h * size on; if -1, [batch, heads, rows, size];
//   mask, optional: broadcast to [batch, heads, rows of Q, rows of K]. Numbers are added; booleans equal to `fills` (0
//     unless given) put `fill` in place of the score;
//   Y: [batch, rows of Q, heads * value_size].
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/movable.hpp>
#include <inlay/support/stop_check.hpp>
#include <cmath>
#include <limits>

namespace inlay {
inline namespace v1 {
struct attention_params {
    // Element (b, h, i, d) of an operand is at b * batch + h * head + i * row + d * column + at.
    struct operand {
        std::int64_t batch = 0, head = 0, row = 0, column = 1, at = 0;
    };
    operand q{}, k{}, v{}, mask{};
    std::int64_t batches = 0, heads = 0, rows = 0, keys = 0, size = 0, value_size = 0;
    bool masked = false, fills = false;
    double scale = 1, fill = 0;

    // Reads attributes and shapes of Q, K and V, as far as they are known.
    static constexpr verdict read(const node_view& n, attention_params& p) {
        constexpr std::int64_t most = std::int64_t(1) << 24;  // so that nothing below overflows
        p.heads = n.integer("heads", 0);
        p.size = n.integer("size", 0);
        p.value_size = n.integer("value_size", 0);
        p.scale = n.real("scale", 1);
        p.fill = n.real("fill", 0);
        p.fills = n.integer("fills", 0) != 0;
        if (p.heads < 1 || p.size < 1 || p.value_size < 1 || p.heads > most || p.size > most || p.value_size > most)
            return no("heads, size and value_size must be positive");
        for (int k = 0; k < 3; ++k)
            if (!n.has_input(k)) return no("Q, K or V is missing");
        for (int k = 0; k < 3; ++k)
            if (!n.input(k).dims.known()) return yes();
        std::int64_t batches[3]{}, rows[3]{};
        constexpr std::string_view places[] = {"q_at", "k_at", "v_at"};
        operand* const operands[] = {&p.q, &p.k, &p.v};
        for (int k = 0; k < 3; ++k) {
            const shape& x = n.input(k).dims;
            const std::int64_t at = n.integer(places[k], 0), size = k == 2 ? p.value_size : p.size;
            operand& o = *operands[k];
            if (at == -1) {
                if (x.rank != 4 || x[1] != p.heads || x[3] != size)
                    return no("an operand is not [batch, heads, rows, size]");
                const std::int64_t head =
                    n.input_pitch(k) ? n.input_pitch(k) : x[2] * x[3];  // with capacity for more rows, or without
                o = {x[1] * head, head, x[3], 1, 0};
                rows[k] = x[2];
            } else {
                const std::int64_t columns = x.elements(2);
                if (x.rank < 3 || at < 0 || at > columns || p.heads * size > columns - at)
                    return no("an operand has too few columns for the heads");
                o = {x[1] * columns, size, columns, 1, at};
                rows[k] = x[1];
            }
            batches[k] = x[0];
        }
        if (batches[0] != batches[1] || batches[0] != batches[2] || rows[1] != rows[2])
            return no("Q, K and V disagree on the batch, or K and V on their rows");
        p.batches = batches[0];
        p.rows = rows[0];
        p.keys = rows[1];
        p.masked = n.has_input(3);
        if (!p.masked || !n.input(3).dims.known()) return yes();
        const shape &m = n.input(3).dims, strides = strides_of(m, layout::plain);
        const std::int64_t sizes[] = {p.batches, p.heads, p.rows, p.keys};
        std::int64_t steps[4]{};
        if (m.rank > 4) return no("the mask has more than four axes");
        for (int i = 4 - m.rank; i < 4; ++i) {
            const std::int64_t d = m[i - 4 + m.rank];
            if (d != 1 && d != sizes[i]) return no("the mask does not broadcast to [batch, heads, rows, keys]");
            steps[i] = d == 1 ? 0 : strides[i - 4 + m.rank];
        }
        p.mask = {steps[0], steps[1], steps[2], steps[3], 0};
        return yes();
    }
    static constexpr std::int64_t first(const operand& o, std::int64_t b, std::int64_t h, std::int64_t i) {
        return o.at + b * o.batch + h * o.head + i * o.row;
    }
};

namespace op {
struct attention : standard {
    static constexpr std::string_view onnx_name = "Attention", domain = "inlay";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(0), v1::input(3)};
    static constexpr auto elements =
        hana::tuple_t<types<float, float>, types<float, bool>, types<float16, float16>, types<float16, bool>,
                      types<bfloat16, bfloat16>, types<bfloat16, bool>>;
    static constexpr int required_inputs = 3;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        attention_params p;
        if (const verdict v = attention_params::read(n, p); !v) return v;
        for (int k = 0; k < 3; ++k)
            if (!n.input(k).dims.known()) return yes();
        y[0] = {p.batches, p.rows, p.heads * p.value_size};
        return countable(y[0]) ? yes() : no("the output is too large");
    }
    static constexpr double flop(const node_view& n, const argument_shapes& s) {
        const shape k = s.input(1), y = s.output(0);
        if (!s.input(0).known() || !k.known() || k.rank < 3 || y.rank != 3) return 0;
        const double keys = double(k[n.integer("k_at", 0) == -1 ? 2 : 1]), heads = double(n.integer("heads", 0));
        return 2 * double(y[0]) * double(y[1]) * keys * heads *
               double(n.integer("size", 0) + n.integer("value_size", 0));
    }
};
}  // namespace op

struct attention_kernel : simple_kernel {
    static constexpr bool spaced(const node_view& n, int argument) {
        return (argument == input(1) && n.integer("k_at", 0) == -1) ||
               (argument == input(2) && n.integer("v_at", 0) == -1);
    }
    static constexpr verdict supports(const node_view& n) {
        for (int k = 1; k < 3; ++k)
            if (n.input(k).type != n.input(0).type) return no("Q, K and V must have one type");
        attention_params p;
        const verdict v = attention_params::read(n, p);
        return !v || n.output(0).dims == shape{p.batches, p.rows, p.heads * p.value_size}
                   ? v
                   : no("the result has another shape than the heads");
    }
    static constexpr attention_params make(const node_view& n) {
        attention_params p;
        (void)attention_params::read(n, p);
        return p;
    }
};
template <class T, class Mask> struct kernel<op::attention, device::reference, types<T, Mask>> : attention_kernel {
    using params = attention_params;
    static constexpr params prepare(const node_view& n) { return make(n); }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, p.keys * std::int64_t(sizeof(double))};
    }  // the scores of one row
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        using P = attention_params;
        double* const scores = reinterpret_cast<double*>(c.scratch);
        T* y = a.out<T>(0);
        stop_check ends(c);
        for (std::int64_t b = 0; b < p.batches; ++b)
            for (std::int64_t i = 0; i < p.rows; ++i)
                for (std::int64_t h = 0; h < p.heads; ++h, y += p.value_size) {
                    if (ends(p.keys * (p.size + p.value_size))) return status::stopped;
                    const T *const q = a.in<T>(0) + P::first(p.q, b, h, i),
                                   *const k = a.in<T>(1) + P::first(p.k, b, h, 0),
                                   *const v = a.in<T>(2) + P::first(p.v, b, h, 0);
                    double most = -std::numeric_limits<double>::infinity(), sum = 0;
                    for (std::int64_t t = 0; t < p.keys; ++t) {
                        double score = 0;
                        for (std::int64_t d = 0; d < p.size; ++d) score += double(q[d]) * double(k[t * p.k.row + d]);
                        score *= p.scale;
                        if (p.masked) {
                            const std::int64_t at = P::first(p.mask, b, h, i) + t * p.mask.column;
                            if constexpr (std::is_same_v<Mask, bool>)
                                score = (a.in<std::uint8_t>(3)[at] != 0) == p.fills
                                            ? p.fill
                                            : score;  // bytes: a caller's true may be any nonzero value
                            else
                                score += double(a.in<T>(3)[at]);
                        }
                        scores[t] = score;
                        if (score > most) most = score;
                    }
                    for (std::int64_t t = 0; t < p.keys; ++t) sum += scores[t] = std::exp(scores[t] - most);
                    for (std::int64_t d = 0; d < p.value_size; ++d) {
                        double accumulator = 0;
                        for (std::int64_t t = 0; t < p.keys; ++t)
                            accumulator += scores[t] / sum * double(v[t * p.v.row + d]);
                        y[d] = static_cast<T>(accumulator);
                    }
                }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

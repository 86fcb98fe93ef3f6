// DynamicQuantizeLSTM (com.microsoft, since 1): LSTM of float X with weights of 8 bits, W [num_directions, input_size,
// 4 * hidden_size] and R [num_directions, hidden_size, 4 * hidden_size], whose numbers are (value - zero point) *
// scale. X, all its steps together, and h, all sequences of a step together, are quantized as DynamicQuantizeLinear
// does; both matmuls are of integers. A sequence that has ended counts once more, then as zeros. Inputs: those of
// LSTM, then scale and zero point of W and of R, one per direction or one per column.
#pragma once
#include <inlay/onnx/dynamic_quantize_linear.hpp>
#include <inlay/onnx/gemm.hpp>
#include <inlay/onnx/lstm.hpp>

namespace inlay {
inline namespace v1 {
struct dynamic_lstm_params : recurrent_params {
    element weights = element::u8;
    std::array<bool, 4> by_column{};  // W's scale and zero point, R's
    static constexpr int gates = 4, states = 2, peepholes = 3, functions = 3, scaling = 8;  // scaling: W's scale

    constexpr verdict read_shapes(const node_view& n) {
        for (int k = 0; k < 4; ++k)
            if (!n.has_input(scaling + k)) return no("a scale or zero point of W or R is missing");
        if (n.integer("layout", 0) != 0) return no("the attribute layout is LSTM's alone");
        if (const verdict v = read(n, gates, states, peepholes, {.turned = true}); !v) return v;
        for (int k = 0; k < 4; ++k) {
            const shape& s = n.input(scaling + k).dims;
            if (s.rank < 0) continue;
            by_column[std::size_t(k)] = s.rank == 2;
            if ((s.rank != 1 && s.rank != 2) || (s[0] >= 0 && s[0] != directions) ||
                (s.rank == 2 && s[1] >= 0 && hidden >= 0 && s[1] != gates * hidden))
                return no("scales and zero points must be [num_directions], or [num_directions, 4 * hidden_size]");
        }
        return yes();
    }
    constexpr verdict read_node(const node_view& n) {
        if (const verdict v = read_shapes(n); !v) return v;
        if (const verdict v = read_functions(n, functions); !v) return v;
        flag = n.integer("input_forget", 0) != 0;
        weights = n.input(1).type;
        for (int k : {3, 5, 6, 7, scaling, scaling + 2})
            if (n.has_input(k) && n.input(k).type != element::f32)
                return no("X, B, the states, P and the scales must be float");
        for (int k : {2, scaling + 1, scaling + 3})
            if (n.input(k).type != weights) return no("W, R and their zero points must have one type");
        return n.has_input(4) && n.input(4).type != element::i32 ? no("sequence_lens must be int32") : yes();
    }
    constexpr std::int64_t columns() const { return gates * hidden; }
    constexpr std::int64_t depth(int k) const { return k == 0 ? input : hidden; }  // k: 0 for W, 1 for R
    // A run's float32: the matmul results of X, those of h, h, c.
    constexpr std::int64_t numbers() const {
        return steps * batch * columns() + batch * columns() + 2 * batch * hidden;
    }
    // multiply(k, d, rows of float32, how many rows, where their result goes): false where the run is to end.
    // finish(d, accumulators of a sequence's gates, c, h).
    template <class Multiply, class Finish>
    status run(const arguments& a, context& c, float* products, Multiply multiply, Finish finish) const noexcept {
        if (const std::string_view reason = misfit(a); !reason.empty()) return c.fail(reason);
        const std::int32_t* lengths = has.in<std::int32_t>(a, 4);
        const std::int64_t longest = lengths ? batch ? *std::max_element(lengths, lengths + batch) : 0 : steps;
        const dynamic_lstm_params& p = *this;
        float *sums = products + steps * batch * columns(), *h = sums + batch * columns(), *cells = h + batch * hidden;
        for (int d = 0; d < directions; ++d) {
            p.load(has.in<float>(a, 5), d, h);
            p.load(has.in<float>(a, 6), d, cells);
            if (!multiply(0, d, a.in<float>(0), longest * batch, products)) return c.end_of_run();
            add_bias(a, d, longest * batch, products);
            for (std::int64_t s = 0; s <= longest; ++s) {
                for (std::int64_t b = 0; b < batch; ++b)
                    if ((lengths ? lengths[b] : steps) == s) p.store(a, d, b, h, cells);
                if (s == longest) break;
                if (!multiply(1, d, h, batch, sums)) return c.end_of_run();
                for (std::int64_t b = 0; b < batch; ++b)
                    if ((lengths ? lengths[b] : steps) == s) std::fill_n(h + b * hidden, hidden, 0.f);
                for (std::int64_t b = 0; b < batch; ++b) {
                    const std::int64_t length = lengths ? lengths[b] : steps, t = backward(d) ? length - 1 - s : s;
                    if (s >= length) continue;
                    float* gate = sums + b * columns();
                    const float* of_x = products + (t * batch + b) * columns();
                    for (std::int64_t j = 0; j < columns(); ++j) gate[j] += of_x[j];
                    finish(d, gate, cells + b * hidden, h + b * hidden);
                    if (has.has_out(0)) std::copy_n(h + b * hidden, hidden, a.out<float>(0) + y_at(t, d, b));
                }
            }
            clear_rest(a, d, lengths);
        }
        return status::ok;
    }

  private:
    void load(const float* from, int d, float* to) const noexcept {
        if (from)
            std::copy_n(from + d * batch * hidden, batch * hidden, to);
        else
            std::fill_n(to, batch * hidden, 0.f);
    }
    void store(const arguments& a, int d, std::int64_t b, const float* h, const float* cells) const noexcept {
        if (has.has_out(1)) std::copy_n(h + b * hidden, hidden, a.out<float>(1) + state_at(d, b));
        if (has.has_out(2)) std::copy_n(cells + b * hidden, hidden, a.out<float>(2) + state_at(d, b));
    }
    void add_bias(const arguments& a, int d, std::int64_t rows, float* products) const noexcept {
        if (!has.has_in(3)) return;
        const float* bias = a.in<float>(3) + d * 2 * columns();
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns(); ++j) products[i * columns() + j] += bias[j] + bias[columns() + j];
    }
    void clear_rest(const arguments& a, int d, const std::int32_t* lengths) const noexcept {
        for (std::int64_t b = 0; lengths && has.has_out(0) && b < batch; ++b)
            for (std::int64_t t = lengths[b]; t < steps; ++t) std::fill_n(a.out<float>(0) + y_at(t, d, b), hidden, 0.f);
    }
};
namespace op {
struct dynamic_quantize_lstm : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "DynamicQuantizeLSTM";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(0), v1::input(1)};
    static constexpr auto elements = hana::tuple_t<types<float, quantized::byte>>;
    static constexpr int required_inputs = 3;
    static constexpr operator_facts facts{.mixes_rows = row_mixing::range, .required_outputs = 0};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        dynamic_lstm_params p;
        const verdict v = p.read_shapes(n);
        return v ? p.outputs(y) : v;
    }
    static constexpr double flop(const node_view&, const argument_shapes& s) { return recurrent_shape::flop(s); }
};
}  // namespace op

template <> struct kernel<op::dynamic_quantize_lstm, device::reference, types<float, quantized::byte>> : simple_kernel {
    using params = dynamic_lstm_params;
    static constexpr verdict supports(const node_view& n) {
        params p;
        return p.read_node(n);
    }
    static constexpr params prepare(const node_view& n) {
        params p;
        (void)p.read_node(n);
        return p;
    }
    static constexpr std::int64_t most_values(const params& p) {
        return std::max(p.steps * p.batch * p.input, p.batch * p.hidden);
    }
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, 4 * p.numbers() + most_values(p)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        float* products = reinterpret_cast<float*>(c.scratch);
        auto* values = reinterpret_cast<std::uint8_t*>(products + p.numbers());
        stop_check ends(c);
        const auto multiply = [&](int k, int d, const float* x, std::int64_t rows, float* to) {
            const std::int64_t depth = p.depth(k);
            const auto q = dynamic_quantization::of(x, rows * depth);
            for (std::int64_t i = 0; i < rows * depth; ++i) values[i] = q(x[i]);
            for (std::int64_t i = 0; i < rows; ++i)
                if (!multiply_weights(p, a, k, d, values + i * depth, q, to + i * p.columns(), ends)) return false;
            return true;
        };
        return p.run(a, c, products, multiply, [&](int d, const float* sums, float* cells, float* h) {
            lstm_gates<float>(p, a, d).apply(sums, cells, h);
        });
    }

  private:
    static bool multiply_weights(const params& p, const arguments& a, int k, int d, const std::uint8_t* x,
                                 const dynamic_quantization& q, float* to, stop_check& ends) noexcept {
        const quantized::bytes integer(p.weights);
        const std::int64_t n = p.columns();
        const std::uint8_t* w = a.in<std::uint8_t>(1 + k) + d * p.depth(k) * n;
        const auto at = [&](int i, std::int64_t j) { return p.by_column[std::size_t(2 * k + i)] ? d * n + j : d; };
        const float* scales = a.in<float>(params::scaling + 2 * k);
        return multiply_row<std::uint32_t>(
            n, p.depth(k), ends, [&](std::int64_t i) { return static_cast<std::uint32_t>(x[i] - q.zero); },
            [&](std::int64_t i, std::int64_t j) {
                return integer(w[i * n + j]) - integer.at(a, params::scaling + 2 * k + 1, at(1, j));
            },
            [&](std::int64_t j, std::uint32_t sum) {
                to[j] = float(std::int32_t(sum)) * (q.scale * scales[at(0, j)]);
            });
    }
};
}  // namespace v1
}  // namespace inlay

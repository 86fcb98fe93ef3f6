// EngramGate (com.microsoft, since 1): for each row of each of C branches d = sum(N(key) key_norm_scale N(query)
// query_norm_scale) / sqrt(H), where N(x) = x / sqrt(mean(x^2) + epsilon), gate = Sigmoid(sign(d) sqrt(max(|d|, 1e-6)))
// and output = gate value; the second output is N(output) conv_norm_scale. Accumulates in double. Inputs: key, query
// [batch, rows, C, H], value [batch, rows, H], key_norm_scale, query_norm_scale, conv_norm_scale [C, H].
#pragma once
#include <inlay/onnx/unary.hpp>
#include <inlay/support/presence.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct engram_gate : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "EngramGate";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 5;
    static constexpr operator_facts facts{.required_outputs = 1};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 5; ++k)
            if (!n.has_input(k)) return no("an input is missing");
        if (n.input_count() > 6) return no("there are too many inputs");
        if (n.has_output(1) && !n.has_input(5)) return no("gated_value_normed needs conv_norm_scale");
        const shape& x = n.input(0).dims;
        for (shape& s : y) s = x;
        for (int k = 0; k < n.input_count(); ++k)
            if (n.has_input(k) && !n.input(k).dims.known()) return yes();
        if (x.rank != 4 || n.input(1).dims != x) return no("key and query must be [batch, rows, branches, size]");
        if (n.input(2).dims != shape{x[0], x[1], x[3]}) return no("value must be [batch, rows, size]");
        for (int k : {3, 4, 5})
            if (n.has_input(k) && n.input(k).dims != shape{x[2], x[3]})
                return no("the scales must be [branches, size]");
        return yes();
    }
};
}  // namespace op

template <class T> struct kernel<op::engram_gate, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t rows, branches, size;
        double epsilon;
        presence has;
    };
    static constexpr verdict supports(const node_view& n) {
        for (int k = 1; k < n.input_count(); ++k)
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("the inputs must have one type");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        return {x[0] * x[1] * x[2], x[2], x[3], n.real("epsilon", 1e-5f), presence(n)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        c.split(p.rows, 4096 / (p.size + 1) + 1, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t row = first; row < end; ++row) mix(p, a, row);
        });
        return status::ok;
    }

  private:
    static double number(T x) noexcept { return static_cast<double>(static_cast<float>(x)); }
    template <class F> static double inverse_root(const params& p, F x) noexcept {  // of the mean of squares
        double squares = 0;
        for (std::int64_t i = 0; i < p.size; ++i) squares += x(i) * x(i);
        return 1 / std::sqrt(squares / static_cast<double>(p.size) + p.epsilon);
    }
    static void mix(const params& p, const arguments& a, std::int64_t row) noexcept {
        const T *key = a.in<T>(0) + row * p.size, *query = a.in<T>(1) + row * p.size,
                *value = a.in<T>(2) + row / p.branches * p.size, *scales[3]{};
        for (int k : {0, 1, 2})
            if (p.has.has_in(3 + k)) scales[k] = a.in<T>(3 + k) + row % p.branches * p.size;
        double dot = 0;
        for (std::int64_t i = 0; i < p.size; ++i)
            dot += number(key[i]) * number(scales[0][i]) * number(query[i]) * number(scales[1][i]);
        dot *= inverse_root(p, [&](std::int64_t i) { return number(key[i]); }) *
               inverse_root(p, [&](std::int64_t i) { return number(query[i]); }) /
               std::sqrt(static_cast<double>(p.size));
        const double root = dot == 0 ? 0 : std::copysign(std::sqrt(std::fmax(std::fabs(dot), 1e-6)), dot);
        const double gate = op::sigmoid::apply(dot != dot ? dot : root, 0., 0.);
        T* y = a.out<T>(0) + row * p.size;
        for (std::int64_t i = 0; i < p.size; ++i) y[i] = static_cast<T>(static_cast<float>(gate * number(value[i])));
        T* normal = p.has.template out<T>(a, 1);
        if (!normal) return;
        const double by = inverse_root(p, [&](std::int64_t i) { return gate * number(value[i]); });
        for (std::int64_t i = 0; i < p.size; ++i)
            normal[row * p.size + i] =
                static_cast<T>(static_cast<float>(gate * number(value[i]) * by * number(scales[2][i])));
    }
};
}  // namespace v1
}  // namespace inlay

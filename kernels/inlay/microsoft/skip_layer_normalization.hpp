// Of com.microsoft, since 1: SkipLayerNormalization: s = input + skip + bias, y = (s - mean) / sqrt(var + epsilon) *
// gamma + beta over the last axis; SkipSimplifiedLayerNormalization: y = s / sqrt(mean(s^2) + epsilon) * gamma. skip
// may lack the batch, or repeat it. Outputs: y, mean, 1 / the root, s. SimplifiedLayerNormalization of ai.onnx, which
// exporters write and ONNX has not: RMSNormalization, and optionally 1 / the root. Accumulates in double.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/presence.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
struct skip_layer_normalization : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "SkipLayerNormalization";
    static constexpr version_range versions{1, 1};
    static constexpr int required_inputs = 3;
    static constexpr operator_facts facts{.keeps_names = true, .required_outputs = 1};
    static constexpr bool centred = true;  // inputs: input, skip, gamma, beta, bias; else there is no beta
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return shapes_of(n, 5, y); }
    static constexpr verdict shapes_of(const node_view& n, int inputs, std::span<shape> y) noexcept {
        for (int k = 0; k < 3; ++k)
            if (!n.has_input(k)) return no("input, skip or gamma is missing");
        if (n.input_count() > inputs) return no("there are too many inputs");
        const shape &x = n.input(0).dims, &skip = n.input(1).dims;
        for (int k = 1; k < inputs; ++k)
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("the inputs must have one type");
        if (x.rank < 0) return yes();
        if (x.rank < 2 || x.rank > 3) return no("the input must have two or three axes");
        const std::int64_t length = x[x.rank - 1];
        for (int k = 2; k < inputs; ++k)
            if (n.has_input(k) && n.input(k).dims.rank >= 0 &&
                (n.input(k).dims.rank != 1 || (length >= 0 && n.input(k).dims[0] >= 0 && n.input(k).dims[0] != length)))
                return no("gamma, beta and bias must be as long as the last axis");
        shape together;
        if (skip.rank >= 0 && (skip.rank > x.rank || skip.rank < 2 || !broadcast(x, skip, together)))
            return no("skip does not fit the input");
        for (int i = 0; skip.rank >= 0 && i < x.rank; ++i) {
            const int j = i - (x.rank - skip.rank);
            if (j >= 0 && x[i] >= 0 && skip[j] >= 0 && skip[j] != x[i] && (i > 0 || x.rank < 3 || skip[j] != 1))
                return no("skip does not fit the input");
        }
        for (std::size_t k = 0; k < y.size(); ++k) {
            y[k] = x;
            if (k == 1 || k == 2) y[k][x.rank - 1] = 1;
        }
        return yes();
    }
    static constexpr element output_type(const node_view& n, int k) {
        return k == 1 || k == 2 ? element::f32 : n.input_type(0);
    }
};
struct skip_simplified_layer_normalization : skip_layer_normalization {
    static constexpr std::string_view onnx_name = "SkipSimplifiedLayerNormalization";
    static constexpr bool centred = false;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept { return shapes_of(n, 4, y); }
};
}  // namespace op

struct skip_normalization_params {
    std::int64_t rows, length, skip_rows;
    double epsilon;
    presence has;
};
template <class Op, class T> struct skip_normalization_kernel : simple_kernel {
    using params = skip_normalization_params;
    static constexpr params prepare(const node_view& n) {
        const shape &x = n.input(0).dims, &skip = n.input(1).dims;
        return {x.elements(0, x.rank - 1), x[x.rank - 1], std::max<std::int64_t>(skip.elements(0, skip.rank - 1), 1),
                n.real("epsilon", 1e-12f), presence(n)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        c.split(p.rows, 4096 / (p.length + 1) + 1, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t row = first; row < end; ++row) normalise(p, a, row);
        });
        return status::ok;
    }

  private:
    static void normalise(const params& p, const arguments& a, std::int64_t row) noexcept {
        using A = accumulator<T>;
        constexpr int bias_at = Op::centred ? 4 : 3;
        const T *x = a.in<T>(0) + row * p.length, *skip = a.in<T>(1) + row % p.skip_rows * p.length;
        const T *gamma = a.in<T>(2), *beta = Op::centred ? p.has.in<T>(a, 3) : nullptr, *bias = p.has.in<T>(a, bias_at);
        T *y = a.out<T>(0) + row * p.length, *sums = p.has.out<T>(a, 3);
        const auto at = [&](std::int64_t i) {
            return static_cast<double>(static_cast<A>(x[i]) + static_cast<A>(skip[i]) +
                                       (bias ? static_cast<A>(bias[i]) : A(0)));
        };
        double sum = 0, squares = 0;
        if constexpr (Op::centred)
            for (std::int64_t i = 0; i < p.length; ++i) sum += at(i);
        const double length = static_cast<double>(p.length), mean = Op::centred ? sum / length : 0;
        for (std::int64_t i = 0; i < p.length; ++i) squares += (at(i) - mean) * (at(i) - mean);
        const double inverse = 1 / std::sqrt(squares / length + p.epsilon);
        for (std::int64_t i = 0; i < p.length; ++i) {
            const double s = at(i), scaled = (s - mean) * inverse * static_cast<double>(static_cast<A>(gamma[i]));
            y[i] = static_cast<T>(static_cast<A>(scaled + (beta ? static_cast<double>(static_cast<A>(beta[i])) : 0)));
            if (sums) sums[row * p.length + i] = static_cast<T>(static_cast<A>(s));
        }
        if (float* m = p.has.out<float>(a, 1)) m[row] = static_cast<float>(mean);
        if (float* r = p.has.out<float>(a, 2)) r[row] = static_cast<float>(inverse);
    }
};
template <class T>
struct kernel<op::skip_layer_normalization, device::reference, types<T>>
    : skip_normalization_kernel<op::skip_layer_normalization, T> {};
template <class T>
struct kernel<op::skip_simplified_layer_normalization, device::reference, types<T>>
    : skip_normalization_kernel<op::skip_simplified_layer_normalization, T> {};
}  // namespace v1
}  // namespace inlay

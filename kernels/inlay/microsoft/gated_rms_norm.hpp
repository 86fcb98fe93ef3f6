// GatedRMSNorm (com.microsoft, since 1): y = x / sqrt(mean(x^2) + epsilon) * scale * activation(gate), the mean over
// each C elements in a row of the last axis, where C is the length of scale; activation: silu (or swish), gate *
// Sigmoid(gate), or sigmoid. Inputs: x, scale [C], gate, as x is. Accumulates in double.
#pragma once
#include <inlay/onnx/unary.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct gated_rms_norm : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "GatedRMSNorm";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 3;
    static constexpr operator_facts facts{.keeps_names = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k : {0, 1, 2})
            if (!n.has_input(k)) return no("X, scale or gate is missing");
        const std::string_view activation = n.text("activation", "silu");
        if (activation != "silu" && activation != "swish" && activation != "sigmoid")
            return no("activation must be silu, swish or sigmoid");
        const shape &x = n.input(0).dims, &scale = n.input(1).dims, &gate = n.input(2).dims;
        if (scale.rank >= 0 && scale.rank != 1) return no("scale must have one axis");
        if (scale.rank == 1 && scale[0] == 0) return no("scale is empty");
        if (x.rank == 0) return no("X has no axis");
        if (x.rank > 0 && scale.rank == 1 && scale[0] > 0 && x[x.rank - 1] >= 0 && x[x.rank - 1] % scale[0] != 0)
            return no("the last axis is no multiple of scale's length");
        if (x.known() && gate.known() && x != gate) return no("X and gate differ in shape");
        y[0] = x;
        return yes();
    }
};
}  // namespace op

template <class T> struct kernel<op::gated_rms_norm, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t rows, length;
        double epsilon;
        bool silu;
    };
    static constexpr verdict supports(const node_view& n) {
        for (int k : {1, 2})
            if (n.input(k).type != n.input(0).type) return no("X, scale and gate must have one type");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        const std::int64_t length = n.input(1).dims[0];
        return {n.input(0).dims.elements() / length, length, n.real("epsilon", 1e-5f),
                n.text("activation", "silu") != "sigmoid"};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const T* scale = a.in<T>(1);
        c.split(p.rows, 4096 / p.length + 1, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t row = first; row < end; ++row) {
                const T *x = a.in<T>(0) + row * p.length, *gate = a.in<T>(2) + row * p.length;
                T* y = a.out<T>(0) + row * p.length;
                double squares = 0;
                for (std::int64_t i = 0; i < p.length; ++i) squares += number(x[i]) * number(x[i]);
                const double inverse = 1 / std::sqrt(squares / static_cast<double>(p.length) + p.epsilon);
                for (std::int64_t i = 0; i < p.length; ++i) {
                    const double g = number(gate[i]), open = op::sigmoid::apply(g, 0., 0.);
                    y[i] = static_cast<T>(
                        static_cast<float>(number(x[i]) * inverse * number(scale[i]) * (p.silu ? g * open : open)));
                }
            }
        });
        return status::ok;
    }

  private:
    static double number(T x) noexcept { return static_cast<double>(static_cast<float>(x)); }
};
}  // namespace v1
}  // namespace inlay

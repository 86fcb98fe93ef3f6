// LinearAttentionGate (com.microsoft, since 1): decay = decay_scale * Softplus(a + dt_bias), beta = Sigmoid(b): the
// inputs of LinearAttention. Inputs: a [..., heads], dt_bias and decay_scale [heads], which are float32, and b, as a
// is, where beta is requested. Computed in float32.
#pragma once
#include <inlay/onnx/unary.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct linear_attention_gate : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "LinearAttentionGate";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr int required_inputs = 3;
    static constexpr operator_facts facts{.keeps_names = true, .required_outputs = 1};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k : {0, 1, 2})
            if (!n.has_input(k)) return no("a, dt_bias or decay_scale is missing");
        if (y.size() > 1 && n.has_output(1) && !n.has_input(3)) return no("beta needs the input b");
        const shape& a = n.input(0).dims;
        if (a.rank == 0) return no("a has no axis of heads");
        const std::int64_t heads = a.rank > 0 ? a[a.rank - 1] : -1;
        for (int k : {1, 2}) {
            const shape& s = n.input(k).dims;
            if (s.rank >= 0 && (s.rank != 1 || (heads >= 0 && s[0] >= 0 && s[0] != heads)))
                return no("dt_bias and decay_scale must have one number for each head");
        }
        if (n.has_input(3) && a.known() && n.input(3).dims.known() && n.input(3).dims != a)
            return no("a and b differ in shape");
        for (shape& s : y) s = a;
        return yes();
    }
};
}  // namespace op

template <class T> struct kernel<op::linear_attention_gate, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t count, heads;
        bool rated;  // beta is requested
    };
    static constexpr verdict supports(const node_view& n) {
        for (int k : {1, 2})
            if (n.input(k).type != element::f32) return no("dt_bias and decay_scale must be floats");
        return n.has_input(3) && n.input(3).type != n.input(0).type ? no("a and b must have one type") : yes();
    }
    static constexpr params prepare(const node_view& n) {
        const shape& a = n.input(0).dims;
        return {a.elements(), a[a.rank - 1], n.has_output(1)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const float *bias = a.in<float>(1), *scale = a.in<float>(2);
        T* beta = p.rated ? a.out<T>(1) : nullptr;
        c.split(p.count, 4096, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) {
                const std::int64_t head = i % p.heads;
                const float x = static_cast<float>(a.in<T>(0)[i]) + bias[head];
                a.out<T>(0)[i] = static_cast<T>(scale[head] * op::softplus::apply(x, 0.f, 0.f));
                if (beta) beta[i] = static_cast<T>(op::sigmoid::apply(static_cast<float>(a.in<T>(3)[i]), 0.f, 0.f));
            }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

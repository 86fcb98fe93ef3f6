// The activation of a fused node, as a reference kernel computes it: the text `activation` with the reals
// `activation_params`.
#pragma once
#include "on_device.hpp"
#include <inlay/sdk/operator.hpp>
#include <cmath>
#include <limits>

namespace inlay {
inline namespace v1 {
struct plain_activation {
    enum kinds : std::uint8_t { none, clip, sigmoid, hard_sigmoid, hard_swish, silu, gelu, gelu_tanh } kind = none;
    double a = 0, b = 0;

    // False where the activation is unknown.
    static constexpr bool read(const node_view& n, plain_activation& p) {
        const std::string_view name = n.text("activation", "");
        const auto numbers = n.reals("activation_params");
        const auto set = [&](kinds kind, double a = 0, double b = 0) {
            p = {kind, numbers.size() > 0 ? numbers[0] : a, numbers.size() > 1 ? numbers[1] : b};
            return true;
        };
        constexpr double most = std::numeric_limits<double>::infinity();
        if (name.empty()) return set(none);
        if (name == "Relu") {
            p = {clip, 0, most};
            return true;
        }
        if (name == "Clip") return set(clip, -most, most);
        if (name == "Sigmoid") return set(sigmoid);
        if (name == "HardSigmoid") return set(hard_sigmoid, 0.2, 0.5);
        if (name == "HardSwish") return set(hard_swish);
        if (name == "Silu") return set(silu);
        if (name == "Gelu") return set(gelu);
        if (name == "GeluTanh") return set(gelu_tanh);
        return false;
    }
    template <class A> INLAY_ON_DEVICE A operator()(A x) const {
        const auto within = [](A v, A low, A high) { return v < low ? low : v > high ? high : v; };  // NaN passes
        switch (kind) {
            case none: return x;
            case clip: return within(x, A(a), A(b));
            case sigmoid: return A(1) / (A(1) + std::exp(-x));
            case hard_sigmoid: return within(A(a) * x + A(b), A(0), A(1));
            case hard_swish: return x * within(x / A(6) + A(0.5), A(0), A(1));
            case silu: return x / (A(1) + std::exp(-x));
            case gelu: return A(0.5) * x * (A(1) + std::erf(x * A(0.70710678118654752)));
            case gelu_tanh:
                return A(0.5) * x * (A(1) + std::tanh(A(0.79788456080286536) * (x + A(0.044715) * x * x * x)));
        }
        return x;
    }
};
}  // namespace v1
}  // namespace inlay

// Adagrad, Adam and Momentum (ai.onnx.preview.training, since 1): one step of an optimizer for any number of tensors X.
// Inputs: the learning rate R, the count T of steps done, all X, their gradients, and one tensor or two of state for
// each X. Outputs: all new X, and their new states. With g = norm_coefficient X + gradient:
//   Adagrad   H += g^2; X -= R / (1 + T decay_factor) g / (sqrt(H) + epsilon)
//   Adam      V = alpha V + (1 - alpha) g; H = beta H + (1 - beta) g^2; X -= r V / (sqrt(H) + epsilon), of which
//             (1 - norm_coefficient_post) is left; r = R sqrt(1 - beta^T) / (1 - alpha^T) where T > 0, else R
//   Momentum  V = alpha V + (T > 0 ? beta : 1) g; X -= R V, or R (g + alpha V) in the mode nesterov
// All are computed in double.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
template <int States> struct optimizer : standard {
    static constexpr std::string_view domain = "ai.onnx.preview.training";
    static constexpr version_range versions{1, 1};
    static constexpr std::array constraints{v1::input(2)};
    static constexpr auto elements = each_type<float, double>;
    static constexpr int required_inputs = 4 + States, states = States, most = 256;  // most: tensors
    static constexpr int tensors(const node_view& n) { return (n.input_count() - 2) / (2 + States); }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const int count = tensors(n);
        if (count < 1 || n.input_count() != 2 + count * (2 + States)) return no("the inputs do not come in groups");
        if (count > most) return no("more than 256 tensors");
        if (int(y.size()) != count * (1 + States)) return no("the outputs are not those of the inputs");
        for (int k = 0; k < n.input_count(); ++k)
            if (!n.has_input(k)) return no("an input is missing");
        if (n.input(0).type != element::f32 && n.input(0).type != element::f64)
            return no("the learning rate is neither float nor double");
        if (n.input(1).type != element::i64) return no("the count of steps is not int64");
        for (int k : {0, 1})
            if (n.input(k).dims.known() && n.input(k).dims.elements() != 1)
                return no("learning rate and count of steps are single elements");
        for (int k = 2; k < n.input_count(); ++k) {
            const shape &dims = n.input(k).dims, &x = n.input(2 + (k - 2) % count).dims;
            if (n.input(k).type != n.input(2).type) return no("the tensors are of different types");
            if (dims.known() && x.known() && dims != x) return no("a gradient or a state has another shape than X");
        }
        for (int k = 0; k < int(y.size()); ++k) y[std::size_t(k)] = n.input(2 + k % count).dims;
        return yes();
    }
};
struct adagrad : optimizer<1> {
    static constexpr std::string_view onnx_name = "Adagrad";
};
struct adam : optimizer<2> {
    static constexpr std::string_view onnx_name = "Adam";
};
struct momentum : optimizer<1> {
    static constexpr std::string_view onnx_name = "Momentum";
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (const auto mode = n.text("mode", ""); mode != "nesterov" && mode != "standard")
            return no("mode is neither nesterov nor standard");
        return optimizer<1>::shapes(n, y);
    }
};
}  // namespace op

// Attributes, and one step: how an element of X and its states change by its gradient.
struct adagrad_step {
    double norm, decay, epsilon, rate = 0;
    static constexpr adagrad_step of(const node_view& n) {
        return {n.real("norm_coefficient", 0), n.real("decay_factor", 0), n.real("epsilon", float(1e-6))};
    }
    void begin(double r, std::int64_t t) { rate = r / (1 + static_cast<double>(t) * decay); }
    double operator()(double x, double gradient, double (&s)[2]) const {
        const double g = norm * x + gradient;
        s[0] += g * g;
        return x - rate * g / (std::sqrt(s[0]) + epsilon);
    }
};
struct adam_step {
    double norm, after, alpha, beta, epsilon, rate = 0;
    static constexpr adam_step of(const node_view& n) {
        return {n.real("norm_coefficient", 0), n.real("norm_coefficient_post", 0), n.real("alpha", float(0.9)),
                n.real("beta", float(0.999)), n.real("epsilon", float(1e-6))};
    }
    void begin(double r, std::int64_t t) {
        const auto steps = static_cast<double>(t);
        rate = t > 0 ? r * std::sqrt(1 - std::pow(beta, steps)) / (1 - std::pow(alpha, steps)) : r;
    }
    double operator()(double x, double gradient, double (&s)[2]) const {
        const double g = norm * x + gradient;
        s[0] = alpha * s[0] + (1 - alpha) * g;
        s[1] = beta * s[1] + (1 - beta) * g * g;
        return (1 - after) * (x - rate * s[0] / (std::sqrt(s[1]) + epsilon));
    }
};
struct momentum_step {
    double norm, alpha, beta;
    bool nesterov;
    double rate = 0, weight = 0;
    static constexpr momentum_step of(const node_view& n) {
        return {n.real("norm_coefficient", 0), n.real("alpha", 0), n.real("beta", 0), n.text("mode", "") == "nesterov"};
    }
    void begin(double r, std::int64_t t) {
        rate = r;
        weight = t > 0 ? beta : 1;
    }
    double operator()(double x, double gradient, double (&s)[2]) const {
        const double g = norm * x + gradient;
        s[0] = alpha * s[0] + weight * g;
        return x - rate * (nesterov ? g + alpha * s[0] : s[0]);
    }
};

template <class Op, class Step, class T> struct optimizer_kernel : simple_kernel {
    struct params {
        Step step;
        int tensors;
        bool in_double;  // the learning rate
        std::array<std::int64_t, Op::most> counts;
    };
    static constexpr params prepare(const node_view& n) {
        params p{Step::of(n), Op::tensors(n), n.input(0).type == element::f64, {}};
        for (int k = 0; k < p.tensors; ++k) p.counts[k] = n.input(2 + k).dims.elements();
        return p;
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        Step step = p.step;
        step.begin(p.in_double ? *a.in<double>(0) : static_cast<double>(*a.in<float>(0)), *a.in<std::int64_t>(1));
        for (int k = 0; k < p.tensors; ++k) {
            const T *x = a.in<T>(2 + k), *gradient = a.in<T>(2 + p.tensors + k);
            c.split(p.counts[k], 16384, [&](std::int64_t first, std::int64_t end, int) {
                for (std::int64_t i = first; i < end; ++i) {
                    double states[2] = {};
                    for (int s = 0; s < Op::states; ++s)
                        states[s] = static_cast<double>(a.in<T>(2 + (2 + s) * p.tensors + k)[i]);
                    const double y = step(static_cast<double>(x[i]), static_cast<double>(gradient[i]), states);
                    if (T* out = a.out<T>(k)) out[i] = static_cast<T>(y);
                    for (int s = 0; s < Op::states; ++s)
                        if (T* out = a.out<T>((1 + s) * p.tensors + k)) out[i] = static_cast<T>(states[s]);
                }
            });
        }
        return status::ok;
    }
};
template <class T>
struct kernel<op::adagrad, device::reference, types<T>> : optimizer_kernel<op::adagrad, adagrad_step, T> {};
template <class T> struct kernel<op::adam, device::reference, types<T>> : optimizer_kernel<op::adam, adam_step, T> {};
template <class T>
struct kernel<op::momentum, device::reference, types<T>> : optimizer_kernel<op::momentum, momentum_step, T> {};
}  // namespace v1
}  // namespace inlay

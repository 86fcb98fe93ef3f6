// BatchNormalization at inference (since 1): y = (x - mean) / sqrt(var + epsilon) * scale + B, per channel; per element of a sample where an
// old node says spatial = 0. Training, which has more outputs, is refused.
#pragma once
#include <inlay/operator.hpp>
#include <cmath>

namespace inlay::inline v1 {
struct any_float {};  // a type constraint whose element type is looked at while running
template <> inline constexpr element_set elements_of<any_float> = element_set::of({element::f32, element::f64, element::f16, element::bf16});
template <floating A> A load_float(element e, const void* data, std::int64_t i) noexcept {
    switch (e) {
        case element::f64: return static_cast<A>(static_cast<const double*>(data)[i]);
        case element::f16: return static_cast<A>(static_cast<float>(static_cast<const float16*>(data)[i]));
        case element::bf16: return static_cast<A>(static_cast<float>(static_cast<const bfloat16*>(data)[i]));
        default: return static_cast<A>(static_cast<const float*>(data)[i]);
    }
}

namespace op {
struct batch_normalization : standard {
    static constexpr std::string_view onnx_name = "BatchNormalization";
    static constexpr version_range versions{1, 15};
    static constexpr std::array constraints{v1::input(0), v1::input(1), v1::input(3)};  // X; scale and B; mean and var
    static constexpr auto elements = hana::tuple_t<types<float, any_float, any_float>, types<double, any_float, any_float>, types<float16, any_float, any_float>, types<bfloat16, any_float, any_float>>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 5; ++k) if (!n.has_input(k)) return no("an input is missing");
        const shape& x = n.input(0).dims;
        if (x.rank == 0) return no("X must have a dimension");
        const bool spatial = is_spatial(n);
        for (int k = 1; k < 5; ++k) {
            const shape& p = n.input(k).dims;
            if (x.rank < 0 || p.rank < 0) continue;
            bool fits = p.rank == (spatial ? 1 : x.rank - 1);
            for (int i = 0; i < p.rank && fits; ++i) {
                const std::int64_t wanted = x.rank == 1 ? 1 : x[1 + i];
                fits = p[i] < 0 || wanted < 0 || p[i] == wanted;
            }
            if (!fits) return no(spatial ? "scale, B, mean and var must have one number per channel" : "scale, B, mean and var must have one number per element of a sample");
        }
        for (std::size_t k = 0; k < y.size(); ++k) y[k] = k == 0 ? x : n.input(3).dims;
        return yes();
    }
    static constexpr bool is_spatial(const node_view& n) { return n.version() >= 9 || n.integer("spatial", 1) != 0; }
};
}  // namespace op

struct batch_normalization_params {
    std::int64_t samples, channels, inner;  // elements of one channel of one sample
    double epsilon;
    element scale_type, mean_type;
};
struct batch_normalization_kernel : simple_kernel {
    using params = batch_normalization_params;
    static constexpr reuse shares = reuse::in_place;
    static constexpr verdict supports(const node_view& n) {
        if (n.version() >= 14 ? n.integer("training_mode", 0) != 0 : n.version() < 7 && n.integer("is_test", 0) == 0) return no("it trains: only inference is supported");
        for (int k = 1; k < n.output_count(); ++k) if (n.has_output(k)) return no("it has outputs of training: only inference is supported");
        if (n.input(2).type != n.input(1).type || n.input(4).type != n.input(3).type) return no("scale and B, and mean and var, must have one type each");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        const double epsilon = n.real("epsilon", 1e-5f);
        if (x.rank == 1) return {x[0], 1, 1, epsilon, n.input(1).type, n.input(3).type};
        if (!op::batch_normalization::is_spatial(n)) return {x[0], x.elements(1), 1, epsilon, n.input(1).type, n.input(3).type};
        return {x[0], x[1], x.elements(2), epsilon, n.input(1).type, n.input(3).type};
    }
};
template <class T> struct kernel<op::batch_normalization, device::reference, types<T, any_float, any_float>> : batch_normalization_kernel {
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        using A = accumulator<T>;
        const T* x = a.in<T>(0);
        T* y = a.out<T>(0);
        for (std::int64_t n = 0; n < p.samples; ++n) for (std::int64_t c = 0; c < p.channels; ++c, x += p.inner, y += p.inner) {
            const A scale = load_float<A>(p.scale_type, a.inputs[1], c), shift = load_float<A>(p.scale_type, a.inputs[2], c);
            const A mean = load_float<A>(p.mean_type, a.inputs[3], c), factor = scale / std::sqrt(load_float<A>(p.mean_type, a.inputs[4], c) + static_cast<A>(p.epsilon));
            for (std::int64_t i = 0; i < p.inner; ++i) y[i] = static_cast<T>((static_cast<A>(x[i]) - mean) * factor + shift);
        }
        return status::ok;
    }
};
}  // namespace inlay::inline v1

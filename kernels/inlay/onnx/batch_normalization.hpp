// BatchNormalization (since 1): y = (x - mean) / sqrt(var + epsilon) * scale + B, per channel; per element of a sample
// where an old node says spatial = 0. In training (training_mode, since 14) mean and var are those of the batch, and
// the running ones move towards them: running = input * momentum + batch * (1 - momentum). The training of versions
// before 14 is refused.
#pragma once
#include <inlay/support/any_float.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
struct batch_normalization : standard {
    static constexpr std::string_view onnx_name = "BatchNormalization";
    static constexpr version_range versions{1, 15};
    static constexpr std::array constraints{v1::input(0), v1::input(1), v1::input(3)};  // X; scale and B; mean and var
    static constexpr auto elements =
        hana::tuple_t<types<float, any_float, any_float>, types<double, any_float, any_float>,
                      types<float16, any_float, any_float>, types<bfloat16, any_float, any_float>>;
    static constexpr operator_facts facts{.required_outputs = 1};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 5; ++k)
            if (!n.has_input(k)) return no("an input is missing");
        const shape& x = n.input(0).dims;
        if (x.rank == 0) return no("X must have a dimension");
        const bool spatial = is_spatial(n);
        for (int k = 1; k < 5; ++k) {
            const shape& p = n.input(k).dims;
            if (x.rank < 0 || p.rank < 0) continue;
            bool fits = p.rank == (spatial ? 1 : x.rank - 1);
            for (int i = 0; i < p.rank && fits; ++i) {
                const std::int64_t size = x.rank == 1 ? 1 : x[1 + i];
                fits = p[i] < 0 || size < 0 || p[i] == size;
            }
            if (!fits)
                return no(spatial ? "scale, B, mean and var must have one number per channel"
                                  : "scale, B, mean and var must have one number per element of a sample");
        }
        for (std::size_t k = 0; k < y.size(); ++k) y[k] = k == 0 ? x : n.input(3).dims;
        return yes();
    }
    static constexpr bool is_spatial(const node_view& n) { return n.version() >= 9 || n.integer("spatial", 1) != 0; }
    static constexpr element output_type(const node_view& n, int k) { return n.input_type(k == 0 ? 0 : 3); }
};
}  // namespace op

struct batch_normalization_params {
    std::int64_t samples, channels, inner;  // elements of one channel of one sample
    double epsilon;
    element scale_type, mean_type;
    bool training, running_mean, running_variance;  // the latter: are they required?
    double momentum;
};
struct batch_normalization_kernel : simple_kernel {
    using params = batch_normalization_params;
    static constexpr reuse shares = reuse::in_place;
    static constexpr verdict supports(const node_view& n) {
        if (trains(n)) return no("it trains: the reference kernel does that");
        return supports_types(n);
    }
    static constexpr bool trains(const node_view& n) { return n.version() >= 14 && n.integer("training_mode", 0) != 0; }
    static constexpr verdict supports_types(const node_view& n) {
        if (n.version() < 7 && n.integer("is_test", 0) == 0)
            return no("it trains as before version 14: that is not supported");
        for (int k = 1; k < n.output_count(); ++k)
            if (n.has_output(k) && !trains(n))
                return no("it has outputs of training as before version 14: that is not supported");
        if (n.input(2).type != n.input(1).type || n.input(4).type != n.input(3).type)
            return no("scale and B, and mean and var, must have one type each");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        params p{x[0],
                 1,
                 1,
                 n.real("epsilon", 1e-5f),
                 n.input(1).type,
                 n.input(3).type,
                 trains(n),
                 n.has_output(1),
                 n.has_output(2),
                 n.real("momentum", 0.9f)};
        if (x.rank == 1) return p;
        if (op::batch_normalization::is_spatial(n)) {
            p.channels = x[1];
            p.inner = x.elements(2);
        } else
            p.channels = x.elements(1);
        return p;
    }
};
template <class T>
struct kernel<op::batch_normalization, device::reference, types<T, any_float, any_float>> : batch_normalization_kernel {
    using A = accumulator<T>;
    static constexpr verdict supports(const node_view& n) { return supports_types(n); }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        const T* x = a.in<T>(0);
        T* y = a.out<T>(0);
        for (std::int64_t c = 0; c < p.channels; ++c) {
            A mean = load_float<A>(p.mean_type, a.inputs[3], c), variance = load_float<A>(p.mean_type, a.inputs[4], c);
            if (p.training) {
                const A m = static_cast<A>(p.momentum), old_mean = mean, old_variance = variance;
                batch_statistics(p, x, c, mean, variance);
                if (p.running_mean) store_float<A>(p.mean_type, a.outputs[1], c, old_mean * m + mean * (A(1) - m));
                if (p.running_variance)
                    store_float<A>(p.mean_type, a.outputs[2], c, old_variance * m + variance * (A(1) - m));
            }
            const A scale = load_float<A>(p.scale_type, a.inputs[1], c),
                    shift = load_float<A>(p.scale_type, a.inputs[2], c);
            const A factor = scale / std::sqrt(variance + static_cast<A>(p.epsilon));
            for_each_of_channel(
                p, c, [&](std::int64_t i) { y[i] = static_cast<T>((static_cast<A>(x[i]) - mean) * factor + shift); });
        }
        return status::ok;
    }

  private:
    template <class F> static void for_each_of_channel(const params& p, std::int64_t c, F f) noexcept {
        for (std::int64_t n = 0; n < p.samples; ++n)
            for (std::int64_t i = 0, first = (n * p.channels + c) * p.inner; i < p.inner; ++i) f(first + i);
    }
    static void batch_statistics(const params& p, const T* x, std::int64_t c, A& mean,
                                 A& variance) noexcept {  // of the whole population
        const A count = static_cast<A>(p.samples * p.inner);
        A sum = 0, squares = 0;
        for_each_of_channel(p, c, [&](std::int64_t i) { sum += static_cast<A>(x[i]); });
        mean = sum / count;
        for_each_of_channel(p, c, [&](std::int64_t i) {
            const A d = static_cast<A>(x[i]) - mean;
            squares += d * d;
        });
        variance = squares / count;
    }
};
}  // namespace v1
}  // namespace inlay

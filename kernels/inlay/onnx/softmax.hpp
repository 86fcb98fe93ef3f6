// Softmax (since 1): e^x / sum of e^x along an axis; LogSoftmax (1): its logarithm. Both from x - max(x). Hardmax (1):
// 1 where x is the first maximum along an axis, else 0; NaN is the greatest of all. Before version 13 all axes from
// `axis` on count as one.
#pragma once
#include <inlay/support/axis_lines.hpp>
#include <cmath>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace op {
struct softmax_like : standard {
    static constexpr version_range versions{1, 13};
    static constexpr operator_facts facts{.keeps_names = true};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        const int rank = n.input(0).dims.rank;
        if (rank >= 0 && normal_axis(axis(n), rank) < 0) return no("axis is out of range");
        return same_shape(n, y);
    }
    static constexpr std::int64_t axis(const node_view& n) { return n.integer("axis", n.version() < 13 ? 1 : -1); }
};
struct softmax : softmax_like {
    static constexpr std::string_view onnx_name = "Softmax";
};
struct log_softmax : softmax_like {
    static constexpr std::string_view onnx_name = "LogSoftmax";
};
struct hardmax : softmax_like {
    static constexpr std::string_view onnx_name = "Hardmax";
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct softmax_params : axis_lines {
    static constexpr layout_rule layouts(
        const node_view& n) {  // old versions merge axes, which is possible where they are neighbours in memory
        return n.version() >= 13 || normal_axis(op::softmax_like::axis(n), n.input(0).dims.rank) < 2
                   ? layout_rule{layout::any, layout::any}
                   : layout_rule{};
    }
    static constexpr softmax_params of(const node_view& n) {
        const shape& x = n.input(0).dims;
        const int axis = normal_axis(op::softmax_like::axis(n), x.rank);
        if (n.version() < 13) return {{x.elements(0, axis), x.elements(axis), 1}};
        return {axis_lines::of(n, axis)};
    }
};
template <class T, bool Log> struct softmax_kernel : simple_kernel {
    using params = softmax_params;
    static constexpr reuse shares = reuse::in_place;
    static constexpr params prepare(const node_view& n) { return softmax_params::of(n); }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        using A = accumulator<T>;
        p.each_line<T>(a, [&](const T* x, T* y) {
            A most = -std::numeric_limits<A>::infinity(), sum = 0;
            for (std::int64_t k = 0; k < p.length; ++k)
                if (const A v = static_cast<A>(x[k * p.inner]); v > most) most = v;
            for (std::int64_t k = 0; k < p.length; ++k) sum += std::exp(static_cast<A>(x[k * p.inner]) - most);
            const A log_sum = Log ? std::log(sum) : A(0);
            for (std::int64_t k = 0; k < p.length; ++k) {
                const A v = static_cast<A>(x[k * p.inner]) - most;
                y[k * p.inner] = static_cast<T>(Log ? v - log_sum : std::exp(v) / sum);
            }
        });
        return status::ok;
    }
};
template <class T> struct kernel<op::softmax, device::reference, types<T>> : softmax_kernel<T, false> {};
template <class T> struct kernel<op::log_softmax, device::reference, types<T>> : softmax_kernel<T, true> {};
struct hardmax_kernel : simple_kernel {
    using params = softmax_params;
    static constexpr params prepare(const node_view& n) { return softmax_params::of(n); }
};
template <class T> struct kernel<op::hardmax, device::reference, types<T>> : hardmax_kernel {
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        using A = accumulator<T>;
        p.each_line<T>(a, [&](const T* x, T* y) {
            std::int64_t most = 0;
            for (std::int64_t k = 0; k < p.length; ++k) {
                const A v = static_cast<A>(x[k * p.inner]), best = static_cast<A>(x[most * p.inner]);
                if (!(v <= best) && best == best) most = k;  // the first NaN stays
                y[k * p.inner] = T(0.f);
            }
            if (p.length > 0) y[most * p.inner] = T(1.f);
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

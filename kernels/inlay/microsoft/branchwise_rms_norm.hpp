// BranchwiseRMSNorm (com.microsoft, since 1): y = x / sqrt(mean(x^2) + epsilon) * scale, the mean over the H elements
// of each of C branches. X is [..., C, H], or with num_branches C [..., C * H]. scale: [C, H], [C * H], [H], or absent.
// Accumulates in double.
#pragma once
#include <inlay/support/any_float.hpp>
#include <inlay/support/stream_branches.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
struct branchwise_rms_norm : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "BranchwiseRMSNorm";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = each_type<float, float16, bfloat16>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0) || n.input_count() > 2) return no("BranchwiseRMSNorm has one or two inputs");
        y[0] = n.input(0).dims;
        if (!n.input(0).dims.known()) return yes();
        stream_branches b;
        if (const verdict v = b.read(n); !v) return v;
        if (!n.has_input(1) || !n.input(1).dims.known()) return yes();
        const shape& s = n.input(1).dims;
        return s == shape{b.size} || s == shape{b.count * b.size} || s == shape{b.count, b.size}
                   ? yes()
                   : no("scale must have one number per element of a branch, or of all branches");
    }
};
}  // namespace op

template <class T> struct kernel<op::branchwise_rms_norm, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t rows, size, scales;  // scales: after how many they repeat
        double epsilon;
        element scale;  // its type; undefined: there is none
    };
    static constexpr verdict supports(const node_view& n) {
        return !n.has_input(1) || (is_any_float(n.input(1).type) && n.input(1).type != element::f64)
                   ? yes()
                   : no("scale must be float, float16 or bfloat16");
    }
    static constexpr params prepare(const node_view& n) {
        stream_branches b;
        (void)b.read(n);
        return {b.rows * b.count, b.size, n.has_input(1) ? n.input(1).dims.elements() : 1, n.real("epsilon", 1e-5f),
                n.input_type(1)};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        c.split(p.rows, 4096 / (p.size + 1) + 1, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t row = first; row < end; ++row) {
                const T* x = a.in<T>(0) + row * p.size;
                T* y = a.out<T>(0) + row * p.size;
                double squares = 0;
                for (std::int64_t i = 0; i < p.size; ++i) squares += number(x[i]) * number(x[i]);
                const double inverse = 1 / std::sqrt(squares / static_cast<double>(p.size) + p.epsilon);
                for (std::int64_t i = 0; i < p.size; ++i) {
                    const double by = p.scale == element::undefined
                                          ? 1
                                          : load_float<double>(p.scale, a.inputs[1], (row * p.size + i) % p.scales);
                    y[i] = static_cast<T>(static_cast<float>(number(x[i]) * inverse * by));
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

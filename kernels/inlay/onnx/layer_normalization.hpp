// LayerNormalization (since 17): y = (x - mean) / sqrt(var + epsilon) * scale + B, mean and var over the axes from
// `axis` on; also mean and 1 / sqrt(var + epsilon). Accumulates in double, more precise than any stash_type requires;
// stash_type is the type of those outputs.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <inlay/support/presence.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
struct layer_normalization : standard {
    static constexpr std::string_view onnx_name = "LayerNormalization";
    static constexpr version_range versions{17, 17};
    static constexpr operator_facts facts{.keeps_names = true, .required_outputs = 1};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0) || !n.has_input(1)) return no("X or Scale is missing");
        const shape& x = n.input(0).dims;
        if (x.rank < 0) return yes();
        const int axis = normal_axis(n.integer("axis", -1), x.rank);
        if (axis < 0) return no("axis is out of range");
        for (int k = 1; k < 3; ++k) {
            shape together;
            if (!n.has_input(k) || n.input(k).dims.rank < 0) continue;
            const bool fits = n.input(k).dims.rank <= x.rank && broadcast(x, n.input(k).dims, together);
            for (int i = 0; i < x.rank && fits; ++i)
                if (x[i] >= 0 && together[i] >= 0 && together[i] != x[i]) return no("Scale and B must broadcast to X");
            if (!fits) return no("Scale and B must broadcast to X");
        }
        y[0] = x;
        for (std::size_t k = 1; k < y.size(); ++k) {
            y[k] = x;
            for (int i = axis; i < x.rank; ++i) y[k][i] = 1;
        }
        return yes();
    }
    static constexpr element output_type(const node_view& n, int k) {
        return k == 0 ? n.input_type(0) : element_numbered(n.integer("stash_type", std::int64_t(element::f32)));
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct layer_normalization_params {
    struct factor {           // Scale or B against X
        bool per_row = true;  // one number per element of a row: element i of it belongs to element i of every row
        shape steps{};        // else: from one element to the next along each axis of X, 0 where it repeats
    };
    shape dims{};
    std::int64_t rows = 0, length = 0;
    double epsilon = 0;
    factor scale{}, shift{};
    presence has{};
    bool small_stash = false;  // Mean and InvStdDev are bf16

    static constexpr factor make_factor(const node_view& n, int k, int axis) {
        factor f;
        if (!n.has_input(k)) return f;
        const shape &x = n.input(0).dims, &s = n.input(k).dims, strides = strides_of(s, layout::plain);
        f.steps = shape::of_rank(x.rank, 0);
        for (int i = 0; i < x.rank; ++i) {
            const int j = i - (x.rank - s.rank);
            const std::int64_t d = j < 0 ? 1 : s[j];
            if (d != 1) f.steps[i] = strides[j];
            f.per_row &= d == (i < axis ? 1 : x[i]);
        }
        return f;
    }
    static constexpr layer_normalization_params of(const node_view& n) {
        layer_normalization_params p;
        p.dims = n.input(0).dims;
        const int axis = normal_axis(n.integer("axis", -1), p.dims.rank);
        p.rows = p.dims.elements(0, axis);
        p.length = p.dims.elements(axis);
        p.has = presence(n);
        p.epsilon = n.real("epsilon", 1e-5f);
        p.scale = make_factor(n, 1, axis);
        p.shift = make_factor(n, 2, axis);
        p.small_stash = (n.has_output(1)   ? n.output(1).type
                         : n.has_output(2) ? n.output(2).type
                                           : element::f32) == element::bf16;
        return p;
    }
    constexpr std::int64_t position(const factor& f, std::int64_t row, std::int64_t i) const {
        if (f.per_row) return i;
        std::int64_t rest = row * length + i, at = 0;
        for (int k = dims.rank - 1; k >= 0; --k) {
            at += rest % dims[k] * f.steps[k];
            rest /= dims[k];
        }
        return at;
    }
};
struct layer_normalization_kernel : simple_kernel {
    using params = layer_normalization_params;
    static constexpr params prepare(const node_view& n) { return params::of(n); }
    static constexpr verdict supports(const node_view& n) {
        for (int k = 1; k < 3; ++k)
            if (n.has_input(k) && n.input(k).type != n.input(0).type) return no("X, Scale and B must have one type");
        for (int k = 1; k < 3; ++k)
            if (n.has_output(k) && n.output(k).type != element::f32 && n.output(k).type != element::bf16)
                return no("Mean and InvStdDev must be float or bfloat16");
        if (n.has_output(1) && n.has_output(2) && n.output(1).type != n.output(2).type)
            return no("Mean and InvStdDev must have one type");
        return yes();
    }
    static void store_statistic(const params& p, void* data, std::int64_t row, double value) noexcept {
        if (!data) return;
        if (p.small_stash)
            static_cast<bfloat16*>(data)[row] = bfloat16(static_cast<float>(value));
        else
            static_cast<float*>(data)[row] = static_cast<float>(value);
    }
};
template <class T> struct kernel<op::layer_normalization, device::reference, types<T>> : layer_normalization_kernel {
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        using A = accumulator<T>;
        const T *x = a.in<T>(0), *scale = a.in<T>(1), *shift = p.has.in<T>(a, 2);
        T* y = a.out<T>(0);
        for (std::int64_t row = 0; row < p.rows; ++row, x += p.length, y += p.length) {
            double sum = 0, squares = 0;
            for (std::int64_t i = 0; i < p.length; ++i) sum += static_cast<double>(static_cast<A>(x[i]));
            const double mean = sum / static_cast<double>(p.length);
            for (std::int64_t i = 0; i < p.length; ++i) {
                const double d = static_cast<double>(static_cast<A>(x[i])) - mean;
                squares += d * d;
            }
            const double inverse = 1 / std::sqrt(squares / static_cast<double>(p.length) + p.epsilon);
            for (std::int64_t i = 0; i < p.length; ++i) {
                const A normal = static_cast<A>((static_cast<double>(static_cast<A>(x[i])) - mean) * inverse),
                        scaled = normal * static_cast<A>(scale[p.position(p.scale, row, i)]);
                y[i] = static_cast<T>(shift ? scaled + static_cast<A>(shift[p.position(p.shift, row, i)]) : scaled);
            }
            store_statistic(p, p.has.out<void>(a, 1), row, mean);
            store_statistic(p, p.has.out<void>(a, 2), row, inverse);
        }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

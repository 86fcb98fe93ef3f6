// RMSNormalization (since 23): y = x / sqrt(mean(x^2) + epsilon) * scale, the mean over the axes from `axis` on. y has
// the type of scale. Accumulates in double, more precise than any stash_type requires.
#pragma once
#include "batch_normalization.hpp"
#include "layer_normalization.hpp"

namespace inlay {
inline namespace v1 {
namespace op {
struct rms_normalization : standard {
    static constexpr std::string_view onnx_name = "RMSNormalization";
    static constexpr version_range versions{23, 23};
    static constexpr std::array constraints{v1::input(0), v1::output(0)};
    static constexpr auto elements =
        hana::tuple_t<types<float, float>, types<float16, float16>, types<bfloat16, bfloat16>, types<float, any_float>,
                      types<double, any_float>, types<float16, any_float>, types<bfloat16, any_float>>;
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        return layer_normalization::shapes(n, y);
    }
    static constexpr element output_type(const node_view& n, int) { return n.input_type(1); }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct rms_normalization_kernel : simple_kernel {
    struct params : layer_normalization_params {  // the type of scale and y
        element scaled;
    };
    static constexpr verdict supports(const node_view& n) {
        return n.input(1).type == n.output(0).type ? yes() : no("scale and Y must have one type");
    }
    static constexpr params prepare(const node_view& n) {
        return {layer_normalization_params::of(n), n.output(0).type};
    }
};
struct rms_rows_kernel
    : rms_normalization_kernel {  // where scale holds one number per element of a row, in the type of X
    struct params {
        std::int64_t rows, length;
        double epsilon;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr verdict fits(const node_view& n, std::string_view otherwise) {
        if (const verdict v = supports(n); !v) return v;
        return layer_normalization_params::of(n).scale.per_row ? yes() : no(otherwise);
    }
    static constexpr params prepare(const node_view& n) {
        const auto p = layer_normalization_params::of(n);
        return {p.rows, p.length, p.epsilon};
    }
};
template <class T>
struct kernel<op::rms_normalization, device::reference, types<T, any_float>> : rms_normalization_kernel {
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        const T* x = a.in<T>(0);
        for (std::int64_t row = 0; row < p.rows; ++row) {
            const auto at = [&](std::int64_t i) {
                return static_cast<double>(static_cast<accumulator<T>>(x[row * p.length + i]));
            };
            double squares = 0;
            for (std::int64_t i = 0; i < p.length; ++i) squares += at(i) * at(i);
            const double inverse = 1 / std::sqrt(squares / static_cast<double>(p.length) + p.epsilon);
            for (std::int64_t i = 0; i < p.length; ++i)
                store_float<double>(
                    p.scaled, a.outputs[0], row * p.length + i,
                    at(i) * inverse * load_float<double>(p.scaled, a.inputs[1], p.position(p.scale, row, i)));
        }
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

// SimplifiedLayerNormalization, which exporters write in ai.onnx though ONNX has no such operator, and com.microsoft's:
// RMSNormalization by another name.
#pragma once
#include "rms_normalization.hpp"
#include <concepts>

namespace inlay {
inline namespace v1 {
namespace op {
struct simplified_layer_normalization : rms_normalization {
    static constexpr std::string_view onnx_name = "SimplifiedLayerNormalization";
    static constexpr version_range versions{1, 28};
    static constexpr operator_facts facts{.keeps_names = true, .required_outputs = 1};
    static constexpr element output_type(const node_view& n, int k) {
        return k == 0 ? n.input_type(1) : element_numbered(n.integer("stash_type", std::int64_t(element::f32)));
    }
};

struct microsoft_simplified_layer_normalization : simplified_layer_normalization {
    static constexpr std::string_view domain = "com.microsoft";
    static constexpr version_range versions{1, 1};
};
}  // namespace op

template <std::derived_from<op::simplified_layer_normalization> Op, class T>
struct kernel<Op, device::reference, types<T, any_float>>
    : kernel<op::rms_normalization, device::reference, types<T, any_float>> {
    using base = kernel<op::rms_normalization, device::reference, types<T, any_float>>;
    struct params : base::params {
        element root;  // the type of 1 / sqrt(mean(x^2) + epsilon); undefined: it is no output
    };
    static constexpr params prepare(const node_view& n) {
        return {base::prepare(n), n.has_output(1) ? n.output(1).type : element::undefined};
    }
    static status run(const params& p, const typename base::state& s, const arguments& a, context& c) noexcept {
        for (std::int64_t row = 0; row < p.rows && p.root != element::undefined; ++row) {
            double squares = 0;
            for (std::int64_t i = 0; i < p.length; ++i) {
                const double x = static_cast<double>(static_cast<accumulator<T>>(a.in<T>(0)[row * p.length + i]));
                squares += x * x;
            }
            store_float<double>(p.root, a.outputs[1], row,
                                1 / std::sqrt(squares / static_cast<double>(p.length) + p.epsilon));
        }
        return base::run(p, s, a, c);
    }
};
}  // namespace v1
}  // namespace inlay

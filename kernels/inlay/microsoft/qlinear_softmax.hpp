// QLinearSoftmax (com.microsoft, since 1): Softmax of 8-bit numbers (code - zero point) * scale along an axis, as codes
// of Y; `opset` is the version of Softmax, which before 13 takes all axes from `axis` on as one.
// Inputs: X, its scale and zero point, those of Y.
#pragma once
#include <inlay/support/axis_lines.hpp>
#include <inlay/support/linear_code.hpp>

namespace inlay {
inline namespace v1 {
namespace op {
struct qlinear_softmax : standard {
    static constexpr std::string_view domain = "com.microsoft", onnx_name = "QLinearSoftmax";
    static constexpr version_range versions{1, 1};
    static constexpr auto elements = hana::tuple_t<types<quantized::byte>>;
    static constexpr int required_inputs = 2;
    static constexpr operator_facts facts{.folding = fold_cost::of_inputs, .keeps_names = true};
    static constexpr int axis(const node_view& n) { return normal_axis(n.integer("axis", -1), n.input(0).dims.rank); }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        if (n.input_count() > 5) return no("there are too many inputs");
        if (n.integer("opset", 0) < 1) return no("opset must be the version of Softmax");
        for (int k : {1, 3})
            if (const verdict v = quantized::scalar_scaling(n, k, k + 1, n.input(0).type); !v) return v;
        if (n.input(0).dims.rank >= 0 && axis(n) < 0) return no("axis is out of range");
        return same_shape(n, y);
    }
};
}  // namespace op

template <> struct kernel<op::qlinear_softmax, device::reference, types<quantized::byte>> : simple_kernel {
    struct params {
        axis_lines lines;
        element type;
        presence has;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        const int axis = op::qlinear_softmax::axis(n);
        const bool joined = n.integer("opset", 0) < 13;
        return {joined ? axis_lines{x.elements(0, axis), x.elements(axis), 1} : axis_lines::of(n, axis),
                n.input(0).type, presence(n)};
    }
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        const quantized::linear_code from(p.type, a, 1, 2, p.has), to(p.type, a, 3, 4, p.has);
        double powers[511];  // e^((j - 255) * scale), j - 255 being the distance of two codes
        for (int j = 0; j < 511; ++j) powers[j] = std::exp(double(from.scale) * (j - 255));
        const bool rising = from.scale >= 0;
        p.lines.each_line<std::uint8_t>(a, [&](const std::uint8_t* x, std::uint8_t* y) {
            int most = 0;
            for (std::int64_t k = 0; k < p.lines.length; ++k)
                if (const int code = from.type(x[k * p.lines.inner]); k == 0 || (rising ? code > most : code < most))
                    most = code;
            double sum = 0;
            for (std::int64_t k = 0; k < p.lines.length; ++k)
                sum += powers[from.type(x[k * p.lines.inner]) - most + 255];
            for (std::int64_t k = 0; k < p.lines.length; ++k) {
                const std::int64_t at = k * p.lines.inner;
                y[at] = to(float(powers[from.type(x[at]) - most + 255] / sum));
            }
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

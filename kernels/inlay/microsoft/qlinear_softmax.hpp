// QLinearSoftmax (com.microsoft, since 1): Softmax of 8-bit quantized values, (value - zero point) * scale along an
// axis, quantized as Y; `opset` is the version of Softmax, which before 13 merges all axes from `axis` on.
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

// The powers of a line, from those that its quantized values can have.
class code_powers {
    quantized::bytes type;
    bool rising;
    std::array<float, 511> powers{};  // e^((j - 255) * scale), j - 255 being the difference of two values

  public:
    explicit code_powers(const quantized::linear_code& x) noexcept : type(x.type), rising(x.scale >= 0) {
        for (int j = 0; j < 511; ++j) powers[std::size_t(j)] = float(std::exp(double(x.scale) * (j - 255)));
    }
    // y[k] for the n values `inner` apart, and their sum.
    float line(const std::uint8_t* x, std::int64_t inner, std::int64_t n, float* y) const noexcept {
        int most = rising ? -128 : 255;
        for (std::int64_t k = 0; k < n; ++k) {
            const int code = type(x[k * inner]);
            most = rising ? std::max(most, code) : std::min(most, code);
        }
        double sums[4]{};  // none waits for another
        for (std::int64_t k = 0; k < n; ++k) {
            y[k] = powers[std::size_t(type(x[k * inner]) - most + 255)];
            sums[k % 4] += double(y[k]);
        }
        return float(sums[0] + sums[1] + (sums[2] + sums[3]));
    }
};
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
    static constexpr bytes_needed footprint(const params& p, isa::level, int) {
        return {0, p.lines.length * std::int64_t(sizeof(float))};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const quantized::linear_code from(p.type, a, 1, 2, p.has), to(p.type, a, 3, 4, p.has);
        const code_powers powers(from);
        auto* const line = reinterpret_cast<float*>(c.scratch);
        p.lines.each_line<std::uint8_t>(a, [&](const std::uint8_t* x, std::uint8_t* y) {
            const float step = powers.line(x, p.lines.inner, p.lines.length, line) * to.scale;
            for (std::int64_t k = 0; k < p.lines.length; ++k) y[k * p.lines.inner] = to.in_steps(line[k] / step);
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

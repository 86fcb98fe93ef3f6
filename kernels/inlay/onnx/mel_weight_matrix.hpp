// MelWeightMatrix (since 17): a column for each of num_mel_bins triangles over the dft_length / 2 + 1 frequencies of a
// onesided spectrum. Their corners are even steps apart on the scale mel(f) = 2595 log10(1 + f / 700), rounded down to
// frequencies of the spectrum. Inputs: num_mel_bins, dft_length, sample_rate, lower_edge_hertz, upper_edge_hertz.
#pragma once
#include <inlay/support/movable.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace op {
struct mel_weight_matrix : standard {
    static constexpr std::string_view onnx_name = "MelWeightMatrix";
    static constexpr version_range versions{17, 17};
    static constexpr std::array constraints{v1::output(0)};
    static constexpr auto elements = number_types;
    static constexpr int required_inputs = 5;
    static constexpr operator_facts facts{.folding = fold_cost::of_result};
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        for (int k = 0; k < 5; ++k) {
            if (!n.has_input(k)) return no("an input is missing");
            const element e = n.input(k).type;
            if (k < 3 ? e != element::i32 && e != element::i64
                      : e != element::f32 && e != element::f64 && e != element::f16 && e != element::bf16)
                return no("an input has a type that is not for it");
            if (n.input(k).dims.known() && n.input(k).dims.elements() != 1)
                return no("an input is not a single element");
        }
        const auto bins = n.input_integers(0), length = n.input_integers(1);
        if (bins && (*bins)[0] < 0) return no("num_mel_bins is negative");
        if (length && (*length)[0] < 0) return no("dft_length is negative");
        y[0] = {length ? (*length)[0] / 2 + 1 : -1, bins ? (*bins)[0] : -1};
        return countable(y[0]) ? yes() : no("the output is too large");
    }
    static constexpr element output_type(const node_view& n, int) {
        return element_numbered(n.integer("output_datatype", std::int64_t(element::f32)));
    }
};
}  // namespace op

// Separate from the kernel, because it is the same for all output types.
struct mel_scale {
    double low = 0, step = 0, factor = 0;  // of corner i: the frequency of mel low + step * i, times factor
    std::int64_t rows = 0;
    static double mel(double hertz) { return 2595 * std::log1p(hertz / 700) / std::log(10.); }
    // The row of corner i, at most one past the last; -1 where it lies outside.
    std::int64_t corner(std::int64_t i) const {
        const double row =
            std::floor(factor * 700 * std::expm1((low + step * static_cast<double>(i)) / 2595 * std::log(10.)));
        return row >= 0 && row <= static_cast<double>(rows) ? static_cast<std::int64_t>(row) : -1;
    }
};

template <class T> struct kernel<op::mel_weight_matrix, device::reference, types<T>> : simple_kernel {
    struct params {
        std::int64_t rows, columns;
        element integers[3], edges[2];  // types of the inputs
    };
    static constexpr verdict supports(const node_view& n) {
        return op::mel_weight_matrix::output_type(n, 0) == n.output(0).type
                   ? yes()
                   : no("the output's type is not output_datatype");
    }
    static constexpr params prepare(const node_view& n) {
        const shape& y = n.output(0).dims;
        return {y[0], y[1], {n.input(0).type, n.input(1).type, n.input(2).type}, {n.input(3).type, n.input(4).type}};
    }
    static status run(const params& p, const state&, const arguments& a, context& c) noexcept {
        const std::int64_t bins = integer(p, a, 0), length = integer(p, a, 1), rate = integer(p, a, 2);
        if (bins != p.columns || length < 0 || length / 2 + 1 != p.rows)
            return c.fail("the sizes are not the output's");
        const double lower = real(p, a, 3), upper = real(p, a, 4);
        if (rate < 1) return c.fail("sample_rate is not positive");
        if (!(lower >= 0) || !(upper >= lower)) return c.fail("the edges are no range of frequencies");
        mel_scale s{mel_scale::mel(lower), 0, (static_cast<double>(length) + 1) / static_cast<double>(rate), p.rows};
        s.step = (mel_scale::mel(upper) - s.low) / static_cast<double>(bins + 2);
        T* y = a.out<T>(0);
        std::fill_n(y, p.rows * p.columns, T(0));
        for (std::int64_t i = 0; i < bins; ++i) {
            const std::int64_t left = s.corner(i), middle = s.corner(i + 1), right = s.corner(i + 2);
            if (left < 0 || middle < 0 || right < 0 || middle == p.rows)
                return c.fail("a triangle is outside of the spectrum");
            for (std::int64_t j = left; j < middle; ++j)
                y[j * p.columns + i] =
                    static_cast<T>(static_cast<double>(j - left) / static_cast<double>(middle - left));
            y[middle * p.columns + i] = T(1);
            for (std::int64_t j = middle + 1; j < right; ++j)
                y[j * p.columns + i] =
                    static_cast<T>(static_cast<double>(right - j) / static_cast<double>(right - middle));
        }
        return status::ok;
    }

  private:
    static std::int64_t integer(const params& p, const arguments& a, int k) {
        return p.integers[k] == element::i64 ? *a.in<std::int64_t>(k) : *a.in<std::int32_t>(k);
    }
    static double real(const params& p, const arguments& a, int k) {
        switch (p.edges[k - 3]) {
            case element::f64: return *a.in<double>(k);
            case element::f16: return static_cast<double>(*a.in<float16>(k));
            case element::bf16: return static_cast<double>(*a.in<bfloat16>(k));
            default: return static_cast<double>(*a.in<float>(k));
        }
    }
};
}  // namespace v1
}  // namespace inlay

// MeanVarianceNormalization (since 9): y = (x - mean) / (deviation + 1e-9), both over `axes`, by default those of all
// but the channels.
#pragma once
#include "reduce.hpp"

namespace inlay {
inline namespace v1 {
namespace op {
struct mean_variance_normalization : standard {
    static constexpr std::string_view onnx_name = "MeanVarianceNormalization";
    static constexpr version_range versions{9, 13};
    // A bit for each axis of the input, whose rank is known; nothing where one is out of range.
    static constexpr std::optional<unsigned> reduced(const node_view& n) {
        constexpr std::array<std::int64_t, 3> usual{0, 2, 3};
        const std::span<const std::int64_t> axes = n.has("axes") ? n.integers("axes") : usual;
        const int rank = n.input(0).dims.rank;
        unsigned bits = axes.empty() ? (1u << rank) - 1 : 0;  // as ReduceMean
        for (std::int64_t value : axes) {
            const int axis = normal_axis(value, rank);
            if (axis < 0) return {};
            bits |= 1u << axis;
        }
        return bits;
    }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        if (!n.has_input(0)) return no("the input is missing");
        if (n.input(0).dims.rank >= 0 && !reduced(n)) return no("an axis is out of range");
        return same_shape(n, y);
    }
};
}  // namespace op
}  // namespace v1
}  // namespace inlay

namespace inlay {
inline namespace v1 {
struct mean_variance_normalization_kernel : simple_kernel {
    struct params {
        reduction_loops loops;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr params prepare(const node_view& n) {
        return {reduction_loops(n.input(0).dims,
                                reduced_axes{true, op::mean_variance_normalization::reduced(n).value_or(0)},
                                n.input_layout(0))};
    }
    INLAY_ON_DEVICE static double deviation_of(double variance) { return std::sqrt(variance) + 1e-9; }  // never 0
};
template <class T>
struct kernel<op::mean_variance_normalization, device::reference, types<T>> : mean_variance_normalization_kernel {
    static status run(const params& p, const state&, const arguments& a, context&) noexcept {
        const T* x = a.in<T>(0);
        T* y = a.out<T>(0);
        const int rank = p.loops.rank;
        const auto at = [&](std::int64_t i) { return static_cast<double>(static_cast<accumulator<T>>(x[i])); };
        const double count = static_cast<double>(p.loops.elements(true));
        p.loops.walk(false, rank, [&](std::int64_t first) {
            double sum = 0, squares = 0;
            p.loops.walk(true, rank, [&](std::int64_t i) { sum += at(first + i); });
            const double mean = sum / count;
            p.loops.walk(true, rank,
                         [&](std::int64_t i) { squares += (at(first + i) - mean) * (at(first + i) - mean); });
            const double by = deviation_of(squares / count);
            p.loops.walk(true, rank, [&](std::int64_t i) {
                y[first + i] = static_cast<T>(static_cast<accumulator<T>>((at(first + i) - mean) / by));
            });
        });
        return status::ok;
    }
};
}  // namespace v1
}  // namespace inlay

// InstanceNormalization (since 1), GroupNormalization (18): y = (x - mean) / sqrt(var + epsilon) * scale + B, mean and
// var over a channel of a sample, or over one of the `num_groups` groups of neighbouring channels. scale and B hold one
// number per channel; of GroupNormalization before version 21, per group. Accumulates in double, more precise than any
// stash_type requires.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
struct group_normalization_params {
    std::int64_t samples = 0, groups = 0, channels = 0,
                 inner = 0;  // groups of a sample, channels of a group, elements of a channel
    bool per_group = false;  // scale and B: one number per group
    double epsilon = 0;
};
namespace op {
struct instance_normalization : standard {
    static constexpr std::string_view onnx_name = "InstanceNormalization";
    static constexpr version_range versions{1, 22};
    static constexpr std::int64_t groups(const node_view& n) { return n.input(0).dims[1]; }
    static constexpr bool per_group(const node_view&) { return false; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        return normal_shapes(n, y, n.has_input(0) && n.input(0).dims.rank > 1 ? n.input(0).dims[1] : -1);
    }
    static constexpr verdict normal_shapes(const node_view& n, std::span<shape> y,
                                           std::int64_t numbers) noexcept {  // numbers: that scale and B hold
        for (int k = 0; k < 3; ++k)
            if (!n.has_input(k)) return no("an input is missing");
        const shape& x = n.input(0).dims;
        if (x.rank == 0 || x.rank == 1) return no("X needs a batch and a channel axis");
        for (int k = 1; k < 3; ++k) {
            const shape& s = n.input(k).dims;
            if (s.rank >= 0 && (s.rank != 1 || (s[0] >= 0 && numbers >= 0 && s[0] != numbers)))
                return no("scale and B must have one number per channel, or per group before version 21");
        }
        y[0] = x;
        return yes();
    }
};
struct group_normalization : standard {
    static constexpr std::string_view onnx_name = "GroupNormalization";
    static constexpr version_range versions{18, 21};
    static constexpr std::int64_t groups(const node_view& n) { return n.integer("num_groups", 0); }
    static constexpr bool per_group(const node_view& n) { return n.version() < 21; }
    static constexpr verdict shapes(const node_view& n, std::span<shape> y) noexcept {
        const std::int64_t count = groups(n),
                           channels = n.has_input(0) && n.input(0).dims.rank > 1 ? n.input(0).dims[1] : -1;
        if (count < 1) return no("num_groups must be positive");
        if (channels >= 0 && channels % count != 0) return no("num_groups does not divide the number of channels");
        return instance_normalization::normal_shapes(n, y, per_group(n) ? count : channels);
    }
};
}  // namespace op

template <class Op> struct group_normalization_kernel : simple_kernel {
    using params = group_normalization_params;
    static constexpr reuse shares = reuse::in_place;
    static constexpr verdict supports(const node_view& n) {
        for (int k = 1; k < 3; ++k)
            if (n.input(k).type != n.input(0).type) return no("X, scale and B must have one type");
        return yes();
    }
    static constexpr params prepare(const node_view& n) {
        const shape& x = n.input(0).dims;
        const std::int64_t groups = x[1] > 0 ? Op::groups(n) : 0;  // 0 channels: any number of groups
        return {x[0],          groups,           groups > 0 ? x[1] / groups : 0,
                x.elements(2), Op::per_group(n), n.real("epsilon", 1e-5f)};
    }
};
template <class Op, class T> struct plain_group_normalization : group_normalization_kernel<Op> {
    static status run(const group_normalization_params& p, const simple_kernel::state&, const arguments& a,
                      context&) noexcept {
        using A = accumulator<T>;
        const T *x = a.in<T>(0), *scale = a.in<T>(1), *shift = a.in<T>(2);
        T* y = a.out<T>(0);
        const std::int64_t count = p.channels * p.inner;
        const auto at = [&](std::int64_t i) { return static_cast<double>(static_cast<A>(x[i])); };
        for (std::int64_t row = 0; row < p.samples * p.groups; ++row, x += count, y += count) {
            double sum = 0, squares = 0;
            for (std::int64_t i = 0; i < count; ++i) sum += at(i);
            const double mean = sum / static_cast<double>(count);
            for (std::int64_t i = 0; i < count; ++i) squares += (at(i) - mean) * (at(i) - mean);
            const double inverse = 1 / std::sqrt(squares / static_cast<double>(count) + p.epsilon);
            for (std::int64_t i = 0; i < count; ++i) {
                const std::int64_t group = row % p.groups,
                                   number = p.per_group ? group : group * p.channels + i / p.inner;
                y[i] = static_cast<T>(static_cast<A>((at(i) - mean) * inverse) * static_cast<A>(scale[number]) +
                                      static_cast<A>(shift[number]));
            }
        }
        return status::ok;
    }
};
template <class T>
struct kernel<op::instance_normalization, device::reference, types<T>>
    : plain_group_normalization<op::instance_normalization, T> {};
template <class T>
struct kernel<op::group_normalization, device::reference, types<T>>
    : plain_group_normalization<op::group_normalization, T> {};
}  // namespace v1
}  // namespace inlay

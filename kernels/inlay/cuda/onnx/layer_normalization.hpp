// LayerNormalization on CUDA: a warp or a block per row. Limit: one read and one write of every element; long rows come
// again from the cache.
#pragma once
#include <inlay/cuda/device.hpp>
#include <inlay/onnx/layer_normalization.hpp>

namespace inlay {
inline namespace v1 {
template <class T> struct layer_normalization_on_cuda : layer_normalization_kernel {
    struct params {
        std::int64_t rows, length;
        double epsilon;
        presence has;
        bool small_stash;
    };
    static constexpr reuse shares = reuse::in_place;
    static constexpr verdict supports(const node_view& n) {
        if (const verdict v = layer_normalization_kernel::supports(n); !v) return v;
        const auto p = layer_normalization_params::of(n);
        return p.scale.per_row && p.shift.per_row ? yes()
                                                  : no("cuda: Scale and B must have the shape of the normalised axes");
    }
    static constexpr params prepare(const node_view& n) {
        const auto p = layer_normalization_params::of(n);
        return {p.rows, p.length, p.epsilon, p.has, p.small_stash};
    }
    static status run(const params& p, const state&, const arguments& a,
                      context& c) noexcept;  // layer_normalization.cu
};
template <> struct kernel<op::layer_normalization, device::cuda, types<float>> : layer_normalization_on_cuda<float> {};
template <>
struct kernel<op::layer_normalization, device::cuda, types<float16>> : layer_normalization_on_cuda<float16> {};
template <>
struct kernel<op::layer_normalization, device::cuda, types<bfloat16>> : layer_normalization_on_cuda<bfloat16> {};
}  // namespace v1
}  // namespace inlay

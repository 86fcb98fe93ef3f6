// Pools, norms, reductions and resized images.
#include "primitive_writer.hpp"

namespace inlay {
inline namespace v1 {
namespace dnnl_writing {
namespace {
std::pair<dnnl_alg_kind_t, float> algorithm_of(reduction f) {
    switch (f) {
        case reduction::l1: return {dnnl_reduction_norm_lp_power_p_sum, 1.f};
        case reduction::l2: return {dnnl_reduction_norm_lp_sum, 2.f};
        case reduction::max: return {dnnl_reduction_max, 0.f};
        case reduction::mean: return {dnnl_reduction_mean, 0.f};
        case reduction::min: return {dnnl_reduction_min, 0.f};
        case reduction::prod: return {dnnl_reduction_mul, 0.f};
        case reduction::sum: return {dnnl_reduction_sum, 0.f};
        default: return {dnnl_reduction_norm_lp_power_p_sum, 2.f};
    }
}
}  // namespace

void primitive_writer::move(const pool_prim& p) {
    const window_lists w(p.window);
    const dnnl_alg_kind_t algorithm = p.does == pooling::max ? dnnl_pooling_max
                                      : p.counts_padding     ? dnnl_pooling_avg_include_padding
                                                             : dnnl_pooling_avg_exclude_padding;
    write_one(l_.at(p.x), p.y, p.y.dims, dnnl().dnnl_pooling_forward_primitive_desc_create,
              std::tuple(dnnl_forward_inference, algorithm),
              std::tuple(w.strides, w.kernel, w.dilations, w.before, w.after));
}
void primitive_writer::write(const reduce_prim& p) {
    const auto [algorithm, power] = algorithm_of(p.does);
    if (p.x.dims == p.y.dims && power == 0) return l_.give(p.y, l_.at(p.x));
    write_one(l_.at(p.x), p.y, p.y.dims, dnnl().dnnl_reduction_primitive_desc_create, std::tuple(algorithm),
              std::tuple(power, 0.f));
}
void primitive_writer::write(const softmax_prim& p) {
    write_one(l_.at(p.x), p.y, p.y.dims, dnnl().dnnl_softmax_forward_primitive_desc_create,
              std::tuple(dnnl_forward_inference, p.log ? dnnl_softmax_log : dnnl_softmax_accurate), std::tuple(p.axis));
}
void primitive_writer::write(const batch_norm_prim& p) {
    constexpr unsigned flags = dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift;
    const auto channels = [&](const operand& x) { return l_.plain(l_.at(x)); };
    write_one(l_.at(p.x), p.y, p.y.dims, dnnl().dnnl_batch_normalization_forward_primitive_desc_create,
              std::tuple(dnnl_forward_inference), std::tuple(p.epsilon, flags),
              {{DNNL_ARG_SCALE, channels(p.scale)},
               {DNNL_ARG_SHIFT, channels(p.shift)},
               {DNNL_ARG_MEAN, channels(p.mean)},
               {DNNL_ARG_VARIANCE, channels(p.variance)}});
}
// Over the last axes; factors that are no row of these are other primitives.
void primitive_writer::write(const layer_norm_prim& p) {
    const int first = int(p.axes[0]);
    const shape rows{p.x.dims.elements(0, first), p.x.dims.elements(first)};
    shape row = p.x.dims;
    std::fill_n(row.dims.begin(), first, 1);
    const auto is_row = [&](const std::optional<operand>& x) { return x && padded(x->dims, row.rank) == row; };
    if ((p.scale && !is_row(p.scale)) || (p.shift && !is_row(p.shift))) {
        const operand plain = temporary(p.x.dims), scaled = p.shift ? temporary(p.x.dims) : p.y;
        write(layer_norm_prim{p.x, plain, {}, {}, p.axes, p.epsilon});
        if (p.scale) write(binary_prim{arithmetic::mul, plain, *p.scale, scaled});
        if (p.shift) write(binary_prim{arithmetic::add, p.scale ? scaled : plain, *p.shift, p.y});
        return;
    }
    unsigned flags = dnnl_normalization_flags_none;
    dnnl_arguments more;
    const auto add = [&](const std::optional<operand>& x, int name, unsigned flag) {
        if (!x) return;
        flags |= flag;
        more.push_back({name, l_.plain(l_.reshaped(l_.at(*x), {rows[1]}))});
    };
    add(p.scale, DNNL_ARG_SCALE, dnnl_use_scale);
    add(p.shift, DNNL_ARG_SHIFT, dnnl_use_shift);
    write_one(l_.reshaped(l_.at(p.x), rows), p.y, rows, dnnl().dnnl_layer_normalization_forward_primitive_desc_create,
              std::tuple(dnnl_forward_inference), std::tuple(const_dnnl_memory_desc_t(nullptr), p.epsilon, flags),
              more);
}
void primitive_writer::write(const lrn_prim& p) {
    write_one(l_.at(p.x), p.y, p.y.dims, dnnl().dnnl_lrn_forward_primitive_desc_create,
              std::tuple(dnnl_forward_inference, dnnl_lrn_across_channels),
              std::tuple(p.size, p.alpha * float(p.size), p.beta, p.bias));
}
void primitive_writer::write(const resize_prim& p) {
    const bool nearest = p.facts.geometry.mode == resizing::interpolation::nearest;
    const float* const factors = nullptr;  // those of the lengths
    write_one(l_.at(p.x), p.y, p.y.dims, dnnl().dnnl_resampling_forward_primitive_desc_create,
              std::tuple(dnnl_forward_inference, nearest ? dnnl_resampling_nearest : dnnl_resampling_linear, factors),
              std::tuple());
}
}  // namespace dnnl_writing
}  // namespace v1
}  // namespace inlay

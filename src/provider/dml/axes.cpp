// Windows, reductions, and normalizations.
#include "writer.hpp"

namespace inlay {
inline namespace v1 {
namespace dml_graphs {
using namespace lowering;

void dml_writer::reduce(DML_REDUCE_FUNCTION function, const operand& x, const operand& y, const integers& axes) {
    shape dims = x.dims;
    for (const std::int64_t i : axes) dims[int(i)] = 1;
    dml_operator o(*this);
    const dml_tensor in = o.in(x);
    o.make(DML_OPERATOR_REDUCE, dml_reduce{function, in, o.out(y, dims), UINT(axes.size()), o.list(axes)});
}
void dml_writer::write(const reduce_prim& p) {
    constexpr DML_REDUCE_FUNCTION functions[] = {DML_REDUCE_FUNCTION_MAX,         DML_REDUCE_FUNCTION_AVERAGE,
                                                 DML_REDUCE_FUNCTION_MIN,         DML_REDUCE_FUNCTION_MULTIPLY,
                                                 DML_REDUCE_FUNCTION_SUM,         DML_REDUCE_FUNCTION_L1,
                                                 DML_REDUCE_FUNCTION_L2,          DML_REDUCE_FUNCTION_LOG_SUM,
                                                 DML_REDUCE_FUNCTION_LOG_SUM_EXP, DML_REDUCE_FUNCTION_SUM_SQUARE};
    reduce(functions[std::size_t(p.does)], p.x, p.y, p.axes);
}
void dml_writer::write(const pool_prim& p) {
    if (p.whole) {
        integers axes;
        for (int i = 2; i < p.x.dims.rank; ++i) axes.push_back(i);
        const bool means = p.does == pooling::average;
        return reduce(means ? DML_REDUCE_FUNCTION_AVERAGE : DML_REDUCE_FUNCTION_MAX, p.x, p.y, axes);
    }
    const window_lists l(p.window);
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x, image_dims(p.x.dims)), y = o.out(p.y, image_dims(p.y.dims));
    if (p.does == pooling::max)
        return o.make(DML_OPERATOR_MAX_POOLING2,
                      dml_max_pooling{x, y, nullptr, l.axes(), l.strides.data(), l.kernel.data(), l.start.data(),
                                      l.end.data(), l.dilations.data()});
    o.make(DML_OPERATOR_AVERAGE_POOLING, dml_average_pooling{x, y, l.axes(), l.strides.data(), l.kernel.data(),
                                                             l.start.data(), l.end.data(), p.counts_padding});
}
void dml_writer::write(const arg_prim& p) {
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x);
    o.make(p.does == reduction::max ? DML_OPERATOR_ARGMAX : DML_OPERATOR_ARGMIN,
           dml_arg{x, o.out(p.y), 1, o.list(std::array{p.axis}), p.last_of_equals});
}
void dml_writer::write(const top_k_prim& p) {
    const operand places = temporary(p.y.dims, element::u32);
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x), values = o.out(p.y);
    o.make(DML_OPERATOR_TOP_K1, dml_top_k{x, values, o.out(places), UINT(p.axis), UINT(p.k), p.largest});
    write(cast_prim{places, p.indices});
}
void dml_writer::write(const cumulative_sum_prim& p) {
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x);
    o.make(DML_OPERATOR_CUMULATIVE_SUMMATION, dml_cumulation{x, o.out(p.y), UINT(p.axis), p.reverse, p.exclusive});
}
void dml_writer::write(const softmax_prim& p) {
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x);
    o.make(p.log ? DML_OPERATOR_ACTIVATION_LOG_SOFTMAX1 : DML_OPERATOR_ACTIVATION_SOFTMAX1,
           dml_softmax{x, o.out(p.y), 1, o.list(std::array{p.axis})});
}
void dml_writer::write(const batch_norm_prim& p) {
    const shape planes = channel_planes(p.x.dims), row{1, planes[1], 1, 1};
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x, planes), mean = o.in(p.mean, row), variance = o.in(p.variance, row),
                     scale = o.in(p.scale, row), shift = o.in(p.shift, row);
    o.make(DML_OPERATOR_BATCH_NORMALIZATION,
           dml_batch_normalization{x, mean, variance, scale, shift, o.out(p.y, planes), 1, p.epsilon, nullptr});
}
void dml_writer::write(const layer_norm_prim& p) {
    dml_operator o(*this);
    const int rank = std::max(p.x.dims.rank, 4);
    const auto tensor = [&](const std::optional<operand>& t) {
        return t ? o.in(*t, of_rank(t->dims, rank)) : o.absent();
    };
    const dml_tensor x = o.in(p.x, of_rank(p.x.dims, rank)), scale = tensor(p.scale), shift = tensor(p.shift),
                     y = o.out(p.y, of_rank(p.y.dims, rank));
    integers axes = p.axes;
    for (auto& axis : axes) axis += rank - p.x.dims.rank;
    o.make(DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1,
           dml_normalization{x, scale, shift, y, UINT(axes.size()), o.list(axes), 1, p.epsilon, nullptr});
}
void dml_writer::write(const lrn_prim& p) {
    const shape planes = channel_planes(p.x.dims);
    dml_operator o(*this);
    const dml_tensor x = o.in(p.x, planes);
    o.make(DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION,
           dml_local_response{x, o.out(p.y, planes), 1, UINT(p.size), p.alpha * float(p.size), p.beta, p.bias});
}
}  // namespace dml_graphs
}  // namespace v1
}  // namespace inlay

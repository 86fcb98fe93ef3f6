// The operators that the stock providers run: X(operator, kernel file). A new operator is its kernel files, its test and one line here.
#pragma once
#include <boost/hana/tuple.hpp>

#define INLAY_OPERATORS(X) \
    X(abs, unary) \
    X(add, binary) \
    X(arg_max, arg) \
    X(arg_min, arg) \
    X(average_pool, pool) \
    X(batch_normalization, batch_normalization) \
    X(cast, cast) \
    X(ceil, unary) \
    X(clip, clip) \
    X(concat, concat) \
    X(constant_of_shape, constant_of_shape) \
    X(conv, conv) \
    X(conv_transpose, conv_transpose) \
    X(cos, unary) \
    X(cum_sum, cum_sum) \
    X(div, binary) \
    X(dropout, reshape) \
    X(elu, unary) \
    X(equal, comparison) \
    X(erf, unary) \
    X(exp, unary) \
    X(expand, expand) \
    X(flatten, reshape) \
    X(floor, unary) \
    X(gather, gather) \
    X(gemm, gemm) \
    X(global_average_pool, pool) \
    X(greater, comparison) \
    X(greater_or_equal, comparison) \
    X(gru, gru) \
    X(hard_sigmoid, unary) \
    X(hard_swish, unary) \
    X(identity, reshape) \
    X(layer_normalization, layer_normalization) \
    X(leaky_relu, unary) \
    X(less, comparison) \
    X(less_or_equal, comparison) \
    X(log, unary) \
    X(log_softmax, softmax) \
    X(logical_and, binary) \
    X(logical_not, unary) \
    X(logical_or, binary) \
    X(logical_xor, binary) \
    X(lrn, lrn) \
    X(lstm, lstm) \
    X(matmul, matmul) \
    X(max, sum) \
    X(max_pool, pool) \
    X(min, sum) \
    X(mod, binary) \
    X(mul, binary) \
    X(neg, unary) \
    X(non_max_suppression, non_max_suppression) \
    X(non_zero, non_zero) \
    X(pow, pow) \
    X(prelu, binary) \
    X(range, range) \
    X(reciprocal, unary) \
    X(reduce_max, reduce) \
    X(reduce_mean, reduce) \
    X(reduce_min, reduce) \
    X(reduce_prod, reduce) \
    X(reduce_sum, reduce) \
    X(relu, unary) \
    X(reshape, reshape) \
    X(resize, resize) \
    X(rnn, rnn) \
    X(round, unary) \
    X(selu, unary) \
    X(shape_of, shape) \
    X(sigmoid, unary) \
    X(sign, unary) \
    X(sin, unary) \
    X(slice, slice) \
    X(softmax, softmax) \
    X(softplus, unary) \
    X(split, split) \
    X(sqrt, unary) \
    X(squeeze, reshape) \
    X(sub, binary) \
    X(sum, sum) \
    X(tanh, unary) \
    X(top_k, top_k) \
    X(transpose, transpose) \
    X(unique, unique) \
    X(unsqueeze, reshape) \
    X(where, where)

// Fused nodes, which the passes propose and a provider may take.
#define INLAY_FUSED_OPERATORS(X) \
    X(attention, attention) \
    X(channel_shuffle, channel_shuffle) \
    X(fused_conv, conv) \
    X(fused_gemm, gemm) \
    X(fused_matmul, matmul) \
    X(joined_matmul, joined_matmul) \
    X(scaled_conv, scaled_conv) \
    X(tile_program, tile_program)

namespace inlay::inline v1 {
namespace op {
#define INLAY_DECLARE(name, file) struct name;
INLAY_OPERATORS(INLAY_DECLARE)
INLAY_FUSED_OPERATORS(INLAY_DECLARE)
#undef INLAY_DECLARE
}  // namespace op
template <class First, class... Op> inline constexpr auto list_of = boost::hana::tuple_t<Op...>;
#define INLAY_NAME(name, file) , op::name
inline constexpr auto stock_operators = list_of<void INLAY_OPERATORS(INLAY_NAME) INLAY_FUSED_OPERATORS(INLAY_NAME)>;
#undef INLAY_NAME
}  // namespace inlay::inline v1

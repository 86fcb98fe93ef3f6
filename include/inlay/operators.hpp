// The operators that the stock providers run: X(operator, kernel file). A new operator is its kernel files, its test and one line here.
#pragma once
#include <boost/hana/tuple.hpp>

#define INLAY_OPERATORS(X) \
    X(abs, unary) \
    X(acos, unary) \
    X(acosh, unary) \
    X(add, binary) \
    X(arg_max, arg) \
    X(arg_min, arg) \
    X(asin, unary) \
    X(asinh, unary) \
    X(atan, unary) \
    X(atanh, unary) \
    X(average_pool, pool) \
    X(batch_normalization, batch_normalization) \
    X(bit_shift, bitwise) \
    X(bitwise_and, bitwise) \
    X(bitwise_not, bitwise) \
    X(bitwise_or, bitwise) \
    X(bitwise_xor, bitwise) \
    X(cast, cast) \
    X(cast_like, cast) \
    X(ceil, unary) \
    X(celu, unary) \
    X(clip, clip) \
    X(compress, compress) \
    X(concat, concat) \
    X(constant_of_shape, constant_of_shape) \
    X(conv, conv) \
    X(conv_integer, conv_integer) \
    X(conv_transpose, conv_transpose) \
    X(cos, unary) \
    X(cosh, unary) \
    X(cum_sum, cum_sum) \
    X(depth_to_space, depth_to_space) \
    X(dequantize_linear, quantize_linear) \
    X(div, binary) \
    X(dropout, reshape) \
    X(dynamic_quantize_linear, dynamic_quantize_linear) \
    X(einsum, einsum) \
    X(elu, unary) \
    X(equal, comparison) \
    X(erf, unary) \
    X(exp, unary) \
    X(expand, expand) \
    X(eye_like, eye_like) \
    X(flatten, reshape) \
    X(floor, unary) \
    X(gather, gather) \
    X(gather_elements, gather_elements) \
    X(gather_nd, gather_nd) \
    X(gelu, unary) \
    X(gemm, gemm) \
    X(global_average_pool, pool) \
    X(global_max_pool, pool) \
    X(greater, comparison) \
    X(greater_or_equal, comparison) \
    X(group_normalization, group_normalization) \
    X(gru, gru) \
    X(hard_sigmoid, unary) \
    X(hard_swish, unary) \
    X(hardmax, softmax) \
    X(identity, reshape) \
    X(instance_normalization, group_normalization) \
    X(is_inf, is_nan) \
    X(is_nan, is_nan) \
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
    X(lp_normalization, lp_normalization) \
    X(lrn, lrn) \
    X(lstm, lstm) \
    X(matmul, matmul) \
    X(matmul_integer, matmul_integer) \
    X(max, sum) \
    X(max_pool, pool) \
    X(mean, sum) \
    X(mean_variance_normalization, mean_variance_normalization) \
    X(min, sum) \
    X(mish, unary) \
    X(mod, binary) \
    X(mul, binary) \
    X(neg, unary) \
    X(non_max_suppression, non_max_suppression) \
    X(non_zero, non_zero) \
    X(one_hot, one_hot) \
    X(pad, pad) \
    X(pow, pow) \
    X(prelu, binary) \
    X(qlinear_conv, conv_integer) \
    X(qlinear_matmul, qlinear_matmul) \
    X(quantize_linear, quantize_linear) \
    X(range, range) \
    X(reciprocal, unary) \
    X(reduce_l1, reduce) \
    X(reduce_l2, reduce) \
    X(reduce_log_sum, reduce) \
    X(reduce_log_sum_exp, reduce) \
    X(reduce_max, reduce) \
    X(reduce_mean, reduce) \
    X(reduce_min, reduce) \
    X(reduce_prod, reduce) \
    X(reduce_sum, reduce) \
    X(reduce_sum_square, reduce) \
    X(relu, unary) \
    X(reshape, reshape) \
    X(resize, resize) \
    X(reverse_sequence, reverse_sequence) \
    X(rms_normalization, rms_normalization) \
    X(rnn, rnn) \
    X(round, unary) \
    X(scatter, scatter_elements) \
    X(scatter_elements, scatter_elements) \
    X(scatter_nd, scatter_nd) \
    X(selu, unary) \
    X(shape_of, shape) \
    X(shrink, unary) \
    X(sigmoid, unary) \
    X(sign, unary) \
    X(sin, unary) \
    X(sinh, unary) \
    X(size_of, shape) \
    X(slice, slice) \
    X(softmax, softmax) \
    X(softplus, unary) \
    X(softsign, unary) \
    X(space_to_depth, depth_to_space) \
    X(split, split) \
    X(sqrt, unary) \
    X(squeeze, reshape) \
    X(sub, binary) \
    X(sum, sum) \
    X(swish, unary) \
    X(tan, unary) \
    X(tanh, unary) \
    X(thresholded_relu, unary) \
    X(tile, tile) \
    X(top_k, top_k) \
    X(transpose, transpose) \
    X(trilu, trilu) \
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
    X(fused_matmul_integer, matmul_integer) \
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

// The operators that the stock providers run: X(operator, kernel file). A new operator is its kernel files, its test and one line here.
#pragma once
#include <boost/hana/tuple.hpp>

#define INLAY_OPERATORS(X) \
    X(add, binary) \
    X(average_pool, pool) \
    X(batch_normalization, batch_normalization) \
    X(cast, cast) \
    X(clip, clip) \
    X(concat, concat) \
    X(constant_of_shape, constant_of_shape) \
    X(conv, conv) \
    X(conv_transpose, conv_transpose) \
    X(div, binary) \
    X(dropout, reshape) \
    X(erf, unary) \
    X(expand, expand) \
    X(flatten, reshape) \
    X(gather, gather) \
    X(gemm, gemm) \
    X(global_average_pool, pool) \
    X(gru, gru) \
    X(hard_sigmoid, unary) \
    X(hard_swish, unary) \
    X(identity, reshape) \
    X(layer_normalization, layer_normalization) \
    X(less_or_equal, binary) \
    X(log_softmax, softmax) \
    X(logical_and, binary) \
    X(lrn, lrn) \
    X(lstm, lstm) \
    X(matmul, matmul) \
    X(max_pool, pool) \
    X(mul, binary) \
    X(non_max_suppression, non_max_suppression) \
    X(pow, pow) \
    X(range, range) \
    X(reduce_mean, reduce) \
    X(relu, unary) \
    X(reshape, reshape) \
    X(resize, resize) \
    X(shape_of, shape) \
    X(sigmoid, unary) \
    X(slice, slice) \
    X(softmax, softmax) \
    X(split, split) \
    X(sqrt, unary) \
    X(squeeze, reshape) \
    X(sub, binary) \
    X(sum, sum) \
    X(tanh, unary) \
    X(transpose, transpose) \
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

// The operators of the domain com.microsoft that the stock providers run: X(operator, file). Their structs' names begin
// with microsoft_ where ONNX has an operator of the same name.
#pragma once

#define INLAY_MICROSOFT_OPERATORS(X) \
    X(bias_add, "microsoft/gelu") \
    X(bias_gelu, "microsoft/gelu") \
    X(bias_split_gelu, "microsoft/gelu") \
    X(crop_and_resize, "microsoft/crop_and_resize") \
    X(dynamic_quantize_matmul, "microsoft/matmul_integer_to_float") \
    X(decoder_masked_multi_head_attention, "microsoft/decoder_masked_multi_head_attention") \
    X(embed_layer_normalization, "microsoft/embed_layer_normalization") \
    X(cdist, "microsoft/cdist") \
    X(complex_mul, "microsoft/complex_mul") \
    X(complex_mul_conj, "microsoft/complex_mul") \
    X(fast_gelu, "microsoft/gelu") \
    X(gather_block_quantized, "microsoft/gather_block_quantized") \
    X(gemma_rotary_embedding, "microsoft/gemma_rotary_embedding") \
    X(group_query_attention, "microsoft/group_query_attention") \
    X(inverse, "microsoft/inverse") \
    X(matmul_bnb4, "microsoft/matmul_bnb4") \
    X(matmul_integer_to_float, "microsoft/matmul_integer_to_float") \
    X(matmul_nbits, "microsoft/matmul_nbits") \
    X(microsoft_dequantize_linear, "onnx/quantize_linear") \
    X(microsoft_attention, "microsoft/attention") \
    X(microsoft_causal_conv_with_state, "microsoft/causal_conv_with_state") \
    X(maxpool_with_mask, "microsoft/maxpool_with_mask") \
    X(microsoft_fused_matmul, "microsoft/fused_matmul") \
    X(microsoft_gelu, "microsoft/gelu") \
    X(microsoft_grid_sample, "onnx/grid_sample") \
    X(microsoft_quantize_linear, "onnx/quantize_linear") \
    X(microsoft_rotary_embedding, "microsoft/rotary_embedding") \
    X(microsoft_simplified_layer_normalization, "onnx/simplified_layer_normalization") \
    X(moe, "microsoft/moe") \
    X(multi_head_attention, "microsoft/multi_head_attention") \
    X(nhwc_max_pool, "microsoft/nhwc_max_pool") \
    X(qattention, "microsoft/qattention") \
    X(qembed_layer_normalization, "microsoft/qembed_layer_normalization") \
    X(murmur_hash3, "microsoft/murmur_hash3") \
    X(ngram_repeat_block, "microsoft/ngram_repeat_block") \
    X(qgemm, "microsoft/qgemm") \
    X(qlinear_add, "microsoft/qlinear_binary") \
    X(qlinear_average_pool, "microsoft/qlinear_pool") \
    X(qlinear_concat, "microsoft/qlinear_concat") \
    X(qlinear_global_average_pool, "microsoft/qlinear_pool") \
    X(qlinear_leaky_relu, "microsoft/qlinear_unary") \
    X(qlinear_mul, "microsoft/qlinear_binary") \
    X(qlinear_reduce_mean, "microsoft/qlinear_reduce_mean") \
    X(qlinear_sigmoid, "microsoft/qlinear_unary") \
    X(qlinear_softmax, "microsoft/qlinear_softmax") \
    X(qlinear_where, "microsoft/qlinear_where") \
    X(qmoe, "microsoft/moe") \
    X(quick_gelu, "microsoft/gelu") \
    X(skip_layer_normalization, "microsoft/skip_layer_normalization") \
    X(skip_simplified_layer_normalization, "microsoft/skip_layer_normalization") \
    X(tokenizer, "microsoft/tokenizer") \
    X(transpose_matmul, "microsoft/fused_matmul") \
    X(word_conv_embedding, "microsoft/word_conv_embedding")

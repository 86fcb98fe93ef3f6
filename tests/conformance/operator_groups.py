"""The kernel files of the operators by what they do, for the pages of the reference; each stands in one group. HEADINGS has those of too
many operators for a heading."""

GROUPS = {
    "element-wise": ("Element by element", """
        onnx/binary onnx/bit_cast onnx/bitwise onnx/cast onnx/clip onnx/comparison onnx/is_nan onnx/pow onnx/sum onnx/unary onnx/where
        microsoft/complex_mul microsoft/gelu"""),
    "matrices": ("Matrices", """
        onnx/det onnx/einsum onnx/gemm onnx/matmul microsoft/cdist microsoft/fused_matmul microsoft/inverse"""),
    "convolutions": ("Convolutions and pools", """
        onnx/causal_conv_with_state onnx/col2im onnx/conv onnx/conv_transpose onnx/deform_conv onnx/lp_pool onnx/max_unpool onnx/pool
        onnx/roi_align microsoft/causal_conv_with_state microsoft/maxpool_with_mask microsoft/nhwc_max_pool microsoft/unfold_tensor
        microsoft/varlen_causal_conv_with_state microsoft/word_conv_embedding"""),
    "normalization": ("Normalization", """
        onnx/batch_normalization onnx/group_normalization onnx/layer_normalization onnx/lp_normalization onnx/lrn
        onnx/mean_variance_normalization onnx/rms_normalization onnx/simplified_layer_normalization onnx/softmax
        microsoft/branchwise_rms_norm microsoft/embed_layer_normalization microsoft/gated_rms_norm microsoft/skip_layer_normalization"""),
    "attention": ("Attention and language models", """
        onnx/attention onnx/linear_attention onnx/rotary_embedding onnx/tensor_scatter microsoft/attention
        microsoft/bifurcation_detector microsoft/decoder_masked_multi_head_attention microsoft/engram_gate
        microsoft/gated_delta_net microsoft/gemma_rotary_embedding microsoft/group_query_attention microsoft/hyper_connection
        microsoft/linear_attention_gate microsoft/moe microsoft/moe_group_router microsoft/mrotary_embedding
        microsoft/multi_head_attention microsoft/ngram_hash_mapping microsoft/ngram_repeat_block
        microsoft/rotary_embedding microsoft/sparse_attention"""),
    "recurrent": ("Recurrent layers", "onnx/gru onnx/lstm onnx/rnn microsoft/attn_lstm microsoft/dynamic_quantize_lstm"),
    "reductions": ("Reductions, sorting and search", """
        onnx/arg onnx/compress onnx/cum_sum onnx/non_max_suppression onnx/non_zero onnx/reduce onnx/top_k onnx/unique
        microsoft/dynamic_time_warping"""),
    "shapes": ("Shapes and places", """
        onnx/center_crop_pad onnx/concat onnx/depth_to_space onnx/expand onnx/gather onnx/gather_elements onnx/gather_nd onnx/pad
        onnx/reshape onnx/reverse_sequence onnx/scatter_elements onnx/scatter_nd onnx/shape onnx/slice onnx/split onnx/tile
        onnx/transpose onnx/trilu microsoft/gather_packed"""),
    "values": ("New values", "onnx/constant_of_shape onnx/eye_like onnx/one_hot onnx/random onnx/range"),
    "images": ("Images and signals", """
        onnx/affine_grid onnx/dft onnx/grid_sample onnx/image_decoder onnx/mel_weight_matrix onnx/resize onnx/window
        microsoft/crop_and_resize"""),
    "quantization": ("Quantization", """
        onnx/conv_integer onnx/dynamic_quantize_linear onnx/matmul_integer onnx/qlinear_matmul onnx/quantize_linear
        microsoft/gather_block_quantized microsoft/matmul_bnb4 microsoft/matmul_fpq4 microsoft/matmul_integer16
        microsoft/matmul_integer_to_float microsoft/matmul_nbits microsoft/qattention microsoft/qembed_layer_normalization
        microsoft/qgemm microsoft/qlinear_binary microsoft/qlinear_concat microsoft/qlinear_pool microsoft/qlinear_reduce_mean
        microsoft/qlinear_softmax microsoft/qlinear_unary microsoft/qlinear_where"""),
    "sequences": ("Control flow, sequences and optionals", "onnx/control_flow onnx/optional onnx/sequence onnx/split_to_sequence"),
    "text": ("Text", "onnx/regex_full_match onnx/string onnx/tf_idf_vectorizer microsoft/murmur_hash3 microsoft/tokenizer"),
    "training": ("Losses and training", "onnx/cross_entropy training/optimizers"),
    "ml": ("Trees, linear models and their features", """
        ml/array_feature_extractor ml/cast_map ml/categories ml/feature_scaling ml/feature_vectorizer ml/linear ml/maps ml/svm
        ml/tree_ensemble"""),
}

HEADINGS = {"onnx/unary": "Functions of one tensor, from Abs to ThresholdedRelu"}

// The attributes of com.microsoft's operators, as the schemas of ONNX Runtime 1.31 list them: other attributes of a
// node have no effect.
#include "schemas.hpp"

namespace inlay {
inline namespace v1 {
namespace loading {
namespace {
struct listed_attributes {
    std::string_view op, names;  // with a space around each
};
constexpr listed_attributes microsoft_operators[] = {
    {"Attention",
     " do_rotary mask_filter_value num_heads past_present_share_buffer qkv_hidden_sizes rotary_embedding_dim scale "
     "unidirectional "},
    {"AttnLSTM", " activation_alpha activation_beta activations clip direction hidden_size input_forget "},
    {"BeamSearch",
     " decoder decoder_start_token_id early_stopping encoder eos_token_id init_decoder model_type no_repeat_ngram_size "
     "pad_token_id vocab_size "},
    {"BiasAdd", " "},
    {"BiasDropout", " seed "},
    {"BiasGelu", " "},
    {"BiasSoftmax", " axis is_inner_broadcast "},
    {"BiasSplitGelu", " "},
    {"BifurcationDetector", " max_ngram_size min_ngram_size "},
    {"BitmaskBiasDropout", " seed "},
    {"BitmaskDropout", " seed "},
    {"BranchwiseRMSNorm", " epsilon num_branches "},
    {"CDist", " metric "},
    {"CausalConvWithState", " activation channels_last dilation ndim state_window "},
    {"ComplexMul", " "},
    {"ComplexMulConj", " "},
    {"ConvTransposeWithDynamicPads", " auto_pad dilations group kernel_shape output_padding strides "},
    {"CropAndResize", " extrapolation_value mode "},
    {"DecoderAttention", " mask_filter_value num_heads "},
    {"DecoderMaskedMultiHeadAttention", " mask_filter_value num_heads output_qk past_present_share_buffer scale "},
    {"DecoderMaskedSelfAttention", " do_rotary mask_filter_value num_heads past_present_share_buffer scale "},
    {"DequantizeBFP", " bfp_type block_dim dtype "},
    {"DequantizeLinear", " axis "},
    {"DequantizeWithOrder", " order_input order_output to "},
    {"DynamicQuantizeLSTM", " activation_alpha activation_beta activations clip direction hidden_size input_forget "},
    {"DynamicQuantizeMatMul", " "},
    {"DynamicSparseAttention",
     " attention_mode auxiliary_kv_shared do_rotary is_causal kv_num_heads local_window_size num_heads qk_norm_epsilon "
     "rotary_interleaved rotary_offset scale selected_kv_source smooth_softmax "},
    {"DynamicTimeWarping", " "},
    {"EPContext",
     " embed_mode ep_cache_context ep_sdk_version hardware_architecture main_context max_size notes "
     "onnx_model_filename partition_name source "},
    {"EmbedLayerNormalization", " epsilon mask_index_type "},
    {"EngramGate", " epsilon "},
    {"ExpandDims", " "},
    {"FastGelu", " "},
    {"FusedConv", " activation activation_params auto_pad dilations group kernel_shape pads strides "},
    {"FusedGemm", " activation activation_alpha activation_beta activation_gamma alpha beta transA transB "},
    {"FusedMatMul", " alpha transA transB transBatchA transBatchB "},
    {"FusedMatMulActivation",
     " activation activation_alpha activation_axis activation_beta activation_gamma alpha transA transB transBatchA "
     "transBatchB "},
    {"GatedAdd", " "},
    {"GatedDeltaNet",
     " beta_activation chunk_size gate_activation qk_l2_norm scale state_update_capacity update_rule "},
    {"GatedRMSNorm", " activation epsilon "},
    {"GatedRelativePositionBias", " num_heads "},
    {"GatherBlockQuantized", " bits block_size gather_axis quantize_axis "},
    {"GatherND", " "},
    {"GatherPacked", " K output_dtype packed_type "},
    {"Gelu", " "},
    {"GemmFastGelu", " "},
    {"GemmFloat8", " activation alpha beta dtype transA transB "},
    {"GemmaRotaryEmbedding", " "},
    {"GreedySearch",
     " decoder decoder_start_token_id encoder eos_token_id init_decoder model_type no_repeat_ngram_size pad_token_id "
     "vocab_size "},
    {"GridSample", " align_corners mode padding_mode "},
    {"GroupNorm", " activation channels_last epsilon groups "},
    {"GroupQueryAttention",
     " causal do_rotary k_quant_type kv_cache_bit_width kv_num_heads local_window_size num_heads qk_norm_epsilon "
     "qk_output rotary_interleaved scale sliding_window_cache smooth_softmax softcap v_quant_type "},
    {"HyperConnectionPostMix", " num_branches "},
    {"HyperConnectionPreMix", " num_branches reduction_scale "},
    {"Inverse", " "},
    {"Irfft", " normalized onesided signal_ndim "},
    {"IsAllFinite", " isinf_only isnan_only "},
    {"LinearAttention", " chunk_size kv_num_heads q_num_heads scale state_window update_rule "},
    {"LinearAttentionGate", " "},
    {"LongformerAttention", " num_heads window "},
    {"MRotaryEmbedding",
     " interleaved is_packed_batching mrope_layout mrope_section num_heads rotary_embedding_dim scale "},
    {"MatMulBlockQuantizedFp4Weight", " block_size "},
    {"MatMulBlockQuantizedFp8Weight", " block_size "},
    {"MatMulBnb4", " K N block_size quant_type training_mode transB "},
    {"MatMulFpQ4", " blk_quant_type "},
    {"MatMulInteger16", " "},
    {"MatMulIntegerToFloat", " "},
    {"MatMulNBits", " K N accuracy_level bits block_size weight_prepacked "},
    {"MatMulNBitsMlp", " K N accuracy_level activation bits block_size epsilon "},
    {"MatMulNBitsQkv", " K Nkv Nq accuracy_level bits block_size epsilon "},
    {"MaxpoolWithMask", " auto_pad kernel_shape pads storage_order strides "},
    {"MoE",
     " activation_alpha activation_beta activation_type k normalize_routing_weights swiglu_fusion swiglu_limit "
     "use_sparse_mixer "},
    {"MulInteger", " "},
    {"MultiHeadAttention", " mask_filter_value num_heads scale unidirectional "},
    {"MurmurHash3", " positive seed "},
    {"NGramHashMapping", " max_ngram_size n_head_per_ngram pad_id reset_on_eos "},
    {"NGramRepeatBlock", " ngram_size "},
    {"NhwcConv", " auto_pad dilations group kernel_shape pads strides "},
    {"NhwcFusedConv", " activation activation_params auto_pad dilations group kernel_shape pads strides "},
    {"NhwcMaxPool", " auto_pad ceil_mode dilations kernel_shape pads strides "},
    {"PackedAttention", " num_heads qkv_hidden_sizes scale "},
    {"PackedMultiHeadAttention", " mask_filter_value num_heads scale "},
    {"PackedSparseAttentionIndexer",
     " compress_ratio epsilon head_weight_scale index_topk policy_mode scale state_capacity state_update_capacity "
     "token_budget "},
    {"Pad", " mode "},
    {"PagedAttention",
     " do_rotary is_causal k_cache_dtype k_quant_type kv_cache_layout kv_num_heads local_window_size num_heads "
     "qk_norm_epsilon rotary_interleaved rotary_offset scale softcap v_cache_dtype v_head_size v_quant_type "},
    {"QAttention", " do_rotary mask_filter_value num_heads past_present_share_buffer scale unidirectional "},
    {"QEmbedLayerNormalization", " epsilon "},
    {"QGemm", " alpha transA transB "},
    {"QLinearAdd", " "},
    {"QLinearAveragePool", " auto_pad ceil_mode channels_last count_include_pad kernel_shape pads strides "},
    {"QLinearConcat", " axis "},
    {"QLinearConv", " auto_pad channels_last dilations group kernel_shape pads strides "},
    {"QLinearGlobalAveragePool", " channels_last "},
    {"QLinearLeakyRelu", " alpha "},
    {"QLinearMul", " "},
    {"QLinearReduceMean", " axes keepdims "},
    {"QLinearSigmoid", " "},
    {"QLinearSoftmax", " axis opset "},
    {"QLinearWhere", " "},
    {"QMoE",
     " accuracy_level activation_alpha activation_beta activation_type block_size expert_weight_bits "
     "fc1_expert_weight_bits fc2_expert_weight_bits fc3_expert_weight_bits k normalize_routing_weights quant_type "
     "swiglu_fusion swiglu_limit use_sparse_mixer weights_prepacked "},
    {"QOrderedAttention", " num_heads order_input order_output order_weight qkv_hidden_sizes unidirectional "},
    {"QOrderedGelu", " order_X order_Y "},
    {"QOrderedLayerNormalization", " axis epsilon order_X order_Y "},
    {"QOrderedLongformerAttention", " num_heads order_global_weight order_input order_output order_weight window "},
    {"QOrderedMatMul", " order_A order_B order_Y "},
    {"QuantizeBFP", " bfp_type block_dim "},
    {"QuantizeLinear", " axis "},
    {"QuantizeWithOrder", " order_input order_output "},
    {"QuickGelu", " alpha "},
    {"Range", " "},
    {"ReduceSumInteger", " axes keepdims "},
    {"RelativePositionBias", " is_bidirectional max_distance "},
    {"RemovePadding", " "},
    {"RestorePadding", " "},
    {"Rfft", " normalized onesided signal_ndim "},
    {"RotaryEmbedding", " interleaved is_packed_batching num_heads rotary_embedding_dim scale "},
    {"SampleOp", " "},
    {"Sampling",
     " custom decoder decoder_start_token_id encoder eos_token_id filter_value init_decoder min_tokens_to_keep "
     "model_type no_repeat_ngram_size pad_token_id presence_penalty temperature top_p vocab_size "},
    {"ScaledSiLU", " alpha "},
    {"SkipGroupNorm", " activation channels_last epsilon groups "},
    {"SkipLayerNormalization", " epsilon "},
    {"SkipSimplifiedLayerNormalization", " epsilon "},
    {"Snpe", " DLC notes snpe_version target_device "},
    {"SparseAttention", " do_rotary kv_num_heads num_heads rotary_interleaved scale sparse_block_size "},
    {"SparseAttentionIndexer", " compress_ratio epsilon head_weight_scale index_topk policy_mode scale token_budget "},
    {"SparsePagedAttention",
     " attention_mode auxiliary_cache_layout auxiliary_kv_shared do_rotary is_causal k_quant_type kv_num_heads "
     "local_window_size num_heads qk_norm_epsilon rotary_interleaved rotary_offset scale selected_kv_source softcap "
     "v_quant_type "},
    {"SparseToDenseMatMul", " alpha transA transB "},
    {"Tokenizer", " mark mincharnum pad_value separators tokenexp "},
    {"TorchEmbedding", " "},
    {"TransposeMatMul", " alpha transA transB "},
    {"Trilu", " upper "},
    {"UnfoldTensor", " dim size step "},
    {"Unique", " "},
    {"VarlenCausalConvWithState", " activation dilation state_update_capacity "},
    {"VarlenNGramHashMapping", " max_ngram_size n_head_per_ngram pad_id reset_on_eos state_update_capacity "},
    {"WhisperBeamSearch",
     " beginning_timestamp_token_id decoder decoder_output_cross_qk decoder_start_token_id early_stopping encoder "
     "eos_token_id init_decoder model_type no_repeat_ngram_size no_speech_token_id no_timestamps_token_id pad_token_id "
     "start_of_lm_token_id transcribe_token_id translate_token_id vocab_size "},
    {"WordConvEmbedding", " char_embedding_size conv_window_size embedding_size "},
};
}  // namespace

bool has_microsoft_attribute(std::string_view op, std::string_view name) {
    const auto* entry = std::ranges::lower_bound(microsoft_operators, op, {}, &listed_attributes::op);
    if (entry == std::end(microsoft_operators) || entry->op != op || name.starts_with('_')) return true;
    return name.find(' ') == name.npos && entry->names.find(" " + std::string(name) + " ") != entry->names.npos;
}
}  // namespace loading
}  // namespace v1
}  // namespace inlay

"""Names that ONNX Runtime knows and Inlay may not have: its providers, their options, and keys of its configurations.

A name from here is no mistake of the program. An option that changes no result is reported in a session's log at
severity 1 (info); a request that is not fulfilled is a warning; every other name is an error, or a warning where ONNX
Runtime accepts any name.
"""
from __future__ import annotations

from typing import NamedTuple

CPU = "CPUExecutionProvider"
REFERENCE = "ReferenceExecutionProvider"


class KnownProvider(NamedTuple):
    """A provider that a build may lack: the CMake option that builds it (None: Inlay has none of that name), the kind of
    its device, and the vendor."""

    option: str | None
    device: str = "CPU"
    vendor: str = "NONE"


#: By ONNX Runtime's names, in the order of its get_all_providers(), and then what Inlay alone has.
PROVIDERS: dict[str, KnownProvider] = {
    "NvTensorRTRTXExecutionProvider": KnownProvider("INLAY_TENSORRT", "GPU", "NVIDIA"),
    "TensorrtExecutionProvider": KnownProvider("INLAY_TENSORRT", "GPU", "NVIDIA"),
    "CUDAExecutionProvider": KnownProvider("INLAY_CUDA", "GPU", "NVIDIA"),
    "ROCMExecutionProvider": KnownProvider("INLAY_ROCM", "GPU", "AMD"),
    "MIGraphXExecutionProvider": KnownProvider("INLAY_MIGRAPHX", "GPU", "AMD"),
    "OpenVINOExecutionProvider": KnownProvider("INLAY_OPENVINO", vendor="INTEL"),
    "DnnlExecutionProvider": KnownProvider("INLAY_ONEDNN", vendor="INTEL"),
    "TvmExecutionProvider": KnownProvider("INLAY_TVM"),
    "VitisAIExecutionProvider": KnownProvider("INLAY_VITISAI", "NPU", "AMD"),
    "QNNExecutionProvider": KnownProvider("INLAY_QNN", "NPU", "QUALCOMM"),
    "NnapiExecutionProvider": KnownProvider("INLAY_NNAPI", "NPU"),
    "VSINPUExecutionProvider": KnownProvider(None, "NPU"),
    "JsExecutionProvider": KnownProvider(None, "GPU"),
    "CoreMLExecutionProvider": KnownProvider("INLAY_COREML", "NPU"),
    "ArmNNExecutionProvider": KnownProvider("INLAY_ARMNN", vendor="ARM"),
    "ACLExecutionProvider": KnownProvider("INLAY_ACL", vendor="ARM"),
    "DmlExecutionProvider": KnownProvider("INLAY_DML", "GPU", "MICROSOFT"),
    "RknpuExecutionProvider": KnownProvider("INLAY_RKNPU", "NPU"),
    "WebNNExecutionProvider": KnownProvider(None, "GPU"),
    "WebGpuExecutionProvider": KnownProvider(None, "GPU"),
    "XnnpackExecutionProvider": KnownProvider("INLAY_XNNPACK"),
    "CANNExecutionProvider": KnownProvider("INLAY_CANN", "NPU", "HUAWEI"),
    "AzureExecutionProvider": KnownProvider("INLAY_REMOTE"),
    CPU: KnownProvider(""),
    REFERENCE: KnownProvider(""),
}

_ARENA = "arena_extend_strategy use_arena default_memory_arena_cfg gpu_mem_limit enable_cpu_mem_arena "
_STREAM = "has_user_compute_stream user_compute_stream do_copy_in_default_stream use_ep_level_unified_stream "
_ALLOCATOR = "gpu_external_alloc gpu_external_free gpu_external_empty_cache "

# Options of each provider that change no result: where memory comes from, how fast it is, what is written to a log.
_QUIET: dict[str, str] = {
    CPU: "arena_extend_strategy use_arena default_memory_arena_cfg enable_cpu_mem_arena",
    "CUDAExecutionProvider": _ARENA + _STREAM + _ALLOCATOR + "cudnn_conv_algo_search cudnn_conv_use_max_workspace "
    "cudnn_conv1d_pad_to_nc1d enable_cuda_graph tunable_op_enable tunable_op_tuning_enable "
    "tunable_op_max_tuning_duration_ms prefer_nhwc fuse_conv_bias sdpa_kernel",
    "ROCMExecutionProvider": _ARENA + _STREAM + _ALLOCATOR + "miopen_conv_exhaustive_search miopen_conv_use_max_workspace "
    "tunable_op_enable tunable_op_tuning_enable tunable_op_max_tuning_duration_ms enable_hip_graph",
    "MIGraphXExecutionProvider": _ARENA + "migraphx_exhaustive_tune migraphx_mem_limit migraphx_arena_extend_strategy "
    "migraphx_external_alloc migraphx_external_free migraphx_external_empty_cache migraphx_model_cache_dir migraphx_cache_dir "
    "migraphx_save_compiled_model migraphx_save_compiled_path migraphx_load_compiled_model migraphx_load_compiled_path "
    "migraphx_save_model_name migraphx_load_model_name migraphx_max_dynamic_batch migraphx_max_compiled_models",
    "TensorrtExecutionProvider": _STREAM + "trt_max_partition_iterations trt_min_subgraph_size trt_max_workspace_size "
    "trt_dump_subgraphs trt_engine_cache_enable trt_engine_cache_path trt_engine_cache_prefix trt_weight_stripped_engine_enable "
    "trt_onnx_model_folder_path trt_force_sequential_engine_build trt_context_memory_sharing_enable trt_timing_cache_enable "
    "trt_timing_cache_path trt_force_timing_cache trt_detailed_build_log trt_build_heuristics_enable trt_cuda_graph_enable "
    "trt_builder_optimization_level trt_auxiliary_streams trt_tactic_sources trt_profile_min_shapes trt_profile_max_shapes "
    "trt_profile_opt_shapes trt_dump_ep_context_model trt_ep_context_file_path trt_ep_context_embed_mode "
    "trt_engine_hw_compatible trt_op_types_to_exclude trt_preview_features trt_load_user_initializer",
    "NvTensorRTRTXExecutionProvider": _STREAM + "nv_max_workspace_size nv_max_shared_mem_size nv_dump_subgraphs "
    "nv_detailed_build_log nv_profile_min_shapes nv_profile_max_shapes nv_profile_opt_shapes nv_cuda_graph_enable "
    "enable_cuda_graph nv_multi_profile_enable nv_use_external_data_initializer nv_runtime_cache_path nv_onnx_bytestream "
    "nv_onnx_bytestream_size nv_op_types_to_exclude",
    "OpenVINOExecutionProvider": "num_of_threads num_streams cache_dir context model_priority enable_opencl_throttling "
    "enable_qdq_optimizer disable_dynamic_shapes enable_dynamic_shapes enable_causallm enable_vpu_fast_compile "
    "use_compiled_network blob_dump_path layout reshape_input",
    "DnnlExecutionProvider": "use_arena threads",
    "QNNExecutionProvider": "profiling_level profiling_file_path rpc_control_latency rpc_polling_time vtcm_mb "
    "htp_performance_mode qnn_saver_path qnn_context_priority htp_graph_finalization_optimization_mode soc_model htp_arch "
    "device_id enable_htp_weight_sharing offload_graph_io_quantization enable_htp_spill_fill_buffer "
    "enable_htp_shared_memory_allocator dump_json_qnn_graph json_qnn_graph_dir op_packages enable_vtcm_backup_buffer_sharing "
    "extended_udma",
    "CoreMLExecutionProvider": "ModelFormat MLComputeUnits RequireStaticInputShapes EnableOnSubgraphs SpecializationStrategy "
    "ProfileComputePlan ModelCacheDirectory",
    "DmlExecutionProvider": "performance_preference device_filter disable_metacommands enable_graph_capture enable_graph_serialization",
    "CANNExecutionProvider": _STREAM + "npu_mem_limit arena_extend_strategy default_memory_arena_cfg enable_cann_graph "
    "enable_cann_subgraph dump_graphs dump_om_model input_format dynamic_batch_size dynamic_image_size dynamic_dims",
    "XnnpackExecutionProvider": "intra_op_num_threads",
    "ArmNNExecutionProvider": "use_arena",
    "VitisAIExecutionProvider": "config_file cache_dir cacheDir cache_key cacheKey xclbin target log_level enable_cache_file_io_in_mem "
    "num_of_dpu_runners opt_level external_ep_libray ai_analyzer_visualization ai_analyzer_profiling",
    "TvmExecutionProvider": "executor so_folder check_hash hash_file_path target_host freeze_weights to_nhwc tuning_file_path "
    "tuning_type input_names input_shapes",
}

# Options that request other numbers, or another device.
_ASKING: dict[str, str] = {
    "CUDAExecutionProvider": "device_id use_tf32 enable_skip_layer_norm_strict_mode",
    "ROCMExecutionProvider": "device_id",
    "MIGraphXExecutionProvider": "device_id migraphx_fp16_enable migraphx_bf16_enable migraphx_fp8_enable migraphx_int8_enable "
    "migraphx_int8_calibration_table_name migraphx_int8_use_native_calibration_table migraphx_use_native_calibration_table",
    "TensorrtExecutionProvider": "device_id trt_fp16_enable trt_bf16_enable trt_int8_enable trt_int8_calibration_table_name "
    "trt_int8_use_native_calibration_table trt_dla_enable trt_dla_core trt_layer_norm_fp32_fallback trt_sparsity_enable "
    "trt_extra_plugin_lib_paths trt_engine_decryption_enable trt_engine_decryption_lib_path",
    "NvTensorRTRTXExecutionProvider": "device_id",
    "OpenVINOExecutionProvider": "device_id device_type device_luid precision load_config",
    "QNNExecutionProvider": "backend_type backend_path enable_htp_fp16_precision htp_bf16_enable enable_htp_monolithic_lstm",
    "CoreMLExecutionProvider": "AllowLowPrecisionAccumulationOnGPU",
    "CANNExecutionProvider": "device_id precision_mode precision_mode_v2 op_select_impl_mode optypelist_for_implmode",
    "DmlExecutionProvider": "device_id",
    "NnapiExecutionProvider": "NNAPI_FLAG_USE_FP16 NNAPI_FLAG_USE_NCHW NNAPI_FLAG_CPU_DISABLED NNAPI_FLAG_CPU_ONLY",
    "ACLExecutionProvider": "enable_fast_math",
}

QUIET_OPTIONS = {name: frozenset(words.split()) for name, words in _QUIET.items()}
ASKING_OPTIONS = {name: frozenset(words.split()) for name, words in _ASKING.items()}

#: Keys of a session's configuration that change no result here, whatever their value.
QUIET_ENTRIES = frozenset(
    "session.disable_prepacking session.use_env_allocators session.use_device_allocator_for_initializers "
    "session.intra_op.allow_spinning session.inter_op.allow_spinning session.force_spinning_stop "
    "session.intra_op.spin_duration_us session.inter_op.spin_duration_us session.intra_op.spin_backoff_max "
    "session.inter_op.spin_backoff_max session.intra_op_thread_affinities session.dynamic_block_base "
    "session.use_ort_model_bytes_directly session.use_ort_model_bytes_for_initializers "
    "session.use_external_initializer_file_buffers_directly session.save_external_prepacked_constant_initializers "
    "session.collect_node_memory_stats_to_file session.disable_aot_function_inlining session.strict_shape_type_inference "
    "session.debug_layout_transformation session.graph_optimizations_loop_level session.enable_dq_matmulnbits_fusion "
    "session.disable_double_qdq_remover session.disable_qdq_constant_folding session.enable_quant_qdq_cleanup "
    "session.disable_quant_qdq session.enable_quant_qdq session.qdqisint8allowed session.x64quantprecision "
    "session.qdq_matmulnbits_accuracy_level session.qdq_matmulnbits_block_size session.prepack.enable_parallel "
    "session.function_expansion_byte_limit session.function_expansion_node_limit session.allow_released_opsets_only "
    "session.enable_cpu_mem_arena session.enable_mem_pattern session.use_per_session_threads "
    "session.use_deterministic_compute session.inter_op_num_threads session.execution_mode session.log_verbosity_level "
    "session.node_partition_config_file session.resource_cuda_partitioning_settings session.disable_model_compile "
    "session.fail_on_suboptimal_compiled_model session.strict_workspace_verification session.max_shape_override "
    "optimization.minimal_build_optimizations optimization.enable_cast_chain_elimination "
    "optimization.constant_folding_max_output_size_in_bytes mlas.disable_kleidiai mlas.kleidiai.conv_igemm_max_work "
    "mlas.nchwc_depthwise_sliding mlas.nchwc_pointwise_conv_max_input_channel_batch mlas.qnbit.force_fp32 mlas.use_lut_gemm "
    "mlas.enable_gemm_fastmath_arm64_bfloat16 ep.share_ep_contexts ep.stop_share_ep_contexts "
    "ep.cuda.fpa_intb_gemm ep.cuda.fpa_intb_profile_m".split()
)
#: The same for a run's configuration.
QUIET_RUN_ENTRIES = frozenset(
    "memory.enable_memory_arena_shrinkage disable_synchronize_execution_providers qnn.htp_perf_mode "
    "qnn.htp_perf_mode_post_run qnn.rpc_control_latency qnn.lora_config gpu_graph_id nv_profile_index "
    "cuda_graph_annotation_id".split()
)


def how_to_get(name: str) -> str:
    """How to get a known provider that a build lacks."""
    provider = PROVIDERS[name]
    if provider.option is None:
        return f"Inlay has no {name}"
    return f"this build is without {name}; in Inlay's source folder, pip install . --config-settings=cmake.define.{provider.option}=ON builds one that has it"


class KnownMemory(NamedTuple):
    """How ONNX Runtime calls the device whose memory has a name: the number of its kind, its vendor."""

    kind: int  # 0: CPU, 1: GPU, 2: FPGA, 3: NPU
    vendor: str = "NONE"


#: Names of memory that programs use for a device; a build may lack any except the host's.
MEMORIES: dict[str, KnownMemory] = {
    "cpu": KnownMemory(0),
    "host": KnownMemory(0),
    "cuda": KnownMemory(1, "NVIDIA"),
    "rocm": KnownMemory(1, "AMD"),
    "migraphx": KnownMemory(1, "AMD"),
    "dml": KnownMemory(1, "MICROSOFT"),
    "webgpu": KnownMemory(1),
    "gpu": KnownMemory(1),
    "fpga": KnownMemory(2),
    "cann": KnownMemory(3, "HUAWEI"),
    "npu": KnownMemory(3),
}

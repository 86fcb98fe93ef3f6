// Keys of SessionOptions::AddConfigEntry() and RunOptions::AddConfigEntry() by the names that ONNX Runtime's headers
// give them. docs/how-to/ort.md lists which have an effect here; the others are warnings.
#pragma once

inline constexpr const char* kOrtSessionOptionsDisableCPUEPFallback = "session.disable_cpu_ep_fallback";
inline constexpr const char* kOrtSessionOptionsConfigSetDenormalAsZero = "session.set_denormal_as_zero";
inline constexpr const char* kOrtSessionOptionsConfigLoadModelFormat = "session.load_model_format";
inline constexpr const char* kOrtSessionOptionsModelExternalInitializersFileFolderPath =
    "session.model_external_initializers_file_folder_path";
inline constexpr const char* kOrtSessionOptionsConfigAllowIntraOpSpinning = "session.intra_op.allow_spinning";
inline constexpr const char* kOrtSessionOptionsConfigAllowInterOpSpinning = "session.inter_op.allow_spinning";
inline constexpr const char* kOrtSessionOptionEpContextEnable = "ep.context_enable";
inline constexpr const char* kOrtSessionOptionEpContextFilePath = "ep.context_file_path";
inline constexpr const char* kOrtSessionOptionEpContextEmbedMode = "ep.context_embed_mode";

inline constexpr const char* kOrtSessionOptionsConfigDisablePrepacking = "session.disable_prepacking";
inline constexpr const char* kOrtSessionOptionsConfigUseEnvAllocators = "session.use_env_allocators";
inline constexpr const char* kOrtSessionOptionsConfigIntraOpThreadAffinities = "session.intra_op_thread_affinities";
inline constexpr const char* kOrtSessionOptionsConfigForceSpinningStop = "session.force_spinning_stop";
inline constexpr const char* kOrtSessionOptionsConfigDynamicBlockBase = "session.dynamic_block_base";
inline constexpr const char* kOrtSessionOptionsDisableQuantQDQ = "session.disable_quant_qdq";
inline constexpr const char* kOrtSessionOptionsEnableQuantQDQCleanup = "session.enable_quant_qdq_cleanup";
inline constexpr const char* kOrtSessionOptionsEnableGeluApproximation = "optimization.enable_gelu_approximation";
inline constexpr const char* kOrtSessionOptionsUseDeviceAllocatorForInitializers =
    "session.use_device_allocator_for_initializers";
inline constexpr const char* kOrtRunOptionsConfigEnableMemoryArenaShrinkage = "memory.enable_memory_arena_shrinkage";

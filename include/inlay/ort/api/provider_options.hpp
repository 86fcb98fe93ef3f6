// Providers by functions and structs of their own, as ONNX Runtime's interface has them: each is an
// AppendExecutionProvider() with the members as options. Members that the provider has no option for, and that differ
// from their defaults, are warnings of the session.
#pragma once
#include "base.hpp"
#include <cstdint>
#include <unordered_map>

enum OrtCudnnConvAlgoSearch {
    OrtCudnnConvAlgoSearchExhaustive,
    OrtCudnnConvAlgoSearchHeuristic,
    OrtCudnnConvAlgoSearchDefault
};
// Values of `arena_extend_strategy`, which is an int in the structs.
struct OrtArenaExtendStrategy {
    enum : int { kNextPowerOfTwo = 0, kSameAsRequested = 1 };
};
struct OrtCUDAProviderOptions {
    int device_id = 0;
    OrtCudnnConvAlgoSearch cudnn_conv_algo_search = OrtCudnnConvAlgoSearchExhaustive;
    std::size_t gpu_mem_limit = SIZE_MAX;
    int arena_extend_strategy = 0;
    int do_copy_in_default_stream = 1;
    int has_user_compute_stream = 0;
    void* user_compute_stream = nullptr;
    OrtArenaCfg* default_memory_arena_cfg = nullptr;
    int tunable_op_enable = 0;
    int tunable_op_tuning_enable = 0;
    int tunable_op_max_tuning_duration_ms = 0;
};
struct OrtROCMProviderOptions {
    int device_id = 0;
    int miopen_conv_exhaustive_search = 0;
    std::size_t gpu_mem_limit = SIZE_MAX;
    int arena_extend_strategy = 0;
    int do_copy_in_default_stream = 1;
    int has_user_compute_stream = 0;
    void* user_compute_stream = nullptr;
    OrtArenaCfg* default_memory_arena_cfg = nullptr;
    int enable_hip_graph = 0;
    int tunable_op_enable = 0;
    int tunable_op_tuning_enable = 0;
    int tunable_op_max_tuning_duration_ms = 0;
};
struct OrtTensorRTProviderOptions {
    int device_id;
    int has_user_compute_stream;
    void* user_compute_stream;
    int trt_max_partition_iterations;
    int trt_min_subgraph_size;
    std::size_t trt_max_workspace_size;
    int trt_fp16_enable;
    int trt_int8_enable;
    const char* trt_int8_calibration_table_name;
    int trt_int8_use_native_calibration_table;
    int trt_dla_enable;
    int trt_dla_core;
    int trt_dump_subgraphs;
    int trt_engine_cache_enable;
    const char* trt_engine_cache_path;
    int trt_engine_decryption_enable;
    const char* trt_engine_decryption_lib_path;
    int trt_force_sequential_engine_build;
};
struct OrtMIGraphXProviderOptions {
    int device_id;
    int migraphx_fp16_enable;
    int migraphx_int8_enable;
    int migraphx_use_native_calibration_table;
    const char* migraphx_int8_calibration_table_name;
    int migraphx_save_compiled_model;
    const char* migraphx_save_model_path;
    int migraphx_load_compiled_model;
    const char* migraphx_load_model_path;
    bool migraphx_exhaustive_tune;
};
struct OrtOpenVINOProviderOptions {
    const char* device_type = nullptr;
    unsigned char enable_npu_fast_compile = 0;
    const char* device_id = nullptr;
    std::size_t num_of_threads = 0;
    const char* cache_dir = nullptr;
    void* context = nullptr;
    unsigned char enable_opencl_throttling = 0;
    unsigned char enable_dynamic_shapes = 0;
};
// Options by name; Ort::GetApi() creates, fills and releases them, by the functions below.
struct OrtCUDAProviderOptionsV2;
struct OrtTensorRTProviderOptionsV2;
struct OrtDnnlProviderOptions;

namespace Ort {
namespace detail {
using OptionMap = std::unordered_map<std::string, std::string>;
void append_provider(OrtSessionOptions*, const OrtCUDAProviderOptions&);
void append_provider(OrtSessionOptions*, const OrtCUDAProviderOptionsV2&);
void append_provider(OrtSessionOptions*, const OrtROCMProviderOptions&);
void append_provider(OrtSessionOptions*, const OrtOpenVINOProviderOptions&);
void append_provider(OrtSessionOptions*, const OrtTensorRTProviderOptions&);
void append_provider(OrtSessionOptions*, const OrtTensorRTProviderOptionsV2&);
void append_provider(OrtSessionOptions*, const OrtMIGraphXProviderOptions&);
void append_provider(OrtSessionOptions*, const OrtDnnlProviderOptions&);
void append_provider(OrtSessionOptions*, const std::string& name, const OptionMap&);

// Self: SessionOptionsImpl.
template <class Self> struct NamedProviders {
    Self& AppendExecutionProvider_CPU(int use_arena) { return append(use_arena); }
    Self& AppendExecutionProvider_CUDA(const OrtCUDAProviderOptions& o) { return append(o); }
    Self& AppendExecutionProvider_CUDA_V2(const OrtCUDAProviderOptionsV2& o) { return append(o); }
    Self& AppendExecutionProvider_ROCM(const OrtROCMProviderOptions& o) { return append(o); }
    Self& AppendExecutionProvider_OpenVINO(const OrtOpenVINOProviderOptions& o) { return append(o); }
    Self& AppendExecutionProvider_OpenVINO_V2(const OptionMap& options = {}) { return append("OpenVINO", options); }
    Self& AppendExecutionProvider_TensorRT(const OrtTensorRTProviderOptions& o) { return append(o); }
    Self& AppendExecutionProvider_TensorRT_V2(const OrtTensorRTProviderOptionsV2& o) { return append(o); }
    Self& AppendExecutionProvider_MIGraphX(const OrtMIGraphXProviderOptions& o) { return append(o); }
    Self& AppendExecutionProvider_Dnnl(const OrtDnnlProviderOptions& o) { return append(o); }
    Self& AppendExecutionProvider_VitisAI(const OptionMap& options = {}) { return append("VitisAI", options); }

  private:
    template <class... T> Self& append(const T&... arguments) {
        Self& self = static_cast<Self&>(*this);
        append_provider(self, arguments...);
        return self;
    }
    Self& append(int use_arena) {
        Self& self = static_cast<Self&>(*this);
        append_provider(self, "CPU", {{"use_arena", std::to_string(use_arena)}});
        return self;
    }
};
}  // namespace detail
}  // namespace Ort

// The functions of the headers *_provider_factory.h. A failure is a status, which the caller releases.
OrtStatus* OrtSessionOptionsAppendExecutionProvider_CPU(OrtSessionOptions* options, int use_arena);
OrtStatus* OrtSessionOptionsAppendExecutionProvider_CUDA(OrtSessionOptions* options, int device_id);
OrtStatus* OrtSessionOptionsAppendExecutionProvider_ROCM(OrtSessionOptions* options, int device_id);
OrtStatus* OrtSessionOptionsAppendExecutionProvider_MIGraphX(OrtSessionOptions* options, int device_id);
OrtStatus* OrtSessionOptionsAppendExecutionProvider_Tensorrt(OrtSessionOptions* options, int device_id);
OrtStatus* OrtSessionOptionsAppendExecutionProvider_Dnnl(OrtSessionOptions* options, int use_arena);
OrtStatus* OrtSessionOptionsAppendExecutionProvider_OpenVINO(OrtSessionOptions* options, const char* device_type);

// The part of OrtApi that is about them: see functions.hpp.
struct OrtProviderFunctions {
    OrtStatus* CreateCUDAProviderOptions(OrtCUDAProviderOptionsV2** options) const;
    OrtStatus* UpdateCUDAProviderOptions(OrtCUDAProviderOptionsV2* options, const char* const* keys,
                                         const char* const* values, std::size_t count) const;
    void ReleaseCUDAProviderOptions(OrtCUDAProviderOptionsV2* options) const;
    OrtStatus* SessionOptionsAppendExecutionProvider_CUDA_V2(OrtSessionOptions* options,
                                                             const OrtCUDAProviderOptionsV2* provider_options) const;
    OrtStatus* CreateTensorRTProviderOptions(OrtTensorRTProviderOptionsV2** options) const;
    OrtStatus* UpdateTensorRTProviderOptions(OrtTensorRTProviderOptionsV2* options, const char* const* keys,
                                             const char* const* values, std::size_t count) const;
    void ReleaseTensorRTProviderOptions(OrtTensorRTProviderOptionsV2* options) const;
    OrtStatus* SessionOptionsAppendExecutionProvider_TensorRT_V2(
        OrtSessionOptions* options, const OrtTensorRTProviderOptionsV2* provider_options) const;
    OrtStatus* CreateDnnlProviderOptions(OrtDnnlProviderOptions** options) const;
    OrtStatus* UpdateDnnlProviderOptions(OrtDnnlProviderOptions* options, const char* const* keys,
                                         const char* const* values, std::size_t count) const;
    void ReleaseDnnlProviderOptions(OrtDnnlProviderOptions* options) const;
};

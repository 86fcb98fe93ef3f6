// Providers by ONNX Runtime's functions and structs: the only source here that knows their names.
#include "errors.hpp"
#include "provider_options.hpp"
#include <inlay/ort/api/functions.hpp>
#include <algorithm>

struct OrtCUDAProviderOptionsV2 {
    Ort::detail::OptionMap entries;
};
struct OrtTensorRTProviderOptionsV2 {
    Ort::detail::OptionMap entries;
};
struct OrtDnnlProviderOptions {
    Ort::detail::OptionMap entries;
};

namespace Ort::detail {
namespace {
// Options of ONNX Runtime's providers that change no result, or name things that do not exist here.
constexpr std::string_view foreign_options[] = {"use_arena",
                                                "default_memory_arena_cfg",
                                                "has_user_compute_stream",
                                                "user_compute_stream",
                                                "gpu_mem_limit",
                                                "arena_extend_strategy",
                                                "do_copy_in_default_stream",
                                                "gpu_external_alloc",
                                                "gpu_external_free",
                                                "gpu_external_empty_cache",
                                                "cudnn_conv_algo_search",
                                                "cudnn_conv_use_max_workspace",
                                                "cudnn_conv1d_pad_to_nc1d",
                                                "enable_cuda_graph",
                                                "enable_skip_layer_norm_strict_mode",
                                                "prefer_nhwc",
                                                "use_ep_level_unified_stream",
                                                "use_tf32",
                                                "fuse_conv_bias",
                                                "sdpa_kernel",
                                                "tunable_op_enable",
                                                "tunable_op_tuning_enable",
                                                "tunable_op_max_tuning_duration_ms",
                                                "miopen_conv_exhaustive_search",
                                                "enable_hip_graph",
                                                "enable_npu_fast_compile",
                                                "enable_opencl_throttling",
                                                "enable_dynamic_shapes",
                                                "disable_dynamic_shapes",
                                                "num_of_threads",
                                                "num_streams",
                                                "model_priority",
                                                "context",
                                                "enable_qdq_optimizer",
                                                "intra_op_num_threads",
                                                "trt_max_partition_iterations",
                                                "trt_min_subgraph_size",
                                                "trt_int8_calibration_table_name",
                                                "trt_int8_use_native_calibration_table",
                                                "trt_dla_enable",
                                                "trt_dla_core",
                                                "trt_dump_subgraphs",
                                                "trt_engine_decryption_enable",
                                                "trt_engine_decryption_lib_path",
                                                "trt_force_sequential_engine_build",
                                                "trt_context_memory_sharing_enable",
                                                "trt_layer_norm_fp32_fallback",
                                                "trt_timing_cache_enable",
                                                "trt_timing_cache_path",
                                                "trt_force_timing_cache",
                                                "trt_detailed_build_log",
                                                "trt_build_heuristics_enable",
                                                "trt_sparsity_enable",
                                                "trt_builder_optimization_level",
                                                "trt_auxiliary_streams",
                                                "trt_tactic_sources",
                                                "trt_extra_plugin_lib_paths",
                                                "trt_profile_min_shapes",
                                                "trt_profile_max_shapes",
                                                "trt_profile_opt_shapes",
                                                "trt_cuda_graph_enable",
                                                "trt_dump_ep_context_model",
                                                "trt_ep_context_file_path",
                                                "trt_ep_context_embed_mode",
                                                "trt_weight_stripped_engine_enable",
                                                "trt_onnx_model_folder_path",
                                                "trt_onnx_bytestream",
                                                "trt_onnx_bytestream_size",
                                                "trt_engine_cache_prefix",
                                                "trt_engine_hw_compatible",
                                                "trt_op_types_to_exclude",
                                                "trt_preview_features",
                                                "trt_load_user_initializer",
                                                "trt_bf16_enable",
                                                "nv_max_shared_mem_size",
                                                "nv_dump_subgraphs",
                                                "nv_detailed_build_log",
                                                "nv_profile_min_shapes",
                                                "nv_profile_max_shapes",
                                                "nv_profile_opt_shapes",
                                                "nv_cuda_graph_enable",
                                                "nv_multi_profile_enable",
                                                "nv_use_external_data_initializer",
                                                "nv_onnx_bytestream",
                                                "nv_onnx_bytestream_size",
                                                "nv_op_types_to_exclude",
                                                "migraphx_int8_enable",
                                                "migraphx_use_native_calibration_table",
                                                "migraphx_int8_calibration_table_name",
                                                "migraphx_save_compiled_model",
                                                "migraphx_save_model_path",
                                                "migraphx_load_compiled_model",
                                                "migraphx_load_model_path"};
// What the program requests is the case here anyway.
bool holds_anyway(const std::string& name, const std::string& value) {
    constexpr std::pair<std::string_view, std::string_view> defaults[] = {{"device_id", "0"},
                                                                          {"use_arena", "1"},
                                                                          {"trt_max_partition_iterations", "1000"},
                                                                          {"trt_min_subgraph_size", "1"}};
    return std::ranges::find(defaults, std::pair<std::string_view, std::string_view>(name, value)) !=
           std::end(defaults);
}
bool is_foreign(const std::string& name) {
    return std::ranges::find(foreign_options, name) != std::end(foreign_options);
}

const inlay::provider_factory* factory_of(const inlay::provider_choice& choice) {
    if (choice.factory) return choice.factory.get();
    return inlay::find_factory(inlay::built_providers(), choice.name);
}
std::string address(const void* p) { return std::to_string(reinterpret_cast<std::uintptr_t>(p)); }
// The members of a struct that differ from their defaults: those were set by the program.
class difference {
    OptionMap entries_;

  public:
    template <class T> difference& add(const char* name, const T& value, const T& initial) {
        if (value != initial) entries_[name] = std::to_string(value);
        return *this;
    }
    difference& add(const char* name, const void* value) {
        if (value) entries_[name] = address(value);
        return *this;
    }
    difference& add(const char* name, const char* value) {
        if (value) entries_[name] = value;
        return *this;
    }
    // Of a struct whose members have no defaults: zero means not set.
    difference& add(const char* name, int value) { return add(name, value, 0); }
    OptionMap& all() { return entries_; }
};
OptionMap map_of(const char* const* keys, const char* const* values, std::size_t count) {
    OptionMap entries;
    for (std::size_t k = 0; k < count; ++k)
        entries[need_text(keys[k], "the name of an option")] = need_text(values[k], "the value of an option");
    return entries;
}
template <class Options>
OrtStatus* update(Options* options, const char* const* keys, const char* const* values, std::size_t count) {
    return status_of([&] {
        for (auto& [name, value] : map_of(keys, values, count))
            need(options, "provider's options").entries[name] = value;
    });
}
template <class Options> OrtStatus* make(Options** options) {
    return status_of([&] { *options = new Options; });
}
OrtStatus* append(OrtSessionOptions* options, const char* name, OptionMap settings = {}) {
    return status_of([&] { append_provider(options, name, settings); });
}
}  // namespace

void append_choice(OrtSessionOptions& options, inlay::provider_choice choice, const OptionMap& settings) {
    const inlay::provider_factory* const factory = factory_of(choice);
    if (!factory) {  // with the error that lists the available ones
        (void)inlay::make_handles(inlay::built_providers(), std::span(&choice, 1)).value_or_raise();
        return;
    }
    const inlay::option_list defaults = factory->defaults();
    for (const auto& [name, value] : settings) {
        const bool lacking =
            std::ranges::find(defaults, name, &inlay::option_list::value_type::first) == defaults.end();
        if (lacking && holds_anyway(name, value)) continue;
        if (lacking && is_foreign(name))
            options.notes[choice.name + " " + name] =
                std::string(factory->name) + ": the option `" + name + "` = `" + value + "` means nothing here";
        else
            choice.options.emplace_back(name, value);
    }
    std::ranges::sort(choice.options);
    (void)factory->make(choice.options).value_or_raise();  // now, where the program can still choose another
    options.providers.push_back(std::move(choice));
}
void append_provider(OrtSessionOptions* options, const std::string& name, const OptionMap& settings) {
    guarded([&] { append_choice(need(options, "SessionOptions"), name, settings); });
}

void append_provider(OrtSessionOptions* options, const OrtCUDAProviderOptions& o) {
    const OrtCUDAProviderOptions defaults;
    difference d;
    d.add("device_id", o.device_id, defaults.device_id)
        .add("gpu_mem_limit", o.gpu_mem_limit, defaults.gpu_mem_limit)
        .add("do_copy_in_default_stream", o.do_copy_in_default_stream, defaults.do_copy_in_default_stream)
        .add("user_compute_stream", o.user_compute_stream)
        .add("default_memory_arena_cfg", o.default_memory_arena_cfg)
        .add("tunable_op_enable", o.tunable_op_enable, defaults.tunable_op_enable)
        .add("tunable_op_tuning_enable", o.tunable_op_tuning_enable, defaults.tunable_op_tuning_enable)
        .add("tunable_op_max_tuning_duration_ms", o.tunable_op_max_tuning_duration_ms,
             defaults.tunable_op_max_tuning_duration_ms);
    if (o.arena_extend_strategy != defaults.arena_extend_strategy) d.add("arena_extend_strategy", "kSameAsRequested");
    constexpr const char* searches[] = {"EXHAUSTIVE", "HEURISTIC", "DEFAULT"};
    if (o.cudnn_conv_algo_search != defaults.cudnn_conv_algo_search)
        d.add("cudnn_conv_algo_search", searches[o.cudnn_conv_algo_search]);
    append_provider(options, "CUDA", d.all());
}
void append_provider(OrtSessionOptions* options, const OrtCUDAProviderOptionsV2& o) {
    append_provider(options, "CUDA", o.entries);
}
void append_provider(OrtSessionOptions* options, const OrtROCMProviderOptions& o) {
    const OrtROCMProviderOptions defaults;
    difference d;
    d.add("device_id", o.device_id, defaults.device_id)
        .add("gpu_mem_limit", o.gpu_mem_limit, defaults.gpu_mem_limit)
        .add("arena_extend_strategy", o.arena_extend_strategy, defaults.arena_extend_strategy)
        .add("do_copy_in_default_stream", o.do_copy_in_default_stream, defaults.do_copy_in_default_stream)
        .add("user_compute_stream", o.user_compute_stream)
        .add("miopen_conv_exhaustive_search", o.miopen_conv_exhaustive_search, defaults.miopen_conv_exhaustive_search);
    append_provider(options, "ROCM", d.all());
}
void append_provider(OrtSessionOptions* options, const OrtOpenVINOProviderOptions& o) {
    const OrtOpenVINOProviderOptions defaults;
    difference d;
    d.add("device_type", o.device_type)
        .add("device_id", o.device_id)
        .add("num_of_threads", o.num_of_threads, defaults.num_of_threads)
        .add("cache_dir", o.cache_dir)
        .add("context", o.context)
        .add("enable_npu_fast_compile", int(o.enable_npu_fast_compile), 0)
        .add("enable_opencl_throttling", int(o.enable_opencl_throttling), 0)
        .add("enable_dynamic_shapes", int(o.enable_dynamic_shapes), 0);
    append_provider(options, "OpenVINO", d.all());
}
void append_provider(OrtSessionOptions* options, const OrtTensorRTProviderOptions& o) {
    difference d;
    d.add("device_id", o.device_id)
        .add("user_compute_stream", o.user_compute_stream)
        .add("trt_max_partition_iterations", o.trt_max_partition_iterations)
        .add("trt_min_subgraph_size", o.trt_min_subgraph_size)
        .add("trt_max_workspace_size", o.trt_max_workspace_size, std::size_t(0))
        .add("trt_fp16_enable", o.trt_fp16_enable)
        .add("trt_int8_enable", o.trt_int8_enable)
        .add("trt_int8_calibration_table_name", o.trt_int8_calibration_table_name)
        .add("trt_int8_use_native_calibration_table", o.trt_int8_use_native_calibration_table)
        .add("trt_dla_enable", o.trt_dla_enable)
        .add("trt_dla_core", o.trt_dla_core)
        .add("trt_dump_subgraphs", o.trt_dump_subgraphs)
        .add("trt_engine_cache_enable", o.trt_engine_cache_enable)
        .add("trt_engine_cache_path", o.trt_engine_cache_path)
        .add("trt_engine_decryption_enable", o.trt_engine_decryption_enable)
        .add("trt_engine_decryption_lib_path", o.trt_engine_decryption_lib_path)
        .add("trt_force_sequential_engine_build", o.trt_force_sequential_engine_build);
    append_provider(options, "Tensorrt", d.all());
}
void append_provider(OrtSessionOptions* options, const OrtTensorRTProviderOptionsV2& o) {
    append_provider(options, "Tensorrt", o.entries);
}
void append_provider(OrtSessionOptions* options, const OrtMIGraphXProviderOptions& o) {
    difference d;
    d.add("device_id", o.device_id)
        .add("migraphx_fp16_enable", o.migraphx_fp16_enable)
        .add("migraphx_int8_enable", o.migraphx_int8_enable)
        .add("migraphx_use_native_calibration_table", o.migraphx_use_native_calibration_table)
        .add("migraphx_int8_calibration_table_name", o.migraphx_int8_calibration_table_name)
        .add("migraphx_save_compiled_model", o.migraphx_save_compiled_model)
        .add("migraphx_save_model_path", o.migraphx_save_model_path)
        .add("migraphx_load_compiled_model", o.migraphx_load_compiled_model)
        .add("migraphx_load_model_path", o.migraphx_load_model_path)
        .add("migraphx_exhaustive_tune", int(o.migraphx_exhaustive_tune));
    append_provider(options, "MIGraphX", d.all());
}
void append_provider(OrtSessionOptions* options, const OrtDnnlProviderOptions& o) {
    append_provider(options, "Dnnl", o.entries);
}
}  // namespace Ort::detail

using namespace Ort::detail;
OrtStatus* OrtSessionOptionsAppendExecutionProvider_CPU(OrtSessionOptions* options, int use_arena) {
    return append(options, "CPU", {{"use_arena", std::to_string(use_arena)}});
}
OrtStatus* OrtSessionOptionsAppendExecutionProvider_CUDA(OrtSessionOptions* options, int device_id) {
    return append(options, "CUDA", {{"device_id", std::to_string(device_id)}});
}
OrtStatus* OrtSessionOptionsAppendExecutionProvider_ROCM(OrtSessionOptions* options, int device_id) {
    return append(options, "ROCM", {{"device_id", std::to_string(device_id)}});
}
OrtStatus* OrtSessionOptionsAppendExecutionProvider_MIGraphX(OrtSessionOptions* options, int device_id) {
    return append(options, "MIGraphX", {{"device_id", std::to_string(device_id)}});
}
OrtStatus* OrtSessionOptionsAppendExecutionProvider_Tensorrt(OrtSessionOptions* options, int device_id) {
    return append(options, "Tensorrt", {{"device_id", std::to_string(device_id)}});
}
OrtStatus* OrtSessionOptionsAppendExecutionProvider_Dnnl(OrtSessionOptions* options, int use_arena) {
    return append(options, "Dnnl", {{"use_arena", std::to_string(use_arena)}});
}
OrtStatus* OrtSessionOptionsAppendExecutionProvider_OpenVINO(OrtSessionOptions* options, const char* device_type) {
    return status_of([&] {
        append_provider(options, "OpenVINO", {{"device_type", need_text(device_type, "the type of a device")}});
    });
}

OrtStatus* OrtProviderFunctions::CreateCUDAProviderOptions(OrtCUDAProviderOptionsV2** options) const {
    return make(options);
}
OrtStatus* OrtProviderFunctions::UpdateCUDAProviderOptions(OrtCUDAProviderOptionsV2* options, const char* const* keys,
                                                           const char* const* values, std::size_t count) const {
    return update(options, keys, values, count);
}
void OrtProviderFunctions::ReleaseCUDAProviderOptions(OrtCUDAProviderOptionsV2* options) const { delete options; }
OrtStatus* OrtProviderFunctions::SessionOptionsAppendExecutionProvider_CUDA_V2(
    OrtSessionOptions* options, const OrtCUDAProviderOptionsV2* provider_options) const {
    return status_of([&] { append_provider(options, need(provider_options, "provider's options")); });
}
OrtStatus* OrtProviderFunctions::CreateTensorRTProviderOptions(OrtTensorRTProviderOptionsV2** options) const {
    return make(options);
}
OrtStatus* OrtProviderFunctions::UpdateTensorRTProviderOptions(OrtTensorRTProviderOptionsV2* options,
                                                               const char* const* keys, const char* const* values,
                                                               std::size_t count) const {
    return update(options, keys, values, count);
}
void OrtProviderFunctions::ReleaseTensorRTProviderOptions(OrtTensorRTProviderOptionsV2* options) const {
    delete options;
}
OrtStatus* OrtProviderFunctions::SessionOptionsAppendExecutionProvider_TensorRT_V2(
    OrtSessionOptions* options, const OrtTensorRTProviderOptionsV2* provider_options) const {
    return status_of([&] { append_provider(options, need(provider_options, "provider's options")); });
}
OrtStatus* OrtProviderFunctions::CreateDnnlProviderOptions(OrtDnnlProviderOptions** options) const {
    return make(options);
}
OrtStatus* OrtProviderFunctions::UpdateDnnlProviderOptions(OrtDnnlProviderOptions* options, const char* const* keys,
                                                           const char* const* values, std::size_t count) const {
    return update(options, keys, values, count);
}
void OrtProviderFunctions::ReleaseDnnlProviderOptions(OrtDnnlProviderOptions* options) const { delete options; }
OrtStatus* OrtApi::SessionOptionsAppendExecutionProvider(OrtSessionOptions* options, const char* name,
                                                         const char* const* keys, const char* const* values,
                                                         std::size_t count) const {
    return status_of(
        [&] { append_provider(options, need_text(name, "the name of a provider"), map_of(keys, values, count)); });
}

// TensorRT RTX, by its versions: its parser is that of TensorRT 10.
#pragma once
#include "operators.hpp"

namespace inlay {
inline namespace v1 {
namespace nv_tensorrt_rtx_table {
constexpr std::string_view versions[]{"10.13"};  // of the parser, which RTX 1.x has
}  // namespace nv_tensorrt_rtx_table
inline constexpr provider_contract nv_tensorrt_rtx_contract{
    .name = "NvTensorRTRTXExecutionProvider",
    .short_name = "nv_tensorrt_rtx",
    .sdk = "TensorRT RTX with the parser of TensorRT",
    .versions = nv_tensorrt_rtx_table::versions,
    .source = "github.com/onnx/onnx-tensorrt, docs/operators.md; options by onnxruntime.ai, TensorRT RTX provider",
    .memory = {.space = "gpu", .alignment = 256},
    .options =
        [] {
            return std::vector<contract_option>{{"device_id", "0", "integer"},
                                                {"user_compute_stream", "", "text"},
                                                {"nv_max_workspace_size", "0", "integer"},
                                                {"nv_max_shared_mem_size", "0", "integer"},
                                                {"nv_dump_subgraphs", "false", "flag"},
                                                {"nv_detailed_build_log", "false", "flag"},
                                                {"nv_profile_min_shapes", "", "text"},
                                                {"nv_profile_max_shapes", "", "text"},
                                                {"nv_profile_opt_shapes", "", "text"},
                                                {"nv_multi_profile_enable", "false", "flag"},
                                                {"nv_use_external_data_initializer", "false", "flag"},
                                                {"nv_runtime_cache_path", "", "text"}};
        },
    .operators = tensorrt_table::operators,
    .costs = {.device = "GeForce RTX 4090, half of its data sheet's rates; the host by PCIe 4.0",
              .f32 = 40e12,
              .f16 = 160e12,
              .codes = 320e12,
              .memory = 0.8e12,
              .node = 1e-6,
              .region = 1e-5,
              .link = 20e9,
              .copy = 1e-5},
};
}  // namespace v1
}  // namespace inlay

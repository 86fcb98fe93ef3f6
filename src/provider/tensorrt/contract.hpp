// TensorRT, by its versions.
#pragma once
#include "operators.hpp"

namespace inlay {
inline namespace v1 {
namespace tensorrt_table {
constexpr std::string_view versions[]{"8.4", "8.5", "10.0"};
}  // namespace tensorrt_table
inline constexpr provider_contract tensorrt_contract{
    .name = "TensorrtExecutionProvider",
    .short_name = "tensorrt",
    .sdk = "TensorRT",
    .versions = tensorrt_table::versions,
    .source = "github.com/onnx/onnx-tensorrt, docs/operators.md of 8.4 and 8.5, and its changelog for 10.0",
    .memory = {.space = "gpu", .alignment = 256},
    .options =
        [] {
            return std::vector<contract_option>{{"device_id", "0", "integer"},
                                                {"trt_max_workspace_size", "1073741824", "integer"},
                                                {"trt_max_partition_iterations", "1000", "integer"},
                                                {"trt_min_subgraph_size", "1", "integer"},
                                                {"trt_fp16_enable", "false", "flag"},
                                                {"trt_int8_enable", "false", "flag"},
                                                {"trt_int8_calibration_table_name", "", "text"},
                                                {"trt_int8_use_native_calibration_table", "false", "flag"},
                                                {"trt_dla_enable", "false", "flag"},
                                                {"trt_dla_core", "0", "integer"},
                                                {"trt_engine_cache_enable", "false", "flag"},
                                                {"trt_engine_cache_path", "", "text"},
                                                {"trt_strict_type_constraints", "false", "flag"},
                                                {"trt_timing_cache_enable", "false", "flag"},
                                                {"trt_builder_optimization_level", "3", "0 1 2 3 4 5"},
                                                {"trt_profile_min_shapes", "", "text"},
                                                {"trt_profile_max_shapes", "", "text"},
                                                {"trt_profile_opt_shapes", "", "text"}};
        },
    .operators = tensorrt_table::operators,
    .costs = {.device = "H100 SXM, half of its data sheet's rates; the host by PCIe 5.0",
              .f32 = 30e12,
              .f16 = 400e12,
              .codes = 800e12,
              .memory = 2.4e12,
              .node = 1e-6,
              .region = 1e-5,
              .link = 25e9,
              .copy = 1e-5},
};
}  // namespace v1
}  // namespace inlay

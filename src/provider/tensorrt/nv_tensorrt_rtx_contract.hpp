// TensorRT RTX, by its versions: its parser is that of TensorRT 10.
#pragma once
#include "operators.hpp"
#include <inlay/provider/tensorrt.hpp>

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
    .source =
        "github.com/onnx/onnx-tensorrt, docs/operators.md and its changelog; options by onnxruntime.ai, TensorRT RTX "
        "provider",
    .memory = {.space = "gpu", .alignment = 256},
    .options = contract_options_of<nv_tensorrt_rtx>,
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

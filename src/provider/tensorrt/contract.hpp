// TensorRT, by its versions.
#pragma once
#include "operators.hpp"
#include <inlay/provider/tensorrt.hpp>

namespace inlay {
inline namespace v1 {
namespace tensorrt_table {
constexpr std::string_view versions[]{"8.4", "8.5", "9.2", "10.15"};
}  // namespace tensorrt_table
inline constexpr provider_contract tensorrt_contract{
    .name = "TensorrtExecutionProvider",
    .short_name = "tensorrt",
    .sdk = "TensorRT",
    .versions = tensorrt_table::versions,
    .source = "github.com/onnx/onnx-tensorrt, docs/operators.md of 8.4, 8.5, 9.2 and 10.15, and its changelog",
    .memory = {.space = "gpu", .alignment = 256},
    .options = contract_options_of<tensorrt>,
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

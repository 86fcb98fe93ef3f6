// What plans query of CUDA, next to its kernels.
#pragma once
#include "contract/contract.hpp"

namespace inlay {
inline namespace v1 {
namespace cuda_table {
constexpr std::string_view versions[]{"13.0"};
}  // namespace cuda_table
inline constexpr provider_contract cuda_contract{
    .name = "CUDAExecutionProvider",
    .short_name = "cuda",
    .sdk = "CUDA",
    .versions = cuda_table::versions,
    .source = "its kernels answer, also where they are not built",
    .memory = {.space = "cuda", .alignment = 256},
    .costs = {.device = "H100 SXM, half of its data sheet's rates; the host by PCIe 5.0",
              .f32 = 30e12,
              .f16 = 400e12,
              .codes = 800e12,
              .memory = 2.4e12,
              .node = 4e-6,
              .region = 0,
              .link = 25e9,
              .copy = 1e-5},
};
}  // namespace v1
}  // namespace inlay

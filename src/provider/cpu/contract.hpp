// What plans query of the CPU, next to its kernels.
#pragma once
#include "contract/contract.hpp"

namespace inlay {
inline namespace v1 {
namespace cpu_table {
constexpr std::string_view versions[]{"1"};
}  // namespace cpu_table
inline constexpr provider_contract cpu_contract{
    .name = cpu::name,
    .short_name = "cpu",
    .sdk = "Inlay",
    .versions = cpu_table::versions,
    .source = "its kernels answer",
    .memory = {},
    .costs = {.device =
                  "a core of a server of 2023, with AVX2; docs/reference/providers/index.md, resnet50 and mobilenet_v2",
              .f32 = 100e9,
              .f16 = 100e9,
              .codes = 250e9,
              .memory = 12e9,
              .node = 5e-7,
              .region = 0},
};
}  // namespace v1
}  // namespace inlay

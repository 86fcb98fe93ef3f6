// What the DPU DPUCZDX8G (ISA1, B4096) takes: Vitis AI User Guide UG1414 3.0, "Currently Supported Operators", and the
// device's description in Vitis AI 3.5 (target_factory, DPUCZDX8G_ISA1_B4096), which the compiler reads: its engine of
// convolutions, and that of depthwise ones and pools, whose windows and strides go to 256. It computes with integers of
// 8 bits; those between DequantizeLinear and QuantizeLinear, whose scales have to be powers of two, which rows cannot
// say, nor the limits of pads. Vitis AI 2.5 is what Debian's libraries are of.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/vitisai.hpp>

namespace inlay {
inline namespace v1 {
namespace vitisai_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"2.5", "3.0", "3.5"};
constexpr element_set none{};
constexpr capability operators[]{
    {"Conv",
     none,
     i8,
     4,
     4,
     {constant(1), constant(2), equal("group", 1), integer("kernel_shape", 1, 16), integer("strides", 1, 8),
      kernel_fits(16, 2048)}},
    {"Conv",
     none,
     i8,
     4,
     4,
     {constant(1), constant(2), depthwise(), integer("kernel_shape", 1, 256), integer("strides", 1, 256)}},
    {"ConvTranspose",
     none,
     i8,
     4,
     4,
     {constant(1), constant(2), equal("group", 1), equal("dilations", 1), integer("kernel_shape", 1, 16),
      integer("strides", 1, 16)}},
    {"Gemm", none, i8, 2, 2, {constant(1)}},
    {"MaxPool", none, i8, 4, 4, {no_output(1), integer("kernel_shape", 1, 256), integer("strides", 1, 256)}},
    {"AveragePool", none, i8, 4, 4, {integer("kernel_shape", 1, 256), integer("strides", 1, 256)}},
    {"GlobalAveragePool", none, i8, 4, 4},
    {"Add Mul", none, i8, 2, 4, {inputs(2, 2), same_shape()}},
    {"Relu LeakyRelu HardSigmoid HardSwish", none, i8, 1, 4},
    {"Clip", none, i8, 1, 4, {known(1), known(2)}},
    {"PRelu", none, i8, 4, 4, {constant(1)}, "3.5"},
    {"Concat", none, i8, 2, 4},
    {"Reshape Flatten Transpose", none, i8, 1, 4},
    {"ReduceMax ReduceMean", none, i8, 4, 4, {known(1)}},
    {"Resize", none, i8, 4, 4, {first_axes(2), text("mode", "nearest linear")}},
    {"Pad", none, i8, 4, 4, {known(1), text("mode", "constant reflect")}},
    {"Slice", none, i8, 1, 4, {known(1), known(2), known(3), known(4)}, "3.5"},
    {"QuantizeLinear DequantizeLinear", i8 | i32, {}, 0, 4, {constant(1), constant(2)}},
};
}  // namespace vitisai_table
inline constexpr provider_contract vitisai_contract{
    .name = "VitisAIExecutionProvider",
    .short_name = "vitisai",
    .sdk = "Vitis AI",
    .versions = vitisai_table::versions,
    .source =
        "docs.amd.com, UG1414 3.0, currently supported operators; github.com/Xilinx/Vitis-AI, target_factory of 3.5",
    .memory = {.space = "host", .alignment = 64},
    .options = contract_options_of<vitisai>,
    .operators = vitisai_table::operators,
    .costs = {.device = "a DPUCZDX8G B4096 at 300 MHz (1.2 TOPS), half of its data sheet's rate",
              .f32 = 0.6e12,
              .f16 = 0.6e12,
              .codes = 0.6e12,
              .memory = 10e9,
              .node = 5e-6,
              .region = 3e-4},
};
}  // namespace v1
}  // namespace inlay

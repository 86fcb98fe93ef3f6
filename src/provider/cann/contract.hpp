// What CANN takes in single-operator mode, by ONNX Runtime's page of its provider (CANN 6.0).
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/cann.hpp>

namespace inlay {
inline namespace v1 {
namespace cann_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"6.0"};
constexpr element_set floats = f32 | f16, numbers = floats | i32 | i64 | i8 | u8 | f64;
constexpr capability operators[]{
    {"Conv", floats, {}, 4, 4, {constant(1), constant(2)}},
    {"AveragePool MaxPool", floats, {}, 4, 4, {no_output(1)}},
    {"GlobalAveragePool GlobalMaxPool", floats, {}, 3, 5},
    {"BatchNormalization", floats, {}, 2, 4, {no_output(1)}},
    {"Gemm MatMul", floats},
    {"Abs Neg Relu", numbers},
    {"Ceil Cos Exp Erf Floor Log Reciprocal Round Sin Sqrt", floats},
    {"Add Sub Mul Div", numbers, {}, 0, max_rank, {inputs(2, 2)}},
    {"Cast", numbers | boolean},
    {"Dropout Flatten Identity Reshape Transpose", numbers},
};
}  // namespace cann_table
inline constexpr provider_contract cann_contract{
    .name = "CANNExecutionProvider",
    .short_name = "cann",
    .sdk = "CANN",
    .versions = cann_table::versions,
    .source = "onnxruntime.ai, CANN execution provider, supported operators",
    .memory = {.space = "ascend", .alignment = 64},
    .options = contract_options_of<cann>,
    .operators = cann_table::operators,
    .costs = {.device = "an Ascend 310P, half of its data sheet's rates (70 TFLOPS, 140 TOPS)",
              .f32 = 8e12,
              .f16 = 35e12,
              .codes = 70e12,
              .memory = 100e9,
              .node = 5e-6,
              .region = 2e-5,
              .link = 10e9,
              .copy = 2e-5},
};
}  // namespace v1
}  // namespace inlay

// What Android's Neural Networks API takes, by its levels (android.com/ndk, Neural Networks, operation codes and the
// level that each came with), by ONNX Runtime's page of its provider, and what inlay::nnapi makes of several
// operations. Tensors have at most four dimensions.
#pragma once
#include "contract/contract.hpp"
#include <inlay/provider/nnapi.hpp>

namespace inlay {
inline namespace v1 {
namespace nnapi_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"27", "28", "29", "30", "31", "1000006"};
constexpr element_set floats = f32;
constexpr capability operators[]{
    {"Conv", floats, u8, 4, 4, {constant(1), constant(2), equal("group", 1), equal("dilations", 1)}},
    {"Conv", floats, u8, 4, 4, {constant(1), constant(2)}, "29"},
    {"Conv", floats, u8 | i8, 4, 4, {constant(1), constant(2)}, "30"},
    {"ConvTranspose", floats, u8, 4, 4, {constant(1), constant(2), equal("group", 1), equal("dilations", 1)}, "29"},
    {"Gemm", floats, u8, 2, 2, {equal("transA", 0)}},
    {"Gemm", floats, u8 | i8, 2, 2, {equal("transA", 0)}, "30"},
    {"MatMul", floats, u8, 2, 2},
    {"MatMul", floats, u8 | i8, 2, 4, {}, "1000006"},
    {"AveragePool", floats, u8, 4, 4, {equal("count_include_pad", 0)}},
    {"MaxPool", floats, u8, 4, 4, {no_output(1), equal("dilations", 1)}},
    {"GlobalAveragePool GlobalMaxPool", floats, u8, 4, 4},
    {"BatchNormalization", floats, {}, 2, 4, {constant(1), constant(2), constant(3), constant(4), no_output(1)}},
    {"InstanceNormalization", floats, {}, 4, 4, {constant(1), constant(2)}, "29"},
    {"LRN", floats, {}, 4, 4},
    {"Relu Sigmoid Tanh", floats, u8, 0, 4},
    {"Floor", floats, {}, 0, 4},
    {"Abs Exp Log Neg Sin Sqrt", floats, {}, 0, 4, {}, "29"},
    {"Elu HardSwish", floats, {}, 0, 4, {}, "30"},
    {"Reciprocal", floats, {}, 0, 4, {}, "28"},
    {"HardSigmoid", floats, {}, 0, 4, {}, "29"},
    {"LeakyRelu PRelu", floats, u8, 0, 4, {constant(1)}, "29"},
    {"Clip", floats, u8, 0, 4, {known(1), known(2)}},
    {"Add Mul", floats, u8, 0, 4},
    {"Sum", floats, {}, 0, 4},
    {"Sub Div", floats, {}, 0, 4, {}, "28"},
    {"Max Min", floats | i32, u8, 0, 4, {}, "29"},
    {"Pow", floats, {}, 0, 4, {}, "29"},
    {"Softmax", floats, u8, 2, 4, {last_axis()}},
    {"Softmax", floats, u8, 1, 4, {}, "29"},
    {"LogSoftmax", floats, {}, 1, 4, {}, "29"},
    {"ReduceMean", floats, {}, 1, 4, {known(1)}, "28"},
    {"ReduceMax ReduceMin ReduceProd ReduceSum", floats, {}, 1, 4, {known(1)}, "29"},
    {"Cast", floats | i32, {}, 0, 4, {}, "29"},
    {"Concat", floats, u8, 1, 4},
    {"Reshape Flatten Identity", floats, u8, 0, 4},
    {"Dropout", floats, {}, 0, 4, {no_output(1)}},
    {"Squeeze Unsqueeze", floats, u8, 0, 4, {known(1)}},
    {"Transpose", floats, u8, 1, 4, {}, "28"},
    {"Slice", floats, u8, 1, 4, {known(1), known(2), known(3), known(4)}, "29"},
    {"Split", floats, u8, 1, 4, {known(1)}, "29"},
    {"Gather", floats | i32, u8, 1, 4, {}, "29"},
    {"Pad", floats, u8, 1, 4, {known(1), text("mode", "constant")}, "29"},
    {"DepthToSpace", floats, u8, 4, 4, {text("mode", "DCR")}},
    {"SpaceToDepth", floats, u8, 4, 4},
    {"Resize Upsample", floats, u8, 4, 4, {first_axes(2), text("mode", "- linear")}},
    {"Resize Upsample", floats, u8, 4, 4, {first_axes(2), text("mode", "nearest linear")}, "29"},
    {"DequantizeLinear", u8 | i8 | i32, {}, 0, 4, {constant(1), constant(2)}},
    {"QuantizeLinear", u8, {}, 0, 4, {constant(1), constant(2)}, "29"},
    {"QuantizeLinear", u8 | i8, {}, 0, 4, {constant(1), constant(2)}, "30"},
    {"QLinearConv", u8 | i8, {}, 4, 4, {constant(1), constant(2), constant(3), constant(4), constant(6)}},
    {"QLinearMatMul", u8 | i8, {}, 2, 2, {constant(1), constant(2), constant(3), constant(4)}},
    {"com.microsoft:QLinearAdd com.microsoft:QLinearAveragePool com.microsoft:QLinearSigmoid", u8 | i8, {}, 0, 4},
};
}  // namespace nnapi_table
inline constexpr provider_contract nnapi_contract{
    .name = "NnapiExecutionProvider",
    .short_name = "nnapi",
    .sdk = "Android API level",
    .versions = nnapi_table::versions,
    .source = "developer.android.com/ndk/reference, Neural Networks; onnxruntime.ai, NNAPI execution provider",
    .memory = {.space = "host", .alignment = 64},
    .options = contract_options_of<nnapi>,
    .operators = nnapi_table::operators,
    .costs = {.device = "the accelerator of a telephone of 2021 (15 TOPS), a tenth of its data sheet's rate",
              .f32 = 0.3e12,
              .f16 = 0.6e12,
              .codes = 1.5e12,
              .memory = 15e9,
              .node = 1e-5,
              .region = 1e-3},
};
}  // namespace v1
}  // namespace inlay

// What the HTP backend of Qualcomm's QAIRT takes: of 2.22 by ONNX Runtime's page of its provider (commit 019bde6 of its
// repository), of 2.51 by the page of onnxruntime-qnn 2.3.0, built with QAIRT 2.47, and the release notes of 2.4.0 to
// 2.7.0, which is built with 2.51. Floats are computed with 16 bits. Types and ranks are in part those of Qualcomm's
// list of operators (document 80-63442-10).
#pragma once
#include "contract/contract.hpp"

namespace inlay {
inline namespace v1 {
namespace qnn_table {
using namespace demands;
using namespace element_sets;
constexpr std::string_view versions[]{"2.22", "2.51"};
constexpr element_set floats = f32 | f16, codes = u8 | i8 | u16 | i16;
// Erf has no row: QNN has no operation for it, by the list and by the library of 2.51, whose Gelu alone has the
// function.
constexpr capability operators[]{
    {"Conv ConvTranspose", floats, codes, 3, 5},
    {"Gemm", floats, codes, 2, 2},
    {"MatMul", floats, u8 | u16 | i8, 1, 5},
    {"AveragePool MaxPool", floats, codes, 3, 5, {no_output(1)}},
    {"GlobalAveragePool", floats, codes, 3, 5},
    {"BatchNormalization", floats, codes, 2, 5, {constant(1), constant(2), constant(3), constant(4), no_output(1)}},
    {"InstanceNormalization LRN LayerNormalization", floats, codes, 2, 5},
    {"LpNormalization", floats, codes, 1, 5, {equal("p", 2)}},
    {"Abs Asin Atan Cos Elu Exp Floor HardSwish LeakyRelu Log Neg Relu Round Sigmoid Sign Sin Sqrt Tanh", floats, codes,
     0, 5},
    {"Gelu com.microsoft:Gelu", floats, codes, 0, 5},
    {"Ceil HardSigmoid Reciprocal Softplus Tan ThresholdedRelu", floats, codes, 0, 5, {}, "2.51"},
    {"com.microsoft:QuickGelu Selu Swish", floats, {}, 0, 5, {}, "2.51"},
    {"IsInf IsNaN", floats, {}, 0, 5, {}, "2.51"},
    {"GlobalMaxPool", floats, codes, 3, 5, {}, "2.51"},
    {"LpPool", floats, {}, 3, 5, {integer("p", 1, 2)}, "2.51"},
    {"GroupNormalization RMSNormalization SimplifiedLayerNormalization", floats, codes, 2, 5, {no_output(1)}, "2.51"},
    // Several operations of QNN, which has none of these.
    {"com.microsoft:SkipLayerNormalization com.microsoft:SkipSimplifiedLayerNormalization",
     floats,
     {},
     2,
     3,
     {no_output(1), no_output(2)},
     "2.51"},
    {"ReduceL1 ReduceSumSquare", floats, {}, 1, 4, {known(1)}, "2.51"},
    {"Mean Mod Sum", floats | i32, codes, 0, 5, {}, "2.51"},
    {"Xor", boolean, {}, 0, 5, {}, "2.51"},
    {"ReduceL2 ReduceLogSumExp", floats, codes, 1, 5, {known(1)}, "2.51"},
    {"GatherElements GatherND NonZero ScatterElements ScatterND Shape", floats | i32, codes, 1, 5, {}, "2.51"},
    {"OneHot", floats | i32, codes, 0, 4, {constant(1), constant(2)}, "2.51"},
    {"MaxRoiPool NonMaxSuppression RoiAlign STFT", floats, codes, 1, 5, {}, "2.51"},
    {"RotaryEmbedding com.microsoft:RotaryEmbedding", floats, codes, 3, 4, {}, "2.51"},
    {"LSTM", floats, codes, 3, 3, {}, "2.51"},
    {"GRU", floats, codes, 3, 3, {equal("layout", 0), no_input(4)}, "2.51"},
    {"com.microsoft:FusedMatMul com.microsoft:MatMulNBits", floats, {}, 1, 5, {}, "2.51"},
    {"QLinearConv QLinearMatMul", u8 | i8, {}, 1, 5, {}, "2.51"},
    {"ai.onnx.ml:ArrayFeatureExtractor", floats | i32, {}, 1, 5, {}, "2.51"},
    {"Dropout", floats, codes, 0, 5, {no_output(1)}, "2.51"},
    {"Identity", floats | i32, codes, 0, 5, {}, "2.51"},
    {"Clip", floats | i32, codes, 0, 5, {known(1), known(2)}},
    {"PRelu", floats | i32, codes, 0, 5},
    {"Add Sub Mul Div Max Min Pow", floats | i32, codes, 0, 5, {inputs(2, 2)}},
    {"Equal Greater GreaterOrEqual Less LessOrEqual", floats | i32, codes, 0, 5},
    {"And Or Not", boolean, {}, 0, 5},
    {"Where", floats | i32, codes, 0, 5},
    {"Softmax LogSoftmax", floats, codes, 1, 5},
    {"ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum", floats, codes, 1, 5, {known(1)}},
    {"ArgMax ArgMin", floats, codes, 1, 5, {equal("select_last_index", 0)}},
    {"TopK", floats, codes, 1, 5, {known(1)}},
    {"CumSum", floats, codes, 1, 5, {known(1)}, "2.51"},
    {"Einsum", floats, codes, 1, 5, {}, "2.51"},
    {"Cast", floats | i32 | u8 | i8 | boolean | i64, {}, 0, 5},
    {"Concat Flatten Reshape Squeeze Unsqueeze Transpose", floats | i32, codes, 0, 5},
    {"Expand Tile", floats | i32, codes, 0, 5, {known(1)}},
    {"Gather", floats | i32, codes, 1, 5},
    {"Pad", floats | i32, codes, 1, 5, {known(1)}},
    {"Slice", floats | i32, codes, 1, 5, {known(1), known(2), known(3), known(4)}},
    {"Split", floats | i32, codes, 1, 5, {known(1)}},
    {"DepthToSpace SpaceToDepth GridSample", floats, codes, 4, 4},
    {"Resize", floats, codes, 3, 5, {first_axes(2), text("mode", "nearest linear"), equal("antialias", 0)}},
    {"Upsample", floats, codes, 3, 5, {first_axes(2)}, "2.51"},
    {"QuantizeLinear DequantizeLinear com.microsoft:QuantizeLinear com.microsoft:DequantizeLinear",
     codes | i32,
     {},
     0,
     5,
     {constant(1), constant(2)}},
};
}  // namespace qnn_table
inline constexpr provider_contract qnn_contract{
    .name = "QNNExecutionProvider",
    .short_name = "qnn",
    .sdk = "QAIRT",
    .versions = qnn_table::versions,
    .source =
        "github.com/microsoft/onnxruntime 019bde6 and github.com/onnxruntime/onnxruntime-qnn 2.3.0 to 2.7.0, pages of "
        "the provider; docs.qualcomm.com 80-63442-10",
    .memory = {.space = "host", .alignment = 64},
    .options =
        [] {
            return std::vector<contract_option>{{"backend_type", "htp", "htp cpu gpu saver ir"},
                                                {"backend_path", "", "text"},
                                                {"profiling_level", "off", "off basic detailed optrace"},
                                                {"profiling_file_path", "", "text"},
                                                {"rpc_control_latency", "0", "integer"},
                                                {"vtcm_mb", "0", "integer"},
                                                {"htp_performance_mode", "default",
                                                 "default burst balanced extreme_power_saver high_performance "
                                                 "high_power_saver low_balanced low_power_saver power_saver "
                                                 "sustained_high_performance"},
                                                {"qnn_saver_path", "", "text"},
                                                {"qnn_context_priority", "normal", "low normal normal_high high"},
                                                {"htp_graph_finalization_optimization_mode", "0", "0 1 2 3"},
                                                {"soc_model", "0", "text"},
                                                {"htp_arch", "0", "text"},
                                                {"device_id", "0", "integer"},
                                                {"enable_htp_fp16_precision", "true", "flag"},
                                                {"offload_graph_io_quantization", "true", "flag"}};
        },
    .operators = qnn_table::operators,
    .costs = {.device = "the NPU of a Snapdragon X (45 TOPS), a fifth of its data sheet's rate",
              .f32 = 4e12,
              .f16 = 4e12,
              .codes = 9e12,
              .memory = 60e9,
              .node = 2e-6,
              .region = 3e-4},
};
}  // namespace v1
}  // namespace inlay

// The operators of DirectML that regions are made of: their numbers and descriptions, as directml.h has them.
// Descriptions of one form have one name here.
#pragma once
#include "interface.hpp"

namespace inlay {
inline namespace v1 {
namespace directx {
enum DML_OPERATOR_TYPE : int {
    DML_OPERATOR_ELEMENT_WISE_IDENTITY = 1,
    DML_OPERATOR_ELEMENT_WISE_ABS = 2,
    DML_OPERATOR_ELEMENT_WISE_ACOS = 3,
    DML_OPERATOR_ELEMENT_WISE_ADD = 4,
    DML_OPERATOR_ELEMENT_WISE_ASIN = 5,
    DML_OPERATOR_ELEMENT_WISE_ATAN = 6,
    DML_OPERATOR_ELEMENT_WISE_CEIL = 7,
    DML_OPERATOR_ELEMENT_WISE_CLIP = 8,
    DML_OPERATOR_ELEMENT_WISE_COS = 9,
    DML_OPERATOR_ELEMENT_WISE_DIVIDE = 10,
    DML_OPERATOR_ELEMENT_WISE_EXP = 11,
    DML_OPERATOR_ELEMENT_WISE_FLOOR = 12,
    DML_OPERATOR_ELEMENT_WISE_LOG = 13,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_AND = 14,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_EQUALS = 15,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN = 16,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN = 17,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_NOT = 18,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_OR = 19,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_XOR = 20,
    DML_OPERATOR_ELEMENT_WISE_MAX = 21,
    DML_OPERATOR_ELEMENT_WISE_MIN = 23,
    DML_OPERATOR_ELEMENT_WISE_MULTIPLY = 24,
    DML_OPERATOR_ELEMENT_WISE_POW = 25,
    DML_OPERATOR_ELEMENT_WISE_RECIP = 27,
    DML_OPERATOR_ELEMENT_WISE_SIN = 28,
    DML_OPERATOR_ELEMENT_WISE_SQRT = 29,
    DML_OPERATOR_ELEMENT_WISE_SUBTRACT = 30,
    DML_OPERATOR_ELEMENT_WISE_TAN = 31,
    DML_OPERATOR_ELEMENT_WISE_QUANTIZE_LINEAR = 33,
    DML_OPERATOR_ELEMENT_WISE_DEQUANTIZE_LINEAR = 34,
    DML_OPERATOR_ACTIVATION_ELU = 35,
    DML_OPERATOR_ACTIVATION_HARD_SIGMOID = 37,
    DML_OPERATOR_ACTIVATION_LEAKY_RELU = 39,
    DML_OPERATOR_ACTIVATION_PARAMETERIZED_RELU = 42,
    DML_OPERATOR_ACTIVATION_RELU = 44,
    DML_OPERATOR_ACTIVATION_SCALED_ELU = 45,
    DML_OPERATOR_ACTIVATION_SIGMOID = 47,
    DML_OPERATOR_ACTIVATION_SOFTPLUS = 49,
    DML_OPERATOR_ACTIVATION_SOFTSIGN = 50,
    DML_OPERATOR_ACTIVATION_TANH = 51,
    DML_OPERATOR_ACTIVATION_THRESHOLDED_RELU = 52,
    DML_OPERATOR_CONVOLUTION = 53,
    DML_OPERATOR_GEMM = 54,
    DML_OPERATOR_REDUCE = 55,
    DML_OPERATOR_AVERAGE_POOLING = 56,
    DML_OPERATOR_CAST = 61,
    DML_OPERATOR_SPLIT = 62,
    DML_OPERATOR_JOIN = 63,
    DML_OPERATOR_GATHER = 67,
    DML_OPERATOR_TILE = 70,
    DML_OPERATOR_BATCH_NORMALIZATION = 72,
    DML_OPERATOR_LOCAL_RESPONSE_NORMALIZATION = 74,
    DML_OPERATOR_RNN = 76,
    DML_OPERATOR_LSTM = 77,
    DML_OPERATOR_GRU = 78,
    DML_OPERATOR_ELEMENT_WISE_SIGN = 79,
    DML_OPERATOR_ELEMENT_WISE_IS_NAN = 80,
    DML_OPERATOR_ELEMENT_WISE_ERF = 81,
    DML_OPERATOR_ELEMENT_WISE_SINH = 82,
    DML_OPERATOR_ELEMENT_WISE_COSH = 83,
    DML_OPERATOR_ELEMENT_WISE_ASINH = 85,
    DML_OPERATOR_ELEMENT_WISE_ACOSH = 86,
    DML_OPERATOR_ELEMENT_WISE_ATANH = 87,
    DML_OPERATOR_ELEMENT_WISE_IF = 88,
    DML_OPERATOR_SCATTER_ELEMENTS = 94,
    DML_OPERATOR_ONE_HOT = 95,
    DML_OPERATOR_ELEMENT_WISE_ROUND = 99,
    DML_OPERATOR_ELEMENT_WISE_IS_INFINITY = 100,
    DML_OPERATOR_ELEMENT_WISE_MODULUS_TRUNCATE = 101,
    DML_OPERATOR_ELEMENT_WISE_MODULUS_FLOOR = 102,
    DML_OPERATOR_CUMULATIVE_SUMMATION = 105,
    DML_OPERATOR_GATHER_ELEMENTS = 107,
    DML_OPERATOR_SCATTER_ND = 109,
    DML_OPERATOR_MAX_POOLING2 = 110,
    DML_OPERATOR_SLICE1 = 111,
    DML_OPERATOR_TOP_K1 = 112,
    DML_OPERATOR_DEPTH_TO_SPACE1 = 113,
    DML_OPERATOR_SPACE_TO_DEPTH1 = 114,
    DML_OPERATOR_MEAN_VARIANCE_NORMALIZATION1 = 115,
    DML_OPERATOR_MATRIX_MULTIPLY_INTEGER = 117,
    DML_OPERATOR_QUANTIZED_LINEAR_MATRIX_MULTIPLY = 118,
    DML_OPERATOR_CONVOLUTION_INTEGER = 119,
    DML_OPERATOR_QUANTIZED_LINEAR_CONVOLUTION = 120,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_GREATER_THAN_OR_EQUAL = 126,
    DML_OPERATOR_ELEMENT_WISE_LOGICAL_LESS_THAN_OR_EQUAL = 127,
    DML_OPERATOR_ACTIVATION_CELU = 128,
    DML_OPERATOR_ARGMIN = 137,
    DML_OPERATOR_ARGMAX = 138,
    DML_OPERATOR_GATHER_ND1 = 140,
    DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR = 148,
    DML_OPERATOR_ELEMENT_WISE_CLIP1 = 153,
    DML_OPERATOR_PADDING1 = 155,
    DML_OPERATOR_ELEMENT_WISE_NEGATE = 156,
    DML_OPERATOR_ACTIVATION_GELU = 157,
    DML_OPERATOR_ACTIVATION_SOFTMAX1 = 158,
    DML_OPERATOR_ACTIVATION_LOG_SOFTMAX1 = 159,
    DML_OPERATOR_RESAMPLE2 = 161
};
enum DML_TENSOR_DATA_TYPE : int {
    DML_TENSOR_DATA_TYPE_FLOAT32 = 1,
    DML_TENSOR_DATA_TYPE_FLOAT16 = 2,
    DML_TENSOR_DATA_TYPE_UINT32 = 3,
    DML_TENSOR_DATA_TYPE_UINT16 = 4,
    DML_TENSOR_DATA_TYPE_UINT8 = 5,
    DML_TENSOR_DATA_TYPE_INT32 = 6,
    DML_TENSOR_DATA_TYPE_INT16 = 7,
    DML_TENSOR_DATA_TYPE_INT8 = 8,
    DML_TENSOR_DATA_TYPE_UINT64 = 10,
    DML_TENSOR_DATA_TYPE_INT64 = 11
};
inline constexpr int DML_TENSOR_FLAG_OWNED_BY_DML = 1, DML_TENSOR_TYPE_BUFFER = 1;
inline constexpr UINT DML_TENSOR_DIMENSION_COUNT_MAX1 = 8;
struct DML_BUFFER_TENSOR_DESC {
    DML_TENSOR_DATA_TYPE DataType;
    int Flags;
    UINT DimensionCount;
    const UINT *Sizes, *Strides;  // strides: in elements; 0 repeats them
    UINT64 TotalTensorSizeInBytes;
    UINT GuaranteedBaseOffsetAlignment;
};
struct DML_TENSOR_DESC {
    int Type;
    const void* Desc;
};
struct DML_OPERATOR_DESC {
    DML_OPERATOR_TYPE Type;
    const void* Desc;
};
using dml_tensor = const DML_TENSOR_DESC*;
struct DML_SCALAR_UNION {  // a number of some type, its bytes first
    alignas(8) unsigned char Bytes[8];
};

// --- element by element
struct dml_activation {  // RELU, SIGMOID, SOFTSIGN, TANH, GELU, NEGATE, SIGN, CAST, LOGICAL_NOT, IS_NAN
    dml_tensor InputTensor, OutputTensor;
};
struct dml_activation_of_one {  // ELU, LEAKY_RELU, CELU, THRESHOLDED_RELU: alpha; SOFTPLUS: steepness
    dml_tensor InputTensor, OutputTensor;
    float Alpha;
};
struct dml_activation_of_two {  // HARD_SIGMOID: alpha, beta; SCALED_ELU: alpha, gamma
    dml_tensor InputTensor, OutputTensor;
    float Alpha, Beta;
};
struct dml_scaled {  // of mathematics, and IDENTITY
    dml_tensor InputTensor, OutputTensor;
    const void* ScaleBias;
};
struct dml_clip {
    dml_tensor InputTensor, OutputTensor;
    const void* ScaleBias;
    float Min, Max;
};
struct dml_clip_as {  // CLIP1
    dml_tensor InputTensor, OutputTensor;
    const void* ScaleBias;
    DML_TENSOR_DATA_TYPE MinMaxDataType;
    DML_SCALAR_UNION Min, Max;
};
struct dml_is_infinity {
    dml_tensor InputTensor, OutputTensor;
    int InfinityMode;  // 0: of either sign, 1: above, 2: below
};
struct dml_if {
    dml_tensor ConditionTensor, ATensor, BTensor, OutputTensor;
};
struct dml_round {
    dml_tensor InputTensor, OutputTensor;
    int RoundingMode;  // 0: halves to the nearest even
};
struct dml_binary {  // ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULUS, MAX, MIN, LOGICAL, PARAMETERIZED_RELU
    dml_tensor ATensor, BTensor, OutputTensor;
};
struct dml_pow {
    dml_tensor InputTensor, ExponentTensor, OutputTensor;
    const void* ScaleBias;
};
// --- products
enum DML_CONVOLUTION_DIRECTION : int { DML_CONVOLUTION_DIRECTION_FORWARD, DML_CONVOLUTION_DIRECTION_BACKWARD };
inline constexpr int DML_CONVOLUTION_MODE_CROSS_CORRELATION = 1;
struct dml_convolution {
    dml_tensor InputTensor, FilterTensor, BiasTensor, OutputTensor;
    int Mode;
    DML_CONVOLUTION_DIRECTION Direction;
    UINT DimensionCount;  // spatial ones
    const UINT *Strides, *Dilations, *StartPadding, *EndPadding, *OutputPadding;
    UINT GroupCount;
    const DML_OPERATOR_DESC* FusedActivation;
};
struct dml_gemm {
    dml_tensor ATensor, BTensor, CTensor, OutputTensor;
    int TransA, TransB;
    float Alpha, Beta;
    const DML_OPERATOR_DESC* FusedActivation;
};
// --- quantized values of 8 bits
struct dml_linear_codes {  // QUANTIZE_LINEAR, DEQUANTIZE_LINEAR
    dml_tensor InputTensor, ScaleTensor, ZeroPointTensor, OutputTensor;
};
struct dml_dynamic_quantize {
    dml_tensor InputTensor, OutputTensor, OutputScaleTensor, OutputZeroPointTensor;
};
struct dml_codes_convolution {  // QUANTIZED_LINEAR_CONVOLUTION
    dml_tensor InputTensor, InputScaleTensor, InputZeroPointTensor, FilterTensor, FilterScaleTensor,
        FilterZeroPointTensor, BiasTensor, OutputScaleTensor, OutputZeroPointTensor, OutputTensor;
    UINT DimensionCount;  // spatial ones
    const UINT *Strides, *Dilations, *StartPadding, *EndPadding;
    UINT GroupCount;
};
struct dml_integer_convolution {
    dml_tensor InputTensor, InputZeroPointTensor, FilterTensor, FilterZeroPointTensor, OutputTensor;
    UINT DimensionCount;
    const UINT *Strides, *Dilations, *StartPadding, *EndPadding;
    UINT GroupCount;
};
struct dml_codes_product {  // QUANTIZED_LINEAR_MATRIX_MULTIPLY
    dml_tensor ATensor, AScaleTensor, AZeroPointTensor, BTensor, BScaleTensor, BZeroPointTensor, OutputScaleTensor,
        OutputZeroPointTensor, OutputTensor;
};
struct dml_integer_product {
    dml_tensor ATensor, AZeroPointTensor, BTensor, BZeroPointTensor, OutputTensor;
};
// --- along sequences
struct dml_rnn {
    dml_tensor InputTensor, WeightTensor, RecurrenceTensor, BiasTensor, HiddenInitTensor, SequenceLengthsTensor,
        OutputSequenceTensor, OutputSingleTensor;
    UINT ActivationDescCount;
    const DML_OPERATOR_DESC* ActivationDescs;
    int Direction;  // 0: forward, 1: backward, 2: both
};
struct dml_lstm {
    dml_tensor InputTensor, WeightTensor, RecurrenceTensor, BiasTensor, HiddenInitTensor, CellMemInitTensor,
        SequenceLengthsTensor, PeepholeTensor, OutputSequenceTensor, OutputSingleTensor, OutputCellSingleTensor;
    UINT ActivationDescCount;
    const DML_OPERATOR_DESC* ActivationDescs;
    int Direction;
    float ClipThreshold;
    BOOL UseClipThreshold, CoupleInputForget;
};
struct dml_gru {
    dml_tensor InputTensor, WeightTensor, RecurrenceTensor, BiasTensor, HiddenInitTensor, SequenceLengthsTensor,
        OutputSequenceTensor, OutputSingleTensor;
    UINT ActivationDescCount;
    const DML_OPERATOR_DESC* ActivationDescs;
    int Direction;
    BOOL LinearBeforeReset;
};
// --- windows and axes
struct dml_average_pooling {
    dml_tensor InputTensor, OutputTensor;
    UINT DimensionCount;
    const UINT *Strides, *WindowSize, *StartPadding, *EndPadding;
    BOOL IncludePadding;
};
struct dml_max_pooling {  // MAX_POOLING2
    dml_tensor InputTensor, OutputTensor, OutputIndicesTensor;
    UINT DimensionCount;
    const UINT *Strides, *WindowSize, *StartPadding, *EndPadding, *Dilations;
};
enum DML_REDUCE_FUNCTION : int {
    DML_REDUCE_FUNCTION_AVERAGE = 2,
    DML_REDUCE_FUNCTION_L1,
    DML_REDUCE_FUNCTION_L2,
    DML_REDUCE_FUNCTION_LOG_SUM,
    DML_REDUCE_FUNCTION_LOG_SUM_EXP,
    DML_REDUCE_FUNCTION_MAX,
    DML_REDUCE_FUNCTION_MIN,
    DML_REDUCE_FUNCTION_MULTIPLY,
    DML_REDUCE_FUNCTION_SUM,
    DML_REDUCE_FUNCTION_SUM_SQUARE
};
struct dml_reduce {
    DML_REDUCE_FUNCTION Function;
    dml_tensor InputTensor, OutputTensor;
    UINT AxisCount;
    const UINT* Axes;
};
struct dml_arg {  // ARGMAX, ARGMIN
    dml_tensor InputTensor, OutputTensor;
    UINT AxisCount;
    const UINT* Axes;
    int AxisDirection;  // of equal elements, 0: the first one
};
struct dml_top_k {  // TOP_K1
    dml_tensor InputTensor, OutputValueTensor, OutputIndexTensor;
    UINT Axis, K;
    int AxisDirection;  // 0: the least ones, 1: the greatest
};
struct dml_cumulation {  // CUMULATIVE_SUMMATION
    dml_tensor InputTensor, OutputTensor;
    UINT Axis;
    int AxisDirection;  // 1: from the end
    BOOL HasExclusiveSum;
};
struct dml_softmax {  // SOFTMAX1, LOG_SOFTMAX1
    dml_tensor InputTensor, OutputTensor;
    UINT AxisCount;
    const UINT* Axes;
};
// --- normalizations
struct dml_batch_normalization {
    dml_tensor InputTensor, MeanTensor, VarianceTensor, ScaleTensor, BiasTensor, OutputTensor;
    BOOL Spatial;
    float Epsilon;
    const DML_OPERATOR_DESC* FusedActivation;
};
struct dml_normalization {  // MEAN_VARIANCE_NORMALIZATION1
    dml_tensor InputTensor, ScaleTensor, BiasTensor, OutputTensor;
    UINT AxisCount;
    const UINT* Axes;
    BOOL NormalizeVariance;
    float Epsilon;
    const DML_OPERATOR_DESC* FusedActivation;
};
struct dml_local_response {
    dml_tensor InputTensor, OutputTensor;
    BOOL CrossChannel;
    UINT LocalSize;
    float Alpha, Beta, Bias;
};
// --- what moves elements
struct dml_split {
    dml_tensor InputTensor;
    UINT OutputCount;
    const DML_TENSOR_DESC* OutputTensors;
    UINT Axis;
};
struct dml_join {
    UINT InputCount;
    const DML_TENSOR_DESC* InputTensors;
    dml_tensor OutputTensor;
    UINT Axis;
};
struct dml_slice {  // SLICE1
    dml_tensor InputTensor, OutputTensor;
    UINT DimensionCount;
    const UINT *InputWindowOffsets, *InputWindowSizes;
    const std::int32_t* InputWindowStrides;  // negative ones begin at the end of the window
};
enum DML_PADDING_MODE : int { DML_PADDING_MODE_CONSTANT, DML_PADDING_MODE_EDGE, DML_PADDING_MODE_REFLECTION };
struct dml_padding {  // PADDING1
    dml_tensor InputTensor, OutputTensor;
    DML_PADDING_MODE PaddingMode;
    DML_TENSOR_DATA_TYPE PaddingValueDataType;
    DML_SCALAR_UNION PaddingValue;
    UINT DimensionCount;
    const UINT *StartPadding, *EndPadding;
};
struct dml_gather {
    dml_tensor InputTensor, IndicesTensor, OutputTensor;
    UINT Axis, IndexDimensions;
};
struct dml_gather_elements {
    dml_tensor InputTensor, IndicesTensor, OutputTensor;
    UINT Axis;
};
struct dml_gather_rows {  // GATHER_ND1
    dml_tensor InputTensor, IndicesTensor, OutputTensor;
    UINT InputDimensionCount, IndicesDimensionCount, BatchDimensionCount;
};
struct dml_scatter_elements {
    dml_tensor InputTensor, IndicesTensor, UpdatesTensor, OutputTensor;
    UINT Axis;
};
struct dml_scatter_rows {  // SCATTER_ND
    dml_tensor InputTensor, IndicesTensor, UpdatesTensor, OutputTensor;
    UINT InputDimensionCount, IndicesDimensionCount;
};
struct dml_one_hot {
    dml_tensor IndicesTensor, ValuesTensor, OutputTensor;
    UINT Axis;
};
struct dml_tile {
    dml_tensor InputTensor, OutputTensor;
    UINT RepeatsCount;
    const UINT* Repeats;
};
struct dml_depth_space {  // DEPTH_TO_SPACE1, SPACE_TO_DEPTH1
    dml_tensor InputTensor, OutputTensor;
    UINT BlockSize;
    int Order;  // 0: the block's rows and columns are the slower dimensions of the depth; 1: the channel is
};
struct dml_resample {  // RESAMPLE2
    dml_tensor InputTensor, OutputTensor;
    int InterpolationMode;  // 0: nearest, 1: linear
    int RoundingDirection;  // 0: up, 1: down
    UINT DimensionCount;
    const float *Scales, *InputPixelOffsets, *OutputPixelOffsets;
};
}  // namespace directx
}  // namespace v1
}  // namespace inlay

// What Inlay calls of Android's Neural Networks API, declared from its public reference
// (developer.android.com/ndk/reference/group/neural-networks): names and numbers are the interface's, and no more of it
// is here than is used. Its functions come in feature levels: 27 is Android 8.1, 28 is 9, 29 is 10, 30 is 11.
#pragma once
#include <cstddef>
#include <cstdint>

extern "C" {
struct ANeuralNetworksModel;
struct ANeuralNetworksCompilation;
struct ANeuralNetworksExecution;
struct ANeuralNetworksEvent;
struct ANeuralNetworksDevice;

struct ANeuralNetworksOperandType {
    std::int32_t type;
    std::uint32_t dimensionCount;  // 0: a scalar
    const std::uint32_t* dimensions;
    float scale;  // an element of 8 bits stands for (it - zeroPoint) * scale
    std::int32_t zeroPoint;
};
struct ANeuralNetworksSymmPerChannelQuantParams {
    std::uint32_t channelDim, scaleCount;
    const float* scales;
};
}

namespace inlay {
inline namespace v1 {
namespace nnapi_interface {
enum operand_code : std::int32_t {
    FLOAT32 = 0,
    INT32 = 1,
    TENSOR_FLOAT32 = 3,
    TENSOR_INT32 = 4,
    TENSOR_QUANT8_ASYMM = 5,
    BOOL = 6,
    TENSOR_QUANT8_SYMM_PER_CHANNEL = 11,
    TENSOR_QUANT8_ASYMM_SIGNED = 14
};
enum operation_code : std::int32_t {
    ADD = 0,
    AVERAGE_POOL_2D = 1,
    CONCATENATION = 2,
    CONV_2D = 3,
    DEPTHWISE_CONV_2D = 4,
    DEPTH_TO_SPACE = 5,
    DEQUANTIZE = 6,
    FLOOR = 8,
    FULLY_CONNECTED = 9,
    LOCAL_RESPONSE_NORMALIZATION = 13,
    LOGISTIC = 14,
    MAX_POOL_2D = 17,
    MUL = 18,
    RELU = 19,
    RELU1 = 20,
    RELU6 = 21,
    RESHAPE = 22,
    RESIZE_BILINEAR = 23,
    SOFTMAX = 25,
    SPACE_TO_DEPTH = 26,
    TANH = 28,
    DIV = 30,
    MEAN = 31,
    PAD = 32,
    STRIDED_SLICE = 35,
    SUB = 36,
    TRANSPOSE = 37,
    ABS = 38,
    EXP = 49,
    GATHER = 51,
    GROUPED_CONV_2D = 55,
    INSTANCE_NORMALIZATION = 57,
    LOG = 60,
    LOG_SOFTMAX = 64,
    MAXIMUM = 65,
    MINIMUM = 66,
    NEG = 67,
    PAD_V2 = 69,
    POW = 70,
    PRELU = 71,
    QUANTIZE = 72,
    REDUCE_MAX = 77,
    REDUCE_MIN = 78,
    REDUCE_PROD = 79,
    REDUCE_SUM = 80,
    SIN = 85,
    SQRT = 88,
    TRANSPOSE_CONV_2D = 91,
    RESIZE_NEAREST_NEIGHBOR = 94,
    ELU = 98,
    HARD_SWISH = 99,
    BATCH_MATMUL = 102
};
enum result_code : int {
    NO_ERROR = 0,
    OUT_OF_MEMORY = 1,
    INCOMPLETE = 2,
    UNEXPECTED_NULL = 3,
    BAD_DATA = 4,
    OP_FAILED = 5,
    BAD_STATE = 6,
    UNMAPPABLE = 7,
    OUTPUT_INSUFFICIENT_SIZE = 8,
    UNAVAILABLE_DEVICE = 9
};
inline constexpr std::int32_t FUSED_NONE = 0, PREFER_FAST_SINGLE_ANSWER = 1;
inline constexpr std::size_t copied_bytes = 128;  // values of operands up to here are copied, larger ones have to stay
inline constexpr const char* reference_device = "nnapi-reference";  // its name for the processor

// X(what it gives, name, arguments), by the feature level that brought them.
#define INLAY_NNAPI_FUNCTIONS_27(X) \
    X(int, ANeuralNetworksModel_create, (ANeuralNetworksModel**)) \
    X(void, ANeuralNetworksModel_free, (ANeuralNetworksModel*)) \
    X(int, ANeuralNetworksModel_finish, (ANeuralNetworksModel*)) \
    X(int, ANeuralNetworksModel_addOperand, (ANeuralNetworksModel*, const ANeuralNetworksOperandType*)) \
    X(int, ANeuralNetworksModel_setOperandValue, (ANeuralNetworksModel*, std::int32_t, const void*, std::size_t)) \
    X(int, ANeuralNetworksModel_addOperation, \
      (ANeuralNetworksModel*, std::int32_t, std::uint32_t, const std::uint32_t*, std::uint32_t, const std::uint32_t*)) \
    X(int, ANeuralNetworksModel_identifyInputsAndOutputs, \
      (ANeuralNetworksModel*, std::uint32_t, const std::uint32_t*, std::uint32_t, const std::uint32_t*)) \
    X(int, ANeuralNetworksCompilation_create, (ANeuralNetworksModel*, ANeuralNetworksCompilation**)) \
    X(void, ANeuralNetworksCompilation_free, (ANeuralNetworksCompilation*)) \
    X(int, ANeuralNetworksCompilation_setPreference, (ANeuralNetworksCompilation*, std::int32_t)) \
    X(int, ANeuralNetworksCompilation_finish, (ANeuralNetworksCompilation*)) \
    X(int, ANeuralNetworksExecution_create, (ANeuralNetworksCompilation*, ANeuralNetworksExecution**)) \
    X(void, ANeuralNetworksExecution_free, (ANeuralNetworksExecution*)) \
    X(int, ANeuralNetworksExecution_setInput, \
      (ANeuralNetworksExecution*, std::int32_t, const ANeuralNetworksOperandType*, const void*, std::size_t)) \
    X(int, ANeuralNetworksExecution_setOutput, \
      (ANeuralNetworksExecution*, std::int32_t, const ANeuralNetworksOperandType*, void*, std::size_t)) \
    X(int, ANeuralNetworksExecution_startCompute, (ANeuralNetworksExecution*, ANeuralNetworksEvent**)) \
    X(int, ANeuralNetworksEvent_wait, (ANeuralNetworksEvent*)) \
    X(void, ANeuralNetworksEvent_free, (ANeuralNetworksEvent*))
#define INLAY_NNAPI_FUNCTIONS_28(X) \
    X(int, ANeuralNetworksModel_relaxComputationFloat32toFloat16, (ANeuralNetworksModel*, bool))
#define INLAY_NNAPI_FUNCTIONS_29(X) \
    X(int, ANeuralNetworks_getDeviceCount, (std::uint32_t*)) \
    X(int, ANeuralNetworks_getDevice, (std::uint32_t, ANeuralNetworksDevice**)) \
    X(int, ANeuralNetworksDevice_getName, (const ANeuralNetworksDevice*, const char**)) \
    X(int, ANeuralNetworksDevice_getType, (const ANeuralNetworksDevice*, std::int32_t*)) \
    X(int, ANeuralNetworksDevice_getVersion, (const ANeuralNetworksDevice*, const char**)) \
    X(int, ANeuralNetworksDevice_getFeatureLevel, (const ANeuralNetworksDevice*, std::int64_t*)) \
    X(int, ANeuralNetworksModel_getSupportedOperationsForDevices, \
      (const ANeuralNetworksModel*, const ANeuralNetworksDevice* const*, std::uint32_t, bool*)) \
    X(int, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams, \
      (ANeuralNetworksModel*, std::int32_t, const ANeuralNetworksSymmPerChannelQuantParams*)) \
    X(int, ANeuralNetworksCompilation_createForDevices, \
      (ANeuralNetworksModel*, const ANeuralNetworksDevice* const*, std::uint32_t, ANeuralNetworksCompilation**)) \
    X(int, ANeuralNetworksExecution_compute, (ANeuralNetworksExecution*))
// A function that level 30 brought and nothing here calls: its presence shows the level.
inline constexpr const char* function_of_level_30 = "ANeuralNetworksMemoryDesc_create";
// Since level 31 the library reports its level itself; the next ones are 1000006, 1000007, ...
inline constexpr std::int64_t feature_level_6 = 1'000'006;
#define INLAY_NNAPI_FUNCTIONS_31(X) X(std::int64_t, ANeuralNetworks_getRuntimeFeatureLevel, ())
}  // namespace nnapi_interface
}  // namespace v1
}  // namespace inlay

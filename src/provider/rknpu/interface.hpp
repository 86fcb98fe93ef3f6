// What Inlay calls of Rockchip's runtime library, declared from its public reference (RKNN runtime API, version 2):
// names and numbers are the interface's, and no more of it is here than is used.
#pragma once
#include <cstdint>

namespace inlay {
inline namespace v1 {
namespace rknn_interface {
#ifdef __arm__
using context = std::uint32_t;
#else
using context = std::uint64_t;
#endif
constexpr int succeeded = 0, model_invalid = -6, context_invalid = -7, input_invalid = -8, output_invalid = -9;

enum query : std::int32_t { in_out_num = 0, input_attr = 1, output_attr = 2, sdk_version = 5 };
enum tensor_type : std::int32_t { float32 = 0, float16, int8, uint8, int16, uint16, int32, uint32, int64, boolean };
enum tensor_format : std::int32_t { nchw = 0, nhwc, nc1hwc2, undefined };

struct counts {  // of in_out_num
    std::uint32_t inputs, outputs;
};
struct tensor_attributes {  // of input_attr and output_attr
    std::uint32_t index, rank, dims[16];
    char name[256];
    std::uint32_t elements, bytes;
    std::int32_t format, type, quantisation;
    std::int8_t fraction_bits;
    std::int32_t zero_point;
    float scale;
    std::uint32_t width_stride, bytes_with_stride;
    std::uint8_t pass_through;
    std::uint32_t height_stride;
};
struct versions {  // of sdk_version
    char library[256], driver[256];
};
struct input {
    std::uint32_t index;
    void* data;
    std::uint32_t bytes;
    std::uint8_t pass_through;  // 0: the library makes of type and format what the model expects
    std::int32_t type, format;
};
struct output {
    std::uint8_t want_float, is_preallocated;
    std::uint32_t index;
    void* data;
    std::uint32_t bytes;
};
// X(name, arguments); all give a status.
#define INLAY_RKNN_FUNCTIONS(X) \
    X(rknn_init, (rknn_interface::context*, void* model, std::uint32_t bytes, std::uint32_t flags, void* extension)) \
    X(rknn_destroy, (rknn_interface::context)) \
    X(rknn_query, (rknn_interface::context, std::int32_t query, void* answer, std::uint32_t bytes)) \
    X(rknn_inputs_set, (rknn_interface::context, std::uint32_t count, rknn_interface::input*)) \
    X(rknn_run, (rknn_interface::context, void* extension)) \
    X(rknn_outputs_get, (rknn_interface::context, std::uint32_t count, rknn_interface::output*, void* extension)) \
    X(rknn_outputs_release, (rknn_interface::context, std::uint32_t count, rknn_interface::output*)) \
    X(rknn_set_core_mask, (rknn_interface::context, std::int32_t mask))
}  // namespace rknn_interface
}  // namespace v1
}  // namespace inlay

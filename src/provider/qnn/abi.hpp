// What this provider calls of QNN, Qualcomm's interface to its processors, as its documentation has it ("Qualcomm AI
// Engine Direct", API 2.x): declarations of our own, for the library comes without headers. Layouts were compared with
// what the library itself records of calls (tests/provider/qnn).
#pragma once
#include <cstdarg>
#include <cstddef>
#include <cstdint>

namespace inlay {
inline namespace v1 {
namespace qnn_abi {
using handle = void*;  // of a backend, a device, a context, a graph, a log
using error_number = std::uint64_t;
constexpr error_number success = 0;

struct version {
    std::uint32_t major, minor, patch;
};

// Of a tensor's elements.
enum class data_type : std::uint32_t {
    int_8 = 0x0008,
    int_16 = 0x0016,
    int_32 = 0x0032,
    int_64 = 0x0064,
    uint_8 = 0x0108,
    uint_16 = 0x0116,
    uint_32 = 0x0132,
    float_16 = 0x0216,
    float_32 = 0x0232,
    sfixed_8 = 0x0308,  // integers that stand for (x + offset) * scale
    sfixed_16 = 0x0316,
    sfixed_32 = 0x0332,
    ufixed_8 = 0x0408,
    ufixed_16 = 0x0416,
    bool_8 = 0x0508
};
enum class tensor_kind : std::uint32_t {
    app_write = 0,  // an input of the graph
    app_read = 1,   // an output
    native = 3,     // between nodes
    constant = 4
};
constexpr std::uint32_t undefined = 0x7fffffff, encoding_defined = 1;
enum class encoding_kind : std::uint32_t { scale_offset = 0, axis_scale_offset = 1, none = undefined };

struct scale_offset {
    float scale;
    std::int32_t offset;  // ONNX's zero point, negative
};
struct axis_scale_offset {
    std::int32_t axis;
    std::uint32_t count;
    scale_offset* scales;
};
struct quantize_params {
    std::uint32_t definition = undefined;  // or encoding_defined
    encoding_kind encoding = encoding_kind::none;
    union {
        scale_offset per_tensor;
        axis_scale_offset per_axis;
        std::uint64_t room[4]{};  // of encodings that are not used here
    };
};
struct client_buffer {
    void* data;
    std::uint32_t bytes;
};
struct tensor_v1 {
    std::uint32_t id = 0;
    const char* name = nullptr;
    tensor_kind kind = tensor_kind::native;
    std::uint32_t format = 0;  // dense
    data_type type = data_type::float_32;
    quantize_params quantization{};
    std::uint32_t rank = 0;
    std::uint32_t* dims = nullptr;
    std::uint32_t memory = 0;  // a client_buffer
    client_buffer buffer{};
};
struct tensor {
    std::uint32_t version = 1;
    union {
        tensor_v1 v1{};
        std::uint64_t room[17];  // of version 2
    };
};
struct scalar {
    data_type type;
    union {
        std::uint64_t room;
        float real;
        std::uint32_t natural;
        std::int32_t integer;
        std::uint8_t boolean;
    };
};
struct parameter {
    std::uint32_t kind = 0;  // 0: scalar, 1: tensor
    const char* name = nullptr;
    union {
        qnn_abi::tensor tensor{};
        qnn_abi::scalar scalar;
    };
};
struct operation_v1 {
    const char* name = nullptr;
    const char* package = "qti.aisw";
    const char* type = nullptr;
    std::uint32_t parameter_count = 0;
    parameter* parameters = nullptr;
    std::uint32_t input_count = 0;
    tensor* inputs = nullptr;
    std::uint32_t output_count = 0;
    tensor* outputs = nullptr;
};
struct operation {
    std::uint32_t version = 1;
    operation_v1 v1{};
};
static_assert(sizeof(quantize_params) == 40 && sizeof(tensor_v1) == 112 && sizeof(tensor) == 144);
static_assert(sizeof(scalar) == 16 && sizeof(parameter) == 160 && sizeof(operation_v1) == 72);

// What a context, a graph or a device is made with; `option` 0: what `custom` points to, which is the backend's own.
struct config {
    std::uint32_t option = 0;
    union {
        const void* custom = nullptr;
        std::uint32_t priority;  // option 1 of a context
        std::uint64_t room[2];
    };
};
using log_callback = void (*)(const char* format, std::uint32_t level, std::uint64_t time, std::va_list);

// Functions that are not called here are `unused`.
struct functions {
    using unused = void (*)();
    using make = error_number (*)(handle log, const config**, handle*);
    unused property_has_capability;
    make backend_create;
    unused backend_set_config;
    error_number (*backend_get_api_version)(version pair[2]);
    error_number (*backend_get_build_id)(const char**);
    unused backend_register_op_package, backend_get_supported_operations;
    error_number (*backend_validate_op_config)(handle backend, operation);
    error_number (*backend_free)(handle);
    error_number (*context_create)(handle backend, handle device, const config**, handle*);
    unused context_set_config;
    error_number (*context_get_binary_size)(handle context, std::uint64_t*);
    error_number (*context_get_binary)(handle context, void* to, std::uint64_t room, std::uint64_t* bytes);
    error_number (*context_create_from_binary)(handle backend, handle device, const config**, const void*,
                                               std::uint64_t bytes, handle*, handle profile);
    error_number (*context_free)(handle, handle profile);
    error_number (*graph_create)(handle context, const char* name, const config**, handle*);
    unused graph_create_subgraph, graph_set_config;
    error_number (*graph_add_node)(handle graph, operation);
    error_number (*graph_finalize)(handle graph, handle profile, handle signal);
    error_number (*graph_retrieve)(handle context, const char* name, handle*);
    error_number (*graph_execute)(handle graph, const tensor* inputs, std::uint32_t, tensor* outputs, std::uint32_t,
                                  handle profile, handle signal);
    unused graph_execute_async, tensor_create_context_tensor;
    error_number (*tensor_create_graph_tensor)(handle graph, tensor*);
    error_number (*log_create)(log_callback, std::uint32_t most, handle*);
    unused log_set_level;
    error_number (*log_free)(handle);
    unused profile_create, profile_set_config, profile_get_events, profile_get_sub_events, profile_get_event_data,
        profile_get_extended_event_data, profile_free, mem_register, mem_deregister, device_get_platform_info,
        device_free_platform_info, device_get_infrastructure;
    make device_create;
    unused device_set_config, device_get_info;
    error_number (*device_free)(handle);
    unused signal_create, signal_set_config, signal_trigger, signal_free;
    error_number (*error_get_message)(error_number, const char**);
};
struct interface {
    std::uint32_t backend;
    const char* name;
    version core, backend_version;  // of the interface, and of the backend
    functions f;
};
using get_providers = error_number (*)(const interface*** interfaces, std::uint32_t* count);
}  // namespace qnn_abi
}  // namespace v1
}  // namespace inlay

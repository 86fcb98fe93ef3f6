// What Inlay calls of MIGraphX's C interface, declared from its public reference
// (rocm.docs.amd.com/projects/AMDMIGraphX): names and numbers are the interface's, and no more of it is here than is
// used.
#pragma once
#include <cstddef>

extern "C" {
struct migraphx_shape;
struct migraphx_argument;
struct migraphx_arguments;
struct migraphx_shapes;
struct migraphx_target;
struct migraphx_program;
struct migraphx_program_parameters;
struct migraphx_onnx_options;
struct migraphx_compile_options;
struct migraphx_file_options;
}

namespace inlay {
inline namespace v1 {
namespace migraphx_interface {
enum status : int { success = 0, bad_param = 1, unknown_target = 3, unknown_error = 4 };
enum data_type : int {
    bool_type = 1,
    half_type,
    float_type,
    double_type,
    uint8_type,
    int8_type,
    uint16_type,
    int16_type,
    int32_type,
    int64_type,
    uint32_type,
    uint64_type
};
// X(name, arguments); all give a status.
#define INLAY_MIGRAPHX_FUNCTIONS(X) \
    X(migraphx_shape_create, (migraphx_shape**, int type, std::size_t* lengths, std::size_t rank)) \
    X(migraphx_shape_destroy, (migraphx_shape*)) \
    X(migraphx_shape_lengths, (const std::size_t**, std::size_t* rank, const migraphx_shape*)) \
    X(migraphx_shape_type, (int*, const migraphx_shape*)) \
    X(migraphx_shape_standard, (bool*, const migraphx_shape*)) \
    X(migraphx_argument_create, (migraphx_argument**, const migraphx_shape*, void*)) \
    X(migraphx_argument_destroy, (migraphx_argument*)) \
    X(migraphx_argument_shape, (const migraphx_shape**, const migraphx_argument*)) \
    X(migraphx_argument_buffer, (char**, const migraphx_argument*)) \
    X(migraphx_arguments_size, (std::size_t*, migraphx_arguments*)) \
    X(migraphx_arguments_get, (const migraphx_argument**, migraphx_arguments*, std::size_t)) \
    X(migraphx_arguments_destroy, (migraphx_arguments*)) \
    X(migraphx_shapes_size, (std::size_t*, migraphx_shapes*)) \
    X(migraphx_shapes_get, (const migraphx_shape**, migraphx_shapes*, std::size_t)) \
    X(migraphx_shapes_destroy, (migraphx_shapes*)) \
    X(migraphx_target_create, (migraphx_target**, const char*)) \
    X(migraphx_target_destroy, (migraphx_target*)) \
    X(migraphx_onnx_options_create, (migraphx_onnx_options**)) \
    X(migraphx_onnx_options_destroy, (migraphx_onnx_options*)) \
    X(migraphx_parse_onnx_buffer, (migraphx_program**, const void*, std::size_t, migraphx_onnx_options*)) \
    X(migraphx_quantize_fp16, (migraphx_program*)) \
    X(migraphx_compile_options_create, (migraphx_compile_options**)) \
    X(migraphx_compile_options_destroy, (migraphx_compile_options*)) \
    X(migraphx_compile_options_set_offload_copy, (migraphx_compile_options*, bool)) \
    X(migraphx_compile_options_set_exhaustive_tune_flag, (migraphx_compile_options*, bool)) \
    X(migraphx_program_compile, (migraphx_program*, migraphx_target*, migraphx_compile_options*)) \
    X(migraphx_program_get_output_shapes, (migraphx_shapes**, migraphx_program*)) \
    X(migraphx_program_run, (migraphx_arguments**, migraphx_program*, migraphx_program_parameters*)) \
    X(migraphx_program_destroy, (migraphx_program*)) \
    X(migraphx_program_parameters_create, (migraphx_program_parameters**)) \
    X(migraphx_program_parameters_add, (migraphx_program_parameters*, const char*, const migraphx_argument*)) \
    X(migraphx_program_parameters_destroy, (migraphx_program_parameters*)) \
    X(migraphx_file_options_create, (migraphx_file_options**)) \
    X(migraphx_file_options_destroy, (migraphx_file_options*)) \
    X(migraphx_file_options_set_file_format, (migraphx_file_options*, const char*)) \
    X(migraphx_save, (migraphx_program*, const char* file, migraphx_file_options*)) \
    X(migraphx_load, (migraphx_program**, const char* file, migraphx_file_options*))
}  // namespace migraphx_interface
}  // namespace v1
}  // namespace inlay

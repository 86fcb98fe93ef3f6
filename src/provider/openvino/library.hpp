// OpenVINO's C interface as a table of functions, opened when first used: a program must start where there is none.
#pragma once
#include <memory>
#include <openvino/c/openvino.h>
#include <platform/shared_library.hpp>

namespace inlay {
inline namespace v1 {
#define INLAY_OPENVINO_FUNCTIONS(X) \
    X(ov_get_openvino_version) \
    X(ov_version_free) \
    X(ov_get_last_err_msg) \
    X(ov_get_error_info) \
    X(ov_core_create) \
    X(ov_core_free) \
    X(ov_core_read_model_from_memory_buffer) \
    X(ov_core_compile_model_props) \
    X(ov_core_get_property) \
    X(ov_core_import_model) \
    X(ov_core_set_property) \
    X(ov_free) \
    X(ov_model_free) \
    X(ov_model_const_output_by_index) \
    X(ov_const_port_get_shape) \
    X(ov_port_get_element_type) \
    X(ov_output_const_port_free) \
    X(ov_shape_free) \
    X(ov_compiled_model_create_infer_request) \
    X(ov_compiled_model_export_model) \
    X(ov_compiled_model_inputs_size) \
    X(ov_compiled_model_outputs_size) \
    X(ov_compiled_model_free) \
    X(ov_infer_request_set_input_tensor_by_index) \
    X(ov_infer_request_set_output_tensor_by_index) \
    X(ov_infer_request_infer) \
    X(ov_infer_request_start_async) \
    X(ov_infer_request_wait) \
    X(ov_infer_request_wait_for) \
    X(ov_infer_request_cancel) \
    X(ov_infer_request_free) \
    X(ov_tensor_create_from_host_ptr) \
    X(ov_tensor_free)
struct openvino_functions {
    INLAY_FUNCTION_TABLE(INLAY_OPENVINO_FUNCTIONS, INLAY_DECLARED_FUNCTION)
    std::string version;
    // What the last call of this thread that did not return OK says, in one line.
    std::string why(ov_status_e) const;
};
const openvino_functions& openvino_library();

// Frees what the library made.
struct openvino_deleter {
    void operator()(ov_core_t* p) const { openvino_library().ov_core_free(p); }
    void operator()(ov_model_t* p) const { openvino_library().ov_model_free(p); }
    void operator()(ov_compiled_model_t* p) const { openvino_library().ov_compiled_model_free(p); }
    void operator()(ov_infer_request_t* p) const { openvino_library().ov_infer_request_free(p); }
    void operator()(ov_output_const_port_t* p) const { openvino_library().ov_output_const_port_free(p); }
    void operator()(ov_tensor_t* p) const { openvino_library().ov_tensor_free(p); }
};
template <class T> using openvino_ptr = std::unique_ptr<T, openvino_deleter>;
}  // namespace v1
}  // namespace inlay

// The functions of libmigraphx_c as a table, opened when first used: a program must start where there is none.
#pragma once
#include "interface.hpp"
#include <lowering/refusal.hpp>
#include <memory>
#include <platform/shared_library.hpp>

namespace inlay {
inline namespace v1 {
struct migraphx_functions {
    INLAY_FUNCTION_TABLE(INLAY_MIGRAPHX_FUNCTIONS, INLAY_STATUS_FUNCTION)
    int (*hipSetDevice)(int) = nullptr;  // of the runtime that the library runs on; null: it was not found
};
const migraphx_functions& migraphx_library();
std::string text_of_migraphx(int status);

struct migraphx_deleter {
    void operator()(migraphx_shape* p) const { migraphx_library().migraphx_shape_destroy(p); }
    void operator()(migraphx_argument* p) const { migraphx_library().migraphx_argument_destroy(p); }
    void operator()(migraphx_arguments* p) const { migraphx_library().migraphx_arguments_destroy(p); }
    void operator()(migraphx_shapes* p) const { migraphx_library().migraphx_shapes_destroy(p); }
    void operator()(migraphx_target* p) const { migraphx_library().migraphx_target_destroy(p); }
    void operator()(migraphx_program* p) const { migraphx_library().migraphx_program_destroy(p); }
    void operator()(migraphx_program_parameters* p) const { migraphx_library().migraphx_program_parameters_destroy(p); }
    void operator()(migraphx_onnx_options* p) const { migraphx_library().migraphx_onnx_options_destroy(p); }
    void operator()(migraphx_compile_options* p) const { migraphx_library().migraphx_compile_options_destroy(p); }
    void operator()(migraphx_file_options* p) const { migraphx_library().migraphx_file_options_destroy(p); }
};
template <class T> using migraphx_ptr = std::unique_ptr<T, migraphx_deleter>;

inline void check_migraphx(int status) {
    if (status != migraphx_interface::success) refuse(text_of_migraphx(status));
}
// f(place for a pointer, arguments...): what it makes. Throws refused_node.
template <class T, class... A, class... B> migraphx_ptr<T> made_by_migraphx(int (*f)(T**, A...), B... arguments) {
    T* object = nullptr;
    check_migraphx(f(&object, arguments...));
    return migraphx_ptr<T>(object);
}
}  // namespace v1
}  // namespace inlay

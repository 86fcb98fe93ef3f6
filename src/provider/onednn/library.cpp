#include "library.hpp"
#include <new>
#include <platform/shared_library.hpp>

namespace inlay {
inline namespace v1 {
namespace {
onednn_functions open() {
    onednn_functions f;
    constexpr const char* variable = "INLAY_ONEDNN_LIBRARY";
    void* const library = open_library(named_by(variable, "libdnnl.so.3"), f.problem,
                                       "pip install onednn-cpu-gomp brings it; " + variable_may_name(variable, "file"));
#define INLAY_FIND(function) find_function(library, #function, f.function, f.problem);
    INLAY_ONEDNN_FUNCTIONS(INLAY_FIND)
#undef INLAY_FIND
    if (!f.problem.empty()) return f;
    const dnnl_version_t& v = *f.dnnl_version();
    f.version = std::to_string(v.major) + "." + std::to_string(v.minor) + "." + std::to_string(v.patch);
    if (v.major != DNNL_VERSION_MAJOR)
        f.problem = "it is version " + f.version + ", and this program was made for " +
                    std::to_string(DNNL_VERSION_MAJOR) + ".*";
    else if (const dnnl_status_t s = f.dnnl_engine_create(&f.engine, dnnl_cpu, 0); s != dnnl_success)
        f.problem = text_of(s);
    if (v.cpu_runtime != DNNL_RUNTIME_OMP) return f;
    std::string problem;  // a session that needs another number of threads gets this error
    find_function(library, "omp_get_max_threads", f.omp_get_max_threads, problem);
    find_function(library, "omp_set_num_threads", f.omp_set_num_threads, problem);
    return f;
}
}  // namespace

const onednn_functions& onednn_library() {
    static const onednn_functions functions = open();
    return functions;
}
const char* text_of(dnnl_status_t s) {
    switch (s) {
        case dnnl_success: return "success";
        case dnnl_out_of_memory: return "oneDNN has no memory left";
        case dnnl_invalid_arguments: return "oneDNN says: invalid arguments";
        case dnnl_unimplemented: return "oneDNN says: unimplemented";
        case dnnl_runtime_error: return "oneDNN says: error while running";
        default: return "oneDNN gave an unknown status";
    }
}
dnnl_data_type_t dnnl_type_of(element e) {
    switch (e) {
        case element::f32: return dnnl_f32;
        case element::i8: return dnnl_s8;
        case element::u8: return dnnl_u8;
        case element::i32: return dnnl_s32;
        default: refuse("oneDNN is not given tensors of " + std::string(name_of(e)));
    }
}
void onednn_check(dnnl_status_t s) {
    if (s == dnnl_out_of_memory) throw std::bad_alloc();
    if (s != dnnl_success) refuse(text_of(s));
}
}  // namespace v1
}  // namespace inlay

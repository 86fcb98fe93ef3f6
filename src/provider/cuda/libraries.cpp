#include "libraries.hpp"
#include <initializer_list>

namespace inlay {
inline namespace v1 {
namespace {
void* open(std::initializer_list<const char*> names, std::string& problem) {
    for (const char* name : names)
        if (void* library = open_library(name, problem)) {
            problem.clear();
            return library;
        }
    return nullptr;
}
std::string version_text(std::size_t v) {
    return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
}
}  // namespace

const cublaslt_functions& cublaslt() {
    static const cublaslt_functions functions = [] {
        cublaslt_functions f;
        void* const library = open({"libcublasLt.so.13"}, f.problem);
        if (!library) return f;
        f.find_in(library);
        return f;
    }();
    return functions;
}
const cudnn_functions& cudnn() {
    static const cudnn_functions functions = [] {
        cudnn_functions f;
        void* const library =
            open({"libcudnn.so.9", "libcudnn_graph.so.9"}, f.problem);  // the second has all that is used here
        if (!library) return f;
        f.find_in(library);
        if (f.problem.empty() && f.cudnnGetVersion() < 90000)
            f.problem = "version 9 or later is needed, this is " + version_text(f.cudnnGetVersion());
        if (f.problem.empty() && f.cudnnGetCudartVersion() / 1000 != CUDART_VERSION / 1000)
            f.problem = "it is made for CUDA " + std::to_string(f.cudnnGetCudartVersion() / 1000) + ", not " +
                        std::to_string(CUDART_VERSION / 1000);
        return f;
    }();
    return functions;
}
}  // namespace v1
}  // namespace inlay

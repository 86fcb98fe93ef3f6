// CANN's functions as a table, opened when first used: a program must start where there are none. AscendCL is C. The
// compiler of graphs is C++, whose functions are found by their names as the Itanium ABI writes them.
#pragma once
#include <acl/acl.h>
#include <cstdint>
#include <map>
#include <memory>
#include <platform/shared_library.hpp>

namespace inlay {
inline namespace v1 {
#define INLAY_CANN_FUNCTIONS(X) \
    X(aclInit) \
    X(aclGetRecentErrMsg) \
    X(aclrtGetDeviceCount) \
    X(aclrtGetSocName) \
    X(aclrtGetVersion) \
    X(aclrtCreateContext) \
    X(aclrtDestroyContext) \
    X(aclrtSetCurrentContext) \
    X(aclrtMalloc) \
    X(aclrtFree) \
    X(aclrtMemcpy) \
    X(aclCreateDataBuffer) \
    X(aclDestroyDataBuffer) \
    X(aclmdlLoadFromMem) \
    X(aclmdlUnload) \
    X(aclmdlCreateDesc) \
    X(aclmdlDestroyDesc) \
    X(aclmdlGetDesc) \
    X(aclmdlGetNumInputs) \
    X(aclmdlGetNumOutputs) \
    X(aclmdlGetInputSizeByIndex) \
    X(aclmdlGetOutputSizeByIndex) \
    X(aclmdlCreateDataset) \
    X(aclmdlDestroyDataset) \
    X(aclmdlAddDatasetBuffer) \
    X(aclmdlExecute)
// Classes of the compiler as they lie in memory; tests/provider/cann/layout.cpp looks at its headers for that, which
// would bring their static objects along here.
struct cann_string {  // ge::AscendString
    std::shared_ptr<void> text{};
    explicit cann_string(const char*);
    bool operator<(const cann_string&) const;  // as the compiler orders them
};
struct cann_graph {  // ge::Graph
    std::shared_ptr<void> graph{};
};
struct cann_model {  // ge::ModelBufferData, as the reference has it
    std::shared_ptr<std::uint8_t> data = nullptr;
    std::uint64_t length = 0;
};
using cann_options = std::map<cann_string, cann_string>;
using cann_graph_status = std::uint32_t;  // 0: success
struct cann_functions {
    std::string problem;  // empty: all are there, and AscendCL is initialised
    INLAY_CANN_FUNCTIONS(INLAY_DECLARED_FUNCTION)
    cann_graph_status (*build_initialize)(cann_options&) = nullptr;
    void (*build_finalize)() = nullptr;
    cann_graph_status (*build_model)(const cann_graph&, const cann_options&, cann_model&) = nullptr;
    cann_graph_status (*parse_onnx)(const char*, std::size_t, const cann_options&, cann_graph&) = nullptr;
    void (*make_string)(cann_string*, const char*) = nullptr;
    bool (*less)(const cann_string*, const cann_string&) = nullptr;
};
const cann_functions& cann_library();
// What the last call of this thread that failed says, in one line.
std::string text_of_cann(aclError);
}  // namespace v1
}  // namespace inlay

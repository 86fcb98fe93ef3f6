// CANN's functions as a table, opened when first used: a program must start where there are none. AscendCL is C. The
// compiler of graphs is C++, whose functions are found by their names as the Itanium ABI writes them; of its classes
// two are seen here, as CANN's headers declare them, and with no other members called than those that library.cpp
// forwards.
#pragma once
#include <acl/acl.h>
#include <graph/ascend_string.h>
#include <graph/graph.h>
#include <map>
#include <memory>
#include <string>

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
// What CANN's public reference says of the functions whose headers no package has (ge/ge_ir_build.h,
// parser/onnx_parser.h).
using cann_options = std::map<ge::AscendString, ge::AscendString>;
struct cann_model {  // ge::ModelBufferData
    std::shared_ptr<std::uint8_t> data = nullptr;
    std::uint64_t length = 0;
};
struct cann_functions {
    std::string problem;  // empty: all are there, and AscendCL is initialised
#define INLAY_MEMBER(f) decltype(&::f) f = nullptr;
    INLAY_CANN_FUNCTIONS(INLAY_MEMBER)
#undef INLAY_MEMBER
    ge::graphStatus (*build_initialize)(cann_options&) = nullptr;
    void (*build_finalize)() = nullptr;
    ge::graphStatus (*build_model)(const ge::Graph&, const cann_options&, cann_model&) = nullptr;
    ge::graphStatus (*parse_onnx)(const char*, std::size_t, const cann_options&, ge::Graph&) = nullptr;
    void (*make_string)(ge::AscendString*, const char*) = nullptr;
    bool (*less)(const ge::AscendString*, const ge::AscendString&) = nullptr;
};
const cann_functions& cann_library();
// What the last call of this thread that failed says, in one line.
std::string text_of_cann(aclError);
}  // namespace v1
}  // namespace inlay

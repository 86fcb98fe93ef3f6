// The functions of libneuralnetworks.so as a table, opened when first used: a program must start where there is none.
#pragma once
#include "interface.hpp"
#include <memory>
#include <string>
#include <vector>

namespace inlay {
inline namespace v1 {
struct nnapi_functions {
    std::string problem;     // empty: those of level 27 are all there
    std::int64_t level = 0;  // the feature level of the library: what its functions tell, or it itself
    bool chooses_devices() const { return level >= 29; }
#define INLAY_MEMBER(result, name, arguments) result(*name) arguments = nullptr;
    INLAY_NNAPI_FUNCTIONS_27(INLAY_MEMBER)
    INLAY_NNAPI_FUNCTIONS_28(INLAY_MEMBER)
    INLAY_NNAPI_FUNCTIONS_29(INLAY_MEMBER)
    INLAY_NNAPI_FUNCTIONS_31(INLAY_MEMBER)
#undef INLAY_MEMBER
};
const nnapi_functions& nnapi_library();
std::string text_of_nnapi(int status);

struct nnapi_device {
    const ANeuralNetworksDevice* handle = nullptr;
    std::string name, version;
    std::int32_t type = 0;
    std::int64_t level = 0;
    bool is_reference() const { return name == nnapi_interface::reference_device; }
};
std::vector<nnapi_device> nnapi_devices();  // none before level 29, which cannot tell

struct nnapi_deleter {
    void operator()(ANeuralNetworksModel* p) const { nnapi_library().ANeuralNetworksModel_free(p); }
    void operator()(ANeuralNetworksCompilation* p) const { nnapi_library().ANeuralNetworksCompilation_free(p); }
    void operator()(ANeuralNetworksExecution* p) const { nnapi_library().ANeuralNetworksExecution_free(p); }
    void operator()(ANeuralNetworksEvent* p) const { nnapi_library().ANeuralNetworksEvent_free(p); }
};
template <class T> using nnapi_ptr = std::unique_ptr<T, nnapi_deleter>;
}  // namespace v1
}  // namespace inlay

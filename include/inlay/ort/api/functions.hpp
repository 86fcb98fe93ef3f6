// The few functions of ONNX Runtime's C interface that programs over its C++ interface call, as members of a struct, so
// that Ort::GetApi().NAME(...) compiles. Any other NAME does not compile: use Ort::'s classes.
#pragma once
#include "session_options.hpp"

// Each returns a status, null on success; Ort::ThrowOnError() raises it. Release... frees what Create... made.
struct OrtApi : OrtProviderFunctions {
    OrtStatus* CreateStatus(OrtErrorCode code, const char* message) const;
    OrtErrorCode GetErrorCode(const OrtStatus* status) const;
    const char* GetErrorMessage(const OrtStatus* status) const;  // lives as long as the status
    void ReleaseStatus(OrtStatus* status) const;
    const char* GetBuildInfoString() const;

    OrtStatus* AddFreeDimensionOverrideByName(OrtSessionOptions* options, const char* name, std::int64_t size) const;
    OrtStatus* AddSessionConfigEntry(OrtSessionOptions* options, const char* key, const char* value) const;
    OrtStatus* DisablePerSessionThreads(OrtSessionOptions* options) const;
    OrtStatus* SessionOptionsAppendExecutionProvider(OrtSessionOptions* options, const char* name,
                                                     const char* const* keys, const char* const* values,
                                                     std::size_t count) const;

    OrtStatus* CreateThreadingOptions(OrtThreadingOptions** options) const;
    void ReleaseThreadingOptions(OrtThreadingOptions* options) const;
    OrtStatus* SetGlobalIntraOpNumThreads(OrtThreadingOptions* options, int threads) const;
    OrtStatus* SetGlobalInterOpNumThreads(OrtThreadingOptions* options, int threads) const;
    OrtStatus* SetGlobalSpinControl(OrtThreadingOptions* options, int allow_spinning) const;
    OrtStatus* SetGlobalDenormalAsZero(OrtThreadingOptions* options) const;
    OrtStatus* CreateCustomOpDomain(const char* domain, OrtCustomOpDomain** out) const;
    OrtStatus* CustomOpDomain_Add(OrtCustomOpDomain* domain, const OrtCustomOp* op) const;
    void ReleaseCustomOpDomain(OrtCustomOpDomain* domain) const;
};
struct OrtApiBase {
    const OrtApi* GetApi(std::uint32_t version) const;  // null for a newer one than ORT_API_VERSION
    const char* GetVersionString() const;
};
const OrtApiBase* OrtGetApiBase() noexcept;

namespace Ort {
const OrtApi& GetApi() noexcept;
inline void InitApi() noexcept {}  // there is nothing to find at run time
inline void InitApi(const OrtApi*) noexcept {}
}  // namespace Ort

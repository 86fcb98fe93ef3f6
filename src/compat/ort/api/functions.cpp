#include "errors.hpp"
#include "session_options.hpp"
#include "status.hpp"
#include <inlay/ort/api/custom_op.hpp>
#include <algorithm>

static constexpr const char* version_text = "1.22.0 (Inlay " INLAY_VERSION ")";

namespace Ort {
std::string GetVersionString() { return version_text; }
std::string GetBuildInfoString() {
    std::string text = "Inlay " INLAY_VERSION ", providers:";
    for (const inlay::provider_factory& f : inlay::built_providers()) text += " " + std::string(f.name);
    return text;
}
std::vector<std::string> GetAvailableProviders() {
    std::vector<std::string> names = inlay::usable_providers();
    std::ranges::rotate(names, names.begin() + 1);  // the CPU's is first
    return names;
}
const OrtApi& GetApi() noexcept {
    static constexpr OrtApi api{};
    return api;
}
}  // namespace Ort

using namespace Ort::detail;
const OrtApiBase* OrtGetApiBase() noexcept {
    static constexpr OrtApiBase base{};
    return &base;
}
const OrtApi* OrtApiBase::GetApi(std::uint32_t version) const {
    return version <= ORT_API_VERSION ? &Ort::GetApi() : nullptr;
}
const char* OrtApiBase::GetVersionString() const { return version_text; }

OrtStatus* OrtApi::CreateStatus(OrtErrorCode code, const char* message) const {
    return new OrtStatus{code, message ? message : ""};
}
OrtErrorCode OrtApi::GetErrorCode(const OrtStatus* status) const { return status ? status->code : ORT_OK; }
const char* OrtApi::GetErrorMessage(const OrtStatus* status) const { return status ? status->text.c_str() : ""; }
void OrtApi::ReleaseStatus(OrtStatus* status) const { OrtRelease(status); }
const char* OrtApi::GetBuildInfoString() const {
    static const std::string text = Ort::GetBuildInfoString();
    return text.c_str();
}
OrtStatus* OrtApi::AddFreeDimensionOverrideByName(OrtSessionOptions* options, const char* name,
                                                  std::int64_t size) const {
    return status_of([&] { Ort::UnownedSessionOptions(options).AddFreeDimensionOverrideByName(name, size); });
}
OrtStatus* OrtApi::AddSessionConfigEntry(OrtSessionOptions* options, const char* key, const char* value) const {
    return status_of([&] { Ort::UnownedSessionOptions(options).AddConfigEntry(key, value); });
}
OrtStatus* OrtApi::DisablePerSessionThreads(OrtSessionOptions* options) const {
    return status_of([&] { Ort::UnownedSessionOptions(options).DisablePerSessionThreads(); });
}

// A setter of a class, for an object that the caller keeps.
template <class Class, class T, class F> static OrtStatus* with(T* object, F f) {
    return status_of([&] {
        Class owner(&need(object, "object"));
        try {
            f(owner);
        } catch (...) {
            owner.release();
            throw;
        }
        owner.release();
    });
}
OrtStatus* OrtApi::CreateThreadingOptions(OrtThreadingOptions** options) const {
    return status_of([&] { *options = Ort::ThreadingOptions().release(); });
}
void OrtApi::ReleaseThreadingOptions(OrtThreadingOptions* options) const { OrtRelease(options); }
OrtStatus* OrtApi::SetGlobalIntraOpNumThreads(OrtThreadingOptions* options, int threads) const {
    return with<Ort::ThreadingOptions>(options, [&](auto& o) { o.SetGlobalIntraOpNumThreads(threads); });
}
OrtStatus* OrtApi::SetGlobalInterOpNumThreads(OrtThreadingOptions* options, int threads) const {
    return with<Ort::ThreadingOptions>(options, [&](auto& o) { o.SetGlobalInterOpNumThreads(threads); });
}
OrtStatus* OrtApi::SetGlobalSpinControl(OrtThreadingOptions* options, int allow_spinning) const {
    return with<Ort::ThreadingOptions>(options, [&](auto& o) { o.SetGlobalSpinControl(allow_spinning); });
}
OrtStatus* OrtApi::SetGlobalDenormalAsZero(OrtThreadingOptions* options) const {
    return with<Ort::ThreadingOptions>(options, [](auto& o) { o.SetGlobalDenormalAsZero(); });
}
OrtStatus* OrtApi::CreateCustomOpDomain(const char* domain, OrtCustomOpDomain** new_domain) const {
    return status_of([&] { *new_domain = Ort::CustomOpDomain(domain).release(); });
}
OrtStatus* OrtApi::CustomOpDomain_Add(OrtCustomOpDomain* domain, const OrtCustomOp* op) const {
    return with<Ort::CustomOpDomain>(domain, [&](auto& d) { d.Add(op); });
}
void OrtApi::ReleaseCustomOpDomain(OrtCustomOpDomain* domain) const { OrtRelease(domain); }

#include "errors.hpp"
#include "status.hpp"

namespace Ort {
namespace detail {
void OrtRelease(OrtStatus* s) noexcept { delete s; }
}  // namespace detail

Status::Status(const Exception& e) : Base(new OrtStatus{e.GetOrtErrorCode(), e.what()}) {}
Status::Status(const std::exception& e) : Base(new OrtStatus{ORT_FAIL, e.what()}) {}
Status::Status(const char* message, OrtErrorCode code)
    : Base(new OrtStatus{code, detail::need_text(message, "a status's message")}) {}
std::string Status::GetErrorMessage() const { return p_ ? p_->text : std::string(); }
OrtErrorCode Status::GetErrorCode() const { return p_ ? p_->code : ORT_OK; }

void ThrowOnError(OrtStatus* status) {
    if (!status) return;
    const Status owner(status);
    ThrowOnError(owner);
}
void ThrowOnError(const Status& status) {
    if (!status.IsOK()) detail::raise(status.GetErrorCode(), status.GetErrorMessage());
}
}  // namespace Ort

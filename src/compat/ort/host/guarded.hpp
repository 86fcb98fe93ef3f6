// Calls of the user's functions: their exceptions become a Status.
#pragma once
#include <inlay/ort_provider.hpp>

namespace inlay {
inline namespace v1 {
namespace ort {
template <class F> Status guarded(std::string_view step, F f) {
    const auto thrown = [&](std::string_view message) {
        return Status(common::ONNXRUNTIME, common::RUNTIME_EXCEPTION,
                      std::string(step) + " threw: " + std::string(message));
    };
    try {
        return f();
    } catch (const std::exception& e) {
        return thrown(e.what());
    } catch (...) {
        return thrown("something that is no std::exception");
    }
}
// A node that cannot be compiled after all goes to the next provider.
inline error error_of(const Status& s, std::string_view step) {
    const auto code = s.Code() == common::NOT_IMPLEMENTED ? error_code::unsupported_model : error_code::provider_failed;
    return {code, s.ErrorMessage().empty() ? std::string(step) + " failed: " + s.ToString() : s.ErrorMessage()};
}
inline status status_of(const Status& s) {
    switch (s.Code()) {
        case common::OK: return status::ok;
        case common::INVALID_ARGUMENT: return status::invalid_value;
        case common::NOT_IMPLEMENTED: return status::unsupported;
        default: return status::failed;
    }
}
}  // namespace ort
}  // namespace v1
}  // namespace inlay

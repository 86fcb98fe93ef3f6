#include "errors.hpp"
#include "platform/output_file.hpp"
#include "status.hpp"
#include <new>

namespace Ort::detail {
void raise(OrtErrorCode code, const std::string& text) { throw Exception(text, code); }
void write_file(const std::filesystem::path& file, std::string_view bytes) {
    try {
        inlay::write_file(file, bytes);
    } catch (const inlay::error& e) {
        raise(ORT_FAIL, "Ort: " + e.text);
    }
}

OrtErrorCode code_of(inlay::error_code c, OrtErrorCode missing) noexcept {
    using enum inlay::error_code;
    switch (c) {
        case not_found: return missing;
        case invalid_model: return ORT_INVALID_PROTOBUF;
        case unsupported_model:
        case no_provider: return ORT_NOT_IMPLEMENTED;
        case invalid_argument:
        case duplicate_provider:
        case unknown_provider:
        case unknown_option:
        case invalid_option:
        case no_such_level:
        case shape_mismatch:
        case type_mismatch:
        case wrong_memory_space: return ORT_INVALID_ARGUMENT;
        case provider_failed:
        case provider_unavailable:
        case device_lost: return ORT_EP_FAIL;
        case out_of_memory:
        case out_of_memory_limit:
        case invalid_value: return ORT_RUNTIME_EXCEPTION;
        case limit_exceeded:
        case stopped:
        case deadline_passed: return ORT_FAIL;
    }
    return ORT_FAIL;
}

void raise_current(OrtErrorCode missing) {
    try {
        throw;
    } catch (const Exception&) {
        throw;
    } catch (const inlay::error& e) {
        raise(code_of(e.code, missing),
              e.hint.empty() || e.text.find(e.hint) != std::string::npos ? e.text : e.text + "; " + e.hint);
    } catch (const std::bad_alloc&) {
        raise(ORT_RUNTIME_EXCEPTION, "Ort: the system has no memory left");
    } catch (const std::exception& e) {
        raise(ORT_RUNTIME_EXCEPTION, e.what());
    }
}
OrtStatus* status_of_current() {
    try {
        raise_current(ORT_INVALID_ARGUMENT);
    } catch (const Exception& e) {
        return new OrtStatus{e.GetOrtErrorCode(), e.what()};
    }
}
}  // namespace Ort::detail

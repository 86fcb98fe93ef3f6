// Exceptions of Inlay as those of Ort::.
#pragma once
#include <inlay/error.hpp>
#include <inlay/ort/api/base.hpp>
#include <concepts>
#include <filesystem>

namespace Ort::detail {
// `missing`: the code for what was not found, which is a name, or a file where one is read.
OrtErrorCode code_of(inlay::error_code, OrtErrorCode missing) noexcept;
[[noreturn]] void raise_current(OrtErrorCode missing);  // the exception that is being handled, as an Ort::Exception
template <std::invocable F> auto guarded(F f, OrtErrorCode missing = ORT_INVALID_ARGUMENT) {
    try {
        return f();
    } catch (...) {
        raise_current(missing);
    }
}
// The same as a status; null where f() did not throw.
OrtStatus* status_of_current();
template <std::invocable F> OrtStatus* status_of(F f) {
    try {
        f();
        return nullptr;
    } catch (...) {
        return status_of_current();
    }
}
// The object inside a class of Ort::, which may be empty.
template <class T> T& need(T* p, const char* kind) {
    if (!p) raise(ORT_INVALID_ARGUMENT, std::string("Ort: this ") + kind + " is empty");
    return *p;
}
// kind: "input", for the text.
template <class List> auto& checked_at(List&& list, std::size_t index, const char* kind) {
    if (index >= list.size())
        raise(ORT_INVALID_ARGUMENT, std::string("Ort: there is no ") + kind + " " + std::to_string(index) +
                                        "; there are " + std::to_string(list.size()));
    return list[index];
}
void write_file(const std::filesystem::path&, std::string_view bytes);  // ORT_FAIL where it cannot be written
inline const char* need_text(const char* text, const char* subject) {
    if (!text) raise(ORT_INVALID_ARGUMENT, std::string("Ort: ") + subject + " is a null pointer");
    return text;
}
}  // namespace Ort::detail

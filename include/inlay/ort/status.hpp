// The documents' Status, and their macros that create, return and throw one.
#pragma once
#include <inlay/error.hpp>
#include <type_traits>

namespace inlay {
inline namespace v1 {
namespace ort {
namespace common {
enum StatusCategory { NONE = 0, SYSTEM = 1, ONNXRUNTIME = 2 };
enum StatusCode {
    OK = 0,
    FAIL = 1,
    INVALID_ARGUMENT = 2,
    NO_SUCHFILE = 3,
    NO_MODEL = 4,
    ENGINE_ERROR = 5,
    RUNTIME_EXCEPTION = 6,
    INVALID_PROTOBUF = 7,
    MODEL_LOADED = 8,
    NOT_IMPLEMENTED = 9,
    INVALID_GRAPH = 10,
    EP_FAIL = 11
};
class [[nodiscard]] Status {
    StatusCategory category_ = NONE;
    int code_ = common::OK;
    std::string text_;

  public:
    Status() = default;
    Status(StatusCategory category, int code, std::string text = {})
        : category_(category), code_(code), text_(std::move(text)) {}
    static Status OK() { return {}; }
    bool IsOK() const { return code_ == common::OK; }
    int Code() const { return code_; }
    StatusCategory Category() const { return category_; }
    const std::string& ErrorMessage() const { return text_; }
    std::string ToString() const {
        return IsOK() ? "OK" : "status " + std::to_string(code_) + (text_.empty() ? "" : ": " + text_);
    }
};
}  // namespace common
using common::Status;

class OnnxRuntimeException : public std::exception {
    std::string text_;

  public:
    explicit OnnxRuntimeException(std::string text) : text_(std::move(text)) {}
    const char* what() const noexcept override { return text_.c_str(); }
};

namespace detail {
template <class T> std::string text_of(const T& x) {
    if constexpr (std::is_convertible_v<const T&, std::string>)
        return x;
    else if constexpr (std::is_convertible_v<const T&, std::string_view>)
        return std::string(std::string_view(x));
    else if constexpr (std::is_same_v<T, bool>)
        return x ? "true" : "false";
    else if constexpr (std::is_same_v<T, char>)
        return std::string(1, x);
    else if constexpr (std::is_enum_v<T>)
        return std::to_string(std::underlying_type_t<T>(x));
    else if constexpr (std::is_arithmetic_v<T>)
        return std::to_string(x);
    else
        return x.ToString();
}
[[noreturn]] inline void throw_text(std::string text) {
#ifdef __cpp_exceptions
    throw OnnxRuntimeException(std::move(text));
#else
    raise(error(error_code::provider_failed, std::move(text)));
#endif
}
}  // namespace detail
template <class... T> std::string MakeString(const T&... parts) {
    std::string text;
    ((text += detail::text_of(parts)), ...);
    return text;
}
}  // namespace ort
}  // namespace v1
}  // namespace inlay

#define ORT_MAKE_STATUS(category, code, ...) \
    ::inlay::ort::common::Status(::inlay::ort::common::category, ::inlay::ort::common::code, \
                                 ::inlay::ort::MakeString(__VA_ARGS__))
#define ORT_THROW(...) ::inlay::ort::detail::throw_text(::inlay::ort::MakeString(__VA_ARGS__))
#define ORT_NOT_IMPLEMENTED(...) ORT_THROW(__VA_ARGS__)
#define ORT_ENFORCE(condition, ...) \
    do { \
        if (!(condition)) ORT_THROW(#condition " was false. " __VA_OPT__(, ) __VA_ARGS__); \
    } while (false)
#define ORT_RETURN_IF(condition, ...) \
    do { \
        if (condition) return ORT_MAKE_STATUS(ONNXRUNTIME, FAIL, #condition " was true. " __VA_OPT__(, ) __VA_ARGS__); \
    } while (false)
#define ORT_RETURN_IF_NOT(condition, ...) \
    do { \
        if (!(condition)) \
            return ORT_MAKE_STATUS(ONNXRUNTIME, FAIL, #condition " was false. " __VA_OPT__(, ) __VA_ARGS__); \
    } while (false)
#define ORT_RETURN_IF_ERROR(expression) \
    do { \
        if (::inlay::ort::common::Status ort_status = (expression); !ort_status.IsOK()) return ort_status; \
    } while (false)
#define ORT_THROW_IF_ERROR(expression) \
    do { \
        if (::inlay::ort::common::Status ort_status = (expression); !ort_status.IsOK()) \
            ORT_THROW(ort_status.ErrorMessage()); \
    } while (false)
#define ORT_UNUSED_PARAMETER(x) (void)(x)

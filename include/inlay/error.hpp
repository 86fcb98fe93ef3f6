// Run-time errors: a result without exceptions, or raise() with them.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <concepts>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace inlay {
inline namespace v1 {
enum class error_code : unsigned char {
    invalid_argument,
    not_found,
    invalid_model,
    unsupported_model,
    limit_exceeded,
    no_provider,
    duplicate_provider,
    unknown_provider,
    unknown_option,
    invalid_option,
    no_such_level,
    shape_mismatch,
    type_mismatch,
    wrong_memory_space,
    out_of_memory,
    provider_failed,
    invalid_value,
    stopped,
    deadline_passed,
    provider_unavailable,
    out_of_memory_limit,
    device_lost
};
constexpr std::string_view name_of(error_code c) {
    constexpr std::string_view names[] = {
        "invalid_argument",    "not_found",          "invalid_model",    "unsupported_model",  "limit_exceeded",
        "no_provider",         "duplicate_provider", "unknown_provider", "unknown_option",     "invalid_option",
        "no_such_level",       "shape_mismatch",     "type_mismatch",    "wrong_memory_space", "out_of_memory",
        "provider_failed",     "invalid_value",      "stopped",          "deadline_passed",    "provider_unavailable",
        "out_of_memory_limit", "device_lost"};
    return names[int(c)];
}

// What went wrong, where, and what may help. Members that do not apply are empty.
struct error : std::exception {
    error_code code = error_code::invalid_argument;
    std::string text;  // one line, complete without the other members
    std::string node{}, op{}, provider{}, shapes{}, hint{};
    int version = 0;  // of the operator's schema
    error() = default;
    error(error_code c, std::string t) : code(c), text(std::move(t)) {}
    const char* what() const noexcept override { return text.c_str(); }
};

inline void (*on_error)(const error&) = nullptr;  // called before abort() in builds without exceptions
[[noreturn]] inline void raise(error e) {
#ifdef __cpp_exceptions
    throw e;
#else
    if (on_error) on_error(e);
    std::abort();
#endif
}

template <class T> class [[nodiscard]] result {
    std::variant<T, error> v;

  public:
    result(T t) : v(std::in_place_index<0>, std::move(t)) {}
    result(error e) : v(std::in_place_index<1>, std::move(e)) {}
    template <std::convertible_to<T> U>  // as a pointer to a derived type
    requires(!std::same_as<std::remove_cvref_t<U>, T> && !std::same_as<std::remove_cvref_t<U>, result>) result(U&& u)
        : v(std::in_place_index<0>, std::forward<U>(u)) {}
    explicit operator bool() const { return v.index() == 0; }
    T& operator*() { return *std::get_if<0>(&v); }
    T* operator->() { return std::get_if<0>(&v); }
    const T& operator*() const { return *std::get_if<0>(&v); }
    const error& why() const { return *std::get_if<1>(&v); }
    T value_or_raise() && {
        if (!*this) raise(why());
        return std::move(**this);
    }
};
template <> class [[nodiscard]] result<void> {
    std::optional<error> e;

  public:
    result() = default;
    result(error reason) : e(std::move(reason)) {}
    explicit operator bool() const { return !e; }
    const error& why() const { return *e; }
    void value_or_raise() && {
        if (e) raise(*e);
    }
};
}  // namespace v1
}  // namespace inlay

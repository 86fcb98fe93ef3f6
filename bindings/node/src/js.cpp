#include "js.hpp"
#include <cmath>
#include <new>

namespace inlay_node {
namespace {
constexpr double greatest_integer = 9007199254740991;  // that a number of JavaScript has exactly
constexpr std::size_t longest_dims = 64;               // more than any tensor has, which the library checks

napi_value referenced(napi_env env, napi_ref reference) {
    napi_value value = nullptr;
    check(env, napi_get_reference_value(env, reference, &value));
    return value;
}
napi_value error_with(napi_env env, const std::string& text, napi_value fields) {
    const napi_value arguments[] = {text_value(env, text), fields};
    napi_value error = nullptr;
    check(env, napi_new_instance(env, referenced(env, environment_of(env).error_class), 2, arguments, &error));
    return error;
}
std::u16string units_of(napi_env env, napi_value value, const std::string& subject) {
    if (type_of(env, value) != napi_string) throw_type_error(env, "inlay: " + subject + " must be a string");
    std::size_t length = 0;
    check(env, napi_get_value_string_utf16(env, value, nullptr, 0, &length));
    std::u16string units(length + 1, u'\0');
    check(env, napi_get_value_string_utf16(env, value, units.data(), units.size(), &length));
    units.resize(length);
    return units;
}
void append_utf8(std::string& text, char32_t point) {
    const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((point >> shift) & 0x3f)); };
    if (point < 0x80) {
        text += static_cast<char>(point);
    } else if (point < 0x800) {
        text += static_cast<char>(0xc0 | (point >> 6));
        tail(0);
    } else if (point < 0x10000) {
        text += static_cast<char>(0xe0 | (point >> 12));
        tail(6), tail(0);
    } else {
        text += static_cast<char>(0xf0 | (point >> 18));
        tail(12), tail(6), tail(0);
    }
}
bool is_high(char16_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low(char16_t unit) { return unit >= 0xdc00 && unit < 0xe000; }
}  // namespace

environment& environment_of(napi_env env) {
    void* data = nullptr;
    napi_get_instance_data(env, &data);
    return *static_cast<environment*>(data);
}
void check(napi_env env, napi_status status) {
    if (status == napi_ok) return;
    const napi_extended_error_info* info = nullptr;
    napi_get_last_error_info(env, &info);
    bool is_pending = false;
    napi_is_exception_pending(env, &is_pending);
    if (!is_pending)
        napi_throw_error(env, nullptr, info && info->error_message ? info->error_message : "Node-API failed");
    throw exception_pending{};
}
void throw_type_error(napi_env env, const std::string& text) {
    napi_throw_type_error(env, nullptr, text.c_str());
    throw exception_pending{};
}
void throw_range_error(napi_env env, const std::string& text) {
    napi_throw_range_error(env, nullptr, text.c_str());
    throw exception_pending{};
}

napi_value error_of(napi_env env, const inlay_failure* failure) {
    const napi_value fields = object_value(env);
    set(env, fields, "code", text_value(env, inlay_failure_name(failure)));
    set(env, fields, "node", text_value(env, inlay_failure_node(failure)));
    set(env, fields, "operator", text_value(env, inlay_failure_op(failure)));
    set(env, fields, "operatorVersion", number_value(env, inlay_failure_op_version(failure)));
    set(env, fields, "provider", text_value(env, inlay_failure_provider(failure)));
    set(env, fields, "shapes", text_value(env, inlay_failure_shapes(failure)));
    set(env, fields, "hint", text_value(env, inlay_failure_hint(failure)));
    return error_with(env, inlay_failure_text(failure), fields);
}
napi_value error_of(napi_env env, std::string_view code, const std::string& text) {
    const napi_value fields = object_value(env);
    set(env, fields, "code", text_value(env, code));
    return error_with(env, text, fields);
}
void throw_error(napi_env env, std::string_view code, const std::string& text) {
    check(env, napi_throw(env, error_of(env, code, text)));
    throw exception_pending{};
}
napi_value exception_taken(napi_env env) {
    napi_value exception = nullptr;
    napi_get_and_clear_last_exception(env, &exception);
    return exception;
}

napi_value undefined(napi_env env) {
    napi_value value = nullptr;
    check(env, napi_get_undefined(env, &value));
    return value;
}
napi_value text_value(napi_env env, std::string_view text) {
    napi_value value = nullptr;
    check(env, napi_create_string_utf8(env, text.data(), text.size(), &value));
    return value;
}
napi_value number_value(napi_env env, double number) {
    napi_value value = nullptr;
    check(env, napi_create_double(env, number, &value));
    return value;
}
napi_value bool_value(napi_env env, bool flag) {
    napi_value value = nullptr;
    check(env, napi_get_boolean(env, flag, &value));
    return value;
}
napi_value array_value(napi_env env, std::size_t length) {
    napi_value value = nullptr;
    check(env, napi_create_array_with_length(env, length, &value));
    return value;
}
napi_value object_value(napi_env env) {
    napi_value value = nullptr;
    check(env, napi_create_object(env, &value));
    return value;
}
void set(napi_env env, napi_value object, const char* name, napi_value value) {
    check(env, napi_set_named_property(env, object, name, value));
}
void set(napi_env env, napi_value array, std::size_t index, napi_value value) {
    check(env, napi_set_element(env, array, static_cast<std::uint32_t>(index), value));
}
void append(napi_env env, napi_value array, napi_value value) {
    std::uint32_t length = 0;
    check(env, napi_get_array_length(env, array, &length));
    set(env, array, length, value);
}

napi_valuetype type_of(napi_env env, napi_value value) {
    napi_valuetype type = napi_undefined;
    check(env, napi_typeof(env, value, &type));
    return type;
}
bool is_absent(napi_env env, napi_value value) {
    const napi_valuetype type = type_of(env, value);
    return type == napi_undefined || type == napi_null;
}
napi_value property(napi_env env, napi_value object, const char* name) {
    napi_value value = nullptr;
    check(env, napi_get_named_property(env, object, name, &value));
    return value;
}
std::vector<napi_value> elements_of(napi_env env, napi_value value, const std::string& subject) {
    bool is_array = false;
    check(env, napi_is_array(env, value, &is_array));
    if (!is_array) throw_type_error(env, "inlay: " + subject + " must be an array");
    std::uint32_t length = 0;
    check(env, napi_get_array_length(env, value, &length));
    std::vector<napi_value> elements(length);
    for (std::uint32_t k = 0; k < length; ++k) check(env, napi_get_element(env, value, k, &elements[k]));
    return elements;
}
std::string string_of(napi_env env, napi_value value, const std::string& subject) {
    const std::u16string units = units_of(env, value, subject);
    std::string text;
    text.reserve(units.size());
    for (std::size_t k = 0; k < units.size(); ++k) {
        const char16_t unit = units[k];
        const bool has_pair = is_high(unit) && k + 1 < units.size() && is_low(units[k + 1]);
        if (has_pair) {
            append_utf8(text, 0x10000 + ((char32_t(unit) - 0xd800) << 10) + (char32_t(units[++k]) - 0xdc00));
        } else if (is_high(unit) || is_low(unit)) {
            throw_type_error(env, "inlay: " + subject + " has half of a surrogate pair, which UTF-8 cannot have");
        } else {
            append_utf8(text, unit);
        }
    }
    return text;
}
std::string name_of(napi_env env, napi_value value, const std::string& subject) {
    std::string text = string_of(env, value, subject);
    if (text.find('\0') != std::string::npos) throw_type_error(env, "inlay: " + subject + " has a NUL within");
    return text;
}
std::vector<std::string> names_of(napi_env env, napi_value value, const std::string& subject) {
    std::vector<std::string> names;
    for (const napi_value element : elements_of(env, value, subject))
        names.push_back(name_of(env, element, "an element of " + subject));
    return names;
}
std::int64_t integer_of(napi_env env, napi_value value, const std::string& subject) {
    double number = 0;
    if (type_of(env, value) != napi_number) throw_type_error(env, "inlay: " + subject + " must be an integer");
    check(env, napi_get_value_double(env, value, &number));
    if (number != std::floor(number)) throw_type_error(env, "inlay: " + subject + " must be an integer");
    if (number < 0 || number > greatest_integer)
        throw_range_error(env, "inlay: " + subject + " must be a non-negative integer below 2^53");
    return static_cast<std::int64_t>(number);
}
std::vector<std::int64_t> dims_of(napi_env env, napi_value value, const std::string& subject) {
    const std::vector<napi_value> elements = elements_of(env, value, subject);
    if (elements.size() > longest_dims)
        throw_range_error(env, "inlay: " + subject + " has " + std::to_string(elements.size()) + " dimensions");
    std::vector<std::int64_t> dims;
    for (const napi_value element : elements) dims.push_back(integer_of(env, element, "each of " + subject));
    return dims;
}
std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    return pointers;
}

call::call(napi_env environment, napi_callback_info info) : env(environment), arguments{} {
    std::size_t count = std::size(arguments);
    check(env, napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr));
}
napi_value guarded(napi_env env, napi_callback_info info, function body) noexcept {
    try {
        try {
            return body(call(env, info));
        } catch (const failed& e) {
            check(env, napi_throw(env, error_of(env, e.failure.get())));
        } catch (const std::bad_alloc&) {
            throw_error(env, "out_of_memory", "inlay: there is no memory for the call");
        }
    } catch (const exception_pending&) {
    } catch (...) {
        napi_throw_error(env, nullptr, "inlay: the call failed, and so did the report of that");
    }
    return nullptr;
}
void define(napi_env env, napi_value exports, const char* name, napi_callback callback) {
    napi_value value = nullptr;
    check(env, napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, nullptr, &value));
    set(env, exports, name, value);
}
}  // namespace inlay_node

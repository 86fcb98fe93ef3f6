// Inputs as the body of a request: JSON alone, or JSON with the tensors' bytes behind it.
#include "element_bytes.hpp"
#include "json_text.hpp"
#include "protocol.hpp"
#include <charconv>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace {
// The shortest text that reads back as the same number, with a point: readers take "-0" for the integer 0.
template <class T> void append(std::string& to, T x) {
    char digits[32];
    const char* const end = std::to_chars(digits, std::end(digits), x).ptr;
    const std::string_view text(digits, std::size_t(end - digits));
    to += text;
    if (std::is_floating_point_v<T> && text.find_first_of(".e") == text.npos) to += ".0";
}
template <class T> auto number_of(T x) {
    if constexpr (std::same_as<T, float16>)
        return float(x);
    else
        return x;
}
std::string quotation(const std::string& text) { return nlohmann::json(text).dump(); }

// False at the first element that JSON has not.
template <class T> bool append_elements(std::string& to, const buffer& b) {
    const T* const x = b.as<T>();
    const std::int64_t count = b.dims.elements();
    for (std::int64_t i = 0; i < count; ++i) {
        if (i) to += ',';
        if constexpr (std::same_as<T, bool>)
            to += x[i] ? "true" : "false";
        else if constexpr (std::same_as<T, std::string>) {
            try {
                to += quotation(x[i]);
            } catch (const nlohmann::json::exception&) {
                return false;  // it is no UTF-8
            }
        } else {
            const auto number = number_of(x[i]);
            if constexpr (std::is_floating_point_v<decltype(number)>)
                if (!std::isfinite(number)) return false;
            append(to, number);
        }
    }
    return true;
}
bool append_elements(std::string& to, const buffer& b) {
    switch (b.type) {
        case element::boolean: return append_elements<bool>(to, b);
        case element::u8: return append_elements<std::uint8_t>(to, b);
        case element::u16: return append_elements<std::uint16_t>(to, b);
        case element::u32: return append_elements<std::uint32_t>(to, b);
        case element::u64: return append_elements<std::uint64_t>(to, b);
        case element::i8: return append_elements<std::int8_t>(to, b);
        case element::i16: return append_elements<std::int16_t>(to, b);
        case element::i32: return append_elements<std::int32_t>(to, b);
        case element::i64: return append_elements<std::int64_t>(to, b);
        case element::f16: return append_elements<float16>(to, b);
        case element::f32: return append_elements<float>(to, b);
        case element::f64: return append_elements<double>(to, b);
        case element::string: return append_elements<std::string>(to, b);
        default: return false;  // datatype_of() has no others without `binary`
    }
}
void append_dims(std::string& to, const shape& dims) {
    to += '[';
    for (int i = 0; i < dims.rank; ++i) {
        if (i) to += ',';
        append(to, dims[i]);
    }
    to += ']';
}
}  // namespace

std::string write_request(std::span<const remote_port> ports, std::span<const buffer> inputs,
                          std::span<const remote_port> outputs, bool binary, std::string& text,
                          std::size_t& json_bytes) {
    text = R"({"inputs":[)";
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const buffer& b = inputs[k];
        text += (k ? R"(,{"name":)" : R"({"name":)") + quotation(ports[k].name) + R"(,"shape":)";
        append_dims(text, b.dims);
        text += R"(,"datatype":")" + std::string(datatype_of(b.type, binary)) + '"';
        if (binary) {
            text += R"(,"parameters":{"binary_data_size":)";
            append(text, byte_count(b));
            text += "}}";
            continue;
        }
        text += R"(,"data":[)";
        if (!append_elements(text, b))
            return "input `" + ports[k].name + "` has " +
                   (b.type == element::string ? "a string that is no UTF-8" : "a NaN or an infinity") +
                   ", which JSON has not; with `binary` it goes";
        text += "]}";
    }
    text += R"(],"outputs":[)";
    for (std::size_t k = 0; k < outputs.size(); ++k)
        text += (k ? R"(,{"name":)" : R"({"name":)") + quotation(outputs[k].name) +
                (binary ? R"(,"parameters":{"binary_data":true}})" : "}");
    text += "]}";
    json_bytes = text.size();
    if (binary)
        for (const buffer& b : inputs)
            if (!append_bytes(text, b)) return "a string of the inputs has 4 GiB or more";
    return {};
}
}  // namespace v1
}  // namespace inlay

// Answers of a server, which may be anything: nothing of them is believed before it is checked.
#include "element_bytes.hpp"
#include "json_text.hpp"
#include "protocol.hpp"
#include <algorithm>
#include <cmath>

namespace inlay {
inline namespace v1 {
namespace {
using nlohmann::json;

// False where it rounds to infinity.
bool round(double x, float& to) {
    constexpr double first_infinity = 0x1.ffffffp127, largest = std::numeric_limits<float>::max();
    if (!(std::abs(x) < first_infinity)) return false;
    to = float(std::clamp(x, -largest, largest));
    return true;
}
template <class T> bool read_element(const json& j, T& to) {
    if constexpr (std::same_as<T, std::string>) {
        if (!j.is_string()) return false;
        to = *j.get_ptr<const std::string*>();
    } else if constexpr (std::same_as<T, bool>) {
        if (!j.is_boolean()) return false;
        to = j.get<bool>();
    } else if constexpr (std::integral<T>) {
        if (j.is_number_unsigned()) {
            const auto x = j.get<std::uint64_t>();
            if (!std::in_range<T>(x)) return false;
            to = T(x);
        } else {
            if (!j.is_number_integer() || !std::in_range<T>(j.get<std::int64_t>())) return false;
            to = T(j.get<std::int64_t>());
        }
    } else {
        if (!j.is_number()) return false;
        const auto x = j.get<double>();  // finite: the parser refuses others
        if constexpr (std::same_as<T, double>)
            to = x;
        else if constexpr (std::same_as<T, float>)
            return round(x, to);
        else {
            float f = 0;
            if (!round(x, f)) return false;
            to = T(f);
            return std::isfinite(float(to));
        }
    }
    return true;
}
// Elements in one list, or in lists in lists as the dimensions have them.
template <class T> class element_reader {
    const buffer& to_;
    std::int64_t next_ = 0;

    bool read(const json& list, int axis, bool flat) {
        const std::int64_t count = flat ? to_.dims.elements() : to_.dims[axis];
        if (!list.is_array() || std::int64_t(list.size()) != count) return false;
        const bool leaves = flat || axis + 1 == to_.dims.rank;
        for (const json& item : list)
            if (!(leaves ? read_element(item, to_.as<T>()[next_++]) : read(item, axis + 1, false))) return false;
        return true;
    }

  public:
    explicit element_reader(const buffer& to) : to_(to) {}
    bool read(const json& data) {
        const bool nested = data.is_array() && !data.empty() && data.front().is_array();
        return read(data, 0, !nested || to_.dims.rank == 0);
    }
};
template <class T> bool read_elements(const json& data, const buffer& to) { return element_reader<T>(to).read(data); }
bool read_elements(const json& data, const buffer& to) {
    switch (to.type) {
        case element::boolean: return read_elements<bool>(data, to);
        case element::u8: return read_elements<std::uint8_t>(data, to);
        case element::u16: return read_elements<std::uint16_t>(data, to);
        case element::u32: return read_elements<std::uint32_t>(data, to);
        case element::u64: return read_elements<std::uint64_t>(data, to);
        case element::i8: return read_elements<std::int8_t>(data, to);
        case element::i16: return read_elements<std::int16_t>(data, to);
        case element::i32: return read_elements<std::int32_t>(data, to);
        case element::i64: return read_elements<std::int64_t>(data, to);
        case element::f16: return read_elements<float16>(data, to);
        case element::f32: return read_elements<float>(data, to);
        case element::f64: return read_elements<double>(data, to);
        case element::string: return read_elements<std::string>(data, to);
        default: return false;
    }
}
// The outputs one after another, each with the bytes behind the JSON that are its own.
class answer_reader {
    std::string_view tensors_;
    std::span<const remote_port> ports_;
    std::span<const buffer> outputs_;
    std::vector<char> has_output_;

    std::string read(const json& output) {
        const std::string* const name = text_member(output, "name");
        if (!name) return "one of its outputs has no name";
        const json* const parameters = member(output, "parameters");
        const json* const size = parameters ? member(*parameters, "binary_data_size") : nullptr;
        std::string_view bytes;
        if (size) {
            if (!size->is_number_unsigned() || size->get<std::uint64_t>() > tensors_.size())
                return "it has fewer bytes than its binary_data_size say";
            bytes = tensors_.substr(0, size->get<std::size_t>());
            tensors_.remove_prefix(bytes.size());
        }
        const auto at = std::ranges::find(ports_, *name, &remote_port::name);
        if (at == ports_.end()) return {};  // more than was requested
        const auto k = std::size_t(at - ports_.begin());
        if (has_output_[k]) return "it has the output `" + *name + "` twice";
        has_output_[k] = 1;
        const std::string reason = fill(output, size ? &bytes : nullptr, outputs_[k]);
        return reason.empty() ? reason : "its output `" + *name + "` " + reason;
    }
    static std::string fill(const json& output, const std::string_view* bytes, const buffer& to) {
        const std::string* const datatype = text_member(output, "datatype");
        const std::string expected(datatype_of(to.type, true));
        if (!datatype || *datatype != expected) return "is not of the datatype " + expected;
        const json* const dims = member(output, "shape");
        std::vector<std::int64_t> shape;
        if (!dims || !read_dims(*dims, shape) || !std::ranges::equal(shape, to.dims))
            return "has not the shape " + to_string(to.dims);
        if (bytes) return read_bytes(*bytes, to) ? "" : "has not the bytes of its shape and type";
        const json* const data = member(output, "data");
        if (!data) return "has no data";
        return read_elements(*data, to) ? ""
                                        : "has data that are not the elements of its shape and type (null stands for "
                                          "NaN or infinity, and does not tell which)";
    }

  public:
    answer_reader(std::string_view tensors, std::span<const remote_port> ports, std::span<const buffer> outputs)
        : tensors_(tensors), ports_(ports), outputs_(outputs), has_output_(ports.size(), 0) {}
    std::string read_all(const json& list) {
        for (const json& output : list)
            if (std::string reason = read(output); !reason.empty()) return reason;
        if (!tensors_.empty()) return "it has bytes behind its tensors";
        for (std::size_t k = 0; k < ports_.size(); ++k)
            if (!has_output_[k]) return "it has no output `" + ports_[k].name + "`";
        return {};
    }
};
// For each output, of each element: a number with its comma, and the brackets of lists in lists.
std::size_t most_of_each(std::span<const buffer> outputs, std::size_t fixed, std::size_t number, std::size_t bracket) {
    std::size_t bytes = fixed;
    for (const buffer& b : outputs)
        bytes += std::size_t(b.dims.elements()) * (number + bracket * std::size_t(b.dims.rank));
    return bytes;
}
}  // namespace

std::size_t most_answer_bytes(std::span<const buffer> outputs) {
    const bool has_strings = std::ranges::count(outputs, element::string, &buffer::type) > 0;
    return most_of_each(outputs, (has_strings ? 17 : 1) << 20, 48, 16);
}

std::string read_answer(std::string_view text, std::optional<std::size_t> json_bytes,
                        std::span<const remote_port> ports, std::span<const buffer> outputs) {
    if (json_bytes && *json_bytes > text.size()) return "it is shorter than its Inference-Header-Content-Length";
    const std::string_view head = json_bytes ? text.substr(0, *json_bytes) : text;
    if (!is_modest(head, most_of_each(outputs, 10000, 1, 1))) return "its JSON has more values than the outputs have";
    const json answer = parsed(head);
    const json* const list = member(answer, "outputs");
    if (!list || !list->is_array()) return "it is no JSON object with `outputs`";
    return answer_reader(text.substr(head.size()), ports, outputs).read_all(*list);
}
std::string error_text(std::string_view text) {
    constexpr std::size_t most_values = 1000;
    if (is_modest(text, most_values))
        if (const json answer = parsed(text); const std::string* error = text_member(answer, "error")) return *error;
    return std::string(text);
}
}  // namespace v1
}  // namespace inlay

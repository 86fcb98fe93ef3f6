// Outputs of an answer by gRPC: as numbers of the message's own fields, or as raw bytes.
#include "element_bytes.hpp"
#include "grpc_outputs.hpp"
#include <algorithm>

namespace inlay {
inline namespace v1 {
namespace {
namespace infer_response {
constexpr int outputs = 5, raw_outputs = 6;
}

int contents_field(element e) {  // 0: there is none
    switch (e) {
        case element::boolean: return 1;
        case element::i8:
        case element::i16:
        case element::i32: return 2;
        case element::i64: return 3;
        case element::u8:
        case element::u16:
        case element::u32: return 4;
        case element::u64: return 5;
        case element::f32: return 6;
        case element::f64: return 7;
        case element::string: return 8;
        default: return 0;
    }
}
template <class T> constexpr wire kind_of() {
    if constexpr (std::same_as<T, float>) return wire::four_bytes;
    if constexpr (std::same_as<T, double>) return wire::eight_bytes;
    return wire::varint;
}
template <class T> bool from_bits(std::uint64_t bits, T& to) {
    if constexpr (std::same_as<T, float>) {
        to = std::bit_cast<float>(std::uint32_t(bits));
    } else if constexpr (std::same_as<T, double>) {
        to = std::bit_cast<double>(bits);
    } else if constexpr (std::same_as<T, bool>) {
        if (bits > 1) return false;
        to = bits == 1;
    } else {
        const auto number = std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>(bits);
        if (!std::in_range<T>(number)) return false;
        to = T(number);
    }
    return true;
}
// Elements as the message InferTensorContents has them: a repeated field for each kind of numbers.
template <class T> bool read_contents(std::string_view message, const buffer& to) {
    const std::int64_t count = to.dims.elements();
    std::int64_t next = 0;
    const auto put = [&](std::uint64_t bits) { return next < count && from_bits(bits, to.as<T>()[next++]); };
    message_reader fields(message);
    for (wire_field f; fields.next(f);)
        if (f.number == std::uint64_t(contents_field(to.type)) && !each_number(f, kind_of<T>(), put)) return false;
    return fields.good() && next == count;
}
template <> bool read_contents<std::string>(std::string_view message, const buffer& to) {
    const std::int64_t count = to.dims.elements();
    std::int64_t next = 0;
    message_reader fields(message);
    for (wire_field f; fields.next(f);) {
        if (f.number != std::uint64_t(contents_field(to.type))) continue;
        if (f.kind != wire::bytes || next == count) return false;
        to.as<std::string>()[next++] = f.bytes;
    }
    return fields.good() && next == count;
}
bool read_contents(std::string_view message, const buffer& to) {
    switch (to.type) {
        case element::boolean: return read_contents<bool>(message, to);
        case element::u8: return read_contents<std::uint8_t>(message, to);
        case element::u16: return read_contents<std::uint16_t>(message, to);
        case element::u32: return read_contents<std::uint32_t>(message, to);
        case element::u64: return read_contents<std::uint64_t>(message, to);
        case element::i8: return read_contents<std::int8_t>(message, to);
        case element::i16: return read_contents<std::int16_t>(message, to);
        case element::i32: return read_contents<std::int32_t>(message, to);
        case element::i64: return read_contents<std::int64_t>(message, to);
        case element::f32: return read_contents<float>(message, to);
        case element::f64: return read_contents<double>(message, to);
        case element::string: return read_contents<std::string>(message, to);
        default: return false;
    }
}

// Each output has elements in its contents, or in the next of the raw outputs.
class grpc_outputs {
    std::span<const remote_port> ports_;
    std::span<const buffer> outputs_;
    std::vector<char> has_output_;
    std::vector<std::string_view> tensors_{}, raw_{};
    std::size_t next_raw_ = 0;

    std::string read(const tensor_message& t) {
        const bool is_raw = t.contents.empty() && next_raw_ < raw_.size();
        const std::string_view bytes = is_raw ? raw_[next_raw_++] : t.contents;
        const auto at = std::ranges::find(ports_, t.port.name, &remote_port::name);
        if (at == ports_.end()) return {};  // more than was requested
        const auto k = std::size_t(at - ports_.begin());
        const buffer& to = outputs_[k];
        const std::string output = "its output `" + t.port.name + "` ";
        if (has_output_[k]) return "it has the output `" + t.port.name + "` twice";
        has_output_[k] = 1;
        const std::string_view expected = datatype_of(to.type, true);
        if (t.port.datatype != expected) return output + "is not of the datatype " + std::string(expected);
        if (!std::ranges::equal(t.port.dims, to.dims)) return output + "has not the shape " + to_string(to.dims);
        const bool good = is_raw ? read_bytes(bytes, to) : read_contents(bytes, to);
        return good ? "" : output + "has not the elements of its shape and type";
    }

  public:
    grpc_outputs(std::span<const remote_port> ports, std::span<const buffer> outputs)
        : ports_(ports), outputs_(outputs), has_output_(ports.size(), 0) {}
    std::string read_all(std::string_view message) {
        message_reader fields(message);
        for (wire_field f; fields.next(f);) {
            if (f.kind != wire::bytes) continue;
            if (f.number == infer_response::outputs) tensors_.push_back(f.bytes);
            if (f.number == infer_response::raw_outputs) raw_.push_back(f.bytes);
        }
        if (!fields.good()) return "it is no message of the protocol";
        for (const std::string_view bytes : tensors_) {
            tensor_message t;
            if (!read_tensor(bytes, t)) return "one of its outputs is no tensor of the protocol";
            if (std::string reason = read(t); !reason.empty()) return reason;
        }
        if (next_raw_ != raw_.size()) return "it has more raw outputs than outputs";
        for (std::size_t k = 0; k < ports_.size(); ++k)
            if (!has_output_[k]) return "it has no output `" + ports_[k].name + "`";
        return {};
    }
};
}  // namespace

bool read_tensor(std::string_view bytes, tensor_message& to) {
    message_reader fields(bytes);
    for (wire_field f; fields.next(f);) {
        if (f.number == tensor_field::shape) {
            const auto take = [&](std::uint64_t bits) {
                to.port.dims.push_back(std::int64_t(bits));
                return true;
            };
            if (!each_number(f, wire::varint, take)) return false;
            continue;
        }
        const bool is_text =
            f.number == tensor_field::name || f.number == tensor_field::datatype || f.number == tensor_field::contents;
        if (!is_text) continue;
        if (f.kind != wire::bytes) return false;
        if (f.number == tensor_field::name) to.port.name = f.bytes;
        if (f.number == tensor_field::datatype) to.port.datatype = f.bytes;
        if (f.number == tensor_field::contents) to.contents = f.bytes;
    }
    return fields.good();
}
std::string read_grpc_outputs(std::string_view infer_response, std::span<const remote_port> ports,
                              std::span<const buffer> outputs) {
    return grpc_outputs(ports, outputs).read_all(infer_response);
}
}  // namespace v1
}  // namespace inlay

// Messages that are parts of others, written field by field, in the order in which they are given.
#pragma once
#include <span>
#include <support/protobuf_wire.hpp>

namespace inlay {
inline namespace v1 {
class message {
    std::string bytes_;

    message_writer writer() { return message_writer(bytes_); }

  public:
    const std::string& bytes() const { return bytes_; }
    message& number(int field, std::uint64_t x) {
        writer().add(field, std::int64_t(x));
        return *this;
    }
    message& text(int field, std::string_view s) {
        writer().add(field, s);
        return *this;
    }
    message& part(int field, const message& m) { return text(field, m.bytes_); }
    // An entry of a map from texts to messages.
    message& entry(int field, std::string_view name, const message& m) {
        return part(field, message().text(1, name).part(2, m));
    }
    // Repeated numbers in one field: integers of 32 bits, or bools.
    message& numbers(int field, std::span<const std::int64_t> list) {
        message varints;
        for (const std::int64_t x : list) varints.writer().varint(std::uint64_t(x));
        return part(field, varints);
    }
    message& numbers(int field, std::span<const float> list) {
        return text(field, {reinterpret_cast<const char*>(list.data()), list.size_bytes()});
    }
};
}  // namespace v1
}  // namespace inlay

// Messages of Protocol Buffers, written field by field: what a schema says of a message stands beside the code that
// writes it. Fields are written in the order in which they are given.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace inlay {
inline namespace v1 {
class message {
    std::string bytes_;

    void varint(std::uint64_t x) {
        for (; x >= 0x80; x >>= 7) bytes_ += char(x | 0x80);
        bytes_ += char(x);
    }
    void key(int field, int wire_type) { varint(std::uint64_t(field) << 3 | std::uint64_t(wire_type)); }

  public:
    const std::string& bytes() const { return bytes_; }
    message& number(int field, std::uint64_t x) {
        key(field, 0);
        varint(x);
        return *this;
    }
    message& text(int field, std::string_view s) {
        key(field, 2);
        varint(s.size());
        bytes_ += s;
        return *this;
    }
    message& part(int field, const message& m) { return text(field, m.bytes_); }
    // An entry of a map from texts to messages.
    message& entry(int field, std::string_view name, const message& m) {
        return part(field, message().text(1, name).part(2, m));
    }
    // Repeated numbers in one field: integers of 32 bits, or bools.
    message& numbers(int field, std::span<const std::int64_t> list) {
        message all;
        for (const std::int64_t x : list) all.varint(std::uint64_t(x));
        return part(field, all);
    }
    message& numbers(int field, std::span<const float> list) {
        return text(field, {reinterpret_cast<const char*>(list.data()), list.size_bytes()});
    }
};
}  // namespace v1
}  // namespace inlay

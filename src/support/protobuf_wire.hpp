// Messages of Protocol Buffers, as they lie on the wire: fields with a number, each a number or bytes. What a schema
// says of a message stands next to the code that writes or reads it.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace inlay {
inline namespace v1 {
enum class wire { varint = 0, eight_bytes = 1, bytes = 2, four_bytes = 5 };

class message_writer {
    std::string& to_;

  public:
    explicit message_writer(std::string& to) : to_(to) {}
    void varint(std::uint64_t x) {  // alone: one of a list that is a field of bytes
        for (; x >= 0x80; x >>= 7) to_ += char(x | 0x80);
        to_ += char(x);
    }
    void begin(int field, std::size_t bytes) {  // of a field that the caller appends
        varint(std::uint64_t(field) << 3 | std::uint64_t(wire::bytes));
        varint(bytes);
    }
    void add(int field, std::string_view bytes) {
        begin(field, bytes.size());
        to_ += bytes;
    }
    void add(int field, std::int64_t x) {
        varint(std::uint64_t(field) << 3 | std::uint64_t(wire::varint));
        varint(std::uint64_t(x));
    }
};

struct wire_field {
    std::uint64_t number = 0;
    wire kind = wire::varint;
    std::uint64_t value = 0;   // the bits, where it is a number
    std::string_view bytes{};  // else
};
class message_reader {
    std::string_view rest_;
    bool good_ = true;

    template <class T> bool fixed(std::uint64_t& to) {
        T x = 0;
        if (rest_.size() < sizeof(x)) return false;
        static_assert(std::endian::native == std::endian::little);
        std::memcpy(&x, rest_.data(), sizeof(x));
        rest_.remove_prefix(sizeof(x));
        to = x;
        return true;
    }
    bool varint(std::uint64_t& to) {
        to = 0;
        for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            to |= std::uint64_t(byte & 0x7f) << shift;
            if (byte < 0x80) return true;
        }
        return false;
    }
    bool number(wire kind, std::uint64_t& to) {
        switch (kind) {
            case wire::varint: return varint(to);
            case wire::four_bytes: return fixed<std::uint32_t>(to);
            case wire::eight_bytes: return fixed<std::uint64_t>(to);
            default: return false;
        }
    }

  public:
    explicit message_reader(std::string_view bytes) : rest_(bytes) {}
    // False: there is no more, or what follows is no field; good() distinguishes the two.
    bool next(wire_field& to) {
        if (rest_.empty() || !good_) return false;
        std::uint64_t key = 0, size = 0;
        good_ = varint(key);
        to = {key >> 3, wire(key & 7)};
        if (to.kind != wire::bytes) return good_ = good_ && number(to.kind, to.value);
        good_ = good_ && varint(size) && size <= rest_.size();
        if (!good_) return false;
        to.bytes = rest_.substr(0, std::size_t(size));
        rest_.remove_prefix(std::size_t(size));
        return true;
    }
    // The next number of a list that has one field.
    bool next_packed(wire kind, std::uint64_t& to) { return !rest_.empty() && good_ && (good_ = number(kind, to)); }
    bool good() const { return good_; }
};
// Numbers of a repeated field, one by one: such a field has one of them, or many. False: it is something else, or
// take() refused one.
template <class F> bool each_number(const wire_field& f, wire kind, F take) {
    if (f.kind == kind) return take(f.value);
    if (f.kind != wire::bytes) return false;
    message_reader list(f.bytes);
    for (std::uint64_t bits = 0; list.next_packed(kind, bits);)
        if (!take(bits)) return false;
    return list.good();
}
}  // namespace v1
}  // namespace inlay

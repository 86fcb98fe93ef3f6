// Looks up each byte in a table of 256 bytes: y = table[x]. y may lie where x does.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct look_up_u8_table {
    void (*run)(const std::uint8_t* table, const std::uint8_t* x, std::uint8_t* y, std::int64_t n) noexcept;
};
const look_up_u8_table& look_up_u8(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "look_up_u8.cpp"
#endif

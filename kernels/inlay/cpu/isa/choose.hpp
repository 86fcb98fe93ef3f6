// Where: y = c ? a : b, element by element, of elements of 8 to 64 bits; every byte of c but 0 is true. y does not
// overlap a, b or c.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct choose_table {
    template <class T>
    using function = void (*)(const std::uint8_t* c, const T* a, const T* b, T* y, std::int64_t n) noexcept;
    function<std::uint8_t> bits8;
    function<std::uint16_t> bits16;
    function<std::uint32_t> bits32;
    function<std::uint64_t> bits64;
    template <class T> function<T> of() const noexcept {
        if constexpr (sizeof(T) == 1)
            return bits8;
        else if constexpr (sizeof(T) == 2)
            return bits16;
        else if constexpr (sizeof(T) == 4)
            return bits32;
        else
            return bits64;
    }
};
const choose_table& choose(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "choose.cpp"
#endif

// Comparisons of integers, element by element. y does not overlap a or b.
#pragma once
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct compare_integer_table {
    template <class T> struct comparison {  // y = a op b, or the opposite of it
        void (*run)(const T* a, const T* b, bool* y, std::int64_t n, bool opposite) noexcept;
    };
    template <class... T> struct comparisons : comparison<T>... {};
    comparisons<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                std::uint64_t>
        less;
    comparisons<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t> equal;
};
const compare_integer_table& compare_integer(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "compare_integer.cpp"
#endif

// Elements that kernels only move, by size.
#pragma once
#include "launch.cuh"

namespace inlay {
inline namespace v1 {
template <int Bits> struct moved_as;
template <> struct moved_as<8> { using type = std::uint8_t; };
template <> struct moved_as<16> { using type = std::uint16_t; };
template <> struct moved_as<32> { using type = std::uint32_t; };
template <> struct moved_as<64> { using type = std::uint64_t; };
template <> struct moved_as<128> { using type = lanes<std::uint64_t, 2>; };
template <int Bits> using moved = typename moved_as<Bits>::type;
}  // namespace v1
}  // namespace inlay

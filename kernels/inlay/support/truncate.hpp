// A real number as an integer of 8 to 64 bits: towards zero; what it cannot hold saturates, NaN gives 0.
#pragma once
#include "on_device.hpp"
#include <cstdint>
#include <limits>

namespace inlay {
inline namespace v1 {
template <class T> INLAY_ON_DEVICE T truncate(double x) noexcept {
    constexpr double end = static_cast<double>(std::uint64_t(1) << (std::numeric_limits<T>::digits - 1)) * 2;
    constexpr T lowest = std::numeric_limits<T>::lowest(), highest = std::numeric_limits<T>::max();
    return x >= end ? highest : x <= static_cast<double>(lowest) ? lowest : x == x ? static_cast<T>(x) : T(0);
}
}  // namespace v1
}  // namespace inlay

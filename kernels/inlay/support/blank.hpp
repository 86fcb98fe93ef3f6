// An element of movable_types that is 0 in every bit, or an
// empty string: the default fill of Pad and Trilu.
#pragma once
#include "movable.hpp"

namespace inlay {
inline namespace v1 {
template <class T> struct blank {
    std::uint64_t bits[2] = {};
};
template <> struct blank<std::string> { std::string text; };
}  // namespace v1
}  // namespace inlay

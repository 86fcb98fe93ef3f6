// The elements of a tensor, which may be a temporary.
#pragma once
#include <inlay/tensor.hpp>

namespace inlay::testing {
template <class T> std::vector<T> elements(const tensor& t) {
    const auto s = t.as<T>();
    return {s.begin(), s.end()};
}
}  // namespace inlay::testing

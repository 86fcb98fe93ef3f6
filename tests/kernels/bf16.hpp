// Float32 rounded to bfloat16.
#pragma once
#include <inlay/tensor.hpp>

namespace inlay::testing {
inline tensor rounded(const tensor& t) {  // to nearest even
    tensor y(element::f32, t.shape());
    for (std::size_t i = 0; i < y.as<float>().size(); ++i)
        y.as<float>()[i] = static_cast<float>(bfloat16(t.as<float>()[i]));
    return y;
}
}  // namespace inlay::testing

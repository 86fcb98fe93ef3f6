// Weights of convolutions as libraries have them whose channels are the last axis.
#pragma once
#include <inlay/shape.hpp>
#include <vector>

namespace inlay {
inline namespace v1 {
// [N, C, rows, columns] as [N, rows, columns, C].
inline std::vector<float> channels_last(const float* x, const shape& dims) {
    const std::int64_t channels = dims[1], area = dims[2] * dims[3];
    std::vector<float> y(std::size_t(dims.elements()));
    for (std::int64_t n = 0; n < dims[0]; ++n)
        for (std::int64_t c = 0; c < channels; ++c)
            for (std::int64_t p = 0; p < area; ++p)
                y[std::size_t((n * area + p) * channels + c)] = x[(n * channels + c) * area + p];
    return y;
}
// [inputs, outputs, rows, columns], which transposed convolutions have, as [outputs, rows, columns, inputs].
inline std::vector<float> outputs_first(const float* x, const shape& dims) {
    const std::int64_t inputs = dims[0], outputs = dims[1], area = dims[2] * dims[3];
    std::vector<float> y(std::size_t(dims.elements()));
    for (std::int64_t i = 0; i < inputs; ++i)
        for (std::int64_t o = 0; o < outputs; ++o)
            for (std::int64_t p = 0; p < area; ++p)
                y[std::size_t((o * area + p) * inputs + i)] = x[(i * outputs + o) * area + p];
    return y;
}
}  // namespace v1
}  // namespace inlay

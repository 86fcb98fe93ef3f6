// The epilogue of two matmuls of the same rows, of which one gates the other.
#pragma once
#include "activation_f32.hpp"
#include <inlay/isa.hpp>
#include <cstdint>

namespace inlay {
inline namespace v1 {
struct gate_f32_table {
    // y = activation(gate) * x, of so many columns, where each vector of gates in `pairs` precedes the vector of x's
    // that it multiplies.
    void (*gate)(const epilogue&, const float* pairs, std::int64_t pairs_row, std::int64_t rows, std::int64_t columns,
                 float* y, std::int64_t y_row) noexcept;
};
const gate_f32_table& gate_f32(isa::level) noexcept;
}  // namespace v1
}  // namespace inlay
#ifdef INLAY_HEADER_ONLY
#include "gate_f32.cpp"
#endif

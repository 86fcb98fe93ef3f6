// Dequantize: (value - zero) * scale. Quantize: x / scale, rounded to nearest even, + zero, saturated. Included by ISA
// translation units.
#pragma once

namespace inlay {
inline namespace v1 {
struct code_scaling {
    float scale;
    int zero;
};
}  // namespace v1
}  // namespace inlay

// How an 8-bit code is read as a number, (code - zero) * scale, and a number written as a code: x / scale, rounded to
// the nearest, ties to even, + zero, saturated. Included by ISA translation units.
#pragma once

namespace inlay {
inline namespace v1 {
struct code_scaling {
    float scale;
    int zero;
};
}  // namespace v1
}  // namespace inlay

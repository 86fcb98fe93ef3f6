// What the reference kernels of attention do with a row: rotate it by its position, and softmax its scores.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

namespace inlay {
inline namespace v1 {
// Rotates pairs of x by angles whose cosines and sines are given: neighbours, or one of the first half and one of the
// second.
template <class T>
void turn_pairs(float* x, const T* cosines, const T* sines, std::int64_t pairs, bool neighbours) noexcept {
    for (std::int64_t i = 0; i < pairs; ++i) {
        float &a = x[neighbours ? 2 * i : i], &b = x[neighbours ? 2 * i + 1 : pairs + i];
        const float c = static_cast<float>(cosines[i]), s = static_cast<float>(sines[i]), turned = a * c - b * s;
        b = a * s + b * c;
        a = turned;
    }
}
// Scores become weights; -inf: none. `sink`: one more score, where there is one. All of them -inf: no weights.
inline void soften(float* scores, std::int64_t count, bool has_sink, float sink) noexcept {
    constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
    float most = has_sink ? sink : minus_infinity;
    for (std::int64_t i = 0; i < count; ++i)
        if (!(scores[i] <= most)) most = scores[i];  // NaN stays, and becomes of all
    double sum = has_sink ? std::exp(double(sink - most)) : 0;
    if (most == minus_infinity) sum = 1;
    for (std::int64_t i = 0; i < count; ++i) {
        scores[i] = most == minus_infinity ? 0 : std::exp(scores[i] - most);
        sum += double(scores[i]);
    }
    for (std::int64_t i = 0; i < count; ++i) scores[i] = float(double(scores[i]) / sum);
}
}  // namespace v1
}  // namespace inlay

// Transforms of scores in models of ai.onnx.ml. Softmax of "zero": scores that are 0 stay out of the sum.
#pragma once
#include <inlay/sdk/operator.hpp>
#include <cmath>

namespace inlay {
inline namespace v1 {
enum class post : std::uint8_t { none, softmax, logistic, softmax_zero, probit };  // as TreeEnsemble numbers them
constexpr int post_of(std::string_view name) {                                     // -1: no such
    constexpr std::string_view names[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
    for (int i = 0; i < 5; ++i)
        if (names[i] == name) return i;
    return -1;
}
inline double logistic(double x) { return x < 0 ? 1 - 1 / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }
// The quantile of the normal distribution by Winitzki's approximation of the inverse error function, which ONNX names.
inline double probit(double x) {
    const double e = 2 * x - 1, log = std::log((1 - e) * (1 + e));
    const double v = 2 / (3.14159265358979323846 * 0.147) + 0.5 * log, v2 = log / 0.147;
    const double root = std::sqrt(-v + std::sqrt(v * v - v2));
    return 1.41421356237309504880 * (e < 0 ? -root : root);
}
inline void softmax(double* s, std::int64_t n, bool zeros_stay) {
    double most = s[0], sum = 0;
    for (std::int64_t i = 1; i < n; ++i) most = std::max(most, s[i]);
    for (std::int64_t i = 0; i < n; ++i) {
        if (zeros_stay && std::abs(s[i]) <= 1e-7)
            s[i] *= std::exp(-most);
        else
            sum += s[i] = std::exp(s[i] - most);
    }
    if (sum != 0)
        for (std::int64_t i = 0; i < n; ++i) s[i] /= sum;
}
inline void apply(post transform, double* s, std::int64_t n) {
    if (n < 1) return;
    if (transform == post::softmax || transform == post::softmax_zero)
        return softmax(s, n, transform == post::softmax_zero);
    for (std::int64_t i = 0; i < n; ++i)
        s[i] = transform == post::logistic ? logistic(s[i]) : transform == post::probit ? probit(s[i]) : s[i];
}
}  // namespace v1
}  // namespace inlay

// Functions of elements: v has one of each operand, then the parameters; or a whole line, to be reduced.
#pragma once
#include "evaluator.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace evaluator::functions {
template <double (*F)(double)> double one(const numbers& v) { return F(v[0]); }
template <double (*F)(double, double)> double two(const numbers& v) { return F(v[0], v[1]); }
template <class F> double pair(const numbers& v) { return double(F()(v[0], v[1])); }
inline double identity(const numbers& v) { return v[0]; }
inline double negate(const numbers& v) { return -v[0]; }
inline double reciprocal(const numbers& v) { return 1 / v[0]; }
inline double sign(const numbers& v) { return double((v[0] > 0) - (v[0] < 0)); }
inline double is_zero(const numbers& v) { return double(v[0] == 0); }
inline double is_nan(const numbers& v) { return double(std::isnan(v[0])); }
inline double exclusive_or(const numbers& v) { return double((v[0] != 0) != (v[1] != 0)); }
inline double modulus_of_floor(const numbers& v) { return v[0] - std::floor(v[0] / v[1]) * v[1]; }
inline double choice(const numbers& v) { return v[0] != 0 ? v[1] : v[2]; }

// --- activations
inline double gelu(const numbers& v) { return v[0] / 2 * (1 + std::erf(v[0] / std::sqrt(2.))); }
inline double relu(const numbers& v) { return v[0] < 0 ? 0 : v[0]; }
inline double sigmoid(const numbers& v) { return 1 / (1 + std::exp(-v[0])); }
inline double softsign(const numbers& v) { return v[0] / (1 + std::fabs(v[0])); }
inline double hard_swish(const numbers& v) { return v[0] * std::fmin(std::fmax(v[0] + 3, 0.), 6.) / 6; }
inline double elu(const numbers& v) { return v[0] < 0 ? v[1] * std::expm1(v[0]) : v[0]; }
inline double celu(const numbers& v) { return v[0] < 0 ? v[1] * std::expm1(v[0] / v[1]) : v[0]; }
inline double leaky_relu(const numbers& v) { return v[0] < 0 ? v[0] * v[1] : v[0]; }  // and PRelu
inline double thresholded_relu(const numbers& v) { return v[0] > v[1] ? v[0] : 0; }
inline double clip(const numbers& v) { return std::fmin(std::fmax(v[0], v[1]), v[2]); }
inline double hard_sigmoid(const numbers& v) { return std::fmax(0., std::fmin(1., v[1] * v[0] + v[2])); }
inline double selu(const numbers& v) { return v[0] > 0 ? v[2] * v[0] : v[2] * (v[1] * std::exp(v[0]) - v[1]); }
inline double softplus(const numbers& v) {
    return (std::fmax(v[1] * v[0], 0.) + std::log1p(std::exp(-std::fabs(v[1] * v[0])))) / v[1];
}

// --- of lines; greatest and least keep a NaN
inline double sum(const numbers& v) { return std::accumulate(v.begin(), v.end(), 0.); }
inline double mean(const numbers& v) { return sum(v) / double(v.size()); }
inline double product(const numbers& v) { return std::accumulate(v.begin(), v.end(), 1., std::multiplies<>()); }
inline double sum_of_squares(const numbers& v) { return std::inner_product(v.begin(), v.end(), v.begin(), 0.); }
inline double norm(const numbers& v) { return std::sqrt(sum_of_squares(v)); }
inline double log_of_sum(const numbers& v) { return std::log(sum(v)); }
inline double greatest(const numbers& v) {
    return std::accumulate(v.begin(), v.end(), -std::numeric_limits<double>::infinity(),
                           [](double most, double x) { return x > most || std::isnan(x) ? x : most; });
}
inline double least(const numbers& v) {
    return std::accumulate(v.begin(), v.end(), std::numeric_limits<double>::infinity(),
                           [](double least, double x) { return x < least || std::isnan(x) ? x : least; });
}
inline double sum_of_magnitudes(const numbers& v) {
    return std::accumulate(v.begin(), v.end(), 0., [](double total, double x) { return total + std::fabs(x); });
}
inline double log_of_sum_of_exponentials(const numbers& v) {
    const double most = greatest(v);
    return most + std::log(std::accumulate(v.begin(), v.end(), 0.,
                                           [&](double total, double x) { return total + std::exp(x - most); }));
}
}  // namespace evaluator::functions

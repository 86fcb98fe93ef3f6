#include "weights.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace quantizing {
namespace {
int largest_code(int bits) { return (1 << (bits - 1)) - 1; }
int code_of(float x, float scale, int bits) {  // the most negative value is left out: it has no opposite
    const auto most = float(largest_code(bits));
    return int(std::clamp(std::nearbyint(x / scale), -most, most));
}
float usable(double scale) {  // not 0 or denormal, which divisions and processors treat in their own ways
    return scale < double(std::numeric_limits<float>::min()) ? 1.f : float(scale);
}
double squared_error(std::span<const float> x, float scale, int bits) {
    double sum = 0;
    for (const float v : x) {
        const double e = double(v) - double(scale) * code_of(v, scale, bits);
        sum += e * e;
    }
    return sum;
}
// With few bits it pays to clip the largest number if all others become more accurate.
float scale_of(std::span<const float> x, int bits) {
    double most = 0;
    for (const float v : x) most = std::max(most, std::abs(double(v)));
    const float whole = usable(most / largest_code(bits));
    if (bits > 4 || most == 0) return whole;
    float best = whole;
    double least = squared_error(x, whole, bits);
    for (int part = 19; part >= 14; --part) {
        const float scale = usable(most / largest_code(bits) * part / 20);
        if (const double e = squared_error(x, scale, bits); e < least) {
            least = e;
            best = scale;
        }
    }
    return best;
}
blocked_weights empty_blocks(const tensor& w, std::int64_t block, int bits) {
    blocked_weights b;
    b.k = w.shape()[0];
    b.n = w.shape()[1];
    b.block = block ? block : std::max<std::int64_t>(b.k, 1);
    b.blocks = (b.k + b.block - 1) / b.block;
    b.bits = bits;
    b.codes.resize(std::size_t(b.k * b.n));
    b.scales.resize(std::size_t(b.blocks * b.n));
    return b;
}

using matrix = std::vector<double>;
// a = L L', L in its lower half; false: a is not positive definite.
bool factorise(matrix& a, std::int64_t k) {
    for (std::int64_t i = 0; i < k; ++i) {
        double* const row = a.data() + i * k;
        for (std::int64_t j = 0; j <= i; ++j) {
            const double* const row_j = a.data() + j * k;
            double sum = row[j];
            for (std::int64_t t = 0; t < j; ++t) sum -= row[t] * row_j[t];
            if (i == j && !(sum > 0)) return false;
            row[j] = i == j ? std::sqrt(sum) : sum / row_j[j];
        }
    }
    return true;
}
// The upper factor U of the inverse, inverse = U' U: its rows say how the error of one input is compensated by those
// after it. Of a = L L' with the order of rows and columns reversed, U is the inverse of L in reversed order.
bool upper_of_inverse(const std::vector<float>& moments, std::int64_t k, double damping, matrix& u) {
    double mean = 0;
    for (std::int64_t i = 0; i < k; ++i) mean += double(moments[std::size_t(i * k + i)]) / double(k);
    matrix l(std::size_t(k * k));
    for (std::int64_t i = 0; i < k; ++i)
        for (std::int64_t j = 0; j < k; ++j)
            l[std::size_t(i * k + j)] =
                double(moments[std::size_t((k - 1 - i) * k + (k - 1 - j))]) + (i == j ? damping * mean : 0);
    if (!factorise(l, k)) return false;
    matrix inverse(std::size_t(k * k), 0);  // of l, row by row
    for (std::int64_t i = 0; i < k; ++i) {
        double* const row = inverse.data() + i * k;
        for (std::int64_t t = 0; t < i; ++t) {
            const double factor = l[std::size_t(i * k + t)];
            const double* const row_t = inverse.data() + t * k;
            for (std::int64_t j = 0; j <= t; ++j) row[j] -= factor * row_t[j];
        }
        const double diagonal = l[std::size_t(i * k + i)];
        for (std::int64_t j = 0; j < i; ++j) row[j] /= diagonal;
        row[i] = 1 / diagonal;
    }
    u.assign(std::size_t(k * k), 0);
    for (std::int64_t i = 0; i < k; ++i)
        for (std::int64_t j = i; j < k; ++j)
            u[std::size_t(i * k + j)] = inverse[std::size_t((k - 1 - i) * k + (k - 1 - j))];
    return true;
}
}  // namespace

bool all_finite(const tensor& floats) {
    return std::ranges::all_of(floats.as<float>(), [](float x) { return std::isfinite(x); });
}
tensor transposed(const tensor& matrix) {
    const std::int64_t rows = matrix.shape()[0], columns = matrix.shape()[1];
    tensor t = tensor::uninitialized(element::f32, {columns, rows});
    const auto from = matrix.as<float>();
    const auto to = t.as<float>();
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) to[std::size_t(c * rows + r)] = from[std::size_t(r * columns + c)];
    return t;
}
channel_weights round_channels(const tensor& w, int axis, std::span<const float> least) {
    const std::int64_t channels = axis < 0 ? 1 : w.shape()[axis];
    const std::int64_t inner = axis < 0 ? w.elements() : w.shape().elements(axis + 1);
    const auto x = w.as<float>();
    const auto channel = [&](std::int64_t i) { return axis < 0 ? std::size_t(0) : std::size_t(i / inner % channels); };
    std::vector<double> most(std::size_t(channels), 0);
    for (std::int64_t i = 0; i < w.elements(); ++i)
        most[channel(i)] = std::max(most[channel(i)], std::abs(double(x[std::size_t(i)])));
    channel_weights y{tensor(element::i8, w.shape()), {}};
    for (std::size_t c = 0; c < most.size(); ++c) {
        const float scale = usable(most[c] / largest_code(8));
        y.scales.push_back(least.empty() ? scale : std::max(scale, least[least.size() == 1 ? 0 : c]));
    }
    const auto codes = y.codes.as<std::int8_t>();
    for (std::int64_t i = 0; i < w.elements(); ++i)
        codes[std::size_t(i)] = std::int8_t(code_of(x[std::size_t(i)], y.scales[channel(i)], 8));
    return y;
}
blocked_weights round_blocks(const tensor& w, std::int64_t block, int bits) {
    blocked_weights b = empty_blocks(w, block, bits);
    const tensor turned = transposed(w);
    const std::span<const float> columns = turned.as<float>();
    for (std::int64_t c = 0; c < b.n; ++c)
        for (std::int64_t at = 0, s = 0; at < b.k; at += b.block, ++s) {
            const std::int64_t first = c * b.k + at, count = std::min(b.block, b.k - at);
            const auto x = columns.subspan(std::size_t(first), std::size_t(count));
            const float scale = b.scales[std::size_t(c * b.blocks + s)] = scale_of(x, bits);
            for (std::int64_t i = 0; i < count; ++i)
                b.codes[std::size_t(first + i)] = std::int8_t(code_of(x[std::size_t(i)], scale, bits));
        }
    return b;
}
blocked_weights round_with_feedback(const tensor& w, std::int64_t block, int bits, std::vector<float> moments,
                                    double damping) {
    blocked_weights b = empty_blocks(w, block, bits);
    tensor turned = transposed(w);
    const std::span<float> columns = turned.as<float>();
    for (std::int64_t i = 0; i < b.k; ++i)  // an input that was always 0 gives no information about its weights
        if (moments[std::size_t(i * b.k + i)] == 0) moments[std::size_t(i * b.k + i)] = 1;
    matrix u;
    if (!upper_of_inverse(moments, b.k, damping, u))
        raise({error_code::invalid_argument, "the second moments of the inputs are not positive definite"});
    for (std::int64_t c = 0; c < b.n; ++c) {
        float* const column = columns.data() + c * b.k;
        float scale = 1;
        for (std::int64_t r = 0; r < b.k; ++r) {
            if (r % b.block == 0) {
                const std::size_t count = std::size_t(std::min(b.block, b.k - r));
                scale = b.scales[std::size_t(c * b.blocks + r / b.block)] = scale_of({column + r, count}, bits);
            }
            const int code = code_of(column[r], scale, bits);
            b.codes[std::size_t(c * b.k + r)] = std::int8_t(code);
            const double* const row = u.data() + r * b.k;
            const double error = (double(column[r]) - double(scale) * code) / row[r];
            for (std::int64_t t = r + 1; t < b.k; ++t) column[t] = float(column[t] - error * row[t]);
        }
    }
    return b;
}

tensor codes_of_rows(const blocked_weights& b) {
    tensor t(b.bits == 4 ? element::i4 : element::i8, {b.k, b.n});
    for (std::int64_t r = 0; r < b.k; ++r)
        for (std::int64_t c = 0; c < b.n; ++c) {
            const std::int8_t code = b.codes[std::size_t(c * b.k + r)];
            if (b.bits == 4)
                store<int4>(t.data(), r * b.n + c, int4{code});
            else
                store<std::int8_t>(t.data(), r * b.n + c, code);
        }
    return t;
}
tensor scales_of_rows(const blocked_weights& b) {
    std::vector<float> rows(b.scales.size());
    for (std::int64_t c = 0; c < b.n; ++c)
        for (std::int64_t s = 0; s < b.blocks; ++s)
            rows[std::size_t(s * b.n + c)] = b.scales[std::size_t(c * b.blocks + s)];
    return b.blocks == 1 ? tensor(shape{b.n}, rows) : tensor(shape{b.blocks, b.n}, rows);
}
tensor packed_codes(const blocked_weights& b) {
    const std::int64_t bytes = b.block * b.bits / 8, zero = std::int64_t(1) << (b.bits - 1);
    tensor t(element::u8, {b.n, b.blocks, bytes});
    const auto to = t.as<std::uint8_t>();
    for (std::int64_t c = 0; c < b.n; ++c)
        for (std::int64_t r = 0; r < b.blocks * b.block; ++r) {
            const std::int64_t code = zero + (r < b.k ? b.codes[std::size_t(c * b.k + r)] : 0);
            const std::int64_t at = (c * b.blocks * b.block + r) * b.bits;
            to[std::size_t(at / 8)] = std::uint8_t(to[std::size_t(at / 8)] | code << (at % 8));
        }
    return t;
}
tensor packed_scales(const blocked_weights& b) { return tensor(shape{b.n * b.blocks}, b.scales); }
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay

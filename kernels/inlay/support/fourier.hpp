// Discrete Fourier transforms of any length in O(n log n), in double: X[k] = sum of x[i] e^(-2 pi j k i / n). Lengths
// whose prime factors are small are split by these (Stockham's order: no pass permutes); the others become convolutions
// of a length that is a power of two (Bluestein).
#pragma once
#include <inlay/support/stop_check.hpp>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace inlay {
inline namespace v1 {
struct complex_number {  // std::complex multiplies by a function that checks for NaN
    double real = 0, imaginary = 0;
    friend constexpr complex_number operator+(complex_number a, complex_number b) {
        return {a.real + b.real, a.imaginary + b.imaginary};
    }
    friend constexpr complex_number operator-(complex_number a, complex_number b) {
        return {a.real - b.real, a.imaginary - b.imaginary};
    }
    friend constexpr complex_number operator*(complex_number a, complex_number b) {
        return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
    }
    constexpr complex_number conjugate() const { return {real, -imaginary}; }
};

class fourier {
    static constexpr std::int64_t direct = 32;  // factors above it are not computed by their definition
    std::int64_t length_ = 0, inner_ = 0;       // inner_: of the transforms that are computed by factors
    std::array<std::uint8_t, 64> factors_{};
    int count_ = 0;

    constexpr bool factorise(std::int64_t n) {
        inner_ = n;
        count_ = 0;
        for (; n % 4 == 0; n /= 4) factors_[count_++] = 4;  // the cheapest per element
        for (std::int64_t f = 2; f <= direct && n > 1; ++f)
            for (; n % f == 0; n /= f) factors_[count_++] = std::uint8_t(f);
        return n <= 1;
    }
    constexpr bool chirped() const { return inner_ != length_; }
    static complex_number root(std::int64_t k, std::int64_t n) {  // e^(-2 pi j k / n)
        const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
        return {std::cos(angle), std::sin(angle)};
    }

    // One pass: transforms of length `block` are combined by f into ones of block * f. y[j + block q] of each is the
    // sum over r of x[j, r] e^(-2 pi j r (j + block q) / (block f)).
    static void pass_2(const complex_number* w, const complex_number* x, complex_number* y, std::int64_t block,
                       std::int64_t rest) {
        for (std::int64_t j = 0; j < block; ++j) {
            const complex_number turn = w[rest * j];
            for (std::int64_t k = 0; k < rest; ++k) {
                const complex_number a = x[2 * rest * j + k], b = x[2 * rest * j + rest + k] * turn;
                y[rest * j + k] = a + b;
                y[rest * (j + block) + k] = a - b;
            }
        }
    }
    static void pass_4(const complex_number* w, const complex_number* x, complex_number* y, std::int64_t block,
                       std::int64_t rest) {
        for (std::int64_t j = 0; j < block; ++j) {
            const complex_number once = w[rest * j], twice = w[2 * rest * j], thrice = w[3 * rest * j];
            for (std::int64_t k = 0; k < rest; ++k) {
                const complex_number* from = x + 4 * rest * j + k;
                const complex_number a = from[0], b = from[rest] * once, c = from[2 * rest] * twice,
                                     d = from[3 * rest] * thrice;
                const complex_number even = a + c, odd = b + d, less = a - c, side = b - d;
                const complex_number turned{side.imaginary, -side.real};
                complex_number* to = y + rest * j + k;
                to[0] = even + odd;
                to[rest * block] = less + turned;
                to[2 * rest * block] = even - odd;
                to[3 * rest * block] = less - turned;
            }
        }
    }
    static void pass(const complex_number* w, const complex_number* x, complex_number* y, std::int64_t block,
                     std::int64_t rest, std::int64_t f) {
        std::array<complex_number, direct> turned, roots;  // the latter: of f
        for (std::int64_t q = 0; q < f; ++q) roots[q] = w[block * rest * q];
        for (std::int64_t j = 0; j < block; ++j)
            for (std::int64_t k = 0; k < rest; ++k) {
                for (std::int64_t r = 0; r < f; ++r) turned[r] = x[f * rest * j + rest * r + k] * w[rest * j * r];
                for (std::int64_t q = 0; q < f; ++q) {
                    complex_number sum = turned[0];
                    for (std::int64_t r = 1, at = q; r < f; ++r) {  // at: r * q modulo f
                        sum = sum + turned[r] * roots[at];
                        at = at + q < f ? at + q : at + q - f;
                    }
                    y[rest * (j + block * q) + k] = sum;
                }
            }
    }
    // Of inner_ numbers; w: their roots. Returns where the result is: x or y. False in `go_on`: the run is to end.
    complex_number* by_factors(const complex_number* w, complex_number* x, complex_number* y, stop_check& stop,
                               bool& go_on) const {
        std::int64_t block = 1;
        for (int i = 0; i < count_; ++i) {
            const std::int64_t f = factors_[i], rest = inner_ / block / f;
            if (stop(inner_ * f)) {
                go_on = false;
                break;
            }
            if (f == 4)
                pass_4(w, x, y, block, rest);
            else if (f == 2)
                pass_2(w, x, y, block, rest);
            else
                pass(w, x, y, block, rest, f);
            std::swap(x, y);
            block *= f;
        }
        return x;
    }

  public:
    static constexpr std::int64_t longest = std::int64_t(1) << 32;
    constexpr fourier() = default;
    constexpr explicit fourier(std::int64_t length) : length_(length) {  // in [1, longest]
        if (factorise(length)) return;
        std::int64_t power = 1;
        while (power < 2 * length - 1) power *= 2;
        (void)factorise(power);
    }
    constexpr std::int64_t length() const { return length_; }
    // Numbers of memory: of the table that all transforms share, and for each that is being computed.
    constexpr std::int64_t table_size() const { return chirped() ? 2 * inner_ + length_ : inner_; }
    constexpr std::int64_t work_size() const { return 2 * inner_; }

    // The roots of inner_; then, for chirps, e^(-pi j i i / n), and the transform of the convolution's other operand.
    bool fill(complex_number* table, complex_number* work, stop_check& stop) const {
        for (std::int64_t k = 0; k < inner_; ++k) {
            if (stop(32)) return false;
            table[k] = root(k, inner_);
        }
        if (!chirped()) return true;
        complex_number *chirp = table + inner_, *filter = chirp + length_, *spare = work + inner_;
        for (std::int64_t i = 0; i < length_; ++i) {
            if (stop(32)) return false;
            chirp[i] =
                root(std::int64_t(std::uint64_t(i) * std::uint64_t(i) % std::uint64_t(2 * length_)), 2 * length_);
        }
        for (std::int64_t i = 0; i < inner_; ++i) work[i] = {};
        for (std::int64_t i = 0; i < length_; ++i) work[i ? inner_ - i : 0] = work[i] = chirp[i].conjugate();
        bool go_on = true;
        const complex_number* result = by_factors(table, work, spare, stop, go_on);
        const double scale = 1 / static_cast<double>(inner_);  // of the inverse that ends the convolution
        for (std::int64_t i = 0; i < inner_ && go_on; ++i)
            filter[i] = {result[i].real * scale, result[i].imaginary * scale};
        return go_on;
    }
    // The transform of the first length() numbers of `work`; null where the run is to end.
    complex_number* operator()(const complex_number* table, complex_number* work, stop_check& stop) const {
        bool go_on = true;
        complex_number* spare = work + inner_;
        if (!chirped()) {
            complex_number* result = by_factors(table, work, spare, stop, go_on);
            return go_on ? result : nullptr;
        }
        const complex_number *chirp = table + inner_, *filter = chirp + length_;
        for (std::int64_t i = 0; i < length_; ++i) work[i] = work[i] * chirp[i];
        for (std::int64_t i = length_; i < inner_; ++i) work[i] = {};
        complex_number* x = by_factors(table, work, spare, stop, go_on);
        if (!go_on) return nullptr;
        for (std::int64_t i = 0; i < inner_; ++i) x[i] = (x[i] * filter[i]).conjugate();
        complex_number* y = by_factors(table, x, x == work ? spare : work, stop, go_on);
        if (!go_on) return nullptr;
        for (std::int64_t i = 0; i < length_; ++i) y[i] = y[i].conjugate() * chirp[i];
        return y;
    }
};
}  // namespace v1
}  // namespace inlay

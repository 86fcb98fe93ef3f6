#include "../catch.hpp"
#include "../elements.hpp"
#include "quantize/weights.hpp"
#include <inlay/element.hpp>
#include <cmath>
#include <random>
using namespace inlay;
using namespace inlay::quantizing;
using namespace inlay::testing;

static tensor random_matrix(std::int64_t k, std::int64_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> x(std::size_t(k * n));
    for (float& v : x) v = normal(random);
    return tensor(shape{k, n}, x);
}
static float decoded(const blocked_weights& b, std::int64_t r, std::int64_t c) {
    return float(b.codes[std::size_t(c * b.k + r)]) * b.scales[std::size_t(c * b.blocks + r / b.block)];
}
// || X (W - W') ||, of the rows x that the matrix is multiplied with.
static double error_of_product(const tensor& x, const tensor& w, const blocked_weights& b) {
    double sum = 0;
    for (std::int64_t row = 0; row < x.shape()[0]; ++row)
        for (std::int64_t c = 0; c < b.n; ++c) {
            double e = 0;
            for (std::int64_t r = 0; r < b.k; ++r)
                e += double(x.as<float>()[std::size_t(row * b.k + r)]) *
                     (w.as<float>()[std::size_t(r * b.n + c)] - decoded(b, r, c));
            sum += e * e;
        }
    return std::sqrt(sum);
}

TEST_CASE("Each channel has a scale by which its largest number is 127", "[weights]") {
    const tensor w(shape{2, 3}, {1.f, -2.f, 0.f, 127.f, 3.f, 0.f});
    const channel_weights rows = round_channels(w, 0), columns = round_channels(w, 1), whole = round_channels(w, -1);
    CHECK(rows.scales == std::vector{2.f / 127, 1.f});
    CHECK(elements<std::int8_t>(rows.codes) == std::vector<std::int8_t>{64, -127, 0, 127, 3, 0});
    CHECK(columns.scales == std::vector{1.f, 3.f / 127, 1.f});  // of nothing but zeros: 1
    CHECK(elements<std::int8_t>(columns.codes) == std::vector<std::int8_t>{1, -85, 0, 127, 127, 0});
    CHECK(whole.scales == std::vector{1.f});
    CHECK(elements<std::int8_t>(whole.codes) == std::vector<std::int8_t>{1, -2, 0, 127, 3, 0});
}
TEST_CASE("A scale is at least what the bias needs", "[weights]") {
    const tensor w(shape{2, 1}, {1.f, 1.f});
    const std::vector<float> least{0.5f, 0.f};
    const channel_weights rounded = round_channels(w, 0, least);
    CHECK(rounded.scales == std::vector{0.5f, 1.f / 127});
    CHECK(elements<std::int8_t>(rounded.codes) == std::vector<std::int8_t>{2, 127});
}
TEST_CASE("Blocks of 4 and 8 bits decode to within half a step, ragged ones too", "[weights]") {
    const tensor w = random_matrix(70, 5, 1);
    for (const int bits : {4, 8}) {
        const blocked_weights b = round_blocks(w, 32, bits);
        CHECK(b.blocks == 3);
        for (std::int64_t r = 0; r < 70; ++r)
            for (std::int64_t c = 0; c < 5; ++c) {
                const float x = w.as<float>()[std::size_t(r * 5 + c)],
                            scale = b.scales[std::size_t(c * b.blocks + r / 32)];
                const float room = std::abs(x) > 7 * scale && bits == 4 ? std::abs(x) : 0.5001f * scale;  // cut off
                CAPTURE(bits, r, c, x, scale);
                CHECK(std::abs(decoded(b, r, c) - x) <= room);
            }
    }
}
TEST_CASE("Error feedback brings products of correlated inputs nearer than rounding to nearest", "[weights]") {
    constexpr std::int64_t k = 48, n = 16, rows = 200;
    const tensor w = random_matrix(k, n, 2), mix = random_matrix(6, k, 3), base = random_matrix(rows, 6, 4),
                 noise = random_matrix(rows, k, 5);
    std::vector<float> x(std::size_t(rows * k)), moments(std::size_t(k * k), 0.f);
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t i = 0; i < k; ++i) {
            float sum = 0.1f * noise.as<float>()[std::size_t(r * k + i)];
            for (std::int64_t t = 0; t < 6; ++t)
                sum += base.as<float>()[std::size_t(r * 6 + t)] * mix.as<float>()[std::size_t(t * k + i)];
            x[std::size_t(r * k + i)] = sum;
        }
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t i = 0; i < k; ++i)
            for (std::int64_t j = 0; j < k; ++j)
                moments[std::size_t(i * k + j)] += x[std::size_t(r * k + i)] * x[std::size_t(r * k + j)];
    const tensor inputs(shape{rows, k}, x);
    const double nearest = error_of_product(inputs, w, round_blocks(w, 16, 4)),
                 feedback = error_of_product(inputs, w, round_with_feedback(w, 16, 4, moments, 0.01));
    CAPTURE(nearest, feedback);
    CHECK(feedback < 0.6 * nearest);
}
TEST_CASE("With inputs that are independent and alike, error feedback is rounding to nearest", "[weights]") {
    const tensor w = random_matrix(32, 4, 6);
    std::vector<float> moments(32 * 32, 0.f);
    for (std::size_t i = 0; i < 32; ++i) moments[i * 33] = 5;
    const blocked_weights a = round_blocks(w, 16, 4), b = round_with_feedback(w, 16, 4, moments, 0.01);
    CHECK(a.codes == b.codes);
    CHECK(a.scales == b.scales);
}
TEST_CASE("Inputs that were always zero leave the others' rounding alone", "[weights]") {
    const tensor w = random_matrix(16, 2, 7);
    std::vector<float> moments(16 * 16, 0.f);
    for (std::size_t i = 0; i < 8; ++i) moments[i * 17] = 2;
    const blocked_weights b = round_with_feedback(w, 16, 8, moments, 0.01);
    CHECK(b.codes == round_blocks(w, 16, 8).codes);
}
TEST_CASE("Rows and packed bytes have the same codes", "[weights]") {
    const tensor w = random_matrix(40, 3, 8);
    for (const int bits : {4, 8}) {
        const blocked_weights b = round_blocks(w, 16, bits);
        const tensor rows = codes_of_rows(b), packed = packed_codes(b), scales = scales_of_rows(b),
                     in_order = packed_scales(b);
        CHECK(rows.type() == (bits == 4 ? element::i4 : element::i8));
        CHECK(packed.shape() == shape{3, 3, 16 * bits / 8});
        CHECK(scales.shape() == shape{3, 3});
        const auto bytes = packed.as<std::uint8_t>();
        for (std::int64_t r = 0; r < 48; ++r)
            for (std::int64_t c = 0; c < 3; ++c) {
                const std::int64_t at = (c * 48 + r) * bits;
                const int code = (bytes[std::size_t(at / 8)] >> (at % 8) & ((1 << bits) - 1)) - (1 << (bits - 1));
                int expected = 0;  // after the last row
                if (r < 40)
                    expected = bits == 4 ? int(load<int4>(rows.data(), r * 3 + c))
                                         : int(load<std::int8_t>(rows.data(), r * 3 + c));
                CAPTURE(bits, r, c);
                CHECK(code == expected);
            }
        CHECK(scales.as<float>()[4] == in_order.as<float>()[4]);
        CHECK(scales.as<float>()[1] == in_order.as<float>()[3]);
    }
    CHECK(scales_of_rows(round_blocks(w, 0, 8)).shape() == shape{3});
}

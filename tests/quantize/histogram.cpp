#include "../catch.hpp"
#include "quantize/histogram.hpp"
#include <cmath>
#include <random>
using namespace inlay::quantizing;

static std::vector<float> normal_numbers(int n, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> x(static_cast<std::size_t>(n));
    for (float& v : x) v = normal(random);
    return x;
}

TEST_CASE("A histogram knows the least and the largest number, however its range widened", "[histogram]") {
    histogram h;
    for (const std::vector<float>& part : {std::vector{0.5f, 0.25f}, {-3.f}, {1000.f, 0.f}, {-1e-3f}}) h.add(part);
    CHECK(h.seen() == value_range{-3, 1000});
    CHECK(h.percentile(100) == value_range{-3, 1000});
}
TEST_CASE("Interleaved parts give the quantiles of the whole", "[histogram]") {
    histogram parts;
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::vector<float> x = normal_numbers(5000, seed);
        if (seed == 7) x[0] = 80;  // which widens the range six times over
        parts.add(x);
    }
    const value_range r = parts.percentile(99);
    CHECK_THAT(r.low, Catch::Matchers::WithinAbs(-2.576, 0.15));
    CHECK_THAT(r.high, Catch::Matchers::WithinAbs(2.576, 0.15));
    CHECK(parts.seen().high == 80);
}
TEST_CASE("Zeros count for a percentile, where most numbers are zeros", "[histogram]") {
    histogram h;
    std::vector<float> x(9990, 0.f);
    for (int k = 1; k <= 10; ++k) x.push_back(float(k));
    h.add(x);
    CHECK(h.percentile(99.9).high < 7);
    CHECK(h.percentile(99.9).high > 4);
    CHECK(h.percentile(99.9).low == 0);
}
TEST_CASE("The cut of least entropy leaves out a far outlier and keeps an even spread", "[histogram]") {
    histogram far, even;
    std::vector<float> x = normal_numbers(100000, 3);
    x[0] = 40;
    far.add(x);
    const value_range cut = far.least_entropy();
    CHECK(cut.high < 10);
    CHECK(cut.high > 2);
    CHECK(cut.low < -2);
    for (int k = 0; k < 100000; ++k) x[std::size_t(k)] = float(k % 1000) / 1000 - 0.5f;
    even.add(x);
    CHECK(even.least_entropy().low < -0.45f);
    CHECK(even.least_entropy().high > 0.45f);
}
TEST_CASE("Constants and empty parts have a range too", "[histogram]") {
    histogram h;
    CHECK(h.percentile(99) == value_range{});
    h.add({});
    CHECK(h.least_entropy() == value_range{});
    h.add(std::vector{2.f, 2.f});
    CHECK(h.percentile(99.99) == value_range{2, 2});
    CHECK(h.least_entropy() == value_range{2, 2});
    histogram zeros;
    zeros.add(std::vector{0.f, 0.f});
    CHECK(zeros.seen() == value_range{0, 0});
    CHECK(zeros.least_entropy() == value_range{0, 0});
}

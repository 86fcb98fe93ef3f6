#include "histogram.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

namespace inlay {
inline namespace v1 {
namespace quantizing {
void histogram::widen(float x) {
    while (x < low_ || !(x < low_ + width_ * bins)) {
        const bool down = x < low_;
        std::vector<std::int64_t> wider(bins, 0);
        const int first = down ? bins / 2 : 0;
        for (int k = 0; k < bins; ++k) wider[std::size_t(first + k / 2)] += counts_[std::size_t(k)];
        if (down) low_ -= width_ * bins;
        width_ *= 2;
        counts_ = std::move(wider);
    }
}
void histogram::add(std::span<const float> numbers) {
    if (numbers.empty()) return;
    const auto [least, most] = std::ranges::minmax(numbers);
    if (width_ == 0) {
        range_ = {least, most};
        counts_.assign(bins, 0);
        low_ = least;
        // Slightly more than the observed range, so that the largest number lies within; a constant has its own range.
        const double extent = std::max(double(most) - least, 1e-6 * std::max(std::abs(double(most)), 1e-20));
        width_ = extent * (1 + 1e-6) / bins;
    }
    range_ = {std::min(range_.low, least), std::max(range_.high, most)};
    widen(least);
    widen(most);
    for (const float x : numbers) {
        if (x == 0) {
            ++zeros_;
            continue;
        }
        ++counts_[std::size_t(std::clamp(int((x - low_) / width_), 0, bins - 1))];
    }
}
value_range histogram::percentile(double percent) const {
    if (width_ == 0) return {};
    std::int64_t total = zeros_;
    for (const std::int64_t n : counts_) total += n;
    const double cut = double(total) * (1 - percent / 100) / 2;
    const int zero = int(std::floor((0 - low_) / width_));  // the bin that zeros_ belong to, if it is one
    const auto count = [&](int k) { return double(counts_[std::size_t(k)] + (k == zero ? zeros_ : 0)); };
    int low_bin = 0, high_bin = bins - 1;
    for (double left = count(0); left <= cut && low_bin + 1 < bins; left += count(low_bin)) ++low_bin;
    for (double left = count(high_bin); left <= cut && high_bin > low_bin; left += count(high_bin)) --high_bin;
    return {std::max(range_.low, float(low_ + width_ * low_bin)),
            std::min(range_.high, float(low_ + width_ * (high_bin + 1)))};
}

namespace {
// The Kullback-Leibler divergence between magnitudes with the given counts and the same, cut after the first
// `bin_count` bins and rounded to `codes` levels.
double divergence(std::span<const double> counts, int bin_count, int codes) {
    std::vector<double> p(counts.begin(), counts.begin() + bin_count), q(p.size(), 0);
    double outside = 0, total = 0;
    for (double n : counts.subspan(std::size_t(bin_count))) outside += n;
    for (int c = 0; c < codes; ++c) {
        const int first = int(std::int64_t(c) * bin_count / codes), end = int(std::int64_t(c + 1) * bin_count / codes);
        double sum = 0;
        int filled = 0;
        for (int k = first; k < end; ++k) {
            sum += p[std::size_t(k)];
            filled += p[std::size_t(k)] > 0;
        }
        for (int k = first; k < end; ++k)
            if (p[std::size_t(k)] > 0) q[std::size_t(k)] = sum / filled;
    }
    p.back() += outside;  // they become the last level
    double of_q = 0;
    for (double n : p) total += n;
    for (double n : q) of_q += n;
    if (of_q == 0) return std::numeric_limits<double>::infinity();
    double sum = 0;
    for (std::size_t k = 0; k < p.size(); ++k) {
        if (p[k] == 0) continue;
        const double share = p[k] / total, code_share = q[k] > 0 ? q[k] / of_q : 1e-9;
        sum += share * std::log(share / code_share);
    }
    return sum;
}
}  // namespace

value_range histogram::least_entropy() const {
    if (width_ == 0) return {};
    const double extent = std::max(std::abs(double(range_.low)), std::abs(double(range_.high)));
    if (extent == 0) return range_;
    std::vector<double> magnitudes(bins, 0);
    for (int k = 0; k < bins; ++k) {
        const double middle = std::abs(low_ + width_ * (k + 0.5));
        magnitudes[std::size_t(std::min(int(middle / extent * bins), bins - 1))] += double(counts_[std::size_t(k)]);
    }
    const int codes = range_.low < 0 && range_.high > 0 ? 128 : 256;  // of one sign, all of them stand for magnitudes
    int best = bins;
    double least = std::numeric_limits<double>::infinity();
    for (int bin_count = codes; bin_count <= bins; bin_count += 16)
        if (const double d = divergence(magnitudes, bin_count, codes); d < least) {
            least = d;
            best = bin_count;
        }
    const auto t = float(extent * best / bins);
    return {std::max(range_.low, -t), std::min(range_.high, t)};
}
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay

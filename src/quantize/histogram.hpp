// The range of a value's numbers, and how they are spread over it, gathered part by part in memory that does not grow.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace inlay {
inline namespace v1 {
namespace quantizing {
struct value_range {
    float low = 0, high = 0;
    bool operator==(const value_range&) const = default;
};

// Counts over a range that widens: where a number lies outside, pairs of bins become one until it lies within. Numbers
// must be finite.
class histogram {
    static constexpr int bins = 2048;
    double low_ = 0, width_ = 0;  // width: of a bin; 0: nothing was added
    std::vector<std::int64_t> counts_;
    std::int64_t zeros_ = 0;  // apart, since what Relu cuts off would outweigh all else
    value_range seen_{};

    void widen(float x);

  public:
    void add(std::span<const float>);
    const value_range& seen() const { return seen_; }  // the least and the largest number
    // Without the outermost numbers, so many on each side that `percent` of them remain.
    value_range percentile(double percent) const;
    // [-t, t], as far as there are numbers, with the t whose codes are spread most like the numbers themselves.
    value_range least_entropy() const;
};
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay

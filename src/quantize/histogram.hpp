// The range of a value's numbers, and their distribution, collected batch by batch in memory that does not grow.
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

// Counts over a range that widens: while a number lies outside, pairs of bins are merged until it lies within. Numbers
// must be finite.
class histogram {
    static constexpr int bins = 2048;
    double low_ = 0, width_ = 0;  // width: of a bin; 0: nothing was added
    std::vector<std::int64_t> counts_;
    std::int64_t zeros_ = 0;  // separate, since the zeros of Relu would outweigh everything else
    value_range range_{};

    void widen(float x);

  public:
    void add(std::span<const float>);
    const value_range& seen() const { return range_; }  // the smallest and the largest number
    // Without the outermost numbers, so many on each side that `percent` of them remain.
    value_range percentile(double percent) const;
    // [-t, t], as far as there are numbers, with the t whose quantized values are distributed most like the numbers.
    value_range least_entropy() const;
};
}  // namespace quantizing
}  // namespace v1
}  // namespace inlay

// The sum of a row and that of the squared distances from its mean, in two rounds of launch_rows. In double, as in the
// reference kernels.
#pragma once
#include "launch.cuh"
#include <cmath>

namespace inlay {
inline namespace v1 {
struct moments {  // round 0: the sum; round 1: it, and the squares
    static constexpr int rounds = 2;
    double sum = 0, squares = 0;
    INLAY_ON_DEVICE static moments join(moments a, moments b) { return {a.sum + b.sum, a.squares + b.squares}; }
    INLAY_ON_DEVICE double mean(std::int64_t length) const { return sum / double(length); }
    INLAY_ON_DEVICE double variance(std::int64_t length) const { return squares / double(length); }
    // A thread's part of a round: each(f) calls f(x) for the elements of its share.
    template <class Each>
    INLAY_ON_DEVICE static moments part(int round, team t, moments before, std::int64_t length, Each for_each) {
        moments accumulator{t.rank == 0 ? before.sum : 0, 0};  // known values do not change when combined again
        const float mean = round == 0 ? 0 : float(before.mean(length));
        const double rest =
            round == 0 ? 0 : before.mean(length) - double(mean);  // distances in float, from the nearest one
        for_each([&](float x) {
            if (round == 0)
                accumulator.sum += double(x);
            else {
                const float d = x - mean - float(rest);
                accumulator.squares += double(d) * double(d);
            }
        });
        return accumulator;
    }
};
}  // namespace v1
}  // namespace inlay

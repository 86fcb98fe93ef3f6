// Whether the run is to end, polled within a reference kernel whose work is more than one pass over its tensors.
#pragma once
#include <inlay/sdk/kernel.hpp>

namespace inlay {
inline namespace v1 {
class stop_check {
    const context& run_;
    std::int64_t left_ = step;

  public:
    static constexpr std::int64_t step =
        1'000'000;  // multiplications or the like between two polls: a poll may read the clock
    explicit stop_check(const context& run) : run_(run) {}
    bool operator()(std::int64_t work) {  // before so much
        if ((left_ -= work) > 0) return false;
        left_ = run_.stopped() ? 0 : step;
        return left_ == 0;
    }
};
}  // namespace v1
}  // namespace inlay

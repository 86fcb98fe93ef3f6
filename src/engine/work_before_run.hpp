// A limit for what is computed before a run.
#pragma once
#include <algorithm>
#include <cstdint>

namespace inlay {
inline namespace v1 {
// No deadline stops work before a run; so it may read only so much, where every node counts for at least 64 kB.
class work_before_run {
    std::int64_t left_;

  public:
    explicit work_before_run(std::int64_t constant_bytes = 0) : left_((std::int64_t(1) << 30) + 16 * constant_bytes) {}
    bool take(std::int64_t bytes) { return (left_ -= std::max<std::int64_t>(bytes, 64 << 10)) >= 0; }
};
}  // namespace v1
}  // namespace inlay

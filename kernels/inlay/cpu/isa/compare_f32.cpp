#include "blocks.hpp"
#include "compare_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::compare_f32 {
struct less {
    INLAY_STATIC bool of(float a, float b) { return a < b; }
};
struct less_or_equal {
    INLAY_STATIC bool of(float a, float b) { return a <= b; }
};
struct equal {
    INLAY_STATIC bool of(float a, float b) { return a == b; }
};
template <class F> INLAY_LOCAL void compare(const float* a, const float* b, bool* y, std::int64_t n) noexcept {
    auto* to = reinterpret_cast<std::uint8_t*>(y);  // g++ does not vectorize bool
    in_blocks(n, [=](std::int64_t i) INLAY_INLINED { to[i] = F::of(a[i], b[i]); });
}
}  // namespace INLAY_LEVEL::compare_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(compare_f32, compare<less>, compare<less_or_equal>, compare<equal>)

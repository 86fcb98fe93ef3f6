#include "lp_pool_f32.hpp"

#include "pool_windows.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::lp_pool_f32 {
using namespace pool_windows;
struct magnitudes : average {
    using exact = magnitudes;
    static constexpr bool divides = false;
    INLAY_STATIC void add(magnitudes& s, lanes x) { s.sum += xsimd::max(x, -x); }
    INLAY_STATIC lanes result(const magnitudes& s, lanes) { return s.sum; }
};
struct squares : average {
    using exact = squares;
    static constexpr bool divides = false;
    INLAY_STATIC void add(squares& s, lanes x) { s.sum = fma(x, x, s.sum); }
    INLAY_STATIC lanes result(const squares& s, lanes) { return xsimd::sqrt(s.sum); }
};
}  // namespace INLAY_LEVEL::lp_pool_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(lp_pool_f32, pool<magnitudes>, pool<squares>)

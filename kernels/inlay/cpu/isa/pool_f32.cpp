#include "pool_f32.hpp"

#include "pool_windows.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::pool_f32 {
using namespace pool_windows;
struct any_maximum;
struct maximum {  // of numbers; `odd` becomes NaN after a NaN or an infinity
    using exact = any_maximum;
    static constexpr bool divides = false;
    lanes most = lanes(-__builtin_inff()), odd = lanes(0.f);
    INLAY_STATIC void add(maximum& s, lanes x) {
        s.most = xsimd::max(x, s.most);  // this order: the second operand is kept if the first is NaN
        s.odd = fma(x, lanes(0.f), s.odd);
    }
    INLAY_STATIC bool done(const maximum& s) { return !xsimd::any(xsimd::isnan(s.odd)); }
    INLAY_STATIC lanes result(const maximum& s, lanes) { return s.most; }
};
struct any_maximum {  // the same with NaN, which xsimd 8.1 finds by isnan() only: its != is false for it
    lanes most = lanes(-__builtin_inff());
    INLAY_STATIC void add(any_maximum& s, lanes x) {
        s.most = xsimd::select(xsimd::isnan(s.most), s.most, xsimd::select((x > s.most) | xsimd::isnan(x), x, s.most));
    }
    INLAY_STATIC lanes result(const any_maximum& s, lanes) { return s.most; }
};
}  // namespace INLAY_LEVEL::pool_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(pool_f32, pool<maximum>, pool<average>)

#include "code_lanes.hpp"
#include "hold.hpp"
#include "qlinear_binary.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::qlinear_binary {
using namespace code_lanes;
struct add {
    INLAY_STATIC lanes of(lanes a, lanes b) { return hold(a) + hold(b); }  // each a product, which has been rounded
};
struct mul {
    INLAY_STATIC lanes of(lanes a, lanes b) { return a * b; }
};
template <class Op, class T>
INLAY_LOCAL void combine(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* y, std::int64_t n,
                         const qlinear_binary_table::scalings& s) noexcept {
    const auto *x = reinterpret_cast<const T*>(a), *z = reinterpret_cast<const T*>(b);
    auto* to = reinterpret_cast<T*>(y);
    along(n, [=, by = s](std::int64_t i, std::int64_t some) INLAY_INLINED {
        store_codes(to + i, some, quantized<T>(Op::of(numbers(x + i, some, by.a), numbers(z + i, some, by.b)), by.y));
    });
}
template <class Op>
INLAY_LOCAL constexpr qlinear_binary_table::functions functions_of{combine<Op, std::uint8_t>, combine<Op, std::int8_t>};
}  // namespace INLAY_LEVEL::qlinear_binary
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(qlinear_binary, functions_of<add>, functions_of<mul>)

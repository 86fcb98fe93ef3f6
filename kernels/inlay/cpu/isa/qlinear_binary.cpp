#include "code_lanes.hpp"
#include "hold.hpp"
#include "qlinear_binary.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::qlinear_binary {
using namespace code_lanes;
using scalings = qlinear_binary_table::scalings;
struct add {  // of products that have been rounded
    INLAY_STATIC lanes steps(lanes a, lanes b, const scalings& s) {
        return hold(a * lanes(s.by_a)) + hold(b * lanes(s.by_b));
    }
};
struct mul {
    INLAY_STATIC lanes steps(lanes a, lanes b, const scalings& s) { return a * b * lanes(s.by_both); }
};
template <class Op, class T>
INLAY_LOCAL void combine(const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* y, std::int64_t n,
                         const scalings& s) noexcept {
    const auto *x = reinterpret_cast<const T*>(a), *z = reinterpret_cast<const T*>(b);
    auto* to = reinterpret_cast<T*>(y);
    along(n, [=, by = s](std::int64_t i, std::int64_t some) INLAY_INLINED {
        const lanes steps = Op::steps(numbers(x + i, some, by.a_zero), numbers(z + i, some, by.b_zero), by);
        store_codes(to + i, some, codes_of_steps<T>(steps, lanes(float(by.y_zero))));
    });
}
template <class Op>
INLAY_LOCAL constexpr qlinear_binary_table::functions functions_of{combine<Op, std::uint8_t>, combine<Op, std::int8_t>};
}  // namespace INLAY_LEVEL::qlinear_binary
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(qlinear_binary, functions_of<add>, functions_of<mul>)

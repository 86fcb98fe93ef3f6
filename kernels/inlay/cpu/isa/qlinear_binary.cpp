#include "code_lanes.hpp"
#include "hold.hpp"
#include "qlinear_binary.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::qlinear_binary {
using namespace code_lanes;
using scalings = qlinear_binary_table::scalings;
// steps(a, second(b)): the result in steps of the output's scale; `add` rounds each operand's scaling before it adds.
struct add {
    INLAY_STATIC lanes second(lanes b, const scalings& s) { return hold(b * lanes(s.by_b)); }
    INLAY_STATIC lanes steps(lanes a, lanes second, const scalings& s) { return hold(a * lanes(s.by_a)) + second; }
};
struct mul {
    INLAY_STATIC lanes second(lanes b, const scalings&) { return b; }
    INLAY_STATIC lanes steps(lanes a, lanes second, const scalings& s) { return a * second * lanes(s.by_both); }
};
template <class Op, class T>
INLAY_LOCAL void combine(const std::uint8_t* a, const std::uint8_t* b, bool repeats, std::uint8_t* y, std::int64_t n,
                         const scalings& s) noexcept {
    const auto *x = reinterpret_cast<const T*>(a), *z = reinterpret_cast<const T*>(b);
    auto* to = reinterpret_cast<T*>(y);
    if (repeats) {
        const lanes second = Op::second(lanes(static_cast<float>(*z - s.b_zero)), s);
        return make_codes(to, n, s.y_zero, [=, by = s](std::int64_t i, std::int64_t count) INLAY_INLINED {
            return Op::steps(numbers(x + i, count, by.a_zero), second, by);
        });
    }
    make_codes(to, n, s.y_zero, [=, by = s](std::int64_t i, std::int64_t count) INLAY_INLINED {
        return Op::steps(numbers(x + i, count, by.a_zero), Op::second(numbers(z + i, count, by.b_zero), by), by);
    });
}
template <class Op>
INLAY_LOCAL constexpr qlinear_binary_table::functions functions_of{combine<Op, std::uint8_t>, combine<Op, std::int8_t>};
}  // namespace INLAY_LEVEL::qlinear_binary
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(qlinear_binary, functions_of<add>, functions_of<mul>)

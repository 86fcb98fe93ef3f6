#include "binary_f32.hpp"
#include "lanes.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::binary_f32 {
// Lanes of a row from element i on: those of an operand that advances, or one element for all.
template <bool Advances> struct source {
    const float* p;
    INLAY_STATIC lanes at(const source& s, std::int64_t i) {
        if constexpr (Advances)
            return lanes::load_unaligned(s.p + i);
        else
            return lanes(*s.p);
    }
    INLAY_STATIC lanes tail(const source& s, std::int64_t n) {
        if constexpr (Advances)
            return load_tail(s.p, n);
        else
            return lanes(*s.p);
    }
};
template <class F, bool A, bool B>
INLAY_LOCAL void rows_of(const float* a, std::int64_t a_row, const float* b, std::int64_t b_row, float* y,
                         std::int64_t y_row, std::int64_t rows, std::int64_t n) noexcept {
    using first = source<A>;
    using second = source<B>;
    for (std::int64_t r = 0; r < rows; ++r, a += a_row, b += b_row, y += y_row) {
        const first p{a};
        const second q{b};
        if (n < lane_count) {
            store_tail(y, n, F::of(first::tail(p, n), second::tail(q, n)));
            continue;
        }
        const lanes tail = F::of(first::at(p, n - lane_count),
                                 second::at(q, n - lane_count));  // overlaps: so before y, which may be a, changes
        for (std::int64_t i = 0; i + lane_count < n; i += lane_count)
            F::of(first::at(p, i), second::at(q, i)).store_unaligned(y + i);
        tail.store_unaligned(y + n - lane_count);
    }
}
struct add {
    INLAY_STATIC lanes of(lanes a, lanes b) { return a + b; }
};
struct sub {
    INLAY_STATIC lanes of(lanes a, lanes b) { return a - b; }
};
struct mul {
    INLAY_STATIC lanes of(lanes a, lanes b) { return a * b; }
};
struct div {
    INLAY_STATIC lanes of(lanes a, lanes b) { return a / b; }
};
struct max {  // NaN passes; xsimd 8.1 finds it by isnan() only
    INLAY_STATIC lanes of(lanes a, lanes b) { return xsimd::select(a < b || xsimd::isnan(b), b, a); }
};
struct min {
    INLAY_STATIC lanes of(lanes a, lanes b) { return xsimd::select(b < a || xsimd::isnan(b), b, a); }
};
struct prelu {
    INLAY_STATIC lanes of(lanes a, lanes b) { return xsimd::select(a < lanes(0.f), a * b, a); }
};
template <class F>
INLAY_LOCAL constexpr binary_f32_table::forms forms_of{rows_of<F, true, true>, rows_of<F, true, false>,
                                                       rows_of<F, false, true>};
}  // namespace INLAY_LEVEL::binary_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(binary_f32, forms_of<add>, forms_of<sub>, forms_of<mul>, forms_of<div>, forms_of<max>, forms_of<min>,
            forms_of<prelu>)

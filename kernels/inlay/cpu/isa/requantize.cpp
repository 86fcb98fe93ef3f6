#include "requantize.hpp"

#include "code_lanes.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::requantize {
using namespace code_lanes;
INLAY_INLINE lanes sums_at(const std::int32_t* p, std::int64_t n) {
    if (n == lane_count) {
        int_lanes whole;
        __builtin_memcpy(&whole, p, sizeof whole);
        return xsimd::to_float(whole);
    }
    alignas(64) std::int32_t values[lane_count] = {};
    __builtin_memcpy(values, p, std::size_t(n) * sizeof *p);
    int_lanes whole;
    __builtin_memcpy(&whole, values, sizeof whole);
    return xsimd::to_float(whole);
}
template <class T>
INLAY_LOCAL void run(const std::int32_t* sums, std::int64_t rows, std::int64_t n, const float* by, bool per_column,
                     int zero, std::uint8_t* codes) noexcept {
    auto* to = reinterpret_cast<T*>(codes);
    if (!per_column)  // then the rows are one
        return make_codes(to, rows * n, zero,
                          [=, factor = lanes(*by)](std::int64_t i, std::int64_t count)
                              INLAY_INLINED { return sums_at(sums + i, count) * factor; });
    for (std::int64_t r = 0; r < rows; ++r, sums += n, to += n)
        make_codes(to, n, zero, [=](std::int64_t i, std::int64_t count) INLAY_INLINED {
            return sums_at(sums + i, count) * load_some(by + i, count);
        });
}
}  // namespace INLAY_LEVEL::requantize
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(requantize, run<std::uint8_t>, run<std::int8_t>)

#include "activation_f32.hpp"
#include "along.hpp"
#include "gate_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::gate_f32 {
INLAY_LOCAL void gate(const epilogue& e, const float* pairs, std::int64_t pairs_row, std::int64_t rows,
                      std::int64_t columns, float* y, std::int64_t y_row) noexcept {
    with_activation(e, [&](auto activated) INLAY_INLINED {
        for (std::int64_t r = 0; r < rows; ++r, pairs += pairs_row, y += y_row)
            along(columns, [&](std::int64_t i, std::int64_t n) INLAY_INLINED {
                const float* const pair = pairs + 2 * i;
                store_some(y + i, n, activated(lanes::load_unaligned(pair)) * lanes::load_unaligned(pair + lane_count));
            });
    });
}
}  // namespace INLAY_LEVEL::gate_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(gate_f32, gate)

// Windows of five and seven columns; of any size by slower loops.
#include "depthwise_loops.hpp"
#include "depthwise_wide_f32.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::depthwise_wide_f32 {
struct windows {
    INLAY_STATIC depthwise::strip_set choose(const depthwise_f32_call& d) {
        if (d.dilation_w == 1 && d.kernel_w == 5 && d.stride_w == 1) return depthwise::set_of<5, 1>;
        if (d.dilation_w == 1 && d.kernel_w == 5 && d.stride_w == 2) return depthwise::set_of<5, 2>;
        if constexpr (lane_count > 4)  // SSE2 has no registers for it
            if (d.dilation_w == 1 && d.kernel_w == 7 && d.stride_w == 1) return depthwise::set_of<7, 1>;
        return depthwise::any_window();
    }
};
}  // namespace INLAY_LEVEL::depthwise_wide_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(depthwise_wide_f32,
            inlay::v1::INLAY_LEVEL::depthwise::run<inlay::v1::INLAY_LEVEL::depthwise_wide_f32::windows>)

// Windows of three columns, and of any size by slower loops.
#include "depthwise_f32.hpp"
#include "depthwise_loops.hpp"

namespace inlay {
inline namespace v1 {
namespace INLAY_LEVEL::depthwise_f32 {
struct windows {
    INLAY_STATIC depthwise::strip_set choose(const depthwise_f32_call& d) {
        if (d.dilation_w == 1 && d.kernel_w == 3 && d.stride_w == 1) return depthwise::set_of<3, 1>;
        if (d.dilation_w == 1 && d.kernel_w == 3 && d.stride_w == 2) return depthwise::set_of<3, 2>;
        return depthwise::any_window();
    }
};
}  // namespace INLAY_LEVEL::depthwise_f32
}  // namespace v1
}  // namespace inlay
INLAY_TABLE(depthwise_f32, inlay::v1::INLAY_LEVEL::depthwise::run<inlay::v1::INLAY_LEVEL::depthwise_f32::windows>)

// Rockchip's NPUs. Regions are compiled by rknn-toolkit2, in a Python process of its own: the interpreter that
// $INLAY_RKNPU_PYTHON names, else python3. They run on the chip by librknnrt.so, which is opened when the first session
// needs it: the file that $INLAY_RKNPU_LIBRARY names, else the system's; or in the toolkit's simulator. Link
// inlay::rknpu.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/device_inventory.hpp>
#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
struct rknpu {
    std::string target_platform = "rk3588";  // the chip that regions are compiled for, as the toolkit names it
    int core_mask = 0;                       // a bit for each of the chip's cores that a run may use; 0: any one
    bool simulator = false;                  // regions run in the toolkit's simulator of the chip, on any machine

    static constexpr std::string_view name = "RknpuExecutionProvider";
    static constexpr provider_status status = provider_status::community;
    static constexpr provider_check checked_on = provider_check::simulator;
    constexpr element operands(element type) const { return type == element::f32 ? element::f16 : type; }
    result<std::shared_ptr<engine>> open() const;
    static device_inventory inventory();
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::rknpu, target_platform, core_mask, simulator);
namespace inlay {
inline namespace v1 {
static_assert(provider<rknpu> && engine_provider<rknpu>);
}  // namespace v1
}  // namespace inlay

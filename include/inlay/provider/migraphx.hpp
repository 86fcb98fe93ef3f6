// MIGraphX, for AMD's GPUs: its library, libmigraphx_c, is opened when the first session needs it, so that the same
// program runs where there is none: the file that $INLAY_MIGRAPHX_LIBRARY names, else the system's. Link
// inlay::migraphx.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/device_inventory.hpp>
#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
struct migraphx {  // named as in ONNX Runtime
    int device_id = 0;
    bool migraphx_fp16_enable = false;      // float32 is computed in fp16
    bool migraphx_exhaustive_tune = false;  // compile longer, for kernels that may be faster

    static constexpr std::string_view name = "MIGraphXExecutionProvider";
    static constexpr provider_status status = provider_status::production;
    static constexpr provider_check checked_on = provider_check::stand_in;
    constexpr element operands(element type) const {
        return type == element::f32 && migraphx_fp16_enable ? element::f16 : type;
    }
    result<std::shared_ptr<engine>> open() const;
    static device_inventory inventory();
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::migraphx, device_id, migraphx_fp16_enable, migraphx_exhaustive_tune);
namespace inlay {
inline namespace v1 {
static_assert(provider<migraphx> && engine_provider<migraphx>);
}  // namespace v1
}  // namespace inlay

// CANN, for Huawei's Ascend processors: its libraries, libascendcl and those of its graph compiler, are opened when the
// first session needs them, so that the same program runs where they are missing: the file that $INLAY_CANN_LIBRARY
// names, else the system's. Link inlay::cann.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/device_inventory.hpp>
#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
struct cann {  // named as in ONNX Runtime; the values of the last three are CANN's
    int device_id = 0;
    std::string precision_mode = "must_keep_origin_dtype";  // of float32: force_fp16, allow_fp32_to_fp16, ...
    std::string op_select_impl_mode = "high_performance";   // or high_precision
    std::string optypelist_for_implmode{};  // the operators that it is for, with commas between; empty: all

    static constexpr std::string_view name = "CANNExecutionProvider";
    static constexpr provider_status status = provider_status::community;
    static constexpr provider_check checked_on = provider_check::stand_in;
    result<std::shared_ptr<engine>> open() const;
    static device_inventory inventory();
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::cann, device_id, precision_mode, op_select_impl_mode, optypelist_for_implmode);
namespace inlay {
inline namespace v1 {
static_assert(provider<cann> && engine_provider<cann>);
}  // namespace v1
}  // namespace inlay

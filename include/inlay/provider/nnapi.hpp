// Android's Neural Networks API: its library, libneuralnetworks.so, is opened when the first session needs it, so
// that the same program runs where there is none: the file that $INLAY_NNAPI_LIBRARY names, else the system's. Link
// inlay::nnapi.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/device_inventory.hpp>
#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
struct nnapi {                  // named as in ONNX Runtime
    bool use_fp16 = false;      // float32 may be computed in fp16
    bool use_nchw = false;      // images with their channels first, as the model has them; else channels last
    bool cpu_disabled = false;  // not on nnapi-reference, which is NNAPI's own code for the processor
    bool cpu_only = false;      // on nnapi-reference alone

    static constexpr std::string_view name = "NnapiExecutionProvider";
    static constexpr provider_status status = provider_status::production;
    static constexpr provider_check checked_on = provider_check::stand_in;
    constexpr element operands(element type) const { return type == element::f32 && use_fp16 ? element::f16 : type; }
    result<std::shared_ptr<engine>> open() const;
    static device_inventory inventory();
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::nnapi, use_fp16, use_nchw, cpu_disabled, cpu_only);
namespace inlay {
inline namespace v1 {
static_assert(provider<nnapi> && engine_provider<nnapi>);
}  // namespace v1
}  // namespace inlay

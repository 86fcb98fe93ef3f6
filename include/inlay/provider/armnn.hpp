// Arm NN: its interface is C++, so what calls it is a file of its own, libinlay_armnn_module, which is opened when the
// first session needs it: the same program runs where it is missing. Link inlay::armnn.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
struct armnn {  // named as in ONNX Runtime
    // As Arm NN names them, the preferred first, with commas between: "CpuAcc,CpuRef". A layer runs on the first that
    // supports it. Empty: all that Arm NN has here, CpuRef last.
    std::string backend{};

    static constexpr std::string_view name = "ArmNNExecutionProvider";
    static constexpr provider_status status = provider_status::community;
    static constexpr provider_check checked_on = provider_check::simulator;
    result<std::shared_ptr<engine>> open() const;
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::armnn, backend);
namespace inlay {
inline namespace v1 {
static_assert(provider<armnn> && engine_provider<armnn>);
}  // namespace v1
}  // namespace inlay

// The Arm Compute Library, for Arm's processors: its interface is C++, so what calls it is a file of its own,
// libinlay_acl_module, which is opened when the first session needs it: the same program runs where it is missing.
// Link inlay::acl.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
struct acl {                        // named as in ONNX Runtime, which writes ACLExecutionProvider
    bool enable_fast_math = false;  // convolutions may use less exact algorithms

    static constexpr std::string_view name = "AclExecutionProvider";
    static constexpr provider_status status = provider_status::community;
    static constexpr provider_check checked_on = provider_check::simulator;
    result<std::shared_ptr<engine>> open() const;
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::acl, enable_fast_math);
namespace inlay {
inline namespace v1 {
static_assert(provider<acl> && engine_provider<acl>);
}  // namespace v1
}  // namespace inlay

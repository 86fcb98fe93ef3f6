// XNNPACK: its libraries, libXNNPACK and libpthreadpool, are opened when the first session needs them, so that the
// same program runs where there are none: the file that $INLAY_XNNPACK_LIBRARY names, else the system's. Link
// inlay::xnnpack.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
struct xnnpack {                   // named as in ONNX Runtime
    int intra_op_num_threads = 0;  // of one session; 0: as many as there are cores, 1: the thread that runs

    static constexpr std::string_view name = "XnnpackExecutionProvider";
    static constexpr provider_status status = provider_status::production;
    static constexpr provider_check checked_on = provider_check::device;
    result<std::shared_ptr<engine>> open() const;
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::xnnpack, intra_op_num_threads);
namespace inlay {
inline namespace v1 {
static_assert(provider<xnnpack> && engine_provider<xnnpack>);
}  // namespace v1
}  // namespace inlay

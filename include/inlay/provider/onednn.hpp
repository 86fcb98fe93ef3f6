// oneDNN: its library, libdnnl, is opened when the first session needs it, so that the same program runs where there
// is none: the file that $INLAY_ONEDNN_LIBRARY names, else the system's libdnnl.so.3. Link inlay::onednn.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
struct onednn {              // named as in ONNX Runtime
    bool use_arena = true;   // intermediate memory is kept from run to run; else allocated for each
    int num_of_threads = 0;  // of a region; 0: as many as OpenMP has

    static constexpr std::string_view name = "DnnlExecutionProvider", short_name = "onednn";
    static constexpr provider_status status = provider_status::production;
    static constexpr provider_check checked_on = provider_check::device;
    result<std::shared_ptr<engine>> open() const;
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::onednn, use_arena, num_of_threads);
namespace inlay {
inline namespace v1 {
static_assert(provider<onednn> && engine_provider<onednn>);
}  // namespace v1
}  // namespace inlay

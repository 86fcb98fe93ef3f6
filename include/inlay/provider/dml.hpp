// DirectML: regions of the graph on GPUs and NPUs of DirectX 12, on Windows and in Linux under it (WSL). DirectML,
// Direct3D 12 and DXCore are opened when the first session needs them, so that the same program runs where there are
// none: in the folder that $INLAY_DML_LIBRARY names, else where the system looks. Link inlay::dml.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include <inlay/sdk/device_inventory.hpp>
#include <inlay/sdk/provider_handle.hpp>
#include <boost/hana/adapt_struct.hpp>

namespace inlay {
inline namespace v1 {
enum class dml_filter : std::uint8_t { gpu, npu, any };  // which adapters device_id counts
bool from_text(std::string_view text, dml_filter& to);
std::string to_text(dml_filter);

enum class dml_preference : std::uint8_t {
    as_listed,
    high_performance,
    minimum_power
};  // their order; text: "default"
bool from_text(std::string_view text, dml_preference& to);
std::string to_text(dml_preference);

struct dml {  // named as in ONNX Runtime
    int device_id = 0;
    dml_preference performance_preference = dml_preference::as_listed;
    dml_filter device_filter = dml_filter::gpu;
    bool disable_metacommands = false;  // not by the adapter driver's own implementations of operators

    static constexpr std::string_view name = "DmlExecutionProvider";
    static constexpr provider_status status = provider_status::production;
    static constexpr provider_check checked_on = provider_check::library;
    result<std::shared_ptr<engine>> open() const;
    static device_inventory inventory();
};
}  // namespace v1
}  // namespace inlay
BOOST_HANA_ADAPT_STRUCT(inlay::v1::dml, device_id, performance_preference, device_filter, disable_metacommands);
namespace inlay {
inline namespace v1 {
static_assert(provider<dml> && engine_provider<dml>);
}  // namespace v1
}  // namespace inlay
